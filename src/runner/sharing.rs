//! Whether the practice folder shares the clone's compiled crates: the condition under which a verdict is quick.

use super::{Practice, cargo};
use std::collections::BTreeSet;
use std::path::Path;

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// Every crate that both need has the same version and features in both.
    Shared {
        /// How many crates.
        crates: usize,
    },
    /// These differ, and are built twice with everything above them.
    Differs {
        /// "name version [features]" as the practice folder has it.
        crates: Vec<String>,
    },
    /// It cannot be said here.
    Unknown {
        /// Why.
        why: String,
    },
}

/// Compares what cargo resolves in the clone and in the practice folder. Needs no network.
pub fn sharing(practice: &Practice) -> Sharing {
    let Some(clone) = practice.clone_root() else {
        return Sharing::Unknown { why: "the program does not run from a clone".to_owned() };
    };
    match (tree(clone), tree(practice.root())) {
        (Ok(theirs), Ok(ours)) => {
            let differing: Vec<String> = ours.difference(&theirs).cloned().collect();
            if differing.is_empty() {
                Sharing::Shared { crates: ours.len() }
            } else {
                Sharing::Differs { crates: differing }
            }
        }
        (Err(why), _) | (_, Err(why)) => Sharing::Unknown { why },
    }
}

/// Every crate from a registry, with version and features.
fn tree(folder: &Path) -> Result<BTreeSet<String>, String> {
    let args = ["tree", "--offline", "--prefix", "none", "-e", "normal,build", "-f", "{p} [{f}]"];
    let done =
        cargo::command(folder).args(args).output().map_err(|error| format!("cargo cannot be started: {error}"))?;
    if !done.status.success() {
        return Err(String::from_utf8_lossy(&done.stderr).lines().next().unwrap_or_default().to_owned());
    }
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    // A package of a path carries the path in brackets; those are ours, and built for each workspace.
    let foreign = text.lines().map(|line| line.trim_end_matches(" (*)")).filter(|line| !line.contains(" (/"));
    Ok(foreign.filter(|line| !line.is_empty()).map(str::to_owned).collect())
}

//! Samplers of the reader's own, built behind the screens until they stand ready to draw in a lane of the lab.

use super::lab::Served;
use super::{Incoming, Tell, at_home, guarded, spawn};
use crate::lab::Sampler;
use crate::runner::{Cancel, Implementation, Runner};
use crate::store::{Store, paths};

/// Builds a sampler and starts its process; the loop hears of it.
pub(super) fn call(runner: &Runner, tell: &Tell, lane: usize, slug: &'static str, implementation: Implementation) {
    let (runner, to_loop) = (runner.clone(), tell.0.clone());
    spawn("guest", tell, move || {
        let came = guarded(|| guest(&runner, slug, implementation)).and_then(|came| came);
        // Nobody is there to hear it when the program ends.
        let _ = to_loop.send(Incoming::Guest(lane, came));
    });
}

fn guest(runner: &Runner, slug: &str, implementation: Implementation) -> Result<(String, Box<dyn Sampler>), String> {
    let implementation = match implementation {
        Implementation::Saved { id, .. } => Implementation::Saved { id, text: text(id)? },
        Implementation::File(path) => Implementation::File(at_home(path)),
        other => other,
    };
    let name = match &implementation {
        Implementation::Own => format!("your {slug}"),
        Implementation::Reference => format!("{slug}'s reference"),
        Implementation::Mistake(name) => format!("mistake {name}"),
        Implementation::Saved { id, .. } => format!("version {id}"),
        Implementation::File(path) => path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned(),
    };
    let serving = runner.serve(slug, &implementation, &Cancel::default(), &mut |_| ());
    Ok((name, Box::new(Served(serving.map_err(|error| error.to_string())?))))
}

/// A kept version; the text is read only now.
fn text(id: i64) -> Result<String, String> {
    let path = paths::database().ok_or("no home folder is known, so there are no saved versions")?;
    let (store, _) = Store::open(&path).map_err(|error| error.to_string())?;
    store.text(id).map_err(|error| error.to_string())
}

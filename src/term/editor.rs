//! The reader's own editor. Run [`Editor::open`] inside [`Session::suspended`](super::Session::suspended).

use super::{Error, words};
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;

/// A command from `$VISUAL` or `$EDITOR`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Editor {
    program: String,
    arguments: Vec<String>,
    variable: &'static str,
}

impl Editor {
    /// From the environment: `$VISUAL`, then `$EDITOR`; an empty one counts as not set.
    pub fn from_env() -> Result<Self, Error> {
        Self::find(|name| std::env::var(name).ok())
    }

    /// [`Editor::from_env`] with the environment as a function.
    pub fn find(env: impl Fn(&str) -> Option<String>) -> Result<Self, Error> {
        for variable in ["VISUAL", "EDITOR"] {
            let Some(line) = env(variable).filter(|line| !line.trim().is_empty()) else { continue };
            let mut words = words::split(&line).map_err(|why| Error::EditorCommand { variable, why })?.into_iter();
            let Some(program) = words.next() else { continue };
            return Ok(Self { program, arguments: words.collect(), variable });
        }
        Err(Error::NoEditor)
    }

    /// The program's name without folders, for "opening in vim".
    pub fn name(&self) -> &str {
        Path::new(&self.program).file_stem().and_then(|name| name.to_str()).unwrap_or(&self.program)
    }

    /// Opens the file, at a line (from 1) where the editor is known to take one, and waits until the editor is closed.
    pub fn open(&self, file: &Path, line: Option<usize>) -> Result<(), Error> {
        let mut command = Command::new(&self.program);
        command.args(self.arguments(file, line));
        let status = command.status().map_err(|source| match source.kind() {
            ErrorKind::NotFound => Error::EditorMissing { program: self.program.clone(), variable: self.variable },
            _ => Error::EditorStart { program: self.program.clone(), variable: self.variable, source },
        })?;
        if status.success() {
            return Ok(());
        }
        Err(Error::EditorFailed { program: self.program.clone(), status: status.to_string() })
    }

    /// The arguments with which the file is opened.
    fn arguments(&self, file: &Path, line: Option<usize>) -> Vec<OsString> {
        let mut list: Vec<OsString> = self.arguments.iter().map(OsString::from).collect();
        let placed = |line: usize| {
            let mut place = file.as_os_str().to_owned();
            place.push(format!(":{line}"));
            place
        };
        match (self.name(), line) {
            ("vi" | "vim" | "nvim" | "nano" | "emacs" | "emacsclient" | "kak" | "micro" | "ne" | "joe", Some(line)) => {
                list.extend([format!("+{line}").into(), file.as_os_str().to_owned()]);
            }
            ("hx" | "helix" | "subl" | "zed", Some(line)) => list.push(placed(line)),
            ("code" | "code-insiders" | "codium" | "cursor", Some(line)) => list.extend(["-g".into(), placed(line)]),
            _ => list.push(file.as_os_str().to_owned()),
        }
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(visual: Option<&str>, editor: Option<&str>) -> Result<Editor, Error> {
        Editor::find(|name| if name == "VISUAL" { visual } else { editor }.map(str::to_owned))
    }

    fn arguments(command: &str, line: Option<usize>) -> String {
        let editor = find(None, Some(command)).expect("a command");
        let list = editor.arguments(Path::new("a b.rs"), line);
        list.iter().map(|word| word.to_string_lossy().into_owned()).collect::<Vec<String>>().join("|")
    }

    #[test]
    fn visual_comes_before_editor() {
        assert_eq!(find(Some("code --wait"), Some("vi")).expect("found").name(), "code");
        assert_eq!(find(Some("  "), Some("/usr/bin/vi")).expect("found").name(), "vi");
        assert!(matches!(find(None, Some("")), Err(Error::NoEditor)));
        assert!(matches!(find(None, Some("vi 'x")), Err(Error::EditorCommand { variable: "EDITOR", .. })));
    }

    #[test]
    fn each_editor_takes_the_line_its_own_way() {
        assert_eq!(arguments("nvim -p", Some(7)), "-p|+7|a b.rs");
        assert_eq!(arguments("/opt/hx", Some(7)), "a b.rs:7");
        assert_eq!(arguments("code --wait", Some(7)), "--wait|-g|a b.rs:7");
        assert_eq!(arguments("ed", Some(7)), "a b.rs");
        assert_eq!(arguments("vim", None), "a b.rs");
    }

    #[test]
    fn a_missing_editor_is_named() {
        let editor = find(Some("no-such-editor-here --wait"), None).expect("a command");
        let error = editor.open(Path::new("x.rs"), None).expect_err("there is none");
        let text = error.to_string();
        assert!(text.contains("no-such-editor-here") && text.contains("$VISUAL"), "{text}");
    }

    #[cfg(unix)]
    #[test]
    fn an_editor_that_fails_is_said() {
        assert!(find(None, Some("true")).expect("a command").open(Path::new("x.rs"), None).is_ok());
        let failed = find(None, Some("false")).expect("a command").open(Path::new("x.rs"), None);
        assert!(matches!(failed, Err(Error::EditorFailed { .. })));
    }
}

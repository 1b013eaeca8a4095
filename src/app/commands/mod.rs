//! The one table of commands: footer, help, palette and README are made from it.

mod lab;
mod pack;

use super::key::Key;
use super::model::{Model, Place};
pub use lab::LabAction;

/// What a command does; `update` carries it out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // The table says it.
pub enum Action {
    Up,
    Down,
    PageUp,
    PageDown,
    Top,
    Bottom,
    Open,
    Back,
    SwitchFocus,
    NextTab,
    PreviousTab,
    ShowStatement,
    ShowVerdict,
    ShowHints,
    ShowSolution,
    ShowQuestions,
    Edit,
    Run,
    RunCase,
    NextCase,
    PreviousCase,
    Cancel,
    CopyCase,
    CopyVerdict,
    Hint,
    Solution,
    Answer,
    Pick,
    Reset,
    Search,
    ClearSearch,
    Lab(LabAction),
    EnterLab,
    EnterPack,
    Palette,
    Dismiss,
    Help,
    Suspend,
    Quit,
}

/// A command.
#[derive(Clone, Copy, Debug)]
pub struct Command {
    /// A stable name, for tests and for the palette's search.
    pub id: &'static str,
    /// What it does.
    pub action: Action,
    /// The keys, first the one that the footer shows.
    pub keys: &'static [&'static str],
    /// A word or two, for the footer.
    pub title: &'static str,
    /// What it does, in a line.
    pub doc: &'static str,
    /// Heading in the help.
    pub group: &'static str,
    /// Where it works; none: everywhere.
    pub place: Option<Place>,
    /// When it works.
    pub when: fn(&Model) -> bool,
    /// Its place in the footer, first things first; 0: not in the footer.
    pub footer: u8,
    /// Whether the palette lists it.
    pub palette: bool,
}

/// A command that the palette lists and the footer does not.
const fn command(
    id: &'static str,
    action: Action,
    keys: &'static [&'static str],
    [title, doc, group]: [&'static str; 3],
    when: fn(&Model) -> bool,
) -> Command {
    Command { id, action, keys, title, doc, group, place: None, when, footer: 0, palette: true }
}

impl Command {
    const fn footer(self, place: u8) -> Self {
        Self { footer: place, ..self }
    }

    const fn silent(self) -> Self {
        Self { palette: false, ..self }
    }

    const fn only_in(self, place: Place) -> Self {
        Self { place: Some(place), ..self }
    }

    /// Whether it works now.
    pub fn works(&self, model: &Model) -> bool {
        self.place.is_none_or(|place| place == model.place) && (self.when)(model)
    }
}

fn always(_: &Model) -> bool {
    true
}

fn has_notice(model: &Model) -> bool {
    !model.notices.is_empty()
}

const PLACES: &str = "Places";
const PROGRAM: &str = "The program";

const PROGRAM_TABLE: [Command; 7] = [
    command("lab", Action::EnterLab, &["L"], ["lab", "to the lab: a decode, step by step", PLACES], always)
        .only_in(Place::Pack)
        .footer(8),
    command("pack", Action::EnterPack, &["P"], ["pack", "to the pack: the problems", PLACES], always)
        .only_in(Place::Lab)
        .footer(8),
    command(
        "palette",
        Action::Palette,
        &["ctrl-p", ":"],
        ["go to", "all commands and problems by name", PROGRAM],
        always,
    )
    .silent(),
    command("dismiss", Action::Dismiss, &["d"], ["dismiss", "dismiss the message", PROGRAM], has_notice).footer(1),
    command("help", Action::Help, &["?"], ["keys", "all keys", PROGRAM], always).silent().footer(LAST),
    command("suspend", Action::Suspend, &["ctrl-z"], ["suspend", "to the shell; `fg` comes back", PROGRAM], always)
        .silent(),
    command("quit", Action::Quit, &["q", "ctrl-c"], ["quit", "leave", PROGRAM], always).footer(LAST),
];

const PARTS: [(&[Command], Option<Place>); 3] =
    [(&pack::TABLE, Some(Place::Pack)), (&lab::TABLE, Some(Place::Lab)), (&PROGRAM_TABLE, None)];
const COUNT: usize = pack::TABLE.len() + lab::TABLE.len() + PROGRAM_TABLE.len();

/// All commands, in the order in which the help shows them.
pub static ALL: &[Command] = &joined();

/// The parts of the table as one; what a part holds works in its place alone.
const fn joined() -> [Command; COUNT] {
    let mut all = [PROGRAM_TABLE[0]; COUNT];
    let (mut part, mut at) = (0, 0);
    while part < PARTS.len() {
        let (commands, place) = PARTS[part];
        let mut row = 0;
        while row < commands.len() {
            all[at] = match place {
                Some(place) => commands[row].only_in(place),
                None => commands[row],
            };
            (row, at) = (row + 1, at + 1);
        }
        part += 1;
    }
    all
}

/// The place of what is always in the footer, at its end.
const LAST: u8 = 9;

/// The command of a key, where it works now.
pub fn resolve(model: &Model, key: Key) -> Option<&'static Command> {
    ALL.iter().find(|command| command.works(model) && command.keys.iter().any(|name| name.parse() == Ok(key)))
}

/// The command of an action.
pub fn of(action: Action) -> Option<&'static Command> {
    ALL.iter().find(|command| command.action == action)
}

/// What the footer shows now, first things first: key, word, and whether it must be there.
pub fn footer(model: &Model) -> Vec<(&'static str, &'static str, bool)> {
    let mut shown: Vec<&Command> = ALL.iter().filter(|command| command.footer > 0 && command.works(model)).collect();
    shown.sort_by_key(|command| command.footer);
    shown.into_iter().map(|command| (command.keys[0], command.title, command.footer == LAST)).collect()
}

/// The table in the order in which somebody in this place wants to read it: what works here first.
pub fn for_place(place: Place) -> Vec<&'static Command> {
    let mut all: Vec<&Command> = ALL.iter().collect();
    all.sort_by_key(|command| command.group != PLACES && command.place.is_some_and(|own| own != place));
    all
}

/// The table as the README holds it, between the marks `<!-- keys -->` and `<!-- /keys -->`.
pub fn readme_table() -> String {
    let mut out = String::new();
    let mut group = "";
    for command in ALL {
        if command.group != group {
            group = command.group;
            let before = if out.is_empty() { "" } else { "\n" };
            out.push_str(&format!("{before}| {group} | |\n|---|---|\n"));
        }
        let keys: Vec<String> = command.keys.iter().map(|key| format!("`{key}`")).collect();
        out.push_str(&format!("| {} | {} |\n", keys.join(" "), command.doc));
    }
    out
}

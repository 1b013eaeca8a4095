//! The command line: one file a subcommand.

mod check;
mod doctor;
pub mod exit;
mod help;
mod history;
mod lab;
mod output;
mod problems;
mod run;

use crate::judge::DeviceChoice;
use crate::runner::{Limits, Practice, Runner, builtin};
use crate::store::{Opened, Store, paths};
use clap::{CommandFactory, Parser, Subcommand};
use exit::{Exit, Failed, Result};
use output::{Colour, Output};
use std::path::PathBuf;
use std::process::ExitCode;

/// Practise LLM-inference and Transformer interviews in the terminal.
///
/// Without a subcommand the program opens its screens.
#[derive(Debug, Parser)]
#[command(name = "logitlings", version, after_help = exit::HELP, max_term_width = 100)]
struct Args {
    /// The practice folder [default: practice/ in the clone, else ~/logitlings].
    #[arg(long, global = true, value_name = "FOLDER")]
    dir: Option<PathBuf>,
    /// When to colour.
    #[arg(long, global = true, value_enum, default_value_t)]
    color: Colour,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the problems with your progress.
    List(problems::List),
    /// Show a problem's statement.
    Show(problems::Show),
    /// Judge your file of a problem, or another implementation.
    Run(run::Run),
    /// Judge every file of the practice folder when it is saved.
    Watch(run::Watch),
    /// Show the next hint of a problem.
    Hint(help::Hint),
    /// Show the reference of a problem and the answers to its follow-up questions.
    Solution(help::Solution),
    /// Put a problem's skeleton back; your text is kept as a saved version.
    Reset(history::Reset),
    /// List the saved versions of your file, or print one.
    Versions(history::Versions),
    /// Write your history as JSON.
    Export(history::Export),
    /// Merge a history that `export` wrote.
    Import(history::Import),
    /// Watch samplers at work on the embedded model, without the screens: the same numbers as a table, JSON or CSV.
    Lab(Box<lab::Lab>),
    /// Check the problems themselves: references, mistakes, skeletons, golden values.
    Check(check::Check),
    /// Say what is installed, where things lie, and which protections are in force.
    Doctor,
    /// Print completions for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print the manual page.
    Man,
}

/// What every command may need.
struct Context {
    dir: Option<PathBuf>,
    out: Output,
}

impl Context {
    fn practice(&self) -> Result<Practice> {
        Ok(Practice::locate(self.dir.clone())?)
    }

    /// A runner over a practice folder that is complete.
    fn runner(&self) -> Result<Runner> {
        let practice = self.practice()?;
        practice.ensure()?;
        Ok(Runner::new(practice, Limits::default()))
    }

    /// The history, to read from or to add to; what is wrong with it is said.
    fn store(&self) -> Result<Store> {
        let (store, opened) = Self::opened()?;
        self.out.note_opened(&opened);
        Ok(store)
    }

    /// A history that outlives this command. Where there is none, `so` is said before the reason.
    fn lasting_store(&self, so: &str) -> Result<Store> {
        let (store, opened) = Self::opened()?;
        if let Opened::ReadOnly { why } = opened {
            return Err(Failed::failure(format!("{so}: {why}")));
        }
        self.out.note_opened(&opened);
        Ok(store)
    }

    fn opened() -> Result<(Store, Opened)> {
        let Some(path) = paths::database() else {
            let why = "no home folder is known, so nothing is kept: set $LOGITLINGS_DATA".to_owned();
            return Ok((Store::in_memory()?, Opened::ReadOnly { why }));
        };
        Ok(Store::open(&path)?)
    }
}

impl Output {
    fn note_opened(&self, opened: &Opened) {
        opened.notice().into_iter().for_each(|text| self.note(&text));
    }
}

/// Parses the command line and carries it out.
pub fn main() -> ExitCode {
    // The program calls itself this way; it is no subcommand, so that no completion offers it.
    let mut words = std::env::args_os().skip(1);
    if words.next().is_some_and(|word| word == builtin::SUBCOMMAND) {
        let rest: Vec<String> = words.map(|word| word.to_string_lossy().into_owned()).collect();
        return builtin::judge_builtin_main(&rest).unwrap_or_else(|message| {
            Output::new(Colour::Never).note(&message);
            Exit::Usage.into()
        });
    }
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            // Help and version are errors too, of code 0.
            let _ = error.print();
            return if error.use_stderr() { Exit::Usage.into() } else { ExitCode::SUCCESS };
        }
    };
    let mut context = Context { dir: args.dir, out: Output::new(args.color) };
    let done = dispatch(args.command, &mut context).and_then(|exit| match context.out.failure() {
        Some(error) => Err(Failed::failure(format!("cannot write to standard output: {error}"))),
        None => Ok(exit),
    });
    match done {
        Ok(exit) => exit.into(),
        Err(Failed { exit, message }) => {
            context.out.note(&format!("logitlings: {message}"));
            exit.into()
        }
    }
}

fn dispatch(command: Option<Command>, context: &mut Context) -> Result {
    match command {
        None => screens(context),
        Some(Command::List(list)) => list.run(context),
        Some(Command::Show(show)) => show.run(context),
        Some(Command::Run(run)) => run.run(context),
        Some(Command::Watch(watch)) => watch.run(context),
        Some(Command::Hint(hint)) => hint.run(context),
        Some(Command::Solution(solution)) => solution.run(context),
        Some(Command::Reset(reset)) => reset.run(context),
        Some(Command::Versions(versions)) => versions.run(context),
        Some(Command::Export(export)) => export.run(context),
        Some(Command::Import(import)) => import.run(context),
        Some(Command::Lab(lab)) => lab.run(context),
        Some(Command::Check(check)) => check.run(context),
        Some(Command::Doctor) => doctor::run(context),
        Some(Command::Completions { shell }) => {
            let mut text = Vec::new();
            clap_complete::generate(shell, &mut Args::command(), "logitlings", &mut text);
            context.out.text(&String::from_utf8_lossy(&text));
            Ok(Exit::Ok)
        }
        Some(Command::Man) => {
            let mut text = Vec::new();
            clap_mangen::Man::new(Args::command()).render(&mut text).map_err(Failed::failure)?;
            context.out.text(&String::from_utf8_lossy(&text));
            Ok(Exit::Ok)
        }
    }
}

/// Opens the screens.
fn screens(context: &mut Context) -> Result {
    use std::io::IsTerminal;
    if !std::io::stdout().is_terminal() || !std::io::stdin().is_terminal() {
        return Err(Failed::usage("the screens need a terminal; see `logitlings --help` for what works without one"));
    }
    crate::work::run(context.practice()?).map_err(Failed::failure)?;
    Ok(Exit::Ok)
}

/// A problem of the pack by its slug; the error names what is near.
fn problem(slug: &str) -> Result<&'static crate::pack::Entry> {
    crate::pack::find(slug).ok_or_else(|| {
        let near = near(slug);
        let hint = if near.is_empty() { String::new() } else { format!("; did you mean {}?", near.join(" or ")) };
        Failed::usage(format!("there is no problem \"{slug}\"{hint} (`logitlings list` shows them all)"))
    })
}

fn near(slug: &str) -> Vec<&'static str> {
    use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
    if slug.is_empty() {
        return Vec::new();
    }
    let mut matcher = nucleo_matcher::Matcher::new(nucleo_matcher::Config::DEFAULT);
    let slugs: Vec<&str> = crate::pack::all().map(|entry| entry.slug).collect();
    let fuzzy = Pattern::new(slug, CaseMatching::Ignore, Normalization::Smart, AtomKind::Fuzzy)
        .match_list(slugs.iter().copied(), &mut matcher);
    let mut found: Vec<&str> = fuzzy.into_iter().take(2).map(|(slug, _)| slug).collect();
    if found.is_empty() {
        let mut all: Vec<(usize, &str)> = slugs.iter().map(|other| (distance(slug, other), *other)).collect();
        all.sort();
        // Three letters of three are not near.
        let near = |(d, other): &(usize, &str)| *d <= 3 && 2 * d <= slug.chars().count().max(other.len());
        found.extend(all.into_iter().filter(near).take(2).map(|(_, slug)| slug));
    }
    found
}

/// Levenshtein distance.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let cost = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = cost.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

fn device(word: &str) -> std::result::Result<DeviceChoice, String> {
    word.parse()
}

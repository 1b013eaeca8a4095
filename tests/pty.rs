//! The program in a pseudo-terminal, from the first frame to the last: what a reader does, and every way in which it ends.
//!
//! Each test has folders of its own; the practice folder shares the clone's target. Nothing sleeps: everything waits for
//! what is on the screen, with a deadline.
#![allow(clippy::print_stdout)] // a test that is skipped says so
#![cfg(unix)]

use nix::sys::signal::{self, Signal};
use nix::unistd::Pid;
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

const ROWS: u16 = 40;
const COLUMNS: u16 = 120;
const PATIENCE: Duration = Duration::from_secs(30);
/// The library may have to be built for the practice folder first.
const BUILD: Duration = Duration::from_secs(900);

/// cargo builds in one target folder; tests that judge go one after another.
static JUDGE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    JUDGE.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn no_cargo() -> bool {
    let missing = Command::new("cargo").arg("--version").output().is_err();
    if missing {
        println!("skipped: there is no cargo here to build attempts with");
    }
    missing
}

/// The program in its pseudo-terminal.
struct Program {
    master: Option<Box<dyn MasterPty + Send>>,
    keyboard: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    screen: Arc<(Mutex<vt100::Parser>, Condvar)>,
    before: nix::sys::termios::Termios,
    folder: tempfile::TempDir,
}

impl Program {
    fn start() -> Self {
        Self::run("exec \"$PROGRAM\"", &[])
    }

    /// `script` is what a shell does; `$PROGRAM` is the program.
    fn run(script: &str, env: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let size = PtySize { rows: ROWS, cols: COLUMNS, ..PtySize::default() };
        let pair = native_pty_system().openpty(size).expect("a pseudo-terminal");
        let before = modes(&*pair.master);
        let mut command = CommandBuilder::new("bash");
        command.args(["-c", script]);
        command.cwd(folder.path());
        for name in ["VISUAL", "NO_COLOR", "LOGITLINGS_GLYPHS", "COLORFGBG"] {
            command.env_remove(name);
        }
        let path = |name: &str| folder.path().join(name).display().to_string();
        let (dir, data, xdg) = (path("practice"), path("data"), path("xdg"));
        let own = [
            ("PROGRAM", env!("CARGO_BIN_EXE_logitlings")),
            ("TERM", "xterm-256color"),
            ("LANG", "C.UTF-8"),
            ("LC_ALL", "C.UTF-8"),
            ("RUST_BACKTRACE", "0"),
            // The terminal here answers no questions.
            ("LOGITLINGS_THEME", "dark"),
            ("EDITOR", ""),
            ("LOGITLINGS_DIR", &dir),
            ("LOGITLINGS_DATA", &data),
            ("XDG_DATA_HOME", &xdg),
            ("XDG_CONFIG_HOME", &xdg),
            ("XDG_CACHE_HOME", &xdg),
        ];
        own.iter().chain(env).for_each(|(name, value)| command.env(name, value));
        let child = pair.slave.spawn_command(command).expect("the program starts");
        drop(pair.slave);
        let mut output = pair.master.try_clone_reader().expect("a reader");
        let keyboard = pair.master.take_writer().expect("a writer");
        let screen = Arc::new((Mutex::new(vt100::Parser::new(ROWS, COLUMNS, 0)), Condvar::new()));
        let shared = Arc::clone(&screen);
        std::thread::spawn(move || {
            let mut bytes = [0; 8192];
            while let Ok(count @ 1..) = output.read(&mut bytes) {
                shared.0.lock().expect("not poisoned").process(&bytes[..count]);
                shared.1.notify_all();
            }
        });
        Self { master: Some(pair.master), keyboard, child, screen, before, folder }
    }

    fn send(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).expect("the program reads");
        self.keyboard.flush().expect("the program reads");
    }

    fn resize(&self, rows: u16, cols: u16) {
        self.screen.0.lock().expect("not poisoned").screen_mut().set_size(rows, cols);
        let size = PtySize { rows, cols, ..PtySize::default() };
        self.master.as_ref().expect("the terminal is there").resize(size).expect("resized");
    }

    fn until(&self, patience: Duration, what: &str, asked: impl Fn(&vt100::Screen) -> bool) {
        let end = Instant::now() + patience;
        let mut parser = self.screen.0.lock().expect("not poisoned");
        while !asked(parser.screen()) {
            let left = end.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "never {what}; on the screen:\n{}", parser.screen().contents());
            parser = self.screen.1.wait_timeout(parser, left).expect("not poisoned").0;
        }
    }

    fn sees(&self, text: &str) {
        self.until(PATIENCE, &format!("saw {text:?}"), |screen| screen.contents().contains(text));
    }

    fn loses(&self, text: &str) {
        self.until(PATIENCE, &format!("lost {text:?}"), |screen| !screen.contents().contains(text));
    }

    /// The same, for what may come after a build of the library.
    fn comes_to(&self, text: &str) {
        self.until(BUILD, &format!("saw {text:?}"), |screen| screen.contents().contains(text));
    }

    fn pid(&self) -> Pid {
        Pid::from_raw(i32::try_from(self.child.process_id().expect("a process")).expect("a pid"))
    }

    fn practice(&self) -> PathBuf {
        // The system's own name for it: /proc shows that one.
        std::fs::canonicalize(self.folder.path()).expect("it exists").join("practice")
    }

    fn file(&self) -> PathBuf {
        self.practice().join("attention").join("sdpa.rs")
    }

    /// Saves as editors do: a new file that takes the old one's place.
    fn save(&self, text: &str) {
        let draft = self.practice().join("attention").join(".sdpa.rs.draft");
        std::fs::write(&draft, text).expect("written");
        std::fs::rename(draft, self.file()).expect("renamed");
    }

    /// Selects `sdpa` through the palette, whatever else the pack holds.
    fn choose(&mut self) {
        self.sees("LOGITLINGS");
        self.send(":");
        self.sees("go to");
        self.send("sdpa");
        self.sees("sdpa · Attention");
        self.send("\r");
        self.sees("1 statement");
    }

    /// The program is gone, the terminal is as it was, and nothing that it started is left.
    fn ended(&mut self) {
        self.child.wait().expect("the program ends");
        self.in_shell();
        let after = modes(&**self.master.as_ref().expect("the terminal is there"));
        assert_eq!(after.local_flags, self.before.local_flags);
        assert_eq!(after.input_flags, self.before.input_flags);
        self.nothing_left();
    }

    fn in_shell(&self) {
        self.until(PATIENCE, "all modes were taken back", |screen| {
            !screen.alternate_screen()
                && !screen.bracketed_paste()
                && !screen.hide_cursor()
                && screen.mouse_protocol_mode() == vt100::MouseProtocolMode::None
        });
    }

    fn nothing_left(&self) {
        let end = Instant::now() + PATIENCE;
        while let Some(left) = working_in(self.folder.path()) {
            assert!(Instant::now() < end, "left behind: {left}");
            std::thread::yield_now();
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // Only where a test has failed is it still there.
        let _ = self.child.kill();
    }
}

/// A process whose working folder lies in `folder`, or whose program does.
fn working_in(folder: &Path) -> Option<String> {
    let folder = std::fs::canonicalize(folder).ok()?;
    let entries = std::fs::read_dir("/proc").into_iter().flatten().filter_map(Result::ok);
    entries.map(|entry| entry.path()).find_map(|process| {
        let cwd = std::fs::read_link(process.join("cwd")).ok()?;
        cwd.starts_with(&folder).then(|| {
            let command = std::fs::read_to_string(process.join("cmdline")).unwrap_or_default();
            format!("{} {}", process.display(), command.replace('\0', " "))
        })
    })
}

fn modes(master: &dyn MasterPty) -> nix::sys::termios::Termios {
    let path = master.tty_name().expect("a name");
    let tty = std::fs::OpenOptions::new().read(true).write(true).open(path).expect("it opens");
    nix::sys::termios::tcgetattr(tty).expect("a terminal")
}

const RIGHT: &str = include_str!("runner/right.rs");

/// Attention without the scale.
fn unscaled() -> String {
    RIGHT.replace(" / (q.dim(D::Minus1)? as f64).sqrt()", " * 1.0")
}

/// A run that does not end by itself.
fn endless() -> String {
    RIGHT.replace("let scores = (q", "std::thread::sleep(std::time::Duration::from_secs(3600));\n    let scores = (q")
}

#[test]
fn the_first_frame_needs_nothing_and_quitting_leaves_nothing() {
    let mut program = Program::start();
    program.sees("LOGITLINGS");
    program.sees("q quit");
    program.send("q");
    program.ended();
}

#[test]
fn from_the_first_frame_to_an_accepted_problem() {
    if no_cargo() {
        return;
    }
    let _alone = alone();
    let mut program = Program::start();
    program.choose();
    program.comes_to("judge ready");
    program.send("r");
    program.comes_to("not implemented");
    program.save(&unscaled());
    program.comes_to("the mistake no-scale");
    program.sees("expected");
    program.save(RIGHT);
    program.comes_to("accepted: ");
    program.sees("5 questions");
    program.send("4");
    program.sees("Your file, and the reference");
    program.send("5");
    program.sees("a shows the answer");
    program.send("q");
    program.ended();
    // What was judged is kept.
    let list = Command::new(env!("CARGO_BIN_EXE_logitlings"))
        .args(["versions", "sdpa"])
        .env("LOGITLINGS_DATA", program.folder.path().join("data"))
        .env("LOGITLINGS_DIR", program.practice())
        .output()
        .expect("it runs");
    let text = String::from_utf8_lossy(&list.stdout).into_owned();
    assert!(text.contains("accepted") && text.contains("wrong answer"), "{text}");
}

#[test]
fn a_save_during_a_run_is_judged_and_the_run_is_stopped() {
    if no_cargo() {
        return;
    }
    let _alone = alone();
    let mut program = Program::start();
    program.choose();
    program.comes_to("judge ready");
    program.save(&endless());
    program.comes_to("case 1 of");
    program.save(RIGHT);
    program.comes_to("accepted: ");
    program.send("q");
    program.ended();
}

#[test]
fn leaving_in_the_middle_of_a_run_leaves_no_process() {
    if no_cargo() {
        return;
    }
    let _alone = alone();
    for how in ["\u{3}", "q"] {
        let mut program = Program::start();
        program.choose();
        program.comes_to("judge ready");
        program.save(&endless());
        program.comes_to("case 1 of");
        program.send(how);
        program.ended();
        assert!(attempts().is_empty(), "{:?}", attempts());
    }
}

/// Processes that run an attempt of `sdpa` that sleeps; their working folder is a temporary one.
fn attempts() -> Vec<PathBuf> {
    let target = Path::new(env!("CARGO_BIN_EXE_logitlings")).with_file_name("my-sdpa");
    let entries = std::fs::read_dir("/proc").into_iter().flatten().filter_map(Result::ok);
    entries
        .map(|entry| entry.path())
        .filter(|process| std::fs::read_link(process.join("exe")).is_ok_and(|exe| exe == target))
        .collect()
}

#[test]
fn every_ending_signal_gives_the_terminal_back_and_ends_the_build() {
    for number in [Signal::SIGTERM, Signal::SIGHUP, Signal::SIGINT] {
        let mut program = Program::start();
        program.sees("LOGITLINGS");
        signal::kill(program.pid(), number).expect("sent");
        program.ended();
    }
}

/// The window is closed while cargo builds: the program ends, and so does cargo.
#[test]
fn a_closed_window_ends_the_program_and_its_cargo() {
    if no_cargo() {
        return;
    }
    let _alone = alone();
    let mut program = Program::start();
    program.sees("LOGITLINGS");
    program.until(BUILD, "the judge was being made", |screen| {
        let text = screen.contents();
        text.contains("warming") || text.contains("judge ready")
    });
    let pid = program.pid();
    // Both ends of the window: what reads it stops when the last handle goes.
    drop(program.master.take());
    program.keyboard = Box::new(std::io::sink());
    let _ = signal::kill(pid, Signal::SIGHUP);
    program.child.wait().expect("the program ends");
    program.nothing_left();
}

#[test]
fn control_z_goes_to_the_shell_and_fg_comes_back() {
    let mut program = Program::run("set -m; \"$PROGRAM\"; echo in the shell; read answer; fg; echo over", &[]);
    program.sees("LOGITLINGS");
    program.sees("q quit");
    program.send("\u{1a}");
    program.sees("in the shell");
    program.in_shell();
    program.send("go\n");
    program.sees("LOGITLINGS");
    program.send("?");
    program.sees("Moving");
    program.send("\u{1b}");
    // An escape with a letter behind it would be another key.
    program.loses("Moving");
    program.send("q");
    program.sees("over");
    program.ended();
}

#[test]
fn the_editor_has_the_terminal_and_gives_it_back() {
    let script = r#"bash -c 'echo "editing ${@: -1}"; read line; true' --"#;
    let mut program = Program::run("exec \"$PROGRAM\"", &[("EDITOR", script)]);
    program.choose();
    program.send("e");
    program.sees("editing");
    program.sees("attention/sdpa.rs");
    program.in_shell();
    program.send("\n?");
    // The key after the editor's last line is the program's.
    program.sees("Moving");
    program.send("\u{1b}");
    program.loses("Moving");
    program.send("q");
    program.ended();
}

#[test]
fn without_an_editor_it_says_where_the_file_is() {
    let mut program = Program::start();
    program.choose();
    program.send("e");
    program.sees("no editor is set");
    program.sees("sdpa.rs");
    program.send("j");
    program.sees("no editor is set");
    program.send("q");
    program.ended();
}

/// Into the lab, ten steps on, five back, another token, a second lane, another size, and out.
#[test]
fn a_walk_through_the_lab() {
    let mut program = Program::start();
    program.sees("q quit");
    program.send("L");
    program.sees("of  12");
    program.send("]");
    program.sees("step  22 of  22");
    program.send("\u{1b}[D\u{1b}[D\u{1b}[D\u{1b}[D\u{1b}[D");
    program.sees("step  17 of  22");
    program.send("jj\r");
    program.sees("forced to");
    program.sees("branches 1");
    program.send("c");
    program.sees("lane a");
    program.sees("lane b");
    program.send("s++");
    program.sees("sampler of lane b");
    program.send("\u{1b}");
    program.sees("space play");
    program.send("l");
    program.sees("step  18 of");
    for (rows, cols) in [(24, 80), (5, 20), (ROWS, COLUMNS)] {
        program.resize(rows, cols);
    }
    program.sees("step  18 of");
    program.send("w\u{15}run.csv\r");
    program.sees("the run was written to");
    let written = std::fs::read_to_string(program.folder.path().join("run.csv")).expect("the file is there");
    assert!(written.starts_with("lane,") && written.lines().count() > 20, "{written}");
    program.send("q");
    program.ended();
}

#[test]
fn a_lab_that_plays_moves_by_itself_and_leaves_the_terminal_as_it_was() {
    let mut program = Program::start();
    program.sees("q quit");
    program.send("L");
    program.sees("of  12");
    program.send(">>>>> ");
    program.sees("plays");
    program.sees("step  20 of");
    program.send("\u{3}");
    program.ended();
}

#[test]
fn it_follows_the_size_of_the_window() {
    let mut program = Program::start();
    program.sees("0 of ");
    for (rows, cols) in [(24, 80), (5, 20), (1, 1), (12, 40), (ROWS, COLUMNS)] {
        program.resize(rows, cols);
    }
    program.sees("q quit");
    program.sees("0 of ");
    program.send("q");
    program.ended();
}

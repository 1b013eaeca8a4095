//! The real program in a pseudo-terminal, driven as a reader would drive it.
#![cfg(unix)]

use logitlings::runner::Practice;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// A first verdict builds the library for the practice folder.
const FIRST: Duration = Duration::from_secs(600);
const SOON: Duration = Duration::from_secs(60);

type Shared = Arc<(Mutex<vt100::Parser>, Condvar)>;

struct App {
    child: Box<dyn Child + Send + Sync>,
    keys: Box<dyn Write + Send>,
    screen: Shared,
    practice: Practice,
    _pty: Box<dyn MasterPty + Send>,
    _folder: tempfile::TempDir,
}

impl App {
    fn start(columns: u16, rows: u16) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let pty = native_pty_system()
            .openpty(PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 })
            .expect("a pseudo-terminal");
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_logitlings"));
        let place = folder.path().join("practice");
        for (name, value) in [
            ("LOGITLINGS_DIR", place.as_os_str()),
            ("LOGITLINGS_DATA", folder.path().join("data").as_os_str()),
            ("TERM", "xterm-256color".as_ref()),
            ("LANG", "C.UTF-8".as_ref()),
            ("LOGITLINGS_THEME", "dark".as_ref()),
            ("RUST_BACKTRACE", "0".as_ref()),
        ] {
            command.env(name, value);
        }
        command.env_remove("NO_COLOR");
        let child = pty.slave.spawn_command(command).expect("the program");
        drop(pty.slave);
        let screen: Shared = Arc::new((Mutex::new(vt100::Parser::new(rows, columns, 0)), Condvar::new()));
        let (mut output, shown) = (pty.master.try_clone_reader().expect("its output"), screen.clone());
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count) = output.read(&mut bytes) {
                if count == 0 {
                    break;
                }
                lock(&shown).process(&bytes[..count]);
                shown.1.notify_all();
            }
        });
        let keys = pty.master.take_writer().expect("its input");
        let practice = Practice::locate(Some(place)).expect("a practice folder");
        Self { child, keys, screen, practice, _pty: pty.master, _folder: folder }
    }

    fn text(&self) -> String {
        lock(&self.screen).screen().contents()
    }

    /// Waits until the screen holds a text.
    fn until(&self, text: &str, patience: Duration) {
        let deadline = Instant::now() + patience;
        let mut parser = lock(&self.screen);
        while !parser.screen().contents().contains(text) {
            let rest = deadline.saturating_duration_since(Instant::now());
            assert!(!rest.is_zero(), "\"{text}\" did not appear on:\n{}", parser.screen().contents());
            parser = self.screen.1.wait_timeout(parser, rest).expect("no panic").0;
        }
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).expect("keys");
        self.keys.flush().expect("keys");
    }

    fn file(&self) -> PathBuf {
        self.practice.file("sdpa").expect("a file")
    }

    fn save(&self, attempt: &str) {
        let text = std::fs::read_to_string(format!("{}/tests/runner/{attempt}.rs", env!("CARGO_MANIFEST_DIR")));
        std::fs::write(self.file(), text.expect("an attempt")).expect("a save");
    }

    /// Waits for the end and makes sure that the terminal is as before and nothing is left.
    fn ended(mut self, code: Option<u32>) {
        let deadline = Instant::now() + SOON;
        let status = loop {
            match self.child.try_wait().expect("a status") {
                Some(status) => break status,
                None => assert!(Instant::now() < deadline, "it does not end:\n{}", self.text()),
            }
            std::thread::yield_now();
        };
        if let Some(code) = code {
            assert_eq!(status.exit_code(), code);
        }
        // What it wrote last may still be on its way.
        let mut parser = lock(&self.screen);
        while parser.screen().alternate_screen() || parser.screen().hide_cursor() {
            assert!(Instant::now() < deadline, "the terminal is not as before");
            parser = self.screen.1.wait_timeout(parser, Duration::from_millis(50)).expect("no panic").0;
        }
        let screen = parser.screen();
        assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None);
        assert!(!screen.bracketed_paste());
        drop(parser);
        assert_eq!(attempts_running(self._folder.path()), 0);
    }
}

fn lock(shared: &Shared) -> MutexGuard<'_, vt100::Parser> {
    shared.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Attempts that still run for this folder's program: their working folder is a temporary one of the runner's.
fn attempts_running(_: &std::path::Path) -> usize {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().filter_map(Result::ok);
    let runs = |entry: &std::fs::DirEntry| {
        std::fs::read_link(entry.path().join("exe")).is_ok_and(|exe| exe.ends_with("release/my-sdpa"))
    };
    entries.filter(runs).count()
}

fn no_cargo() -> bool {
    let missing = Command::new("cargo").arg("--version").output().is_err();
    if missing {
        println!("skipped: there is no cargo here to build attempts with");
    }
    missing
}

/// Attempts of the other tests would be counted as left behind: one test at a time.
static ALONE: Mutex<()> = Mutex::new(());

#[test]
fn from_the_start_to_a_verdict_and_out() {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if no_cargo() {
        return;
    }
    let mut app = App::start(120, 40);
    app.until("LOGITLINGS", SOON);
    app.press("/sdpa\r");
    app.until("Every query looks at all keys", SOON);
    app.press("r");
    app.until("not implemented: 0 of 9 cases pass", FIRST);
    app.press("h");
    app.until("Hint 1 of 3", SOON);
    // The reader's editor saves.
    app.save("right");
    app.until("accepted: 9 of 9 cases on cpu", SOON);
    // A save during a run counts: the run is cancelled, and the newest text is judged.
    app.save("loops");
    app.until("case 1 of 9", SOON);
    app.save("right");
    app.until("accepted: 9 of 9 cases on cpu", SOON);
    app.press("4");
    app.until("your file, and the reference", SOON);
    app.press("?");
    app.until("all keys", SOON);
    app.press("\x1b");
    app.press("q");
    app.ended(Some(0));
}

#[test]
fn what_rustc_says_is_shown() {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if no_cargo() {
        return;
    }
    let mut app = App::start(100, 30);
    app.until("LOGITLINGS", SOON);
    app.until("judge ready", FIRST);
    app.save("does_not_compile");
    app.until("does not compile: 1 error", SOON);
    app.until("mismatched types", SOON);
    app.press("\x03");
    app.ended(Some(0));
}

#[test]
fn sigterm_in_the_middle_of_a_run() {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if no_cargo() {
        return;
    }
    let app = App::start(80, 24);
    app.until("LOGITLINGS", SOON);
    app.until("judge ready", FIRST);
    app.save("loops");
    app.until("case 1 of 9", SOON);
    let id = app.child.process_id().expect("an id");
    kill(Pid::from_raw(id as i32), Signal::SIGTERM).expect("a signal");
    app.ended(None);
}

#[test]
fn quitting_while_the_judge_is_being_built() {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let mut app = App::start(40, 12);
    app.until("LOGITLINGS", SOON);
    app.press("q");
    app.ended(Some(0));
}

//! The terminal session in a real pseudo-terminal: what it sets, what it gives back, and to whom the keys go.
//!
//! The test binary starts itself again inside the pseudo-terminal; `as_child` is what runs there.
#![cfg(unix)]
#![allow(clippy::print_stdout, reason = "the child's words after the session")]

use logitlings::term::editor::Editor;
use logitlings::term::{Event, KeyCode, KeyModifiers, Session, Signal};
use nix::sys::signal::{self, Signal as Number};
use nix::unistd::Pid;
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use ratatui::widgets::Paragraph;
use std::io::{Read, Write};
use std::sync::{Arc, Condvar, Mutex, mpsc};
use std::time::{Duration, Instant};

const CHILD: &str = "LOGITLINGS_TERMINAL_TEST_CHILD";
/// Room for everything that a child says.
const ROWS: u16 = 50;
const PATIENCE: Duration = Duration::from_secs(30);

/// The program under test: shows the keys and events that it gets.
#[test]
fn as_child() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    let (send, events) = mpsc::channel();
    let started = Session::start(false, move |event| drop(send.send(event)));
    let mut session = match started {
        Ok(session) => session,
        Err(error) => {
            println!("error: {error}");
            return;
        }
    };
    let mut keys = String::new();
    let mut said = String::from("ready");
    loop {
        let text = format!("keys [{keys}] {said}");
        session.draw(|frame| frame.render_widget(Paragraph::new(text), frame.area())).expect("a frame");
        match events.recv().expect("an event") {
            Event::Key(key) if key.modifiers.contains(KeyModifiers::CONTROL) => {
                session.stop_job().expect("stopped and continued");
                said = "continued".to_owned();
            }
            Event::Key(key) => match key.code {
                KeyCode::Char('q') => break,
                KeyCode::Char('p') => panic!("the drawing failed"),
                KeyCode::Char('w') => {
                    let worker = std::thread::Builder::new().name("judge".to_owned());
                    let _ = worker.spawn(|| panic!("boom")).expect("a thread").join();
                }
                KeyCode::Char('e') => {
                    let editor = Editor::from_env().expect("the test sets one");
                    let file = std::path::Path::new("file.rs");
                    let opened = session.suspended(|| editor.open(file, None)).expect("the terminal is back");
                    said = opened.map_or_else(|error| error.to_string(), |()| "edited".to_owned());
                }
                KeyCode::Char(c) => keys.push(c),
                _ => {}
            },
            Event::WorkerPanic(panic) => said = format!("{} said {}", panic.thread, panic.message),
            Event::Signal(Signal::Continue) => session.resume().expect("resumed"),
            Event::Signal(signal) => {
                drop(session);
                println!("ended by {signal:?}");
                return;
            }
            Event::Resize { width, height } => said = format!("{width} by {height}"),
            Event::InputLost(why) => panic!("input lost: {why}"),
            Event::Mouse(_) | Event::Paste(_) => {}
        }
    }
    drop(session);
    println!("goodbye");
}

/// A pseudo-terminal with the child in it.
struct Pty {
    master: Box<dyn MasterPty + Send>,
    keyboard: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    screen: Arc<(Mutex<vt100::Parser>, Condvar)>,
    before: nix::sys::termios::Termios,
}

/// The child as a shell command.
fn child_command() -> String {
    let this = std::env::current_exe().expect("a test has a path");
    format!("'{}' --exact as_child --nocapture --test-threads=1", this.display())
}

impl Pty {
    fn start(env: &[(&str, &str)]) -> Self {
        Self::run(&format!("exec {}", child_command()), env)
    }

    fn run(script: &str, env: &[(&str, &str)]) -> Self {
        let size = PtySize { rows: ROWS, cols: 60, ..PtySize::default() };
        let pair = native_pty_system().openpty(size).expect("a pseudo-terminal");
        let before = modes(&*pair.master);
        let mut command = CommandBuilder::new("bash");
        command.args(["-c", script]);
        for (name, value) in [(CHILD, "1"), ("TERM", "xterm-256color"), ("RUST_BACKTRACE", "0")].iter().chain(env) {
            command.env(name, value);
        }
        command.env_remove("VISUAL");
        let child = pair.slave.spawn_command(command).expect("the child starts");
        drop(pair.slave);
        let mut output = pair.master.try_clone_reader().expect("a reader");
        let keyboard = pair.master.take_writer().expect("a writer");
        let screen = Arc::new((Mutex::new(vt100::Parser::new(ROWS, 60, 0)), Condvar::new()));
        let shared = Arc::clone(&screen);
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut bytes) {
                shared.0.lock().expect("not poisoned").process(&bytes[..count]);
                shared.1.notify_all();
            }
        });
        Self { master: pair.master, keyboard, child, screen, before }
    }

    fn send(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).expect("the child reads");
        self.keyboard.flush().expect("the child reads");
    }

    /// Waits until the screen is as asked; fails with what is on it.
    fn until(&self, what: &str, asked: impl Fn(&vt100::Screen) -> bool) {
        let end = Instant::now() + PATIENCE;
        let mut parser = self.screen.0.lock().expect("not poisoned");
        while !asked(parser.screen()) {
            let left = end.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "never {what}; on the screen:\n{}", parser.screen().contents());
            parser = self.screen.1.wait_timeout(parser, left).expect("not poisoned").0;
        }
    }

    fn sees(&self, text: &str) {
        self.until(&format!("saw {text:?}"), |screen| screen.contents().contains(text));
    }

    fn in_app(&self) {
        self.until("all modes were set", |screen| {
            screen.alternate_screen()
                && screen.bracketed_paste()
                && screen.hide_cursor()
                && screen.mouse_protocol_mode() != vt100::MouseProtocolMode::None
        });
        assert!(!modes(&*self.master).local_flags.contains(nix::sys::termios::LocalFlags::ICANON), "raw mode");
    }

    fn in_shell(&self) {
        self.until("all modes were taken back", |screen| {
            !screen.alternate_screen()
                && !screen.bracketed_paste()
                && !screen.hide_cursor()
                && screen.mouse_protocol_mode() == vt100::MouseProtocolMode::None
        });
    }

    /// The child is gone and the terminal is as it was.
    fn ended(mut self) {
        self.child.wait().expect("the child ends");
        self.in_shell();
        assert_eq!(modes(&*self.master).local_flags, self.before.local_flags);
        assert_eq!(modes(&*self.master).input_flags, self.before.input_flags);
    }
}

fn modes(master: &dyn MasterPty) -> nix::sys::termios::Termios {
    let path = master.tty_name().expect("a name");
    let tty = std::fs::OpenOptions::new().read(true).write(true).open(path).expect("it opens");
    nix::sys::termios::tcgetattr(tty).expect("a terminal")
}

#[test]
fn keys_arrive_and_the_terminal_is_given_back() {
    let mut pty = Pty::start(&[]);
    pty.sees("ready");
    pty.in_app();
    pty.send("abc");
    pty.sees("keys [abc]");
    pty.master.resize(PtySize { rows: 10, cols: 50, ..PtySize::default() }).expect("resized");
    pty.sees("50 by 10");
    pty.send("q");
    pty.sees("goodbye");
    pty.ended();
}

#[test]
fn a_worker_may_panic_and_nothing_is_disturbed() {
    let mut pty = Pty::start(&[]);
    pty.sees("ready");
    pty.send("w");
    pty.sees("judge said boom");
    pty.in_app();
    pty.send("q");
    pty.ended();
}

#[test]
fn a_panic_of_the_drawing_thread_gives_the_terminal_back_first() {
    let mut pty = Pty::start(&[]);
    pty.sees("ready");
    pty.send("p");
    pty.sees("the drawing failed");
    pty.ended();
}

#[test]
fn every_ending_signal_gives_the_terminal_back() {
    for (number, name) in [(Number::SIGTERM, "Terminate"), (Number::SIGHUP, "HangUp"), (Number::SIGINT, "Interrupt")] {
        let pty = Pty::start(&[]);
        pty.sees("ready");
        let pid = i32::try_from(pty.child.process_id().expect("a process")).expect("a pid");
        signal::kill(Pid::from_raw(pid), number).expect("sent");
        pty.sees(&format!("ended by {name}"));
        pty.ended();
    }
}

#[test]
fn the_editor_gets_its_keys_and_the_program_the_rest() {
    let script = r#"bash -c 'echo "editing $1"; read line; [ "$line" = hello ]' --"#;
    let mut pty = Pty::start(&[("EDITOR", script)]);
    pty.sees("ready");
    pty.send("ae");
    pty.sees("editing file.rs");
    pty.in_shell();
    // What is typed after the editor's last line belongs to the program, also before it is back.
    pty.send("hello\nxy");
    pty.sees("keys [axy] edited");
    pty.in_app();
    pty.send("q");
    pty.ended();
}

#[test]
fn an_interrupt_meant_for_the_editor_does_not_end_the_program() {
    let script = r#"bash -c 'trap "echo interrupted" INT; echo editing; read line; read line; true' --"#;
    let mut pty = Pty::start(&[("EDITOR", script)]);
    pty.sees("ready");
    pty.send("e");
    pty.sees("editing");
    pty.send("\u{3}");
    pty.sees("interrupted");
    pty.send("\n\n\n");
    pty.sees("edited");
    pty.send("zq");
    pty.sees("goodbye");
    pty.ended();
}

#[test]
fn a_missing_editor_is_said_and_the_program_goes_on() {
    let mut pty = Pty::start(&[("EDITOR", "no-such-editor")]);
    pty.sees("ready");
    pty.send("e");
    pty.sees("no-such-editor");
    pty.in_app();
    pty.send("q");
    pty.ended();
}

#[test]
fn control_z_stops_the_job_and_fg_brings_it_back() {
    let script = format!("set -m; {}; echo in the shell; read answer; fg; echo over", child_command());
    let mut pty = Pty::run(&script, &[]);
    pty.sees("ready");
    pty.send("a\u{1a}");
    pty.sees("in the shell");
    pty.in_shell();
    pty.send("go\n");
    pty.sees("keys [a] continued");
    pty.in_app();
    pty.send("bq");
    pty.sees("over");
    pty.ended();
}

/// The window is closed under the program: it notices, and neither hangs nor spins.
#[test]
fn a_terminal_that_is_gone_ends_the_program() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let script = format!("trap '' HUP; {}; echo $? > '{}'", child_command(), log.display());
    let pair = native_pty_system().openpty(PtySize::default()).expect("a pseudo-terminal");
    let mut command = CommandBuilder::new("bash");
    command.args(["-c", &script]);
    command.env(CHILD, "1");
    command.env("TERM", "xterm-256color");
    let mut child = pair.slave.spawn_command(command).expect("the child starts");
    drop(pair.slave);
    let mut output = pair.master.try_clone_reader().expect("a reader");
    let (mut seen, mut bytes) = (String::new(), [0; 4096]);
    while !seen.contains("ready") {
        let count = output.read(&mut bytes).expect("the child draws");
        seen.push_str(&String::from_utf8_lossy(&bytes[..count]));
    }
    drop((output, pair.master));
    let (send, ended) = mpsc::channel();
    std::thread::spawn(move || send.send(child.wait().is_ok()));
    assert_eq!(ended.recv_timeout(PATIENCE), Ok(true), "the child goes on without a terminal");
    assert!(std::fs::read_to_string(log).is_ok_and(|code| !code.trim().is_empty()));
}

#[test]
fn without_a_terminal_it_says_so() {
    let this = std::env::current_exe().expect("a test has a path");
    let output = std::process::Command::new(this)
        .args(["--exact", "as_child", "--nocapture"])
        .env(CHILD, "1")
        .stdin(std::process::Stdio::null())
        .output()
        .expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("error: the output is not a terminal"), "{text}");
}

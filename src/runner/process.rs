//! A child with its whole family: started in a process group of its own, listened to, and ended as a group.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// How long a group may take to end by itself after it was asked to.
const GRACE: Duration = Duration::from_millis(300);

/// A running process group.
pub(super) struct Group {
    child: Child,
    status: Option<ExitStatus>,
}

/// Which pipe something was heard on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pipe {
    Stdout,
    Stderr,
}

/// What was heard.
pub(super) enum Heard {
    /// A line without its newline (or a piece of one that was too long).
    Line(Vec<u8>),
    /// The pipe is closed.
    End,
}

impl Group {
    /// Starts the command in a group of its own, with nothing to read and both outputs piped.
    pub fn spawn(command: &mut Command) -> std::io::Result<Self> {
        own_group(command);
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        Ok(Self { child, status: None })
    }

    /// As [`Group::spawn`], with something to read: what is written to the second value.
    pub fn spawn_asked(command: &mut Command) -> std::io::Result<(Self, ChildStdin)> {
        own_group(command);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let input = child.stdin.take().ok_or(std::io::ErrorKind::BrokenPipe)?;
        Ok((Self { child, status: None }, input))
    }

    /// Listens to both pipes on two threads. A thread whose pipe is never closed (because a process escaped with it) is
    /// left behind; it holds one line at most.
    pub fn listen(&mut self, longest: usize) -> Receiver<(Pipe, Heard)> {
        let (send, heard) = channel();
        if let Some(pipe) = self.child.stdout.take() {
            listen(Pipe::Stdout, pipe, longest, send.clone());
        }
        if let Some(pipe) = self.child.stderr.take() {
            listen(Pipe::Stderr, pipe, longest, send);
        }
        heard
    }

    /// The group's id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether the child itself is over.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        if self.status.is_none() {
            self.status = self.child.try_wait().ok().flatten();
        }
        self.status
    }

    /// Waits for the child itself.
    pub fn wait(&mut self) -> Option<ExitStatus> {
        if self.status.is_none() {
            self.status = self.child.wait().ok();
        }
        self.status
    }

    /// Waits for the child until `deadline`.
    pub fn wait_until(&mut self, deadline: Instant) -> Option<ExitStatus> {
        while self.ended().is_none() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
        self.status
    }

    /// Asks the group to end, gives it a moment, and ends it.
    pub fn end(&mut self) {
        signal(self.id(), Signal::Terminate);
        let deadline = Instant::now() + GRACE;
        self.wait_until(deadline);
        while !self.members().is_empty() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
        }
        signal(self.id(), Signal::Kill);
        self.wait();
    }

    /// Processes of the group that are still there; the child is not among them once it was waited for.
    pub fn members(&self) -> Vec<u32> {
        members(self.id())
    }
}

impl Drop for Group {
    /// Nothing that we started outlives us, whatever way we leave.
    fn drop(&mut self) {
        if self.ended().is_none() || !self.members().is_empty() {
            signal(self.id(), Signal::Kill);
            self.wait();
        }
    }
}

fn listen(which: Pipe, pipe: impl Read + Send + 'static, longest: usize, send: Sender<(Pipe, Heard)>) {
    let read = move || {
        let mut pipe = BufReader::new(pipe);
        loop {
            let mut line = Vec::new();
            match (&mut pipe).take(longest as u64).read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => break,
                Ok(_) => {
                    if line.last() == Some(&b'\n') {
                        line.pop();
                    }
                    if send.send((which, Heard::Line(line))).is_err() {
                        return;
                    }
                }
            }
        }
        let _ = send.send((which, Heard::End));
    };
    // Without a thread nothing can be heard: the sender is dropped, and the receiver sees that.
    let _ = std::thread::Builder::new().name("pipe".to_owned()).spawn(read);
}

enum Signal {
    Terminate,
    Kill,
}

#[cfg(unix)]
fn own_group(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

#[cfg(unix)]
fn signal(group: u32, which: Signal) {
    use nix::sys::signal::{Signal as Unix, killpg};
    let which = match which {
        Signal::Terminate => Unix::SIGTERM,
        Signal::Kill => Unix::SIGKILL,
    };
    let _ = killpg(nix::unistd::Pid::from_raw(group as i32), which);
}

#[cfg(not(unix))]
fn own_group(_: &mut Command) {}

#[cfg(not(unix))]
fn signal(child: u32, _: Signal) {
    let _ = Command::new("taskkill").args(["/T", "/F", "/PID", &child.to_string()]).output();
}

/// Processes of a group that are not already dead, with the resident bytes of each.
#[cfg(target_os = "linux")]
fn family(group: u32) -> Vec<(u32, u64)> {
    const PAGE: u64 = 4096;
    let entries = std::fs::read_dir("/proc").into_iter().flatten().filter_map(Result::ok);
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let one = |id: u32| {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        // "pid (name) state ppid pgrp …": the name may hold anything, so fields are counted from its closing bracket.
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let (state, pgrp) = (*fields.first()?, fields.get(2)?.parse::<u32>().ok()?);
        let pages: u64 = fields.get(21)?.parse().ok()?;
        (pgrp == group && state != "Z" && state != "X").then_some((id, pages * PAGE))
    };
    ids.filter_map(one).collect()
}

#[cfg(target_os = "linux")]
fn members(group: u32) -> Vec<u32> {
    family(group).into_iter().map(|(id, _)| id).collect()
}

/// Resident bytes of the whole group.
#[cfg(target_os = "linux")]
pub(super) fn resident(group: u32) -> u64 {
    family(group).into_iter().map(|(_, bytes)| bytes).sum()
}

#[cfg(all(unix, not(target_os = "linux")))]
fn members(group: u32) -> Vec<u32> {
    let alive = nix::sys::signal::killpg(nix::unistd::Pid::from_raw(group as i32), None).is_ok();
    if alive { vec![group] } else { Vec::new() }
}

#[cfg(not(unix))]
fn members(_: u32) -> Vec<u32> {
    Vec::new()
}

/// Only Linux says what a process tree holds without a library of its own; elsewhere the meter in the child is the limit.
#[cfg(not(target_os = "linux"))]
pub(super) fn resident(_: u32) -> u64 {
    0
}

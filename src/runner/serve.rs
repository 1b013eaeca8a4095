//! A reader's sampler as a process that answers one question at a time, under the limits of an attempt.

use super::process::{Group, Heard, Pipe};
use super::{Error, Limits, child};
use crate::judge::host::HostArgs;
use crate::judge::serve::{PROTOCOL, Question, Reply};
use std::path::Path;
use std::process::Command;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// A reply is a number or a sentence.
const LINE: usize = 1 << 20;
/// How long a process may take to say that it is ready.
const READY: Duration = Duration::from_secs(10);
/// How long it may think about one token.
const ANSWER: Duration = Duration::from_secs(3);
/// How long a process that closed its channel may take to end.
const END: Duration = Duration::from_millis(500);

/// A sampler's process. Dropped, it is ended with everything that it started.
pub struct Serving {
    group: Group,
    heard: Receiver<(Pipe, Heard)>,
    /// To the thread that writes: a process that does not read must not stop who asks.
    questions: Option<Sender<String>>,
    number: u64,
    printed: Vec<u8>,
    /// Why it answers no more.
    over: Option<String>,
    _folder: tempfile::TempDir,
}

impl Serving {
    /// Starts `program` with `args` in front of the judge's own and waits until it is ready for questions about `slug`.
    pub(super) fn start(program: &Path, args: &[String], slug: &str, limits: &Limits) -> Result<Self, Error> {
        let folder = tempfile::Builder::new().prefix("logitlings-run-").tempdir().map_err(Error::NoTemporary)?;
        let host = HostArgs { serve: true, memory: Some(limits.memory), ..HostArgs::default() };
        let mut command = Command::new(program);
        command.args(args).args(host.to_args()).current_dir(folder.path());
        child::scrub(&mut command);
        let cannot = |error| Error::CannotStart { program: program.to_owned(), error };
        let (mut group, mut input) = Group::spawn_asked(&mut command).map_err(cannot)?;
        let heard = group.listen(LINE);
        let (questions, asked) = channel::<String>();
        let write = move || {
            use std::io::Write;
            for line in asked {
                if input.write_all(line.as_bytes()).and_then(|()| input.flush()).is_err() {
                    break;
                }
            }
        };
        std::thread::Builder::new().name("questions".to_owned()).spawn(write).map_err(cannot)?;
        let mut serving = Self {
            group,
            heard,
            questions: Some(questions),
            number: 0,
            printed: Vec::new(),
            over: None,
            _folder: folder,
        };
        match serving.reply(Instant::now() + READY) {
            Ok(Reply::Ready { protocol: PROTOCOL, problem }) if problem == slug => Ok(serving),
            Ok(Reply::Ready { protocol: PROTOCOL, problem }) => {
                Err(Error::Refused { said: format!("it is an attempt at {problem}: its `attempt!` must name {slug}") })
            }
            Ok(Reply::Ready { protocol, .. }) => Err(Error::Protocol { theirs: protocol, ours: PROTOCOL }),
            Ok(_) => Err(Error::Refused { said: "it answers before it was asked".to_owned() }),
            Err(why) => Err(Error::Refused { said: format!("{why}{}", serving.said()) }),
        }
    }

    /// The token that it draws from logits (V). Fails with a sentence; after a hang or an end it answers no more.
    pub fn sample(
        &mut self,
        logits: &[f32],
        temperature: f64,
        top_k: usize,
        top_p: f64,
        uniform: f64,
    ) -> Result<u32, String> {
        if let Some(why) = &self.over {
            return Err(why.clone());
        }
        self.number += 1;
        let question = Question::new(self.number, logits, temperature, top_k, top_p, uniform);
        let line = serde_json::to_string(&question).map_err(|error| error.to_string())? + "\n";
        let sent = self.questions.as_ref().is_some_and(|questions| questions.send(line).is_ok());
        let deadline = Instant::now() + ANSWER;
        loop {
            // Where it cannot be asked, what is heard says why.
            match self.reply(if sent { deadline } else { Instant::now() + END }) {
                Ok(Reply::Token { number, token }) if number == self.number => return Ok(token),
                Ok(Reply::Nothing { number, reason }) if number == self.number => return Err(reason),
                // An answer that was forged or comes late.
                Ok(_) => {}
                Err(why) => {
                    let why = format!("{why}{}", self.said());
                    self.questions = None;
                    self.group.end();
                    self.over = Some(why.clone());
                    return Err(why);
                }
            }
        }
    }

    /// The next reply, or why there is none.
    fn reply(&mut self, deadline: Instant) -> Result<Reply, String> {
        loop {
            match self.heard.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok((Pipe::Stdout, Heard::Line(line))) => {
                    if let Ok(reply) = serde_json::from_slice(&line) {
                        return Ok(reply);
                    }
                }
                Ok((Pipe::Stdout, Heard::End)) | Err(RecvTimeoutError::Disconnected) => {
                    let status = self.group.wait_until(Instant::now() + END);
                    // What it said last may still be on its way.
                    while let Ok((_, heard)) = self.heard.recv_timeout(Duration::from_millis(50)) {
                        if let Heard::Line(line) = heard {
                            self.keep(line);
                        }
                    }
                    return Err(match status {
                        Some(status) => format!("its process ended ({status})"),
                        None => "its process closed the channel".to_owned(),
                    });
                }
                Ok((Pipe::Stderr, Heard::Line(line))) => self.keep(line),
                Ok((Pipe::Stderr, Heard::End)) => {}
                Err(RecvTimeoutError::Timeout) => {
                    return Err(format!("it gave no answer within {} s and was ended", ANSWER.as_secs()));
                }
            }
        }
    }

    /// Keeps the end of what it prints.
    fn keep(&mut self, line: Vec<u8>) {
        const KEPT: usize = 4096;
        self.printed.extend(line);
        self.printed.push(b'\n');
        let surplus = self.printed.len().saturating_sub(KEPT);
        self.printed.drain(..surplus);
    }

    /// The last line that it printed, for a sentence.
    fn said(&self) -> String {
        let text = String::from_utf8_lossy(&self.printed);
        let last = text.lines().rev().find(|line| !line.trim().is_empty());
        last.map(|line| format!("; it said: {}", line.trim())).unwrap_or_default()
    }
}

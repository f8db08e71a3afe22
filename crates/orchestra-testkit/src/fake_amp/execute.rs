//! `amp -x`: checks the request, opens the thread, runs its turns and says how it ended.

mod input;
mod request;

use std::fs::File;
use std::process::ExitCode;
use std::time::Duration;

use super::build::Build;
use super::cancel::{Cancel, Halt};
use super::cli::{Invocation, Target};
use super::dialect::{Dialect, Speaker};
use super::faults::{self, Shape};
use super::knobs::Knobs;
use super::permissions::Permissions;
use super::shapes::Block;
use super::stream::{Setup, Transcript};
use super::threads::{Message, Store, Thread, ThreadError};
use super::turn::{Ending, Plan};
use super::{login, terminal, thread_commands, turn};
use input::{Incoming, Lines};
use request::Request;

/// Runs a message, or several with `--stream-json-input`.
pub(crate) fn run(knobs: &Knobs, invocation: &Invocation, target: &Target) -> ExitCode {
    let build = invocation.build;
    let request = match request::check(knobs, invocation) {
        Ok(request) => request,
        Err(message) => return terminal::fail(build, &message),
    };
    if !knobs.is_signed_in() {
        return login::prompt(knobs, build);
    }
    let opened = match open_thread(knobs, invocation, &request, target) {
        Ok(opened) => opened,
        Err(error) => {
            let refused = Dialect::of(knobs).refuse(&error);
            return refused.unwrap_or_else(|| thread_commands::refuse(build, &error));
        }
    };
    match Cancel::watch() {
        Ok(cancel) => Execution::new(knobs, invocation, request, opened, &cancel).run(),
        Err(error) => terminal::fail(build, &error.to_string()),
    }
}

struct OpenedThread {
    store: Store,
    thread: Thread,
    is_new: bool,
    _claim: Option<File>,
}

fn open_thread(
    knobs: &Knobs,
    invocation: &Invocation,
    request: &Request,
    target: &Target,
) -> Result<OpenedThread, ThreadError> {
    let store = Store::open(&knobs.home(), invocation.build)?;
    let mut thread = match target {
        Target::New => store.create(invocation.value("--visibility").unwrap_or("private"))?,
        Target::Last => store.last(&request.cwd)?,
        Target::Named(name) => store.load(name)?,
    };
    if thread.archived && invocation.build == Build::New {
        return Err(ThreadError::Archived);
    }
    let claim = store.claim(&thread)?;
    thread.labels.extend(invocation.values("--label"));
    if let Some(title) = invocation.value("--title") {
        thread.title = title.to_owned();
    }
    store.remember_last(&request.cwd, &thread)?;
    Ok(OpenedThread {
        store,
        thread,
        is_new: *target == Target::New,
        _claim: claim,
    })
}

struct Execution<'a> {
    knobs: &'a Knobs,
    invocation: &'a Invocation,
    request: Request,
    opened: OpenedThread,
    transcript: Transcript,
    cancel: &'a Cancel,
}

impl<'a> Execution<'a> {
    fn new(
        knobs: &'a Knobs,
        invocation: &'a Invocation,
        request: Request,
        opened: OpenedThread,
        cancel: &'a Cancel,
    ) -> Self {
        let transcript = Transcript::new(invocation.build, request.format, &opened.thread.id)
            .speaking(Speaker::new(Dialect::of(knobs), opened.thread.used));
        Self {
            knobs,
            invocation,
            request,
            opened,
            transcript,
            cancel,
        }
    }

    fn run(mut self) -> ExitCode {
        let outcome = match self.request.prompt.take() {
            Some(blocks) => self.single(&blocks),
            None => self.conversation(),
        };
        let code = match outcome {
            Ok(code) => code,
            Err(halt) => self.halted(&halt),
        };
        match self.close_thread() {
            Ok(()) => ExitCode::from(code),
            Err(error) => thread_commands::refuse(self.invocation.build, &error),
        }
    }

    fn single(&mut self, blocks: &[Block]) -> Result<u8, Halt> {
        let plan = match self.plan(blocks) {
            Ok(plan) => plan,
            Err(message) => {
                terminal::fail(self.invocation.build, &message);
                return Ok(1);
            }
        };
        let dialect = Dialect::of(self.knobs);
        let shape = plan.fault.map(|fault| {
            let own = dialect.fault(fault);
            own.unwrap_or_else(|| faults::shape(fault, self.invocation.build))
        });
        if let Some(Shape::BeforeOutput(message)) = &shape {
            terminal::fail(self.invocation.build, message);
            return Ok(1);
        }
        self.init()?;
        self.transcript.user(blocks)?;
        match shape {
            Some(shape) => self.fault(shape),
            None => {
                let ending = self.turn(&plan)?;
                self.finish(ending)
            }
        }
    }

    /// Turns from standard input; the one result comes after its end.
    fn conversation(&mut self) -> Result<u8, Halt> {
        self.init()?;
        let lines = Lines::read();
        let mut turns = 0;
        loop {
            let messages = match lines.next(turns == 0, self.cancel)? {
                Incoming::Messages(messages) => messages,
                Incoming::Invalid(error) => {
                    return self.finish(Ending::failure(error));
                }
                Incoming::End => break,
            };
            for message in &messages {
                self.transcript.user(message)?;
            }
            let plan = self.plan(&messages.concat()).map_err(Halt::Failed)?;
            match self.turn(&plan)? {
                Ending::Success => turns += 1,
                other => return self.finish(other),
            }
        }
        match (turns, self.invocation.build) {
            (0, Build::Jan) => Err(self.cancel.hang()),
            (0, _) => self.finish(Ending::failure(
                "No valid messages found in stdin".to_owned(),
            )),
            _ => self.finish(Ending::Success),
        }
    }

    fn init(&mut self) -> Result<(), Halt> {
        self.transcript.init(&Setup {
            cwd: &self.request.cwd,
            mode: self.invocation.mode(),
            effort: self.invocation.value("--effort"),
            mcp_servers: &self.request.mcp_servers,
        })
    }

    /// Decides what this turn does, and counts it.
    fn plan(&mut self, blocks: &[Block]) -> Result<Plan, String> {
        let prompt = request::prompt_text(blocks);
        let OpenedThread { store, thread, .. } = &mut self.opened;
        if thread.messages.is_empty() && self.invocation.value("--title").is_none() {
            thread.title = prompt.lines().next().unwrap_or_default().to_owned();
        }
        let (build, cwd) = (self.invocation.build, &self.request.cwd);
        let mut plan = turn::begin(self.knobs, build, (store, thread), &prompt, cwd)?;
        if let Some(file) = self.invocation.value("--settings-file")
            && !self.invocation.has("--dangerously-allow-all")
        {
            plan.permissions = Permissions::load(file, &self.opened.thread.id)?;
        }
        Ok(plan)
    }

    fn turn(&mut self, plan: &Plan) -> Result<Ending, Halt> {
        let build = self.invocation.build;
        turn::run(
            build,
            plan,
            &self.request.cwd,
            &mut self.transcript,
            self.cancel,
        )
    }

    fn fault(&mut self, shape: Shape) -> Result<u8, Halt> {
        let build = self.invocation.build;
        match shape {
            Shape::Result {
                error,
                stderr,
                code,
            } => {
                self.finish(Ending::failure(error))?;
                if let Some(line) = stderr {
                    terminal::complain(build, &format!("Error: {line}"));
                }
                Ok(code)
            }
            Shape::NoResult(message) | Shape::BeforeOutput(message) => {
                terminal::fail(build, &message);
                Ok(1)
            }
        }
    }

    fn finish(&mut self, ending: Ending) -> Result<u8, Halt> {
        match ending {
            Ending::Success => self.transcript.success().map(|()| 0),
            Ending::Failure { subtype, text } => {
                let code = Dialect::of(self.knobs).failure_code();
                self.transcript.failure(&subtype, &text).map(|()| code)
            }
            Ending::SuccessThenExit(code) => self.transcript.success().map(|()| code),
            Ending::SuccessThenHang => {
                self.transcript.success()?;
                self.cancel.hang();
                Ok(0)
            }
            Ending::Nothing(code) => Ok(code),
            Ending::Cancelled => Err(Halt::Cancelled),
        }
    }

    /// The exit code after an interrupted turn; the result line is written where someone can read it.
    fn halted(&mut self, halt: &Halt) -> u8 {
        let told = match halt {
            Halt::Cancelled => {
                // Amp needs a moment to wind down.
                std::thread::sleep(Duration::from_millis(200));
                self.finish(Ending::failure(
                    "User cancelled (SIGINT/SIGTERM)".to_owned(),
                ))
            }
            Halt::Failed(text) => self.finish(Ending::failure(text.clone())),
            Halt::OutputClosed => Err(Halt::OutputClosed),
        };
        told.unwrap_or_else(|_closed| {
            terminal::fail(self.invocation.build, "Unexpected error inside Amp CLI.");
            1
        })
    }

    fn close_thread(&mut self) -> Result<(), ThreadError> {
        let archives = match self.invocation.build {
            Build::New => self.opened.is_new && !self.invocation.has("--no-archive-after-execute"),
            _ => self.invocation.has("--archive"),
        };
        let thread = &mut self.opened.thread;
        thread.archived |= archives;
        thread.tokens += self.transcript.spent();
        thread.used = self.transcript.used();
        thread.messages.push(Message {
            role: "assistant".to_owned(),
            text: self.transcript.last_text().to_owned(),
        });
        Ok(self.opened.store.save(thread)?)
    }
}

//! Doing the steps of a scenario.

mod endings;
mod files;
mod output;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::build::Build;
use super::cancel::{Cancel, Halt};
use super::permissions::{Call, Permissions};
use super::scenario::Step;
use super::shapes::Usage;
use super::spawn;
use super::stream::Transcript;
use super::turn::Ending;

/// Does steps in a directory and reports them in a transcript.
pub(crate) struct Performer<'a> {
    build: Build,
    cwd: &'a Path,
    transcript: &'a mut Transcript,
    cancel: &'a Cancel,
    permissions: Option<&'a Permissions>,
}

impl<'a> Performer<'a> {
    pub(crate) fn new(
        build: Build,
        cwd: &'a Path,
        transcript: &'a mut Transcript,
        cancel: &'a Cancel,
    ) -> Self {
        Self {
            build,
            cwd,
            transcript,
            cancel,
            permissions: None,
        }
    }

    /// The same, with tools that may not all be used.
    pub(crate) fn under(self, permissions: &'a Permissions) -> Self {
        Self {
            permissions: Some(permissions),
            ..self
        }
    }

    /// Prints words that are still held back, unless the coming step belongs to them.
    pub(crate) fn settle(&mut self, coming: &Step) -> Result<(), Halt> {
        let joins = files::changes_files(coming)
            || matches!(
                coming,
                Step::ToolCall { .. }
                    | Step::Git { .. }
                    | Step::Exit { .. }
                    | Step::HangAfterResult
            );
        if joins {
            Ok(())
        } else {
            self.transcript.flush()
        }
    }

    /// Does one step; an ending ends the turn.
    pub(crate) fn perform(&mut self, step: &Step) -> Result<Option<Ending>, Halt> {
        if files::changes_files(step) {
            return self.change_files(step).map(|()| None);
        }
        match step {
            Step::Message { text } => self.transcript.say(text)?,
            Step::Thinking { text } => self.transcript.think(text)?,
            Step::ToolCall {
                name,
                input,
                result,
                is_error,
            } => {
                self.tool(name, input, result.clone(), *is_error)?;
            }
            Step::Permission { tool, kind, input } => self.ask(tool, kind, input)?,
            Step::Usage { .. } => self.usage(step),
            Step::Git { args } => self.git(args)?,
            Step::Sleep { milliseconds } => {
                self.cancel.pause(Duration::from_millis(*milliseconds))?
            }
            Step::WaitForFile { path, seconds } => {
                self.wait_for(path, Duration::from_secs(*seconds))?
            }
            Step::TouchFile { path } => {
                let path = self.path(path);
                std::fs::write(&path, "").map_err(|error| failed("create", &path, &error))?;
            }
            Step::Spawn {
                shape,
                seconds,
                pid_file,
            } => {
                let pid_file = self.path(pid_file);
                spawn::start(*shape, *seconds, &pid_file).map_err(Halt::Failed)?;
            }
            Step::PrintEnv { path } => self.print_environment(path)?,
            Step::IgnoreSignals => self.cancel.ignore(),
            _ => return self.print_or_end(step),
        }
        Ok(None)
    }

    fn path(&self, path: &Path) -> PathBuf {
        self.cwd.join(path)
    }

    fn tool(
        &mut self,
        name: &str,
        input: &Value,
        result: String,
        is_error: bool,
    ) -> Result<(), Halt> {
        match self.call(name, input)? {
            Some(id) => self.transcript.tool_result(id, result, is_error),
            None => Ok(()),
        }
    }

    /// Uses a tool if that is allowed, and says so if it is not.
    fn ask(&mut self, tool: &str, kind: &str, input: &Value) -> Result<(), Halt> {
        let asked = self.transcript.ask(tool, kind, input, self.cancel)?;
        let allowed = match asked {
            // Amp asks through its settings alone.
            None => self.call(tool, input)?,
            Some((id, true)) => Some(id),
            Some((id, false)) => {
                let text = "Rejected.".to_owned();
                self.transcript.tool_result(id, text, true)?;
                None
            }
        };
        if let Some(id) = allowed {
            return self.transcript.tool_result(id, "Done".to_owned(), false);
        }
        self.transcript
            .say(&format!("I was not allowed to use {tool}."))
    }

    /// Calls a tool. The id its result must carry; `None` if it was rejected, which is the result then.
    fn call(&mut self, tool: &str, input: &Value) -> Result<Option<String>, Halt> {
        let id = self.transcript.tool_call(tool, input.clone())?;
        let call = Call {
            id: &id,
            tool,
            input,
            cwd: self.cwd,
        };
        let rejection = match self.permissions {
            Some(permissions) => permissions.rejection(&call, self.cancel)?,
            None => None,
        };
        match rejection {
            Some(reason) => {
                let text = format!("Tool execution rejected by user: {reason}");
                self.transcript.tool_result(id, text, true).map(|()| None)
            }
            None => Ok(Some(id)),
        }
    }

    /// A command as the arguments of the build's shell tool.
    fn shell_input(&self, command: &str) -> Value {
        let cwd = self.cwd.to_string_lossy();
        if self.build == Build::New {
            json!({ "command": command, "workdir": cwd, "timeout_ms": 300_000 })
        } else {
            json!({ "cmd": command, "cwd": cwd })
        }
    }

    fn usage(&mut self, step: &Step) {
        if let Step::Usage {
            input_tokens,
            output_tokens,
            cache_creation_input_tokens,
            cache_read_input_tokens,
        } = *step
        {
            self.transcript.report_usage(Usage {
                input_tokens,
                cache_creation_input_tokens,
                cache_read_input_tokens,
                output_tokens,
                max_tokens: None,
                service_tier: "standard",
            });
        }
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the agent is a program of its own and runs git itself"
    )]
    fn git(&mut self, arguments: &[String]) -> Result<(), Halt> {
        let command = format!("git {}", arguments.join(" "));
        let input = self.shell_input(&command);
        let Some(id) = self.call(self.build.shell_tool(), &input)? else {
            return Ok(());
        };
        let output = Command::new("git")
            .args(arguments)
            .current_dir(self.cwd)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| Halt::Failed(format!("cannot run git: {error}")))?;
        let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.push_str(&String::from_utf8_lossy(&output.stderr));
        let code = output.status.code().unwrap_or(-1);
        self.transcript
            .tool_result(id, shell_result(&text, code), false)
    }

    fn wait_for(&self, path: &Path, limit: Duration) -> Result<(), Halt> {
        let path = self.path(path);
        let end = Instant::now() + limit;
        while !path.exists() {
            if Instant::now() >= end {
                return Err(Halt::Failed(format!("{} did not appear", path.display())));
            }
            self.cancel.pause(Duration::from_millis(10))?;
        }
        Ok(())
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "showing the environment it was given is the step's purpose"
    )]
    fn print_environment(&self, path: &Path) -> Result<(), Halt> {
        let path = self.path(path);
        let variables: serde_json::Map<String, Value> = std::env::vars_os()
            .map(|(name, value)| {
                let value = value.to_string_lossy().into_owned();
                (name.to_string_lossy().into_owned(), value.into())
            })
            .collect();
        let text = format!("{:#}\n", Value::from(variables));
        std::fs::write(&path, text).map_err(|error| failed("write", &path, &error))
    }
}

/// What the shell tool answers.
fn shell_result(output: &str, code: i32) -> String {
    json!({ "output": output, "exitCode": code }).to_string()
}

fn failed(verb: &str, path: &Path, error: &std::io::Error) -> Halt {
    Halt::Failed(format!("cannot {verb} {}: {error}", path.display()))
}

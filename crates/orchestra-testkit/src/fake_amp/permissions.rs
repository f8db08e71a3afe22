//! Rules of a settings file, and the program that they delegate to.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::cancel::{Cancel, Halt};

/// How long Amp waits for the program.
const LIMIT: Duration = Duration::from_secs(10);

/// What the settings say about tools; without settings, all may be used.
#[derive(Debug, Default)]
pub(crate) struct Permissions {
    rules: Vec<Rule>,
    thread: String,
}

#[derive(Debug)]
struct Rule {
    tool: String,
    action: Action,
}

#[derive(Debug)]
enum Action {
    Allow,
    Reject(String),
    Delegate(PathBuf),
}

/// One call of a tool.
pub(crate) struct Call<'a> {
    pub(crate) id: &'a str,
    pub(crate) tool: &'a str,
    pub(crate) input: &'a Value,
    pub(crate) cwd: &'a Path,
}

impl Permissions {
    /// Reads the rules of a settings file.
    pub(crate) fn load(path: &str, thread: &str) -> Result<Self, String> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| format!("cannot read settings {path}: {error}"))?;
        let settings: Value =
            serde_json::from_str(&text).map_err(|error| format!("Invalid settings: {error}"))?;
        let rules = settings["amp.permissions"].as_array();
        let rules = rules.into_iter().flatten().map(rule);
        Ok(Self {
            rules: rules.collect::<Result<_, _>>()?,
            thread: thread.to_owned(),
        })
    }

    /// Why a tool may not be used; `None`: it may.
    pub(crate) fn rejection(
        &self,
        call: &Call<'_>,
        cancel: &Cancel,
    ) -> Result<Option<String>, Halt> {
        let speaks = |rule: &&Rule| rule.tool == "*" || rule.tool == call.tool;
        match self.rules.iter().find(speaks).map(|rule| &rule.action) {
            None | Some(Action::Allow) => Ok(None),
            Some(Action::Reject(message)) => Ok(Some(message.clone())),
            Some(Action::Delegate(program)) => self.delegate(program, call, cancel),
        }
    }

    fn delegate(
        &self,
        program: &Path,
        call: &Call<'_>,
        cancel: &Cancel,
    ) -> Result<Option<String>, Halt> {
        let failed = |error: std::io::Error| Halt::Failed(format!("cannot delegate: {error}"));
        let mut child = self.command(program, call).spawn().map_err(failed)?;
        if let Some(mut stdin) = child.stdin.take() {
            stdin
                .write_all(call.input.to_string().as_bytes())
                .map_err(failed)?;
        }
        if !ends_in_time(&mut child, cancel)? {
            child.kill().map_err(failed)?;
        }
        let output = child.wait_with_output().map_err(failed)?;
        match output.status.code() {
            Some(0) => Ok(None),
            Some(1) => Err(Halt::Failed(format!(
                "The following tools require user approval, which is not supported in stream JSON mode: {}",
                call.tool
            ))),
            _ => Ok(Some(
                String::from_utf8_lossy(&output.stderr).trim().to_owned(),
            )),
        }
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the agent is a program of its own and starts the hook itself"
    )]
    fn command(&self, program: &Path, call: &Call<'_>) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(call.cwd)
            .env("AGENT", "amp")
            .env("AGENT_TOOL_NAME", call.tool)
            .env("AGENT_TOOL_USE_ID", call.id)
            .env("AMP_THREAD_ID", &self.thread)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        command
    }
}

fn rule(rule: &Value) -> Result<Rule, String> {
    let text = |name: &str| rule[name].as_str().map(str::to_owned);
    let tool = text("tool").ok_or("Invalid settings: a rule needs a tool")?;
    let action = match rule["action"].as_str() {
        Some("allow") => Action::Allow,
        Some("reject") => {
            let message = text("message");
            Action::Reject(message.unwrap_or_else(|| format!("Rejected by user: {tool}")))
        }
        Some("delegate") => {
            let program = text("to").ok_or("Invalid settings: delegate needs a program")?;
            Action::Delegate(program.into())
        }
        other => return Err(format!("fake-amp does not know the action {other:?}")),
    };
    Ok(Rule { tool, action })
}

fn ends_in_time(child: &mut Child, cancel: &Cancel) -> Result<bool, Halt> {
    let end = Instant::now() + LIMIT;
    while Instant::now() < end {
        match child.try_wait() {
            Ok(Some(_)) => return Ok(true),
            Ok(None) => cancel.pause(Duration::from_millis(10))?,
            Err(error) => return Err(Halt::Failed(error.to_string())),
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_first_rule_that_names_the_tool_counts() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("settings.json");
        let settings = json!({"amp.permissions": [
            {"tool": "Read", "action": "allow"},
            {"tool": "Bash", "action": "reject", "message": "no shell"},
            {"tool": "*", "action": "allow"},
        ]});
        std::fs::write(&file, settings.to_string()).unwrap();
        let permissions = Permissions::load(&file.to_string_lossy(), "T-1").unwrap();
        let cancel = Cancel::watch().unwrap();
        let asked = |tool| {
            let call = Call {
                id: "1",
                tool,
                input: &Value::Null,
                cwd: folder.path(),
            };
            permissions.rejection(&call, &cancel).unwrap()
        };
        assert_eq!(asked("Bash").as_deref(), Some("no shell"));
        assert_eq!((asked("Read"), asked("finder")), (None, None));
        std::fs::write(&file, r#"{"amp.permissions": [{"tool": "*"}]}"#).unwrap();
        assert!(Permissions::load(&file.to_string_lossy(), "T-1").is_err());
    }
}

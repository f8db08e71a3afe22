//! The hook: a small program per run that the agent asks before it uses a tool. It is this program in a hidden mode, so the
//! store decides, whoever runs the agent.

use std::fs;
use std::io;
use std::path::Path;
use std::time::Instant;

use orchestra_core::status::Outcome;
use orchestra_core::{
    AgentEvent, Decision, Iteration, IterationNumber, PermissionQuestion, Progress, Session,
    SessionId, ToolKind, ToolUse, Verdict,
};
use orchestra_store::{NewQuestion, Tx};
use serde::{Deserialize, Serialize};

use crate::places::{OutputFiles, write_private};
use crate::{Engine, EngineError};

/// The hidden argument that starts the program as a hook.
pub const PERMISSION_MODE: &str = "__permission";
/// The word after it that names a door to ask at, in place of a session.
pub const PERMISSION_AT: &str = "--at";

/// More than this at once is not asked: an agent that tries everything must end its turn first.
pub(crate) const MOST_OPEN: usize = 20;
const TOO_LATE: &str = "it could not be told in time whether this is allowed; try again";
const WAITING: &str = "waiting for the operator; end your turn";

/// What an agent wants to use, as it tells the hook.
#[derive(Debug, Clone, Copy)]
pub struct HookCall<'a> {
    /// The tool's name.
    pub tool: &'a str,
    /// Its arguments, as JSON.
    pub input: &'a [u8],
    /// Nobody listens to an answer after this, so that none may use up a decision then.
    pub until: Instant,
}

/// What the hook tells the agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HookAnswer {
    /// It may.
    Allow,
    /// It may not, for this reason.
    Reject(String),
}

/// The files of a hook, which go with the run.
#[derive(Debug)]
pub(crate) struct Hook<'a>(&'a OutputFiles);

impl Hook<'_> {
    /// The agent's settings that name the hook.
    pub(crate) fn settings(&self) -> &Path {
        &self.0.settings
    }
}

impl Drop for Hook<'_> {
    fn drop(&mut self) {
        remove_hook(self.0);
    }
}

/// Removes what a run left behind.
pub(crate) fn remove_hook(files: &OutputFiles) {
    for file in [&files.hook, &files.settings] {
        match fs::remove_file(file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                tracing::warn!(%error, "cannot remove {}", file.display());
            }
            _ => {}
        }
    }
}

impl Engine {
    /// Writes the hook of one run, and the agent's settings that name it. An agent in a sandbox asks at a door.
    pub(crate) fn write_hook<'f>(
        &self,
        session: &SessionId,
        number: IterationNumber,
        files: &'f OutputFiles,
        settings: &str,
        door: Option<&Path>,
    ) -> Result<Hook<'f>, EngineError> {
        let script = match door {
            Some(door) => self.door_script(door),
            None => self.hook_script(session, number),
        };
        let hook = Hook(files);
        write_private(&files.hook, script.as_bytes(), 0o700)
            .and_then(|()| write_private(&files.settings, settings.as_bytes(), 0o600))
            .map_err(|source| EngineError::io("write what the agent is to ask", source))?;
        Ok(hook)
    }

    fn door_script(&self, door: &Path) -> String {
        let words = [
            &self.program,
            Path::new(PERMISSION_MODE),
            Path::new(PERMISSION_AT),
            door,
        ]
        .map(|word| quoted(&word.to_string_lossy()));
        format!("#!/bin/sh\nexec {}\n", words.join(" "))
    }

    /// The agent's environment is not ours, so the hook brings along what it needs.
    fn hook_script(&self, session: &SessionId, number: IterationNumber) -> String {
        let is_pinned = |key: &str| {
            let pinned = ["agents.permissions", "agents.rules", "core.database_path"];
            // What is a secret to the runner must be one to the hook.
            pinned.contains(&key) || key.starts_with("security.")
        };
        let given = self.flags.iter().filter(|(key, _)| !is_pinned(key));
        let mut words = vec![
            self.program.to_string_lossy().into_owned(),
            PERMISSION_MODE.to_owned(),
            session.to_string(),
            number.to_string(),
        ];
        words.extend(given.map(|(key, value)| format!("{key}={value}")));
        let values = self.resolved.values.iter();
        let values = values.filter(|value| is_pinned(&value.key));
        words.extend(values.filter_map(|it| Some(format!("{}={}", it.key, it.value.as_ref()?))));
        let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
        let home = quoted(&self.dirs.root().to_string_lossy());
        format!(
            "#!/bin/sh\nORCHESTRA_HOME={home} exec {}\n",
            words.join(" ")
        )
    }

    /// Whether an agent may use a tool now. What only the user can decide is recorded and rejected for now.
    ///
    /// # Errors
    /// If the store cannot tell.
    pub fn answer_hook(
        &self,
        id: &SessionId,
        number: IterationNumber,
        call: &HookCall<'_>,
    ) -> Result<HookAnswer, EngineError> {
        let Ok(input) = serde_json::from_slice(call.input) else {
            let problem = "the arguments of the tool cannot be read";
            return Ok(HookAnswer::Reject(problem.to_owned()));
        };
        let tool_use = ToolUse {
            tool: call.tool.to_owned(),
            kind: ToolKind::of_tool(call.tool),
            input,
        };
        let session = self.session(id)?.session;
        match self.judge(&session, &tool_use) {
            Verdict::Allow => Ok(HookAnswer::Allow),
            Verdict::Reject(reason) => Ok(HookAnswer::Reject(reason)),
            Verdict::Ask => self.ask_once(&session, number, &tool_use, call.until),
        }
    }

    /// Uses up a decision about the same use, or asks. Uses that differ only in secrets look the same and are not.
    fn ask_once(
        &self,
        session: &Session,
        number: IterationNumber,
        tool_use: &ToolUse,
        until: Instant,
    ) -> Result<HookAnswer, EngineError> {
        let mark = self.mark_of(tool_use)?;
        let tool_use = self.without_secrets_in(tool_use);
        let id = &session.id;
        self.write(|tx| {
            if Instant::now() >= until {
                return Ok(HookAnswer::Reject(TOO_LATE.to_owned()));
            }
            let running = tx.latest_iteration(id)?;
            if running.is_none_or(|it| it.number != number || it.progress.is_finished()) {
                return Ok(HookAnswer::Reject("the turn is over".to_owned()));
            }
            if let Some(known) = tx.last_question_about(id, &mark)?
                && let Some(answer) = known_answer(tx, &known, number)?
            {
                return Ok(answer);
            }
            if tx.open_questions(Some(id))?.len() < MOST_OPEN {
                let new = NewQuestion {
                    session: id,
                    iteration: number,
                    request: None,
                    tool_use: &tool_use,
                    mark: Some(&mark),
                    title: None,
                };
                self.ask_for_later(tx, &new)?;
            }
            Ok(HookAnswer::Reject(WAITING.to_owned()))
        })
    }

    fn ask_for_later(&self, tx: &Tx<'_>, new: &NewQuestion<'_>) -> Result<(), EngineError> {
        let (question, _) = self.ask_user(tx, new)?;
        let asked = AgentEvent::PermissionAsked {
            id: question.number.to_string(),
            tool_use: new.tool_use.clone(),
            title: None,
        };
        self.add_to_transcript(tx, &question, asked)
    }
}

/// What was said about the same use before; `None` if it has to be asked again. A decision holds until the end of the turn
/// that was told of it: what somebody allowed yesterday is no answer to what is asked today.
fn known_answer(
    tx: &Tx<'_>,
    known: &PermissionQuestion,
    number: IterationNumber,
) -> Result<Option<HookAnswer>, EngineError> {
    if known.withdrawn.is_some() {
        return Ok(None);
    }
    let Some(decided) = &known.decided else {
        let is_open = known.iteration == number;
        return Ok(is_open.then(|| HookAnswer::Reject(WAITING.to_owned())));
    };
    if !was_told(tx, known, number)? {
        return Ok(None);
    }
    match decided.decision {
        Decision::Allow if decided.used_at.is_none() => {
            tx.use_up_decision(known.key)?;
            tx.note_told(known.key)?;
            Ok(Some(HookAnswer::Allow))
        }
        Decision::Reject => {
            tx.note_told(known.key)?;
            let words = decided.reason.as_deref().unwrap_or("it is not allowed");
            Ok(Some(HookAnswer::Reject(format!(
                "rejected by the operator: {words}"
            ))))
        }
        Decision::Allow => Ok(None),
    }
}

/// Whether a turn was told of a decision: the one after the question, or one that resumes it after a crash.
fn was_told(
    tx: &Tx<'_>,
    known: &PermissionQuestion,
    number: IterationNumber,
) -> Result<bool, EngineError> {
    let iterations = tx.iterations(&known.session)?;
    let since = iterations
        .iter()
        .filter(|iteration| iteration.number > known.iteration && iteration.number <= number);
    let since: Vec<&Iteration> = since.collect();
    let Some((latest, before)) = since.split_last() else {
        return Ok(true);
    };
    let interrupted = Progress::Finished(Outcome::Interrupted);
    Ok(before
        .iter()
        .all(|turn| turn.progress == interrupted && turn.input == latest.input))
}

/// A word that the shell takes as it is.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shell_takes_words_as_they_are() {
        assert_eq!(quoted("a b; $(c) `d`"), "'a b; $(c) `d`'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }

    #[cfg(unix)]
    #[test]
    fn what_is_written_is_its_owners_alone() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("1.permission");
        write_private(&path, b"first and long", 0o700).unwrap();
        write_private(&path, b"second", 0o700).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "second");
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }
}

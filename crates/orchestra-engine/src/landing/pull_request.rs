//! `pr`: a session is pushed, and a command of the user's choice opens a pull request for it.

use std::fmt::Write;

use orchestra_config::variables;
use orchestra_core::{CommitId, ScriptRun, Session, SessionId, with_issue};
use orchestra_git::Repository;

use super::PushSession;
use super::merge::plan::MOST_COMMITS;
use crate::places::write_private;
use crate::project_commands::{ProjectCommand, told};
use crate::{Engine, EngineError};

/// What a pull request says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PullRequestText {
    /// Its title; `None` means the session's name.
    pub title: Option<String>,
    /// Its text; `None` means the prompt, the issue and the commits.
    pub body: Option<String>,
}

impl Engine {
    /// Pushes, then runs the command that opens a pull request until it is over. It is told branch, base, title and text by
    /// variables.
    ///
    /// # Errors
    /// If the branch cannot be pushed, the command is not allowed, something works on the session, or it cannot be started. That
    /// it fails is part of the answer.
    pub fn open_pull_request(
        &self,
        id: &SessionId,
        command: &ProjectCommand,
        text: &PullRequestText,
    ) -> Result<ScriptRun, EngineError> {
        command.require_allowed(self)?;
        let head = self.push(id, &PushSession::default())?.push.commit;
        let (_lease, view) = self.take_at_rest(id)?;
        let session = &view.session;
        let repository = self.repository_of(session)?;
        let body = match &text.body {
            Some(body) => body.clone(),
            None => self.body_of(session, &repository, &head)?,
        };
        let folder = self.dirs.output().join(id.as_str());
        self.create_private_dir(&folder)?;
        let file = folder.join("pull-request.md");
        write_private(&file, self.redact(&body).as_bytes(), 0o600)
            .map_err(|source| EngineError::io("write the text of the pull request", source))?;
        let title = text.title.as_deref().unwrap_or(session.name.as_str());
        let root = &view.repository.root;
        let mut told = told(session, &session.base_branch, root);
        told.push((variables::ORCHESTRA_TITLE, self.redact(title)));
        told.push((
            variables::ORCHESTRA_BODY_FILE,
            file.to_string_lossy().into_owned(),
        ));
        self.run_command(session, command, root, &told)
    }

    fn body_of(
        &self,
        session: &Session,
        repository: &Repository,
        head: &CommitId,
    ) -> Result<String, EngineError> {
        let tip = self.known_base(session, repository)?;
        let mut body = format!("{}\n", session.prompt.trim());
        let commits = repository.log(&tip, head, MOST_COMMITS)?;
        if !commits.is_empty() {
            body.push('\n');
        }
        for commit in commits.iter().rev() {
            // Writing to text cannot fail.
            writeln!(body, "- {}", commit.subject).ok();
        }
        Ok(format!("{}\n", with_issue(&body, session.issue.as_deref())))
    }
}

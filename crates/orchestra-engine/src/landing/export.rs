//! `export`: the work of a session as one mail that `git am` takes. No branch moves.

use orchestra_core::{CommitId, Session, SessionId};
use orchestra_git::{CommitInfo, Repository};

use super::squash::SquashOrder;
use crate::{Engine, EngineError};

/// More commits than this are not named in the message.
const MOST_SUBJECTS: usize = 100;

/// A patch that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exported {
    /// The commit it was made of.
    pub commit: CommitId,
    /// How many commits of the session it stands for.
    pub commits: usize,
    /// The first line of its message.
    pub subject: String,
    /// Whether uncommitted changes are not part of it; `None` if that cannot be told.
    pub leaves_out_changes: Option<bool>,
    /// How many lines of the message are indented, because `git am` would take them for the beginning of the patch.
    pub indented_lines: usize,
}

impl Engine {
    /// Streams the commits of a session as one patch in mail format.
    ///
    /// # Errors
    /// If it has no commits of its own, or git fails.
    pub fn export(
        &self,
        id: &SessionId,
        message: Option<&str>,
        sink: &mut dyn FnMut(&[u8]),
    ) -> Result<Exported, EngineError> {
        let session = self.session(id)?.session;
        let repository = self.repository_of(&session)?;
        let chosen = self.commit_to_export(&session, &repository, message)?;
        let form = repository.mail_patch(&chosen.commit, sink)?;
        let worktree = self.worktree_of(&session);
        Ok(Exported {
            leaves_out_changes: worktree.ok().and_then(|tree| tree.is_dirty().ok()),
            indented_lines: form.indented,
            ..chosen
        })
    }

    /// The only commit as it is, or one that stands for all of them.
    fn commit_to_export(
        &self,
        session: &Session,
        repository: &Repository,
        message: Option<&str>,
    ) -> Result<Exported, EngineError> {
        let head = self.own_head(session, repository)?;
        let base = self.known_base(session, repository)?;
        let commits = repository.log(&base, &head, MOST_SUBJECTS)?;
        if let (None, [only]) = (message, commits.as_slice())
            && only.parents.len() == 1
        {
            return Ok(Exported {
                commit: only.id.clone(),
                commits: 1,
                subject: only.subject.clone(),
                leaves_out_changes: None,
                indented_lines: 0,
            });
        }
        let message = message.map_or_else(|| told(session, &commits), str::to_owned);
        let subject = message.trim().lines().next().unwrap_or_default().to_owned();
        let order = SquashOrder {
            message,
            keep_manual: false,
        };
        let squashed = self.squash_in_memory(session, repository, &head, &order)?;
        Ok(Exported {
            commit: squashed.head,
            commits: squashed.squashed,
            subject,
            leaves_out_changes: None,
            indented_lines: 0,
        })
    }
}

/// A message for several commits: the session's name and what each of them says.
fn told(session: &Session, commits: &[CommitInfo]) -> String {
    let mut message = format!("{}\n", session.name);
    for commit in commits.iter().rev() {
        message.push_str(&format!("\n- {}", commit.subject));
    }
    message
}

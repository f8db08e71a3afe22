//! What somebody other than the user may do: an agent that reaches the engine through the MCP server. Everything is
//! counted from the store, so that it holds whoever serves, and however often.

mod count;
mod error;

use std::path::PathBuf;

use orchestra_config::variables;
use orchestra_core::{Caller, Event, EventBody, Session, SessionId};

pub use self::error::GrantError;
use crate::{Engine, EngineError, SessionView};

/// What a caller may do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// Who.
    pub caller: Caller,
    /// The main checkouts of the repositories it may work in.
    pub repositories: Vec<PathBuf>,
    /// How many sessions it may have made that are neither landed nor put away.
    pub sessions: u32,
    /// What all its sessions together may cost, in millionths of a dollar.
    pub micro_usd: Option<u64>,
    /// Whether it may land sessions.
    pub landing: Allowance,
    /// Whether it may clean up, discard and forget.
    pub deletion: Allowance,
    /// Whose sessions it may change.
    pub reach: GrantReach,
    /// Where it stands: the session with this worktree is left alone.
    pub directory: PathBuf,
}

/// Whether something is granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Allowance {
    /// It may be done.
    Granted,
    /// It may not.
    Withheld,
}

/// Whose sessions may be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GrantReach {
    /// Those that the caller made.
    Own,
    /// All in the repositories.
    All,
}

/// What a caller wants to do with a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// Look at it.
    Look,
    /// Let its agent work, which costs.
    Iterate,
    /// Change it in a way that loses nothing.
    Steer,
    /// Land it.
    Land,
    /// Remove something of it.
    Delete,
    /// Remove what is recorded of it.
    Forget,
}

impl Engine {
    /// The same engine in the name of somebody who is not the user.
    #[must_use]
    pub fn acting_for(mut self, grant: Grant) -> Self {
        self.grant = Some(grant);
        self
    }

    /// Who acts, if not the user.
    pub(crate) fn caller(&self) -> Option<&Caller> {
        self.grant.as_ref().map(|grant| &grant.caller)
    }

    /// Refuses what is not granted.
    ///
    /// # Errors
    /// If the caller may not do that with this session, or it cannot be told.
    pub fn require_granted(&self, view: &SessionView, act: Act) -> Result<(), EngineError> {
        let Some(grant) = &self.grant else {
            return Ok(());
        };
        let session = &view.session;
        grant.require_repository(&view.repository.root)?;
        if act == Act::Look {
            return Ok(());
        }
        if self.is_inside(grant, session)? {
            return Err(GrantError::Inside(session.id.clone()).into());
        }
        grant.require_allowed(session, act)?;
        match act {
            Act::Iterate => self.store.read(|tx| self.require_turn(tx, session)),
            Act::Look | Act::Steer | Act::Land | Act::Delete | Act::Forget => Ok(()),
        }
    }

    /// Records that somebody asked for something. Answers the number of the event; `None` if it was the user.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn record_call(
        &self,
        session: Option<&SessionId>,
        tool: &str,
        refused: Option<&str>,
    ) -> Result<Option<u64>, EngineError> {
        let Some(caller) = self.caller().cloned() else {
            return Ok(None);
        };
        let call = EventBody::ToolCalled {
            caller,
            tool: tool.to_owned(),
            refused: refused.map(str::to_owned),
        };
        self.write(|tx| Ok(Some(tx.append_event(session, &call)?)))
    }

    /// Records that a call came to nothing although it was granted.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn record_failed_call(
        &self,
        session: &SessionId,
        call: u64,
        code: &str,
    ) -> Result<(), EngineError> {
        let code = code.to_owned();
        self.write(|tx| {
            tx.append_event(Some(session), &EventBody::ToolFailed { call, code })?;
            Ok(())
        })
    }

    /// What others than the user asked for in a session, and which of it failed, oldest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn calls(&self, session: &SessionId) -> Result<Vec<Event>, EngineError> {
        self.store.read(|tx| Ok(tx.calls(session)?))
    }

    /// Whether the caller runs inside of a session: by the mark of its run, or by where it stands.
    fn is_inside(&self, grant: &Grant, session: &Session) -> Result<bool, EngineError> {
        if grant.directory.starts_with(&session.worktree) {
            return Ok(true);
        }
        let mark = self.environment.find(variables::ORCHESTRA_RUN);
        let Some(mark) = mark.and_then(|mark| mark.to_str()) else {
            return Ok(false);
        };
        let own = format!("{}:{}:", self.store.epoch()?, session.id);
        Ok(mark.starts_with(&own))
    }
}

impl Grant {
    /// Refuses a repository that is not granted.
    ///
    /// # Errors
    /// If it is not.
    pub fn require_repository(&self, root: &std::path::Path) -> Result<(), GrantError> {
        match self.repositories.iter().any(|granted| granted == root) {
            true => Ok(()),
            false => Err(GrantError::Repository(root.to_owned())),
        }
    }

    fn require_allowed(&self, session: &Session, act: Act) -> Result<(), GrantError> {
        let is_own = session.made_by.as_ref() == Some(&self.caller);
        if !is_own && self.reach == GrantReach::Own {
            return Err(GrantError::NotOwn(session.id.clone()));
        }
        let withheld = match act {
            Act::Land => (self.landing, GrantError::Landing),
            Act::Delete | Act::Forget => (self.deletion, GrantError::Deletion),
            Act::Look | Act::Iterate | Act::Steer => return Ok(()),
        };
        match withheld {
            (Allowance::Withheld, error) => Err(error),
            (Allowance::Granted, _) if act == Act::Forget && self.micro_usd.is_some() => {
                Err(GrantError::Forgets(session.id.clone()))
            }
            (Allowance::Granted, _) => Ok(()),
        }
    }
}

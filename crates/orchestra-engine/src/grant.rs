//! What somebody other than the user may do: an agent that reaches the engine through the MCP server. Everything is
//! counted from the store, so that it holds whoever serves, and however often.

mod error;

use std::path::PathBuf;

use orchestra_config::variables;
use orchestra_core::{Budget, Caller, Event, EventBody, Session, SessionId};
use orchestra_store::Tx;

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
            Act::Iterate => self.require_affordable(grant, session),
            Act::Look | Act::Steer | Act::Land | Act::Delete | Act::Forget => Ok(()),
        }
    }

    /// What a session that is made now may cost at most: what was wished for, else an even share of what is left for as
    /// many sessions as there is room for.
    ///
    /// # Errors
    /// If nothing is left, or the wish is for more than that.
    pub fn granted_budget(&self, wish: Option<Budget>) -> Result<Option<Budget>, EngineError> {
        let Some((grant, most)) = self.grant.as_ref().zip(self.granted_dollars()) else {
            return Ok(wish);
        };
        self.store.read(|tx| {
            let made = tx.sessions_made_by(&grant.caller)?;
            let left = most.saturating_sub(self.promised(tx, &made)?);
            let alive = made.iter().filter(|session| is_alive(session)).count() as u64;
            let share = left / u64::from(grant.sessions).saturating_sub(alive).max(1);
            let dollars = wish.and_then(|wish| wish.micro_usd).unwrap_or(share);
            if dollars == 0 || dollars > left {
                let wished = dollars.max(1);
                return Err(GrantError::Budget { most, left, wished }.into());
            }
            Ok(Some(Budget {
                micro_usd: Some(dollars),
                tokens: wish.and_then(|wish| wish.tokens),
            }))
        })
    }

    /// Refuses a session more than granted, in the transaction that would add it: two that ask at once are told apart.
    pub(crate) fn require_room(&self, tx: &Tx<'_>, new: &Session) -> Result<(), EngineError> {
        let Some(grant) = &self.grant else {
            return Ok(());
        };
        let made = tx.sessions_made_by(&grant.caller)?;
        let alive = made.iter().filter(|session| is_alive(session)).count();
        if alive >= grant.sessions as usize {
            let most = grant.sessions;
            return Err(GrantError::Sessions { most }.into());
        }
        let Some(most) = grant.micro_usd else {
            return Ok(());
        };
        let left = most.saturating_sub(self.promised(tx, &made)?);
        let wished = new.runtime.budget.and_then(|budget| budget.micro_usd);
        match wished.filter(|wished| *wished <= left) {
            Some(_) => Ok(()),
            None => Err(GrantError::Budget {
                most,
                left,
                wished: wished.unwrap_or(most),
            }
            .into()),
        }
    }

    /// Records that somebody asked for something.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn record_call(
        &self,
        session: Option<&SessionId>,
        tool: &str,
        refused: Option<&str>,
    ) -> Result<(), EngineError> {
        let Some(caller) = self.caller().cloned() else {
            return Ok(());
        };
        let call = EventBody::ToolCalled {
            caller,
            tool: tool.to_owned(),
            refused: refused.map(str::to_owned),
        };
        self.write(|tx| {
            tx.append_event(session, &call)?;
            Ok(())
        })
    }

    /// What others than the user asked for in a session, oldest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn calls(&self, session: &SessionId) -> Result<Vec<Event>, EngineError> {
        self.store.read(|tx| Ok(tx.calls(session)?))
    }

    fn granted_dollars(&self) -> Option<u64> {
        self.grant.as_ref()?.micro_usd
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

    /// Refuses work that could cost more than is left.
    fn require_affordable(&self, grant: &Grant, session: &Session) -> Result<(), EngineError> {
        let Some(most) = grant.micro_usd else {
            return Ok(());
        };
        let budget = session.runtime.budget.and_then(|budget| budget.micro_usd);
        let is_own = session.made_by.as_ref() == Some(&grant.caller);
        let Some(wished) = budget.filter(|_| is_own) else {
            return Err(GrantError::Uncounted(session.id.clone()).into());
        };
        self.store.read(|tx| {
            let mut others = tx.sessions_made_by(&grant.caller)?;
            others.retain(|other| other.id != session.id);
            let left = most.saturating_sub(self.promised(tx, &others)?);
            match wished <= left {
                true => Ok(()),
                false => Err(GrantError::Budget { most, left, wished }.into()),
            }
        })
    }

    /// What sessions have cost, and what those that may go on can still cost.
    fn promised(&self, tx: &Tx<'_>, sessions: &[Session]) -> Result<u64, EngineError> {
        let mut sum: u64 = 0;
        for session in sessions {
            let budget = session.runtime.budget.and_then(|budget| budget.micro_usd);
            let cost = match (self.cost_in(tx, session)?, budget) {
                (Some(cost), Some(budget)) if is_alive(session) => cost.max(budget),
                (Some(cost), _) => cost,
                // An agent whose price nobody knows is ended within its budget.
                (None, Some(budget)) => budget,
                (None, None) => return Err(GrantError::Uncounted(session.id.clone()).into()),
            };
            sum = sum.saturating_add(cost);
        }
        Ok(sum)
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

/// Whether it takes a place among the sessions that a caller may have.
fn is_alive(session: &Session) -> bool {
    let is_away = session.archived_at.is_some() || session.trash.is_some();
    session.landed.is_none() && !is_away && session.worktree_deleted_at.is_none()
}

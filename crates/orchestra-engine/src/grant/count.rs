//! Sessions and costs of a caller, held against what is granted. A session counts from the moment it is made until it has
//! landed or was put away, and again once its agent goes on after that.

use orchestra_core::{Budget, Session};
use orchestra_store::Tx;

use super::{Grant, GrantError};
use crate::{Engine, EngineError};

impl Engine {
    /// What a session that is made now may cost at most: what was wished for, else an even share of what is left for as
    /// many sessions as there is room for.
    ///
    /// # Errors
    /// If nothing is left, or the wish is for more than that.
    pub fn granted_budget(&self, wish: Option<Budget>) -> Result<Option<Budget>, EngineError> {
        let Some((grant, most)) = self.grant.as_ref().and_then(|it| Some((it, it.micro_usd?)))
        else {
            return Ok(wish);
        };
        self.store.read(|tx| {
            let made = tx.sessions_made_by(&grant.caller)?;
            let left = most.saturating_sub(self.promised(tx, &made)?);
            let rest = u64::from(grant.sessions).saturating_sub(count(tx, &made)?);
            let share = left / rest.max(1);
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
        require_number(tx, grant, &made)?;
        let Some(most) = grant.micro_usd else {
            return Ok(());
        };
        let left = most.saturating_sub(self.promised(tx, &made)?);
        require_within(most, left, micro_usd(new).unwrap_or(most))
    }

    /// Refuses that an agent goes on where there is no room for it, in the transaction that would let it.
    pub(crate) fn require_turn(&self, tx: &Tx<'_>, session: &Session) -> Result<(), EngineError> {
        let Some(grant) = &self.grant else {
            return Ok(());
        };
        let is_own = session.made_by.as_ref() == Some(&grant.caller);
        let mut others = tx.sessions_made_by(&grant.caller)?;
        others.retain(|other| other.id != session.id);
        if is_own && !counts(tx, session)? {
            require_number(tx, grant, &others)?;
        }
        let Some(most) = grant.micro_usd else {
            return Ok(());
        };
        let Some(wished) = micro_usd(session).filter(|_| is_own) else {
            return Err(GrantError::Uncounted(session.id.clone()).into());
        };
        let left = most.saturating_sub(self.promised(tx, &others)?);
        require_within(most, left, wished)
    }

    /// What sessions have cost, and what those that may go on can still cost.
    fn promised(&self, tx: &Tx<'_>, sessions: &[Session]) -> Result<u64, EngineError> {
        let mut sum: u64 = 0;
        for session in sessions {
            let cost = match (self.cost_in(tx, session)?, micro_usd(session)) {
                (Some(cost), Some(budget)) if counts(tx, session)? => cost.max(budget),
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

fn micro_usd(session: &Session) -> Option<u64> {
    session.runtime.budget?.micro_usd
}

fn require_within(most: u64, left: u64, wished: u64) -> Result<(), EngineError> {
    match wished <= left {
        true => Ok(()),
        false => Err(GrantError::Budget { most, left, wished }.into()),
    }
}

fn require_number(tx: &Tx<'_>, grant: &Grant, made: &[Session]) -> Result<(), EngineError> {
    let most = grant.sessions;
    match count(tx, made)? < u64::from(most) {
        true => Ok(()),
        false => Err(GrantError::Sessions { most }.into()),
    }
}

fn count(tx: &Tx<'_>, sessions: &[Session]) -> Result<u64, EngineError> {
    let mut sum = 0;
    for session in sessions {
        sum += u64::from(counts(tx, session)?);
    }
    Ok(sum)
}

/// Whether a session takes a place among those that a caller may have.
fn counts(tx: &Tx<'_>, session: &Session) -> Result<bool, EngineError> {
    let is_away = session.archived_at.is_some() || session.trash.is_some();
    if is_away || session.worktree_deleted_at.is_some() {
        return Ok(false);
    }
    let Some(landed) = &session.landed else {
        return Ok(true);
    };
    let latest = tx.latest_iteration(&session.id)?;
    Ok(latest.is_some_and(|latest| latest.queued_at > landed.at))
}

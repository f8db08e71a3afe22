//! What a merge would give: the commit that the base moves to, made in memory before anything is changed.

use std::collections::BTreeSet;

use orchestra_core::{CommitId, MergedAs, Session, with_issue};
use orchestra_git::{
    Advance, CommitError, CommitInfo, CommitStamp, MergeResult, Replay, ReplayRequest, Repository,
    SquashRequest,
};

use super::MergeError;
use super::target::Target;
use crate::operations::advance_of;
use crate::{Engine, EngineError};

/// How many commits of a session are looked at.
pub(crate) const MOST_COMMITS: usize = 1_000;

/// How work is to become part of the base.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum MergeMode {
    /// By moving the base forward where that is possible, else by a merge commit.
    #[default]
    Fitting,
    /// By moving the base forward, or not at all.
    FastForwardOnly,
    /// By a merge commit in any case.
    MergeCommit,
    /// As one commit.
    Squash,
    /// These commits of it, by their ids or beginnings of them.
    CherryPick(Vec<String>),
}

/// What a merge would give.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) target: Target,
    pub(crate) head: CommitId,
    /// Where the base goes.
    pub(crate) to: CommitId,
    pub(crate) how: MergedAs,
    /// The messages of the commits it gets.
    pub(crate) messages: Vec<String>,
    /// Whether all of the session is part of the base then.
    pub(crate) is_whole: bool,
}

impl Plan {
    pub(crate) fn advance(&self) -> Advance {
        advance_of(self.target.branch(), &self.target.from, &self.to)
    }
}

/// What a plan is made for.
pub(crate) struct Wanted<'a> {
    pub(crate) session: &'a Session,
    pub(crate) repository: &'a Repository,
    pub(crate) target: Target,
    pub(crate) head: CommitId,
    pub(crate) mode: &'a MergeMode,
    pub(crate) message: Option<&'a str>,
}

impl Engine {
    /// Makes the commits of a merge. Nothing points at them yet.
    pub(crate) fn plan_merge(&self, wanted: Wanted<'_>) -> Result<Plan, EngineError> {
        let (tip, head) = (wanted.target.tip(), &wanted.head);
        if *head == wanted.session.base_commit {
            return Err(wanted.nothing());
        }
        if wanted.repository.landed(head, tip)?.is_some() {
            let to = tip.clone();
            return Ok(wanted.into_plan(to, MergedAs::AlreadyThere, Vec::new(), true));
        }
        let is_on_top = wanted.repository.is_ancestor(tip, head)?;
        let own = wanted.repository.log(tip, head, MOST_COMMITS)?;
        match wanted.mode {
            MergeMode::Fitting | MergeMode::FastForwardOnly
                if is_on_top && wanted.message.is_none() =>
            {
                let (to, messages) = (head.clone(), whole_messages(&own));
                Ok(wanted.into_plan(to, MergedAs::FastForward, messages, true))
            }
            MergeMode::FastForwardOnly => Err(wanted.not_fast_forward()?),
            MergeMode::Fitting | MergeMode::MergeCommit => self.plan_merge_commit(wanted, &own),
            MergeMode::Squash => self.plan_squash(wanted),
            MergeMode::CherryPick(chosen) => self.plan_picks(wanted, chosen, &own),
        }
    }

    fn plan_merge_commit(
        &self,
        wanted: Wanted<'_>,
        own: &[CommitInfo],
    ) -> Result<Plan, EngineError> {
        let (tip, head) = (wanted.target.tip(), &wanted.head);
        let merge = wanted.repository.merge_in_memory(tip, head, None)?;
        if !merge.is_clean() {
            return Err(wanted.conflicts(&merge));
        }
        let message = wanted.message_or(&format!("Merge session {}", wanted.session.name));
        let stamp = self.stamp(wanted.repository)?;
        let parents = [tip.clone(), head.clone()];
        let bytes = message.as_bytes();
        let to = wanted
            .repository
            .commit_tree(&merge.tree, &parents, bytes, &stamp, &stamp)?;
        let mut messages = whole_messages(own);
        messages.push(message);
        Ok(wanted.into_plan(to, MergedAs::MergeCommit, messages, true))
    }

    fn plan_squash(&self, wanted: Wanted<'_>) -> Result<Plan, EngineError> {
        let stamp = self.stamp(wanted.repository)?;
        let message = wanted.message_or(wanted.session.name.as_str());
        let request = SquashRequest {
            base: wanted.target.tip().clone(),
            head: wanted.head.clone(),
            message: message.clone(),
            author: stamp.clone(),
            committer: stamp,
            keep_others_than: None,
        };
        let squashed = wanted
            .repository
            .squash(&request)
            .map_err(MergeError::from)?;
        let (to, _) = self.replayed(&wanted, vec![squashed.head])?;
        Ok(wanted.into_plan(to, MergedAs::Squash, vec![message], true))
    }

    fn plan_picks(
        &self,
        wanted: Wanted<'_>,
        chosen: &[String],
        own: &[CommitInfo],
    ) -> Result<Plan, EngineError> {
        let mut ids = BTreeSet::new();
        for text in chosen {
            ids.insert(wanted.own_commit(text, own)?);
        }
        let picked = own.iter().rev().filter(|commit| ids.contains(&commit.id));
        let picked: Vec<_> = picked.cloned().collect();
        let commits = picked.iter().map(|commit| commit.id.clone()).collect();
        let (to, count) = self.replayed(&wanted, commits)?;
        if count == 0 {
            return Err(wanted.nothing());
        }
        let is_whole = wanted.repository.landed(&wanted.head, &to)?.is_some();
        let messages = whole_messages(&picked);
        Ok(wanted.into_plan(to, MergedAs::CherryPick, messages, is_whole))
    }

    /// Commits made again on top of the base, and how many of them change something there.
    fn replayed(
        &self,
        wanted: &Wanted<'_>,
        commits: Vec<CommitId>,
    ) -> Result<(CommitId, usize), EngineError> {
        let request = ReplayRequest {
            onto: wanted.target.tip().clone(),
            onto_label: wanted.target.branch().to_string(),
            commits,
            committer: self.stamp(wanted.repository)?,
        };
        match wanted.repository.replay(&request)? {
            Replay::Clean { head, replayed, .. } => Ok((head, replayed)),
            Replay::Conflict(stop) => Err(wanted.conflicts(&stop.merge)),
        }
    }

    /// The user, now.
    pub(crate) fn stamp(&self, repository: &Repository) -> Result<CommitStamp, EngineError> {
        let identity = repository.configuration().identity().cloned();
        Ok(CommitStamp {
            identity: identity.ok_or(CommitError::IdentityUnknown)?,
            at: self.now(),
        })
    }
}

impl Wanted<'_> {
    fn into_plan(self, to: CommitId, how: MergedAs, messages: Vec<String>, is_whole: bool) -> Plan {
        Plan {
            target: self.target,
            head: self.head,
            to,
            how,
            messages,
            is_whole,
        }
    }

    /// The user's message or another one, and the issue.
    fn message_or(&self, other: &str) -> String {
        let text = self.message.unwrap_or(other);
        format!("{}\n", with_issue(text, self.session.issue.as_deref()))
    }

    fn own_commit(&self, text: &str, own: &[CommitInfo]) -> Result<CommitId, EngineError> {
        let mut fitting = own
            .iter()
            .filter(|commit| text.len() >= 4 && commit.id.as_str().starts_with(text));
        match (fitting.next(), fitting.next()) {
            (Some(commit), None) => Ok(commit.id.clone()),
            _ => Err(MergeError::NoSuchCommit {
                text: text.to_owned(),
                session: self.session.id.clone(),
            }
            .into()),
        }
    }

    fn nothing(&self) -> EngineError {
        MergeError::Nothing {
            session: self.session.id.clone(),
            into: self.target.branch().clone(),
        }
        .into()
    }

    fn not_fast_forward(&self) -> Result<EngineError, EngineError> {
        let (head, tip) = (&self.head, self.target.tip());
        let behind = self.repository.ahead_behind(head, tip)?.behind;
        Ok(MergeError::NotFastForward {
            session: self.session.id.clone(),
            into: self.target.branch().clone(),
            behind,
        }
        .into())
    }

    fn conflicts(&self, merge: &MergeResult) -> EngineError {
        MergeError::conflicts(&self.session.id, self.target.branch(), merge).into()
    }
}

pub(crate) fn whole_messages(commits: &[CommitInfo]) -> Vec<String> {
    let whole = |commit: &CommitInfo| format!("{}\n\n{}", commit.subject, commit.body);
    commits.iter().map(whole).collect()
}

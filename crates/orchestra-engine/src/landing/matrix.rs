//! `orchestra conflicts`: which live sessions of a repository get into each other's way, and which into that of their base. All
//! merges are tried in memory.

use std::collections::BTreeMap;
use std::path::PathBuf;

use orchestra_core::{CommitId, Repository, SessionId};
use orchestra_git::BoardQuery;

use super::merge::plan::conflicted_paths;
use crate::board::board_query;
use crate::view::{ListRequest, SessionView};
use crate::{Engine, EngineError};

/// Every pair that was tried.
#[derive(Debug, Clone)]
pub struct Matrix {
    /// The newest event it includes.
    pub seq: u64,
    /// The sessions with commits that have not landed, newest first.
    pub sessions: Vec<SessionView>,
    /// Each of them with its base, then each pair.
    pub cells: Vec<MatrixCell>,
}

/// Two that were merged in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatrixCell {
    /// A session.
    pub session: SessionId,
    /// Another one; `None` means the base of the first.
    pub other: Option<SessionId>,
    /// What a person would have to decide about; empty if they fit.
    pub files: Vec<PathBuf>,
}

impl Engine {
    /// Tries to merge every live session of a repository with its base and with every other one.
    ///
    /// # Errors
    /// If git or the store fails.
    pub fn conflict_matrix(&self, repository: &Repository) -> Result<Matrix, EngineError> {
        let listing = self.list_sessions(&ListRequest {
            repository: Some(repository.id),
            ..ListRequest::default()
        })?;
        let git = self.open_recorded(&repository.root)?;
        let queries: Vec<BoardQuery> = listing
            .sessions
            .iter()
            .map(|view| board_query(&view.session))
            .collect();
        let rows = git.board(&queries)?;
        let mut live = Vec::new();
        let mut bases = BTreeMap::new();
        for (view, row) in listing.sessions.into_iter().zip(rows) {
            let is_landed = |head: &CommitId| {
                let landed = view.session.landed.as_ref();
                landed.is_some_and(|landed| landed.head == *head)
            };
            let Some(head) = row.head.filter(|head| !is_landed(head)) else {
                continue;
            };
            if row.against_base.is_none_or(|counts| counts.ahead > 0) {
                let name = view.session.base_name();
                let base = bases.entry(name);
                let base = base.or_insert_with(|| self.base_tip(&view.session, &git));
                let base = base.clone();
                live.push(Live { view, head, base });
            }
        }
        let (names, pairs): (Vec<_>, Vec<_>) = pairs_of(&live).into_iter().unzip();
        let merges = git.merge_many(&pairs)?;
        let cells = names.into_iter().zip(&merges);
        let cells = cells.map(|((session, other), merge)| MatrixCell {
            session,
            other,
            files: conflicted_paths(merge),
        });
        Ok(Matrix {
            seq: listing.seq,
            cells: cells.collect(),
            sessions: live.into_iter().map(|live| live.view).collect(),
        })
    }
}

struct Live {
    view: SessionView,
    head: CommitId,
    base: CommitId,
}

type Named = (SessionId, Option<SessionId>);

fn pairs_of(live: &[Live]) -> Vec<(Named, (CommitId, CommitId))> {
    let id = |one: &Live| one.view.session.id.clone();
    let with_base = live
        .iter()
        .map(|one| ((id(one), None), (one.base.clone(), one.head.clone())));
    let with_others = live.iter().enumerate().flat_map(|(place, one)| {
        let others = live[place + 1..].iter();
        others.map(move |other| {
            let named = (id(one), Some(id(other)));
            (named, (one.head.clone(), other.head.clone()))
        })
    });
    with_base.chain(with_others).collect()
}

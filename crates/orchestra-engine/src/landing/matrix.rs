//! `orchestra conflicts`: which live sessions of a repository get into each other's way, and which into that of their base: by
//! files that git cannot merge, and by names and numbers that git does not look at. All merges are tried in memory.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use orchestra_core::{CommitId, Repository, SessionId};
use orchestra_git::{AddedClashes, BoardQuery, BoardRow, OwnFiles, Repository as Git};

use super::merge::in_conflict::conflicted_paths;
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
    /// What a person would have to decide about; empty if git could merge them.
    pub files: Vec<PathBuf>,
    /// Names and numbers that both gave away.
    pub clashes: AddedClashes,
    /// Whether the base is gone, so that the commit was looked at that the session started from.
    pub base_is_gone: bool,
}

impl MatrixCell {
    /// Whether nobody has to decide anything.
    #[must_use]
    pub const fn fits(&self) -> bool {
        self.files.is_empty() && self.clashes.is_empty()
    }
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
        let mut live = self.live(&git, listing.sessions.into_iter().zip(rows))?;
        let mut cells = cells_of(&git, &live)?;
        leave_out_landed(&git, &mut live, &mut cells)?;
        Ok(Matrix {
            seq: listing.seq,
            cells,
            sessions: live.into_iter().map(|live| live.view).collect(),
        })
    }

    /// Sessions with work that has not landed.
    fn live(
        &self,
        git: &Git,
        sessions: impl Iterator<Item = (SessionView, BoardRow)>,
    ) -> Result<Vec<Live>, EngineError> {
        let mut live = Vec::new();
        let mut bases = BTreeMap::new();
        for (view, row) in sessions {
            let has_work = row.against_base.is_none_or(|counts| counts.ahead > 0);
            let is_open = |head: &CommitId| has_work && !is_landed(&view, head);
            let Some(head) = row.head.filter(is_open) else {
                continue;
            };
            let base = match bases.entry(view.session.base_name()) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(free) => free.insert(self.find_known_base(&view.session, git)?),
            };
            live.push(Live {
                base_is_gone: base.is_none(),
                base: base
                    .clone()
                    .unwrap_or_else(|| view.session.base_commit.clone()),
                view,
                head,
            });
        }
        Ok(live)
    }
}

fn is_landed(view: &SessionView, head: &CommitId) -> bool {
    let landed = view.session.landed.as_ref();
    landed.is_some_and(|landed| landed.head == *head) && view.lost_landing().is_none()
}

/// A base that has the changes of a session, and went on with the same lines, conflicts with it and has nothing to get from it.
fn leave_out_landed(
    git: &Git,
    live: &mut Vec<Live>,
    cells: &mut Vec<MatrixCell>,
) -> Result<(), EngineError> {
    let mut landed = BTreeSet::new();
    for (one, with_base) in live.iter().zip(cells.iter()) {
        if !with_base.files.is_empty() && git.landed(&one.head, &one.base)?.is_some() {
            landed.insert(one.view.session.id.clone());
        }
    }
    live.retain(|one| !landed.contains(&one.view.session.id));
    let is_landed = |id: &SessionId| landed.contains(id);
    cells.retain(|cell| !is_landed(&cell.session) && !cell.other.as_ref().is_some_and(is_landed));
    Ok(())
}

struct Live {
    view: SessionView,
    head: CommitId,
    base: CommitId,
    base_is_gone: bool,
}

/// Each with its base, then each pair. What they added is listed once for each of them.
fn cells_of(git: &Git, live: &[Live]) -> Result<Vec<MatrixCell>, EngineError> {
    let with_base: Vec<_> = live
        .iter()
        .map(|one| (one.base.clone(), one.head.clone()))
        .collect();
    let pairs: Vec<(&Live, &Live)> = live
        .iter()
        .enumerate()
        .flat_map(|(place, one)| live[place + 1..].iter().map(move |other| (one, other)))
        .collect();
    let heads = pairs
        .iter()
        .map(|(one, other)| (one.head.clone(), other.head.clone()));
    let wanted: Vec<_> = with_base.iter().cloned().chain(heads).collect();
    let merges = git.merge_many(&wanted)?;
    let own = git.own_files(&with_base)?;
    let clashes = clashes_of(git, live, &own)?;
    let names = live.iter().map(|one| (one, None));
    let names = names.chain(pairs.into_iter().map(|(one, other)| (one, Some(other))));
    let id = |one: &Live| one.view.session.id.clone();
    let cells = names.zip(merges).zip(clashes);
    Ok(cells
        .map(|(((one, other), merge), clashes)| MatrixCell {
            session: id(one),
            base_is_gone: other.is_none() && one.base_is_gone,
            other: other.map(id),
            files: conflicted_paths(&merge),
            clashes,
        })
        .collect())
}

/// In the order of the cells.
fn clashes_of(
    git: &Git,
    live: &[Live],
    own: &[OwnFiles],
) -> Result<Vec<AddedClashes>, EngineError> {
    let mut bases = BTreeMap::new();
    let mut clashes = Vec::new();
    for (one, own) in live.iter().zip(own) {
        if !bases.contains_key(&one.base) {
            bases.insert(one.base.clone(), git.files_of(&one.base)?);
        }
        clashes.push(own.clashes_among(&bases[&one.base]));
    }
    for (place, one) in own.iter().enumerate() {
        let others = own[place + 1..].iter();
        clashes.extend(others.map(|other| other.clashes_with(one)));
    }
    Ok(clashes)
}

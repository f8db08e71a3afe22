//! The state of many branches at once, in one git process however many there are.

use std::collections::{BTreeMap, BTreeSet};

use orchestra_core::{BranchName, CommitId, RemoteName};

use crate::base::remote_ref;
use crate::error::GitError;
use crate::reference::AheadBehind;
use crate::repository::Repository;
use crate::version::GitVersion;

/// Few enough for the shortest command line of any platform.
const PER_PROCESS: usize = 250;

/// A branch and what it is compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoardQuery {
    /// The branch.
    pub branch: BranchName,
    /// The branch it started from.
    pub base: BranchName,
    /// The remote whose branch that is; `None` for the local one.
    pub remote: Option<RemoteName>,
}

impl BoardQuery {
    fn base_ref(&self) -> String {
        match &self.remote {
            Some(remote) => remote_ref(remote, &self.base),
            None => self.base.full_ref(),
        }
    }
}

/// What is known about a branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoardRow {
    /// The branch.
    pub branch: BranchName,
    /// Its newest commit; `None` if there is no such branch.
    pub head: Option<CommitId>,
    /// Against its base; `None` if one of the two does not exist.
    pub against_base: Option<AheadBehind>,
}

impl Repository {
    /// Looks up many branches, each against its base, in the order they were asked for.
    ///
    /// # Errors
    /// If git fails.
    pub fn board(&self, queries: &[BoardQuery]) -> Result<Vec<BoardRow>, GitError> {
        let mut bases = BTreeMap::new();
        for base in queries
            .iter()
            .map(BoardQuery::base_ref)
            .collect::<BTreeSet<_>>()
        {
            if let Some(commit) = self.find_reference(&base)? {
                bases.insert(base, commit);
            }
        }
        let mut rows = Vec::with_capacity(queries.len());
        for queries in queries.chunks(PER_PROCESS) {
            rows.extend(self.board_rows(queries, &bases)?);
        }
        Ok(rows)
    }

    fn board_rows(&self, queries: &[BoardQuery], bases: &Bases) -> Result<Vec<BoardRow>, GitError> {
        if self.git().version() < GitVersion::AHEAD_BEHIND {
            return queries
                .iter()
                .map(|query| self.board_row(query, bases))
                .collect();
        }
        let atoms = bases
            .values()
            .map(|commit| format!("%00%(ahead-behind:{commit})"))
            .collect::<String>();
        let call = self
            .call("for-each-ref")
            .arg(format!("--format=%(refname)%00%(objectname){atoms}"));
        let call = call.args(queries.iter().map(|query| query.branch.full_ref()));
        let answer = self.git().run(&call)?.require_success()?;
        let text = answer.text()?;
        let found = text
            .lines()
            .map(parse_line)
            .collect::<Option<BTreeMap<_, _>>>();
        let found = found.ok_or_else(|| call.unreadable("a line has no commit id"))?;
        Ok(queries
            .iter()
            .map(|query| row(query, bases, found.get(query.branch.full_ref().as_str())))
            .collect())
    }

    /// Before git 2.41: one process per branch.
    fn board_row(&self, query: &BoardQuery, bases: &Bases) -> Result<BoardRow, GitError> {
        let head = self.find_branch(&query.branch)?;
        let against_base = match (&head, bases.get(&query.base_ref())) {
            (Some(head), Some(base)) => Some(self.ahead_behind(head, base)?),
            _ => None,
        };
        Ok(BoardRow {
            branch: query.branch.clone(),
            head,
            against_base,
        })
    }
}

/// Commits by the full name of their reference.
type Bases = BTreeMap<String, CommitId>;

/// A commit and its counts against every base, in the order of the bases.
struct Found<'a> {
    head: CommitId,
    counts: Vec<&'a str>,
}

fn parse_line(line: &str) -> Option<(&str, Found<'_>)> {
    let mut fields = line.split('\0');
    let (name, head) = (fields.next()?, fields.next()?.parse().ok()?);
    Some((
        name,
        Found {
            head,
            counts: fields.collect(),
        },
    ))
}

fn row(query: &BoardQuery, bases: &Bases, found: Option<&Found<'_>>) -> BoardRow {
    let wanted = query.base_ref();
    let position = bases.keys().position(|base| *base == wanted);
    let counts = found
        .zip(position)
        .and_then(|(found, position)| found.counts.get(position).copied());
    BoardRow {
        branch: query.branch.clone(),
        head: found.map(|found| found.head.clone()),
        against_base: counts.and_then(AheadBehind::parse),
    }
}

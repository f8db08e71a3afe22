//! The state of many branches at once, in one git process however many there are.

mod distances;

use std::collections::{BTreeMap, BTreeSet};

use orchestra_core::{BranchName, CommitId, RemoteName};

use crate::base::remote_ref;
use crate::error::GitError;
use crate::reference::AheadBehind;
use crate::repository::Repository;
use crate::version::GitVersion;

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
        #[cfg(target_os = "linux")]
        if let [query] = queries
            && let Some(row) = self.board_row_directly(query, bases.get(&query.base_ref()))?
        {
            return Ok(vec![row]);
        }
        if queries.is_empty() {
            Ok(Vec::new())
        } else if self.git().version() < GitVersion::AHEAD_BEHIND {
            self.board_counted_here(queries, &bases)
        } else {
            self.board_counted_by_git(queries, &bases)
        }
    }

    /// A single branch is looked up in process, where its history allows that.
    #[cfg(target_os = "linux")]
    fn board_row_directly(
        &self,
        query: &BoardQuery,
        base: Option<&CommitId>,
    ) -> Result<Option<BoardRow>, GitError> {
        let head = self.find_branch(&query.branch)?;
        let mut row = BoardRow {
            branch: query.branch.clone(),
            head: head.clone(),
            against_base: None,
        };
        if let (Some(head), Some(base)) = (head, base) {
            let Some(parting) = self.part_directly(&head, base) else {
                return Ok(None);
            };
            row.against_base = Some(AheadBehind::of(&parting));
        }
        Ok(Some(row))
    }

    fn board_counted_by_git(
        &self,
        queries: &[BoardQuery],
        bases: &Bases,
    ) -> Result<Vec<BoardRow>, GitError> {
        let atoms = bases
            .values()
            .map(|commit| format!("%00%(ahead-behind:{commit})"))
            .collect::<String>();
        let names = queries
            .iter()
            .map(|query| format!("{}\n", query.branch.full_ref()));
        let call = self
            .call("for-each-ref")
            .arg(format!("--format=%(refname)%00%(objectname){atoms}"))
            .arg("--stdin")
            .stdin(names.collect::<String>().into_bytes());
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

    /// Before git 2.41.
    fn board_counted_here(
        &self,
        queries: &[BoardQuery],
        bases: &Bases,
    ) -> Result<Vec<BoardRow>, GitError> {
        let mut heads = Vec::with_capacity(queries.len());
        for query in queries {
            heads.push(self.find_branch(&query.branch)?);
        }
        let pair = |(query, head): (&BoardQuery, &Option<CommitId>)| {
            Some((head.clone()?, bases.get(&query.base_ref())?.clone()))
        };
        let pairs: Vec<_> = queries.iter().zip(&heads).map(pair).collect();
        let counts = self.distances(&pairs.iter().flatten().cloned().collect())?;
        let rows = queries.iter().zip(heads).zip(pairs);
        Ok(rows
            .map(|((query, head), pair)| BoardRow {
                branch: query.branch.clone(),
                head,
                against_base: pair.and_then(|pair| counts.get(&pair).copied()),
            })
            .collect())
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

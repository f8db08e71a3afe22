//! Whether what landed is still there: a base can be set back or deleted by hand. The answer holds as long as the base is where
//! it was, so git is asked again only when that moved, once for all sessions that landed in one branch.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use orchestra_core::{BranchName, CommitId, GitFacts, Landed, LandedFact};
use orchestra_git::{GitError, Repository};

use crate::view::SessionView;

impl SessionView {
    /// Where its work landed, if that branch does not have it any more.
    #[must_use]
    pub fn lost_landing(&self) -> Option<&Landed> {
        let landed = self.session.landed.as_ref()?;
        is_lost(landed, self.git.as_ref()).then_some(landed)
    }

    /// Where all of its branch landed, if that branch has it at this moment.
    pub(crate) fn standing(&self, repository: &Repository, head: &CommitId) -> Option<&Landed> {
        let landed = self.session.landed.as_ref()?;
        if landed.head != *head {
            return None;
        }
        let known = self.git.as_ref().and_then(|facts| facts.landed.clone());
        let question = Question { landed, known };
        let fact = look(repository, &[question]).pop().flatten();
        let is_there = fact.is_none_or(|fact| fact.is_there);
        is_there.then_some(landed)
    }
}

/// A session that landed, and what was found out about it before.
pub(crate) struct Question<'a> {
    pub(crate) landed: &'a Landed,
    pub(crate) known: Option<LandedFact>,
}

/// Whether somebody looked, and the branch does not have it any more.
pub(crate) fn is_lost(landed: &Landed, facts: Option<&GitFacts>) -> bool {
    let fact = facts.and_then(|facts| facts.landed.as_ref());
    fact.is_some_and(|fact| fact.commit == landed.commit && !fact.is_there)
}

/// Answers in the order of the questions. Where git cannot be asked, what was known before.
pub(crate) fn look(repository: &Repository, questions: &[Question<'_>]) -> Vec<Option<LandedFact>> {
    let mut tips_of: HashMap<&BranchName, Option<Vec<CommitId>>> = HashMap::new();
    let mut unknown: BTreeMap<Vec<CommitId>, Vec<usize>> = BTreeMap::new();
    let mut answers = Vec::new();
    for (index, question) in questions.iter().enumerate() {
        let into = &question.landed.into;
        let tips = tips_of
            .entry(into)
            .or_insert_with(|| tips(repository, into));
        if let Some(tips) = tips.as_ref().filter(|tips| !question.is_answered(tips)) {
            unknown.entry(tips.clone()).or_default().push(index);
        }
        answers.push(question.known.clone());
    }
    for (tips, indexes) in unknown {
        let asked: Vec<_> = indexes.iter().map(|index| &questions[*index]).collect();
        match facts_of(repository, &asked, &tips) {
            Ok(facts) => {
                for (index, fact) in indexes.into_iter().zip(facts) {
                    answers[index] = Some(fact);
                }
            }
            Err(error) => {
                tracing::debug!(code = error.code(), %error, "cannot tell what a base has");
            }
        }
    }
    answers
}

impl Question<'_> {
    fn is_answered(&self, tips: &[CommitId]) -> bool {
        let known = self.known.as_ref();
        known.is_some_and(|known| known.commit == self.landed.commit && known.tips == tips)
    }

    /// Where the branch was when it was known to have it.
    fn had_it(&self) -> &[CommitId] {
        let known = self.known.as_ref();
        let known = known.filter(|known| known.is_there && known.commit == self.landed.commit);
        known.map_or(&[], |known| &known.tips)
    }
}

/// Where a branch is: here, and on every remote as it was seen last. `None` if git does not tell.
fn tips(repository: &Repository, branch: &BranchName) -> Option<Vec<CommitId>> {
    let found = || -> Result<Vec<CommitId>, GitError> {
        let mut tips: Vec<_> = repository.find_branch(branch)?.into_iter().collect();
        let remotes = repository.seen_on_remotes(branch)?.into_iter();
        tips.extend(remotes.map(|(_, commit)| commit));
        Ok(tips)
    };
    let told = |error: &GitError| tracing::debug!(code = error.code(), %error, "cannot tell where a base is");
    found().inspect_err(told).ok()
}

/// A base that only went on still has what it had, which is a short way for git to look. All others are looked for.
fn facts_of(
    repository: &Repository,
    asked: &[&Question<'_>],
    tips: &[CommitId],
) -> Result<Vec<LandedFact>, GitError> {
    let before = asked.iter().flat_map(|one| one.had_it()).cloned().collect();
    let lost = missing(repository, before, tips)?;
    let went_on = |one: &Question<'_>| {
        let had_it = one.had_it();
        !had_it.is_empty() && !had_it.iter().any(|tip| lost.contains(tip))
    };
    let others = asked.iter().filter(|one| !went_on(one));
    let commits = others.map(|one| one.landed.commit.clone()).collect();
    let missing = missing(repository, commits, tips)?;
    let mut facts = Vec::new();
    for Question { landed, .. } in asked {
        facts.push(LandedFact {
            commit: landed.commit.clone(),
            tips: tips.to_vec(),
            is_there: !missing.contains(&landed.commit)
                || is_there_otherwise(repository, landed, tips)?,
        });
    }
    Ok(facts)
}

/// Commits that none of the tips has. One that is not even in the repository any more is missing as well.
fn missing(
    repository: &Repository,
    commits: BTreeSet<CommitId>,
    tips: &[CommitId],
) -> Result<BTreeSet<CommitId>, GitError> {
    let all: Vec<_> = commits.into_iter().collect();
    let error = match repository.not_part_of(&all, tips) {
        Ok(missing) => return Ok(missing),
        Err(error) => error,
    };
    let (mut present, mut absent) = (Vec::new(), BTreeSet::new());
    for commit in all {
        match repository.commit_exists(&commit)? {
            true => present.push(commit),
            false => drop(absent.insert(commit)),
        }
    }
    if absent.is_empty() {
        return Err(error);
    }
    absent.extend(repository.not_part_of(&present, tips)?);
    Ok(absent)
}

/// Somebody may have rewritten the base, with the same changes in it. Commits that are gone cannot be compared.
fn is_there_otherwise(
    repository: &Repository,
    landed: &Landed,
    tips: &[CommitId],
) -> Result<bool, GitError> {
    if !repository.commit_exists(&landed.head)? {
        return Ok(false);
    }
    for tip in tips {
        if repository.landed(&landed.head, tip)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

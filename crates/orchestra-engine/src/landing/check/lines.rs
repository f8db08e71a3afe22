//! The single lines of a check.

use orchestra_core::{
    BranchName, Caller, CheckLine, CheckName, CheckState, CommitId, Session, first_of,
    mentions_issue, subject_problem, visible_line,
};
use orchestra_git::CommitInfo;

use super::Subject;
use crate::landing::approve::changes_of;
use crate::landing::merge::conflict_way_out;
use crate::loss::{moved_to, ways_of_move};
use crate::{Engine, EngineError};

/// How many commits that would come along are named.
const COMMITS_NAMED: usize = 5;

impl Engine {
    /// What is uncommitted would not land.
    pub(super) fn clean_line(&self, subject: &Subject<'_>) -> Result<CheckLine, EngineError> {
        let (name, id) = (CheckName::Clean, &subject.session.id);
        let Some(worktree) = self.find_worktree_of(subject.session)? else {
            return self.clean_without_directory(subject);
        };
        if let Some(operation) = worktree.in_progress() {
            let text = format!("a {operation} is in progress");
            let own = conflict_way_out(subject.session);
            let way_out = own.unwrap_or_else(|| operation.way_out().to_owned());
            return Ok(CheckLine::fail(name, text, way_out));
        }
        let status = worktree.status()?;
        if status.head.branch() != Some(&subject.session.branch) {
            let (place, branch) = (worktree.path().display(), &subject.session.branch);
            return Ok(CheckLine::fail(
                name,
                "its directory has something else checked out",
                format!("go back with `git -C '{place}' switch {branch}`"),
            ));
        }
        if status.is_dirty() {
            return Ok(CheckLine::fail(
                name,
                format!("{} uncommitted change(s)", status.change_count()),
                format!("`orchestra session commit {id} --message \"...\"`, or take them away"),
            ));
        }
        Ok(CheckLine::pass(name, "nothing is uncommitted"))
    }

    /// A directory that was moved may have uncommitted work.
    fn clean_without_directory(&self, subject: &Subject<'_>) -> Result<CheckLine, EngineError> {
        let (name, session) = (CheckName::Clean, subject.session);
        Ok(match moved_to(&self.repository_of(session)?, session)? {
            Some(to) => CheckLine::fail(
                name,
                format!("its directory was moved to {}", to.display()),
                ways_of_move(session, &to),
            ),
            None => {
                let text = "its directory is not there; its branch has every commit";
                CheckLine::not_applicable(name, text)
            }
        })
    }

    /// A pass counts for the files it was about.
    pub(super) fn script_line(&self, subject: &Subject<'_>) -> Result<CheckLine, EngineError> {
        let (name, id) = (CheckName::Script, &subject.session.id);
        let (script, command) = match self.script_of(subject.session, None) {
            Ok(found) => found,
            Err(EngineError::ScriptMissing { .. }) => {
                return Ok(CheckLine::not_applicable(name, "there is no script"));
            }
            Err(error) => return Err(error),
        };
        let hint = format!("`orchestra session run {id}` runs it");
        let recorded = self.redact(&command.command);
        let shown = visible_line(&recorded);
        let verdict = self
            .store
            .read(|tx| Ok::<_, EngineError>(tx.script_verdict(id, &script, &recorded)?))?;
        let Some(run) = verdict else {
            let text = format!("`{shown}` has not run yet");
            return Ok(CheckLine::fail(name, text, hint));
        };
        if !run.has_passed() {
            let text = format!("`{shown}` failed");
            return Ok(CheckLine::fail(name, text, hint));
        }
        let text = match run.commit {
            None => format!("`{shown}` passed with uncommitted changes, not on what would land"),
            Some(commit) if has_same_files(subject, &commit, subject.head)? => {
                let alone = match has_same_files(subject, subject.head, subject.to)? {
                    true => "",
                    false => {
                        " on the session's files alone; `land` runs it on them together with the base"
                    }
                };
                return Ok(CheckLine::pass(name, format!("`{shown}` passed{alone}")));
            }
            Some(commit) => format!(
                "`{shown}` passed on {}, and the files have changed since",
                commit.short()
            ),
        };
        Ok(CheckLine::fail(name, text, hint))
    }

    /// Whether the session's script passed on the files that its branch has now.
    pub(crate) fn has_script_passed(&self, session: &Session) -> Result<bool, EngineError> {
        let repository = self.repository_of(session)?;
        let head = self.own_head(session, &repository)?;
        let line = self.script_line(&Subject {
            session,
            repository: &repository,
            head: &head,
            tip: &session.base_commit,
            to: &head,
            messages: Vec::new(),
        })?;
        Ok(line.state == CheckState::Pass)
    }
}

fn has_same_files(
    subject: &Subject<'_>,
    one: &CommitId,
    other: &CommitId,
) -> Result<bool, EngineError> {
    if one == other {
        return Ok(true);
    }
    if !subject.repository.commit_exists(one)? {
        return Ok(false);
    }
    Ok(subject.repository.changes_between(one, other)?.is_empty())
}

/// An approval counts for the changes that were looked at. Only the user gives one.
pub(super) fn reviewed(
    subject: &Subject<'_>,
    caller: Option<&Caller>,
) -> Result<CheckLine, EngineError> {
    let (name, id) = (CheckName::Reviewed, &subject.session.id);
    let hint = match caller {
        Some(_) => "that is for the user, who looks at it and approves it".to_owned(),
        None => format!(
            "look at it with `orchestra session diff {id}`, then `orchestra session approve {id}`"
        ),
    };
    let now = match subject.to == subject.tip {
        true => None,
        false => changes_of(subject.repository, subject.tip, subject.head)?,
    };
    let Some(now) = now else {
        return Ok(CheckLine::not_applicable(name, "nothing is left to land"));
    };
    let Some(approval) = &subject.session.approval else {
        return Ok(CheckLine::fail(name, "nobody approved it", hint));
    };
    if now != approval.patch_id {
        let text = format!(
            "it has changed since {} was approved",
            approval.commit.short()
        );
        return Ok(CheckLine::fail(name, text, hint));
    }
    let by = approval.by.as_deref().unwrap_or("somebody");
    Ok(CheckLine::pass(
        name,
        format!("approved by {}", visible_line(by)),
    ))
}

pub(super) fn messages(subject: &Subject<'_>) -> CheckLine {
    let (name, id) = (CheckName::Messages, &subject.session.id);
    let subjects = subject.messages.iter().map(|text| first_line(text));
    let problem = |line: &str| Some((line.to_owned(), subject_problem(line)?));
    let mut problems = subjects.filter_map(problem);
    match problems.next() {
        None => CheckLine::pass(name, format!("{} message(s)", subject.messages.len())),
        Some((line, problem)) => CheckLine::fail(
            name,
            format!("the message `{}` {problem}", visible_line(&line)),
            format!(
                "`orchestra session squash {id} --message \"...\"` makes one commit of them, and so does `merge --squash --message \"...\"`"
            ),
        ),
    }
}

pub(super) fn migrations(subject: &Subject<'_>) -> Result<CheckLine, EngineError> {
    let name = CheckName::Migrations;
    let clashes = subject.repository.added_clashes(subject.tip, subject.to)?;
    let Some(clash) = clashes.migrations.first() else {
        return Ok(CheckLine::pass(name, "no number was given away twice"));
    };
    let shown = |paths: &[std::path::PathBuf]| {
        let names: Vec<_> = paths
            .iter()
            .map(|path| format!("`{}`", path.display()))
            .collect();
        names.join(", ")
    };
    let renames: Vec<_> = clash
        .proposal
        .iter()
        .map(|one| format!("git mv '{}' '{}'", one.from.display(), one.to.display()))
        .collect();
    Ok(CheckLine::fail(
        name,
        format!(
            "{} has the number of {} in the base",
            shown(&clash.theirs),
            shown(&clash.ours)
        ),
        format!("give it the next number: {}", renames.join("; ")),
    ))
}

pub(super) fn issue(subject: &Subject<'_>) -> CheckLine {
    let (name, id) = (CheckName::Issue, &subject.session.id);
    let Some(issue) = &subject.session.issue else {
        return CheckLine::not_applicable(name, "the session belongs to no issue");
    };
    if subject.messages.is_empty() {
        return CheckLine::not_applicable(name, "there is no message to look at");
    }
    let shown = visible_line(issue);
    let is_mentioned = |text: &String| mentions_issue(text, issue);
    if subject.messages.iter().any(is_mentioned) {
        return CheckLine::pass(name, format!("a message mentions {shown}"));
    }
    CheckLine::fail(
        name,
        format!("no message mentions {shown}"),
        format!("`orchestra session merge {id} --no-ff` or `--squash` writes it into the message"),
    )
}

/// Commits of the session's base that nobody asked for on the branch it would land on.
pub(super) fn along(
    subject: &Subject<'_>,
    branch: &BranchName,
    commits: &[CommitInfo],
) -> CheckLine {
    let (id, base) = (&subject.session.id, &subject.session.base_branch);
    let names = commits.iter().map(|commit| {
        let title = visible_line(&commit.subject);
        format!("{} {title}", commit.id.short())
    });
    CheckLine::fail(
        CheckName::Base,
        format!(
            "{} commit(s) of `{base}` would come along to `{branch}`: {}",
            commits.len(),
            first_of(names, COMMITS_NAMED)
        ),
        format!("`orchestra session rebase {id} --onto {branch}` first, which leaves them behind"),
    )
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

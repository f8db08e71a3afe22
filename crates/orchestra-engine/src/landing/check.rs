//! Whether a session may land: one line for each thing that is looked at.

mod lines;

use orchestra_core::{
    BranchName, CheckLine, CheckName, CheckState, CommitId, MergedAs, Session, SessionId,
};
use orchestra_git::{Base, Repository};

use super::MergeMode;
use super::merge::conflict_way_out;
use super::merge::plan::{MOST_COMMITS, Plan, Wanted, whole_messages};
use crate::view::SessionView;
use crate::{Engine, EngineError, chain};

/// What was found, and what of it is required.
#[derive(Debug, Clone)]
pub struct CheckReport {
    /// The session.
    pub view: SessionView,
    /// Where it would land.
    pub into: BranchName,
    /// What it would be put onto, and how fresh that is; `None` if that cannot be told.
    pub base: Option<Base>,
    /// Whether all of its work is part of that already.
    pub is_there: bool,
    /// One line each.
    pub lines: Vec<CheckLine>,
    /// Those that must not fail before it lands.
    pub required: Vec<CheckName>,
    /// Whether the base can take it at all, whatever is required.
    pub is_possible: bool,
}

impl CheckReport {
    /// Whether `merge` would land it: the base can take it, and nothing fails that is required.
    #[must_use]
    pub fn passes(&self) -> bool {
        let is_required = |line: &&CheckLine| self.required.contains(&line.name);
        self.is_possible && !self.failing().any(|line| is_required(&line))
    }

    /// What fails, required or not.
    pub fn failing(&self) -> impl Iterator<Item = &CheckLine> {
        let lines = self.lines.iter();
        lines.filter(|line| line.state == CheckState::Fail)
    }
}

/// What the lines are about.
struct Subject<'a> {
    session: &'a Session,
    repository: &'a Repository,
    head: &'a CommitId,
    /// What the work would be put onto.
    tip: &'a CommitId,
    /// What would land: where the base would go, or the work itself where that cannot be told.
    to: &'a CommitId,
    /// The messages of the commits the base would get.
    messages: Vec<String>,
}

impl Engine {
    /// Looks at everything that should hold before a session lands, after the remote of the base was asked. Changes nothing
    /// here.
    ///
    /// # Errors
    /// If the session has no branch any more, or git or the store fails.
    pub fn check(
        &self,
        id: &SessionId,
        into: Option<&BranchName>,
    ) -> Result<CheckReport, EngineError> {
        let view = self.session(id)?;
        let session = &view.session;
        let repository = self.repository_of(session)?;
        let head = self.own_head(session, &repository)?;
        let target = self.target(session, &repository, into, self.fetch_policy());
        let base = target.as_ref().ok().map(|target| target.base.clone());
        let planned = target
            .and_then(|target| {
                self.plan_merge(Wanted {
                    session,
                    repository: &repository,
                    target,
                    head: head.clone(),
                    mode: &MergeMode::Fitting,
                    message: None,
                })
            })
            .and_then(|plan| {
                repository.check_advance(&plan.advance())?;
                Ok(plan)
            });
        let how = planned.as_ref().ok().map(|plan| plan.how);
        let lines = match planned {
            Ok(plan) => self.check_plan(session, &repository, &plan)?,
            Err(error) => self.check_without_plan(session, &repository, &head, &error)?,
        };
        Ok(CheckReport {
            into: into.unwrap_or(&session.base_branch).clone(),
            base,
            is_there: how == Some(MergedAs::AlreadyThere),
            is_possible: how.is_some(),
            lines,
            required: self.config().landing.required_checks.clone(),
            view,
        })
    }

    /// The lines for what a merge would give.
    pub(super) fn check_plan(
        &self,
        session: &Session,
        repository: &Repository,
        plan: &Plan,
    ) -> Result<Vec<CheckLine>, EngineError> {
        let subject = Subject {
            session,
            repository,
            head: &plan.head,
            tip: plan.target.tip(),
            to: &plan.to,
            messages: plan.messages.clone(),
        };
        let base = self.base_line(&subject, plan)?;
        self.lines(&subject, base)
    }

    /// The same where no merge is possible, which is what the line about the base says.
    fn check_without_plan(
        &self,
        session: &Session,
        repository: &Repository,
        head: &CommitId,
        error: &EngineError,
    ) -> Result<Vec<CheckLine>, EngineError> {
        let tip = &self.known_base(session, repository)?;
        let own = repository.log(tip, head, MOST_COMMITS)?;
        let subject = Subject {
            session,
            repository,
            head,
            tip,
            to: head,
            messages: whole_messages(&own),
        };
        let own = conflict_way_out(session);
        let hint = own.or_else(|| error.hint()).unwrap_or_default();
        let base = CheckLine::fail(CheckName::Base, chain::text(error), hint);
        self.lines(&subject, base)
    }

    fn base_line(&self, subject: &Subject<'_>, plan: &Plan) -> Result<CheckLine, EngineError> {
        let branch = plan.target.branch();
        let clashes = subject
            .repository
            .added_clashes(subject.tip, subject.to)?
            .case;
        if let Some(clash) = clashes.first() {
            let (ours, theirs) = (clash.ours.display(), clash.theirs.display());
            return Ok(CheckLine::fail(
                CheckName::Base,
                format!(
                    "`{theirs}` and `{ours}` of `{branch}` differ in upper and lower case only"
                ),
                "rename one of them: some systems cannot have both",
            ));
        }
        let along = match plan.how {
            MergedAs::AlreadyThere | MergedAs::CherryPick => Vec::new(),
            MergedAs::FastForward | MergedAs::MergeCommit | MergedAs::Squash => {
                let onto = (branch, subject.tip);
                self.commits_along(subject.session, subject.repository, onto, subject.head)?
            }
        };
        if !along.is_empty() {
            return Ok(lines::along(subject, branch, &along));
        }
        let text = match plan.how {
            MergedAs::FastForward => format!("on top of `{branch}`"),
            MergedAs::AlreadyThere => format!("part of `{branch}` already"),
            MergedAs::MergeCommit | MergedAs::Squash | MergedAs::CherryPick => {
                format!("merges into `{branch}` without a conflict")
            }
        };
        Ok(CheckLine::pass(CheckName::Base, text))
    }

    fn lines(&self, subject: &Subject<'_>, base: CheckLine) -> Result<Vec<CheckLine>, EngineError> {
        Ok(vec![
            self.clean_line(subject)?,
            base,
            self.script_line(subject)?,
            CheckLine::not_applicable(CheckName::Evaluators, "there are no evaluators"),
            lines::reviewed(subject, self.caller())?,
            lines::messages(subject),
            lines::migrations(subject)?,
            lines::issue(subject),
        ])
    }
}

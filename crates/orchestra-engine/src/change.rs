//! Changing what is recorded of a session: its fields, and putting it away. Also the right to change it at all.

use std::time::{Duration, Instant};

use orchestra_core::{EventBody, PermissionPolicy, PermissionRule, SessionId, SessionName};
use orchestra_store::{SessionField, StoreError, Tx};

use crate::create::{require_issue, require_model};
use crate::iterate::wants_decision;
use crate::lease::Held;
use crate::lookup::{name_taken, require_no_id};
use crate::release::{Wanted, release};
use crate::view::SessionView;
use crate::{Engine, EngineError};

/// A runner leaves soon after it has written the end of its iteration.
const LEAVING: Duration = Duration::from_secs(10);

impl Engine {
    /// The right to prepare work on a session. A runner that is only about to leave is waited for: to the user its
    /// work is over.
    pub(crate) fn take_start(&self, id: &SessionId) -> Result<Held, EngineError> {
        let deadline = Instant::now() + LEAVING;
        loop {
            let start = self
                .leases
                .try_start(id)
                .map_err(|source| EngineError::io("lock the session", source))?;
            if let Some(start) = start {
                return Ok(start);
            }
            let view = self.session(id)?;
            if view.work().is_some() || Instant::now() > deadline {
                return Err(busy(&view));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Changes one field of a session. The remote of a base is found out.
    ///
    /// # Errors
    /// If the session is missing, or the new value is taken or does not fit.
    pub fn set_field(
        &self,
        id: &SessionId,
        field: &SessionField,
    ) -> Result<SessionView, EngineError> {
        match field {
            SessionField::Script(script) => self.require_plain_script(script.as_deref())?,
            SessionField::Name(name) => self.require_plain_name(name)?,
            SessionField::Issue(issue) => require_issue(issue.as_deref())?,
            SessionField::Model(model) => require_model(model.as_deref())?,
            SessionField::Rules(rules) => self.require_plain_rules(rules)?,
            SessionField::Runtime(wish) => self.require_wish(&self.session(id)?.session, wish)?,
            SessionField::Branch(name) => return self.take_new_name(id, name),
            SessionField::Base { branch, .. } => return self.take_new_base(id, branch),
            SessionField::Worktree(place) => return self.take_new_place(id, place),
            _ => {}
        }
        let field = self.without_secrets(field);
        if let SessionField::Agent(name) = &field {
            self.agent_named(name)?;
        }
        self.write(|tx| {
            match &field {
                SessionField::Agent(_) => self.put_agent(tx, id, &field)?,
                SessionField::Name(name) => self.put_name(tx, id, name)?,
                SessionField::Permissions(policy) => self.put_permissions(tx, id, *policy)?,
                _ => tx.set_field(id, &field)?,
            }
            let changed = EventBody::SessionChanged {
                field: field.name().to_owned(),
            };
            tx.append_event(Some(id), &changed)?;
            self.view_in(tx, id)
        })
    }

    fn put_agent(
        &self,
        tx: &Tx<'_>,
        id: &SessionId,
        agent: &SessionField,
    ) -> Result<(), EngineError> {
        let view = self.view_in(tx, id)?;
        if view.may_be_at_work() {
            return Err(busy(&view));
        }
        if !view.questions.is_empty() {
            // Another agent would not know what it was allowed.
            return Err(wants_decision(&view));
        }
        tx.set_field(id, agent)?;
        // A conversation belongs to the agent it was held with.
        Ok(tx.set_thread(id, None)?)
    }

    /// What waits for a decision is not allowed in passing, by somebody who may not have seen it.
    fn put_permissions(
        &self,
        tx: &Tx<'_>,
        id: &SessionId,
        policy: Option<PermissionPolicy>,
    ) -> Result<(), EngineError> {
        let view = self.view_in(tx, id)?;
        let from_now_on = policy.unwrap_or(self.config().agents.permissions);
        if from_now_on == PermissionPolicy::Allow && !view.questions.is_empty() {
            return Err(wants_decision(&view));
        }
        Ok(tx.set_field(id, &SessionField::Permissions(policy))?)
    }

    fn put_name(&self, tx: &Tx<'_>, id: &SessionId, name: &SessionName) -> Result<(), EngineError> {
        let repository = self.view_in(tx, id)?.session.repository;
        let wanted = Wanted {
            repository,
            name,
            branch: None,
            worktree: None,
        };
        release(tx, wanted)?;
        match tx.set_field(id, &SessionField::Name(name.clone())) {
            Err(StoreError::Taken(_)) => return Err(name_taken(tx, repository, name)?),
            done => done?,
        }
        require_no_id(tx, &self.view_in(tx, id)?.session)
    }

    /// Puts a session away, or brings it back. Its worktree and branch stay; its servers are ended.
    ///
    /// # Errors
    /// If something works on it.
    pub fn archive_session(
        &self,
        id: &SessionId,
        archived: bool,
    ) -> Result<SessionView, EngineError> {
        self.recover_session(id)?;
        let lease = self.take_start(id)?;
        let _ended = match archived {
            true => Some(self.end_servers(id)?),
            false => None,
        };
        self.write(|tx| {
            tx.set_archived(id, archived.then(|| self.now()))?;
            tx.append_event(Some(id), &EventBody::SessionArchived { archived })?;
            Ok(())
        })?;
        // Whoever looks from now on must not take this command for work.
        drop(lease);
        self.session(id)
    }

    /// A script is run as it is, so it cannot be kept without what is in it.
    pub(crate) fn require_plain_script(&self, script: Option<&str>) -> Result<(), EngineError> {
        match script {
            Some(script) if self.redact(script) != script => Err(EngineError::Invalid {
                problem: "the script contains what looks like a secret".to_owned(),
                way_out: Some(
                    "let it read an environment variable, and name that in security.pass_env"
                        .to_owned(),
                ),
            }),
            _ => Ok(()),
        }
    }

    /// A rule is compared with what an agent wants, so it cannot be kept without what is in it.
    fn require_plain_rules(&self, rules: &[PermissionRule]) -> Result<(), EngineError> {
        let is_plain = |text: String| self.redact(&text) == text;
        if rules.iter().map(ToString::to_string).all(is_plain) {
            return Ok(());
        }
        Err(EngineError::Invalid {
            problem: "a rule contains what looks like a secret".to_owned(),
            way_out: Some("put `*` in its place".to_owned()),
        })
    }

    /// A name becomes part of branches, folders and everything that is shown, so it cannot be kept without what is in it.
    pub(crate) fn require_plain_name(&self, name: &SessionName) -> Result<(), EngineError> {
        if self.redact(name.as_str()) == name.as_str() {
            return Ok(());
        }
        Err(EngineError::Invalid {
            problem: "the name contains what looks like a secret".to_owned(),
            way_out: Some("choose another one: it becomes part of the branch".to_owned()),
        })
    }

    /// What to tell whoever gave a text that is not kept as it was given.
    #[must_use]
    pub fn secret_warning(&self, what: &str, text: &str) -> Option<String> {
        (self.redact(text) != text)
            .then(|| format!("what looks like a secret in {what} is kept and sent as ***"))
    }

    fn without_secrets(&self, field: &SessionField) -> SessionField {
        let clean = |text: &Option<String>| text.as_deref().map(|text| self.redact(text));
        match field {
            SessionField::Prompt(text) => SessionField::Prompt(self.redact(text)),
            SessionField::Notes(text) => SessionField::Notes(clean(text)),
            SessionField::Constraints(text) => SessionField::Constraints(clean(text)),
            other => other.clone(),
        }
    }
}

pub(crate) fn busy(view: &SessionView) -> EngineError {
    let id = &view.session.id;
    if view.parked().is_some() {
        return EngineError::WrongState {
            session: id.clone(),
            status: view.status,
            why: "it goes on when the agent's provider answers again",
            way_out: format!(
                "wait for it with `orchestra session wait {id}`, try now with `orchestra session resume {id}`, or end it with \
                 `orchestra session stop {id}`"
            ),
        };
    }
    if view.waits_while_running() {
        return EngineError::WrongState {
            session: id.clone(),
            status: view.status,
            why: "its agent goes on when it has one",
            way_out: format!(
                "`orchestra session answer {id} --allow` or `--reject`, or end it with `orchestra session stop {id}`"
            ),
        };
    }
    let script = view.script_run.as_ref().map(|run| run.script.clone());
    EngineError::Busy {
        session: view.session.id.clone(),
        status: view.status,
        script,
    }
}

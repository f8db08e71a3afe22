//! Sessions and what git last said about them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use orchestra_core::{
    Approval, BranchName, Caller, GitFacts, Landed, Landing, PermissionPolicy, PermissionRule,
    RemoteName, RepositoryId, RuntimeField, RuntimeWishes, Session, SessionId, Timestamp,
};
use rusqlite::{OptionalExtension, Row, params};

use crate::columns::{
    column, json_option, millis, parsed, parsed_option, path, path_text, timestamp,
    timestamp_option, to_json, unreadable,
};
use crate::{StoreError, Tx};

/// Which sessions to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SessionFilter {
    /// Only those of one repository.
    pub repository: Option<RepositoryId>,
    /// Also those that were put away, or whose worktree is in the trash.
    pub archived: bool,
}

/// A field a person can change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionField {
    /// The name.
    Name(orchestra_core::SessionName),
    /// What the agent is asked to do.
    Prompt(String),
    /// What the user wants to remember.
    Notes(Option<String>),
    /// What the agent must keep to.
    Constraints(Option<String>),
    /// The issue.
    Issue(Option<String>),
    /// The script.
    Script(Option<String>),
    /// The model.
    Model(Option<String>),
    /// The agent.
    Agent(String),
    /// The limit of one iteration.
    Timeout(Option<Duration>),
    /// What happens when the agent wants to use a tool.
    Permissions(Option<PermissionPolicy>),
    /// Its own rules for that.
    Rules(Vec<PermissionRule>),
    /// How its agent is run.
    Runtime(RuntimeField),
    /// Its branch, which was renamed.
    Branch(BranchName),
    /// The branch it lands on, and the remote whose branch that is.
    Base {
        /// The branch.
        branch: BranchName,
        /// The remote; `None` if it is the local one.
        remote: Option<RemoteName>,
    },
    /// Its directory, which was moved.
    Worktree(PathBuf),
}

impl SessionField {
    /// The field's name, as `set` takes it.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Name(_) => "name",
            Self::Prompt(_) => "prompt",
            Self::Notes(_) => "notes",
            Self::Constraints(_) => "constraints",
            Self::Issue(_) => "issue",
            Self::Script(_) => "script",
            Self::Model(_) => "model",
            Self::Agent(_) => "agent",
            Self::Timeout(_) => "timeout",
            Self::Permissions(_) => "permissions",
            Self::Rules(_) => "rules",
            Self::Runtime(field) => field.name(),
            Self::Branch(_) => "branch",
            Self::Base { .. } => "base",
            Self::Worktree(_) => "worktree",
        }
    }
}

impl Tx<'_> {
    /// Adds a session. Name, branch and directory are unique, so this is also the reservation.
    ///
    /// # Errors
    /// [`StoreError::Taken`] if one of them is taken.
    pub fn insert_session(&self, session: &Session) -> Result<(), StoreError> {
        self.inner.execute(
            "INSERT INTO sessions (id, repository, name, prompt, notes, constraints, issue, base_branch, base_commit, branch,
                 branch_adopted, worktree, worktree_ready, agent, model, script, timeout_ms, thread, created_at, last_run,
                 archived_at, base_remote, permissions, rules, runtime, made_by)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26)",
            params![
                session.id.as_str(),
                session.repository.0,
                session.name.as_str(),
                session.prompt,
                session.notes,
                session.constraints,
                session.issue,
                session.base_branch.as_str(),
                session.base_commit.as_str(),
                session.branch.as_str(),
                session.branch_adopted,
                path_text(&session.worktree)?,
                session.worktree_ready,
                session.agent,
                session.model,
                session.script,
                timeout_millis(session.timeout),
                session.thread,
                millis(session.created_at),
                session.last_run.map(millis),
                session.archived_at.map(millis),
                session.base_remote.as_ref().map(|name| name.as_str()),
                session.permissions.map(PermissionPolicy::as_str),
                rules_json(&session.rules)?,
                runtime_json(&session.runtime)?,
                session.made_by.as_ref().map(ToString::to_string),
            ],
        )?;
        self.set_landing(&session.id, &session.landing())
    }

    /// Removes a session whose worktree was never made, or of which nothing is left. Everything recorded under it goes too,
    /// its databases included: whoever asks for this says which.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn delete_session(&self, id: &SessionId) -> Result<(), StoreError> {
        self.inner
            .execute("DELETE FROM databases WHERE session = ?1", [id.as_str()])?;
        self.inner
            .execute("DELETE FROM sessions WHERE id = ?1", [id.as_str()])?;
        Ok(())
    }

    /// Records where a session's directory was moved.
    ///
    /// # Errors
    /// [`StoreError::Taken`] if another session has it.
    pub fn move_worktree(&self, id: &SessionId, worktree: &Path) -> Result<(), StoreError> {
        self.inner.execute(
            "UPDATE sessions SET worktree = ?2 WHERE id = ?1",
            params![id.as_str(), path_text(worktree)?],
        )?;
        Ok(())
    }

    /// The session with this id.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn find_session(&self, id: &SessionId) -> Result<Option<Session>, StoreError> {
        self.inner
            .prepare_cached("SELECT * FROM sessions WHERE id = ?1")?
            .query_row([id.as_str()], |row| Ok(session(row)))
            .optional()?
            .transpose()
    }

    /// Sessions whose id starts with the text or whose name is the text, best match first: id, then name, then prefix.
    /// An empty text means none.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn sessions_matching(&self, text: &str) -> Result<Vec<Session>, StoreError> {
        let mut statement = self.inner.prepare_cached(
            "SELECT * FROM sessions
             WHERE id = ?1 OR name = ?1 OR (?1 <> '' AND substr(id, 1, length(?1)) = ?1)
             ORDER BY id = ?1 DESC, name = ?1 DESC, created_at, id",
        )?;
        let rows = statement.query_map([text], |row| Ok(session(row)))?;
        rows.map(|row| row?).collect()
    }

    /// Sessions, newest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn sessions(&self, filter: SessionFilter) -> Result<Vec<Session>, StoreError> {
        let mut statement = self.inner.prepare_cached(
            "SELECT * FROM sessions
             WHERE (?1 IS NULL OR repository = ?1) AND (?2 OR (archived_at IS NULL AND trash IS NULL))
             ORDER BY created_at DESC, id",
        )?;
        let rows = statement.query_map(
            params![filter.repository.map(|id| id.0), filter.archived],
            |row| Ok(session(row)),
        )?;
        rows.map(|row| row?).collect()
    }

    /// Every session that somebody made, those put away too, oldest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn sessions_made_by(&self, caller: &Caller) -> Result<Vec<Session>, StoreError> {
        let mut statement = self
            .inner
            .prepare_cached("SELECT * FROM sessions WHERE made_by = ?1 ORDER BY created_at, id")?;
        let rows = statement.query_map([caller.to_string()], |row| Ok(session(row)))?;
        rows.map(|row| row?).collect()
    }

    /// Marks the worktree as made completely.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn set_worktree_ready(&self, id: &SessionId) -> Result<(), StoreError> {
        self.inner.execute(
            "UPDATE sessions SET worktree_ready = 1 WHERE id = ?1",
            [id.as_str()],
        )?;
        Ok(())
    }

    /// Remembers the agent's conversation, so that the next iteration continues it.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn set_thread(&self, id: &SessionId, thread: Option<&str>) -> Result<(), StoreError> {
        self.inner.execute(
            "UPDATE sessions SET thread = ?2 WHERE id = ?1",
            params![id.as_str(), thread],
        )?;
        Ok(())
    }

    /// Puts a session away or brings it back.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn set_archived(&self, id: &SessionId, at: Option<Timestamp>) -> Result<(), StoreError> {
        self.inner.execute(
            "UPDATE sessions SET archived_at = ?2 WHERE id = ?1",
            params![id.as_str(), at.map(millis)],
        )?;
        Ok(())
    }

    /// Records how far a session's way back to its base has come.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn set_landing(&self, id: &SessionId, landing: &Landing) -> Result<(), StoreError> {
        let landed = landing.landed.as_ref();
        self.inner.execute(
            "UPDATE sessions SET base_branch = ?2, base_remote = ?3, base_commit = ?4, landed_at = ?5, landed_into = ?6,
                 landed_commit = ?7, landed_head = ?8, rebase = ?9, trash = ?10
             WHERE id = ?1",
            params![
                id.as_str(),
                landing.base_branch.as_str(),
                landing.base_remote.as_ref().map(|name| name.as_str()),
                landing.base_commit.as_str(),
                landed.map(|landed| millis(landed.at)),
                landed.map(|landed| landed.into.as_str()),
                landed.map(|landed| landed.commit.as_str()),
                landed.map(|landed| landed.head.as_str()),
                landing.rebase.as_ref().map(to_json).transpose()?,
                landing.trash.as_ref().map(|name| name.as_str()),
            ],
        )?;
        Ok(())
    }

    /// Records that a person wants the work to land, or not any more.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn set_approval(
        &self,
        id: &SessionId,
        approval: Option<&Approval>,
    ) -> Result<(), StoreError> {
        self.inner.execute(
            "UPDATE sessions SET approval = ?2 WHERE id = ?1",
            params![id.as_str(), approval.map(to_json).transpose()?],
        )?;
        Ok(())
    }

    /// Records that a session's worktree is not even in the trash any more.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn set_worktree_deleted(&self, id: &SessionId) -> Result<(), StoreError> {
        self.inner.execute(
            "UPDATE sessions SET worktree_deleted_at = ?2 WHERE id = ?1",
            params![id.as_str(), millis(self.now)],
        )?;
        Ok(())
    }

    /// Sessions whose worktree is not even in the trash any more.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn sessions_deleted_for_good(&self) -> Result<Vec<Session>, StoreError> {
        let mut statement = self
            .inner
            .prepare_cached("SELECT * FROM sessions WHERE worktree_deleted_at IS NOT NULL")?;
        let rows = statement.query_map([], |row| Ok(session(row)))?;
        rows.map(|row| row?).collect()
    }

    /// Gives a session another name, branch and directory, so that another one can have them.
    ///
    /// # Errors
    /// [`StoreError::Taken`] if one of them is taken.
    pub fn put_aside(&self, session: &Session) -> Result<(), StoreError> {
        self.inner.execute(
            "UPDATE sessions SET name = ?2, branch = ?3, worktree = ?4 WHERE id = ?1",
            params![
                session.id.as_str(),
                session.name.as_str(),
                session.branch.as_str(),
                path_text(&session.worktree)?,
            ],
        )?;
        Ok(())
    }

    /// Changes one field.
    ///
    /// # Errors
    /// [`StoreError::Taken`] if the new name or branch is taken.
    pub fn set_field(&self, id: &SessionId, field: &SessionField) -> Result<(), StoreError> {
        let update = |column: &str, value: &dyn rusqlite::ToSql| {
            self.inner.execute(
                &format!("UPDATE sessions SET {column} = ?2 WHERE id = ?1"),
                params![id.as_str(), value],
            )
        };
        match field {
            SessionField::Name(name) => self.rename(id, name.as_str()),
            SessionField::Prompt(text) => update("prompt", text),
            SessionField::Notes(text) => update("notes", text),
            SessionField::Constraints(text) => update("constraints", text),
            SessionField::Issue(text) => update("issue", text),
            SessionField::Script(text) => update("script", text),
            SessionField::Model(text) => update("model", text),
            SessionField::Agent(text) => update("agent", text),
            SessionField::Timeout(timeout) => update("timeout_ms", &timeout_millis(*timeout)),
            SessionField::Permissions(policy) => {
                update("permissions", &policy.map(PermissionPolicy::as_str))
            }
            SessionField::Rules(rules) => update("rules", &rules_json(rules)?),
            SessionField::Runtime(field) => {
                let wishes = self.runtime_wishes(id)?.with(field.clone());
                update("runtime", &runtime_json(&wishes)?)
            }
            SessionField::Branch(name) => update("branch", &name.as_str()),
            SessionField::Base { branch, remote } => self.put_base(id, branch, remote.as_ref()),
            SessionField::Worktree(path) => update("worktree", &path_text(path)?),
        }?;
        Ok(())
    }

    fn runtime_wishes(&self, id: &SessionId) -> Result<RuntimeWishes, StoreError> {
        let wishes = self
            .inner
            .prepare_cached("SELECT runtime FROM sessions WHERE id = ?1")?
            .query_row([id.as_str()], |row| Ok(json_option(row, "runtime")))
            .optional()?
            .transpose()?;
        Ok(wishes.flatten().unwrap_or_default())
    }

    fn put_base(
        &self,
        id: &SessionId,
        branch: &BranchName,
        remote: Option<&RemoteName>,
    ) -> rusqlite::Result<usize> {
        self.inner.execute(
            "UPDATE sessions SET base_branch = ?2, base_remote = ?3 WHERE id = ?1",
            params![
                id.as_str(),
                branch.as_str(),
                remote.map(|name| name.as_str())
            ],
        )
    }

    /// The name before the first change is kept: what was called after it goes on by it.
    fn rename(&self, id: &SessionId, name: &str) -> rusqlite::Result<usize> {
        self.inner.execute(
            "UPDATE sessions SET first_name = coalesce(first_name, name), name = ?2 WHERE id = ?1",
            params![id.as_str(), name],
        )
    }

    /// Remembers what git said, unless somebody asked it later, or the session is gone. A time that is still to come was
    /// written by a wrong clock and counts for nothing.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn put_git_facts(&self, id: &SessionId, facts: &GitFacts) -> Result<(), StoreError> {
        self.inner
            .prepare_cached(
                "INSERT INTO git_facts (session, head, ahead, behind, dirty, checked_at, other_checkout, landed)
                     SELECT id, ?2, ?3, ?4, ?5, ?6, ?8, ?9 FROM sessions WHERE id = ?1
                 ON CONFLICT (session) DO UPDATE SET head = excluded.head, ahead = excluded.ahead,
                     behind = excluded.behind, dirty = excluded.dirty, checked_at = excluded.checked_at,
                     other_checkout = excluded.other_checkout, landed = excluded.landed
                     WHERE checked_at <= excluded.checked_at OR checked_at > ?7",
            )?
            .execute(params![
                id.as_str(),
                facts.head.as_ref().map(|head| head.as_str()),
                facts.ahead,
                facts.behind,
                facts.dirty,
                millis(facts.checked_at),
                millis(self.now),
                facts.other_checkout.as_ref().map(to_json).transpose()?,
                facts.landed.as_ref().map(to_json).transpose()?,
            ])?;
        Ok(())
    }

    /// What git last said about one session.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn git_facts_of(&self, id: &SessionId) -> Result<Option<GitFacts>, StoreError> {
        let found = self
            .inner
            .prepare_cached("SELECT * FROM git_facts WHERE session = ?1")?
            .query_row([id.as_str()], |row| Ok(git_facts(row)))
            .optional()?
            .transpose()?;
        Ok(found.map(|(_, facts)| facts))
    }

    /// What git last said about every session.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn git_facts(&self) -> Result<Vec<(SessionId, GitFacts)>, StoreError> {
        let mut statement = self.inner.prepare_cached("SELECT * FROM git_facts")?;
        let rows = statement.query_map([], |row| Ok(git_facts(row)))?;
        rows.map(|row| row?).collect()
    }
}

fn timeout_millis(timeout: Option<Duration>) -> Option<i64> {
    timeout.map(|timeout| i64::try_from(timeout.as_millis()).unwrap_or(i64::MAX))
}

fn rules_json(rules: &[PermissionRule]) -> Result<Option<String>, StoreError> {
    let texts: Vec<String> = rules.iter().map(ToString::to_string).collect();
    (!texts.is_empty()).then(|| to_json(&texts)).transpose()
}

fn runtime_json(wishes: &RuntimeWishes) -> Result<Option<String>, StoreError> {
    let has_any = *wishes != RuntimeWishes::default();
    has_any.then(|| to_json(wishes)).transpose()
}

fn rules(row: &Row<'_>) -> Result<Vec<PermissionRule>, StoreError> {
    let texts: Option<Vec<String>> = json_option(row, "rules")?;
    let texts = texts.unwrap_or_default();
    let parsed = texts.iter().map(|text| text.parse());
    parsed
        .collect::<Result<_, _>>()
        .map_err(|error| unreadable("rules", &error))
}

fn git_facts(row: &Row<'_>) -> Result<(SessionId, GitFacts), StoreError> {
    let facts = GitFacts {
        head: parsed_option(row, "head")?,
        ahead: column(row, "ahead")?,
        behind: column(row, "behind")?,
        dirty: column(row, "dirty")?,
        other_checkout: json_option(row, "other_checkout")?,
        landed: json_option(row, "landed")?,
        checked_at: timestamp(row, "checked_at")?,
    };
    Ok((parsed(row, "session")?, facts))
}

fn landed(row: &Row<'_>) -> Result<Option<Landed>, StoreError> {
    let Some(at) = timestamp_option(row, "landed_at")? else {
        return Ok(None);
    };
    Ok(Some(Landed {
        at,
        into: parsed(row, "landed_into")?,
        commit: parsed(row, "landed_commit")?,
        head: parsed(row, "landed_head")?,
    }))
}

fn session(row: &Row<'_>) -> Result<Session, StoreError> {
    let timeout: Option<i64> = column(row, "timeout_ms")?;
    Ok(Session {
        id: parsed(row, "id")?,
        repository: RepositoryId(column(row, "repository")?),
        name: parsed(row, "name")?,
        first_name: parsed_option(row, "first_name")?,
        prompt: column(row, "prompt")?,
        notes: column(row, "notes")?,
        constraints: column(row, "constraints")?,
        issue: column(row, "issue")?,
        base_branch: parsed(row, "base_branch")?,
        base_remote: parsed_option(row, "base_remote")?,
        base_commit: parsed(row, "base_commit")?,
        branch: parsed(row, "branch")?,
        branch_adopted: column(row, "branch_adopted")?,
        worktree: path(row, "worktree")?,
        worktree_ready: column(row, "worktree_ready")?,
        agent: column(row, "agent")?,
        model: column(row, "model")?,
        script: column(row, "script")?,
        timeout: timeout
            .and_then(|millis| u64::try_from(millis).ok())
            .map(Duration::from_millis),
        permissions: parsed_option(row, "permissions")?,
        rules: rules(row)?,
        runtime: json_option(row, "runtime")?.unwrap_or_default(),
        thread: column(row, "thread")?,
        made_by: parsed_option(row, "made_by")?,
        created_at: timestamp(row, "created_at")?,
        last_run: timestamp_option(row, "last_run")?,
        archived_at: timestamp_option(row, "archived_at")?,
        landed: landed(row)?,
        rebase: json_option(row, "rebase")?,
        trash: parsed_option(row, "trash")?,
        approval: json_option(row, "approval")?,
        worktree_deleted_at: timestamp_option(row, "worktree_deleted_at")?,
    })
}

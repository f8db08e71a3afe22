//! Script runs.

use orchestra_core::{
    CLEAR_SCRIPT, CommitId, DROP_SCRIPT, IterationNumber, RunProblem, Runner, SESSION_SCRIPT,
    SETUP_SCRIPT, ScriptEnd, ScriptRun, ServerFacts, SessionId, TEARDOWN_SCRIPT, TakenBack,
    Timestamp,
};
use rusqlite::{OptionalExtension, Row, params, params_from_iter};

use crate::columns::{
    column, json_option, millis, parsed, parsed_option, timestamp, timestamp_option, to_json,
};
use crate::{StoreError, Tx};

/// Which runs say something about the work: those that came to an end of their own, and should.
const DECIDES: &str = "is_server = 0 AND result IS NOT NULL AND json_extract(result, '$.kind') NOT IN ('stopped', 'interrupted', 'not_allowed', 'unrunnable')";

/// A script run that begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewScriptRun<'a> {
    /// Its session.
    pub session: &'a SessionId,
    /// The iteration it belongs to.
    pub iteration: Option<IterationNumber>,
    /// The script's name.
    pub script: &'a str,
    /// The command line.
    pub command: &'a str,
    /// When it was started.
    pub started_at: Timestamp,
    /// Who runs it.
    pub runner: Option<Runner>,
    /// The commit whose files it runs on, and nothing else.
    pub commit: Option<&'a CommitId>,
    /// What is known of it because it is a server.
    pub server: Option<&'a ServerFacts>,
}

impl Tx<'_> {
    /// Adds a script run.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn insert_script_run(&self, new: &NewScriptRun<'_>) -> Result<ScriptRun, StoreError> {
        self.inner.execute(
            "INSERT INTO script_runs (session, iteration, script, command, started_at, runner, commit_id, is_server, url,
                 port, ready_at, late_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
            params![
                new.session.as_str(),
                new.iteration.map(|number| number.0),
                new.script,
                new.command,
                millis(new.started_at),
                new.runner.as_ref().map(to_json).transpose()?,
                new.commit.map(CommitId::as_str),
                new.server.is_some(),
                new.server.and_then(|server| server.url.as_deref()),
                new.server.and_then(|server| server.port),
                new.server.and_then(|server| server.ready_at).map(millis),
                new.server.and_then(|server| server.late_at).map(millis),
            ],
        )?;
        let key = self.inner.last_insert_rowid();
        self.inner
            .query_row("SELECT * FROM script_runs WHERE key = ?1", [key], |row| {
                Ok(script_run(row))
            })?
    }

    /// Records who runs it.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn set_script_runner(&self, key: i64, runner: Runner) -> Result<(), StoreError> {
        self.inner.execute(
            "UPDATE script_runs SET runner = ?2 WHERE key = ?1",
            params![key, to_json(&runner)?],
        )?;
        Ok(())
    }

    /// Records that an iteration begins once a run came to a good end; `false` if it is over already.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn iterate_after(&self, key: i64) -> Result<bool, StoreError> {
        let changed = self.inner.execute(
            "UPDATE script_runs SET then_iterate = 1 WHERE key = ?1 AND finished_at IS NULL",
            [key],
        )?;
        Ok(changed > 0)
    }

    /// Whether an iteration begins once a run came to a good end. Says so once: whoever hears it starts the iteration.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn take_iteration_after(&self, key: i64) -> Result<bool, StoreError> {
        let changed = self.inner.execute(
            "UPDATE script_runs SET then_iterate = 0 WHERE key = ?1 AND then_iterate = 1",
            [key],
        )?;
        Ok(changed > 0)
    }

    /// Records how a script run ended.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn finish_script_run(&self, key: i64, end: ScriptEnd) -> Result<(), StoreError> {
        self.inner.execute(
            "UPDATE script_runs SET finished_at = ?2, result = ?3 WHERE key = ?1",
            params![key, millis(end.at), to_json(&end.result)?],
        )?;
        Ok(())
    }

    /// Records why a run could not be run, or will be ended.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn set_script_problem(&self, key: i64, problem: &RunProblem) -> Result<(), StoreError> {
        self.inner.execute(
            "UPDATE script_runs SET problem = ?2 WHERE key = ?1",
            params![key, to_json(problem)?],
        )?;
        Ok(())
    }

    /// Records that a server can be used.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn set_server_ready(&self, key: i64) -> Result<(), StoreError> {
        self.inner.execute(
            "UPDATE script_runs SET ready_at = ?2 WHERE key = ?1",
            params![key, millis(self.now)],
        )?;
        Ok(())
    }

    /// Records that the time is over in which a server should have been ready.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn set_server_late(&self, key: i64) -> Result<(), StoreError> {
        self.inner.execute(
            "UPDATE script_runs SET late_at = ?2 WHERE key = ?1",
            params![key, millis(self.now)],
        )?;
        Ok(())
    }

    /// The newest run of every server, of one session or of all, by session and name.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn server_runs(&self, session: Option<&SessionId>) -> Result<Vec<ScriptRun>, StoreError> {
        let mut statement = self.inner.prepare_cached(&server_runs(session))?;
        let values = params_from_iter(session.map(SessionId::as_str));
        let rows = statement.query_map(values, |row| Ok(script_run(row)))?;
        rows.map(|row| row?).collect()
    }

    /// One script run.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn find_script_run(&self, key: i64) -> Result<Option<ScriptRun>, StoreError> {
        self.inner
            .prepare_cached("SELECT * FROM script_runs WHERE key = ?1")?
            .query_row([key], |row| Ok(script_run(row)))
            .optional()?
            .transpose()
    }

    /// The script runs of a session, oldest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn script_runs(&self, session: &SessionId) -> Result<Vec<ScriptRun>, StoreError> {
        let mut statement = self
            .inner
            .prepare_cached("SELECT * FROM script_runs WHERE session = ?1 ORDER BY key")?;
        let rows = statement.query_map([session.as_str()], |row| Ok(script_run(row)))?;
        rows.map(|row| row?).collect()
    }

    /// The newest run that decides whether a session's own script passes, of one session or of every one that has such a
    /// run: it ran the script the session has now.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn script_verdicts(
        &self,
        session: Option<&SessionId>,
    ) -> Result<Vec<ScriptRun>, StoreError> {
        let mut statement = self.inner.prepare_cached(&script_verdicts(session))?;
        let session = session.map(SessionId::as_str);
        let values = params_from_iter([SESSION_SCRIPT].into_iter().chain(session));
        let rows = statement.query_map(values, |row| Ok(script_run(row)))?;
        rows.map(|row| row?).collect()
    }

    /// The newest run that decides whether this very script passes in a session.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn script_verdict(
        &self,
        session: &SessionId,
        script: &str,
        command: &str,
    ) -> Result<Option<ScriptRun>, StoreError> {
        self.inner
            .prepare_cached(&format!(
                "SELECT * FROM script_runs WHERE session = ?1 AND script = ?2 AND command = ?3 AND {DECIDES}
                 ORDER BY key DESC LIMIT 1"
            ))?
            .query_row(params![session.as_str(), script, command], |row| {
                Ok(script_run(row))
            })
            .optional()?
            .transpose()
    }

    /// The newest run of the set-up, of one session or of every one that has such a run, and what took it back since.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn setup_runs(
        &self,
        session: Option<&SessionId>,
    ) -> Result<Vec<(ScriptRun, Option<TakenBack>)>, StoreError> {
        let mut statement = self.inner.prepare_cached(&setup_runs(session))?;
        let names = [SETUP_SCRIPT, TEARDOWN_SCRIPT, DROP_SCRIPT, CLEAR_SCRIPT];
        let session = session.map(SessionId::as_str);
        let found = params_from_iter(names.into_iter().chain(session));
        let rows =
            statement.query_map(found, |row| Ok((script_run(row), row.get("torn_down")?)))?;
        rows.map(|row| {
            let (run, torn_down): (_, Option<bool>) = row?;
            let taken_back = torn_down.map(|is_torn_down| match is_torn_down {
                true => TakenBack::TornDown,
                false => TakenBack::Cleared,
            });
            Ok((run?, taken_back))
        })
        .collect()
    }

    /// Script runs that have no end yet.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn unfinished_script_runs(&self) -> Result<Vec<ScriptRun>, StoreError> {
        let mut statement = self
            .inner
            .prepare_cached("SELECT * FROM script_runs WHERE result IS NULL ORDER BY key")?;
        let rows = statement.query_map([], |row| Ok(script_run(row)))?;
        rows.map(|row| row?).collect()
    }
}

// One session and all are asked for by statements of their own: one for both could not use an index for either.

fn server_runs(session: Option<&SessionId>) -> String {
    let of_one = session.map_or("", |_| "AND session = ?1");
    format!(
        "SELECT * FROM script_runs WHERE key IN (
             SELECT max(key) FROM script_runs WHERE is_server = 1 {of_one} GROUP BY session, script)
         ORDER BY session, script"
    )
}

fn script_verdicts(session: Option<&SessionId>) -> String {
    let of_one = session.map_or("", |_| "AND sessions.id = ?2");
    format!(
        "SELECT script_runs.* FROM sessions JOIN script_runs ON script_runs.key = (
             SELECT key FROM script_runs
             WHERE session = sessions.id AND script = ?1 AND command = sessions.script AND {DECIDES}
             ORDER BY key DESC LIMIT 1)
         WHERE sessions.script IS NOT NULL {of_one}"
    )
}

fn setup_runs(session: Option<&SessionId>) -> String {
    let of_one = session.map_or("", |_| "WHERE sessions.id = ?5");
    format!(
        "SELECT script_runs.*, (
             SELECT max(later.script IN (?2, ?3)) FROM script_runs AS later
             WHERE later.session = sessions.id AND later.script IN (?2, ?3, ?4)
                 AND later.key > script_runs.key) AS torn_down
         FROM sessions JOIN script_runs ON script_runs.key = (
             SELECT key FROM script_runs
             WHERE session = sessions.id AND script = ?1 AND iteration IS NULL
             ORDER BY key DESC LIMIT 1)
         {of_one}"
    )
}

fn script_run(row: &Row<'_>) -> Result<ScriptRun, StoreError> {
    let ended_at = timestamp_option(row, "finished_at")?;
    let result = json_option(row, "result")?;
    Ok(ScriptRun {
        key: column(row, "key")?,
        session: parsed(row, "session")?,
        iteration: column::<Option<u32>>(row, "iteration")?.map(IterationNumber),
        script: column(row, "script")?,
        command: column(row, "command")?,
        started_at: timestamp(row, "started_at")?,
        finished: ended_at
            .zip(result)
            .map(|(at, result)| ScriptEnd { at, result }),
        runner: json_option(row, "runner")?,
        commit: parsed_option(row, "commit_id")?,
        server: server(row)?,
        problem: json_option(row, "problem")?.map(Box::new),
    })
}

fn server(row: &Row<'_>) -> Result<Option<Box<ServerFacts>>, StoreError> {
    if !column::<bool>(row, "is_server")? {
        return Ok(None);
    }
    let facts = ServerFacts {
        url: column(row, "url")?,
        port: column(row, "port")?,
        ready_at: timestamp_option(row, "ready_at")?,
        late_at: timestamp_option(row, "late_at")?,
    };
    Ok(Some(Box::new(facts)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Store;

    /// How the store would look for the rows, a line for each step.
    fn plan(store: &Store, statement: &str) -> Vec<String> {
        let read = store.read(|tx| {
            let mut asked = tx
                .inner
                .prepare(&format!("EXPLAIN QUERY PLAN {statement}"))?;
            let unset = vec![rusqlite::types::Null; asked.parameter_count()];
            let steps = asked.query_map(params_from_iter(unset), |row| row.get("detail"))?;
            Ok::<_, StoreError>(steps.collect::<Result<_, _>>()?)
        });
        read.unwrap()
    }

    #[test]
    fn the_newest_runs_are_found_without_looking_at_all_of_them() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(&directory.path().join("orchestra.db"), "first").unwrap();
        let session: SessionId = "k7m2qd".parse().unwrap();
        let every: [fn(Option<&SessionId>) -> String; 3] =
            [server_runs, script_verdicts, setup_runs];
        for statement in every {
            let one = plan(&store, &statement(Some(&session)));
            assert!(!one.iter().any(|step| step.contains("SCAN")), "{one:#?}");
        }
        for statement in [script_verdicts, setup_runs] {
            let all = plan(&store, &statement(None));
            let by_name = "INDEX script_runs_by_name (session=? AND script=?";
            assert!(all.iter().any(|step| step.contains(by_name)), "{all:#?}");
            let is_whole = |step: &String| step.contains("SCAN") && !step.contains("SCAN sessions");
            assert!(!all.iter().any(is_whole), "{all:#?}");
        }
    }
}

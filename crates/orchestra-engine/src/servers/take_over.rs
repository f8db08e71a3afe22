//! Servers that outlive their runner: the guardian keeps them, and whoever looks first starts another runner that takes them
//! over. Agents and other scripts are never kept.

use std::path::PathBuf;

use orchestra_core::status::Lease;
use orchestra_core::{ScriptRun, SessionId};
use orchestra_process::{Meeting, OnLoss, Supervised};

use crate::engine::TAKE_OVER_SERVER;
use crate::recover::note_recovered;
use crate::runner::LEASE_PATIENCE;
use crate::{Engine, EngineError};

/// The setting that says where the run is recorded.
const DATABASE: &str = "core.database_path";

/// What is said of a server that has another runner now.
pub(super) fn taken_over(run: &ScriptRun) -> String {
    format!(
        "the server `{}` was taken over: what ran it had died",
        run.script
    )
}

impl Engine {
    /// What becomes of a run's processes when its runner dies.
    pub(crate) fn on_loss(&self, run: &ScriptRun) -> OnLoss {
        if run.server.is_none() {
            return OnLoss::End;
        }
        match self.prepare_meeting(run) {
            Ok(Some(meeting)) => OnLoss::Keep(meeting),
            Ok(None) => {
                tracing::warn!("the guardian of an earlier run is still there");
                OnLoss::End
            }
            Err(error) => {
                tracing::warn!(code = error.code(), %error, "the server cannot outlive its runner");
                OnLoss::End
            }
        }
    }

    /// Carries on with a server whose runner died. Called in a process of its own.
    ///
    /// # Errors
    /// If its guardian does not answer, or it cannot be followed: then it goes on. Or if its end cannot be recorded.
    pub fn take_over_server(&self, id: &SessionId, key: i64) -> Result<(), EngineError> {
        let lease = self.take_lease_of(&self.script_run(key)?)?;
        // Whoever ran it may have written until now.
        let recorded = self.script_run(key)?;
        self.failpoints.pass("server.taking_over");
        let ready = self.prepare_to_follow(&recorded)?;
        let Some(child) = self.meet_guardian(&recorded)? else {
            return Ok(());
        };
        self.failpoints.pass("server.taken_over");
        let redactor = self.redactor_with(child.environment());
        let taken = redactor.and_then(|redactor| Ok((self.take_over_script(key)?, redactor)));
        let (run, redactor) = match taken {
            Ok((Some(run), redactor)) => (run, redactor),
            // One that was closed meanwhile is ended by dropping it.
            Ok((None, _)) => return Ok(()),
            Err(error) => {
                child.let_go();
                return Err(error);
            }
        };
        self.tell_taken_over(&run);
        let ended = self.run_and_close(&run, || Ok(ready.follow(child, &redactor)));
        drop(lease);
        self.notify_end(id, &run, &ended?)
    }

    /// Whether the guardian of a server lives. One that cannot be asked may.
    pub(crate) fn has_guardian(&self, run: &ScriptRun) -> bool {
        let state = || self.guards.server_state(&run.session, &run.script);
        run.server.is_some() && state() != Lease::Free
    }

    /// Whether a server goes on without a runner. A guardian may also wait only to tell how it ended.
    pub(crate) fn goes_on_alone(&self, run: &ScriptRun) -> bool {
        self.has_guardian(run) && !orchestra_process::has_ended(&self.meeting_place(run))
    }

    /// Starts another runner for a server whose guardian waits, and waits until it has taken over. Settings that somebody
    /// gave to a command which only happened to come by are not the server's.
    pub(super) fn start_next_runner(&self, run: &ScriptRun) -> Result<(), EngineError> {
        let id = &run.session;
        let arguments = [
            TAKE_OVER_SERVER.to_owned(),
            id.to_string(),
            run.key.to_string(),
        ];
        let flags = self.flags.iter().filter(|(key, _)| key == DATABASE);
        let flags: Vec<_> = flags.cloned().collect();
        self.start_runner(id, &arguments, &flags, || {
            let current = self.script_run(run.key)?;
            Ok(current.runner != run.runner || current.finished.is_some())
        })
    }

    /// A server is not ended because nobody can be told of it.
    fn tell_taken_over(&self, run: &ScriptRun) {
        let what = taken_over(run);
        self.say_in_log(run, &format!("{what}; a line may be missing here"));
        let told = self.write_stream(|tx| note_recovered(tx, &run.session, &what));
        if let Err(error) = told {
            tracing::warn!(code = error.code(), %error, "cannot tell that a server was taken over");
        }
    }

    /// A guardian that was killed leaves its socket behind.
    pub(crate) fn forget_meeting(&self, run: &ScriptRun) {
        // Nobody is met there any more: it is in nobody's way.
        orchestra_process::forget_meeting(&self.meeting_place(run)).ok();
    }

    fn meet_guardian(&self, run: &ScriptRun) -> Result<Option<Supervised>, EngineError> {
        let marker = self.marker_of_run(run)?;
        Ok(orchestra_process::take_over(
            &self.meeting_place(run),
            &marker,
        )?)
    }

    /// `None` if the guardian of an earlier run of the same server does not end.
    fn prepare_meeting(&self, run: &ScriptRun) -> Result<Option<Meeting>, EngineError> {
        self.create_private_dir(&self.dirs.guards())?;
        let held = self
            .guards
            .server(&run.session, &run.script, LEASE_PATIENCE)
            .map_err(|source| EngineError::io("lock the server's guardian", source))?;
        Ok(held.map(|held| Meeting {
            place: self.meeting_place(run),
            held: held.into_file(),
        }))
    }

    /// The name is short, because the address of a socket must be.
    fn meeting_place(&self, run: &ScriptRun) -> PathBuf {
        let name = format!("{}.{}.socket", run.session, run.key);
        self.dirs.guards().join(name)
    }
}

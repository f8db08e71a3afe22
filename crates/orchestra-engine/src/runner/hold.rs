//! What holds the agent of a turn that runs in a sandbox, and fetching from its git directory afterwards.

use orchestra_core::{Isolation, SandboxRecord};
use orchestra_git::{InProgress, Worktree};

use super::IterationRun;
use crate::agent::ReadyAgent;
use crate::sandbox::{HeldTurn, note_left};
use crate::{Engine, EngineError};

impl IterationRun<'_> {
    /// Makes what holds the agent of the next turn; `None` if it is not held.
    pub(super) fn hold(&mut self, worktree: &Worktree) -> Result<Option<HeldTurn>, EngineError> {
        let engine = self.engine;
        // Whoever was cut off may have left something that nobody has fetched.
        self.fetch_workspace(worktree)?;
        if engine.isolation_of(&self.session) != Isolation::Sandbox {
            return Ok(None);
        }
        engine.require_sandbox(&self.session)?;
        let workspace = engine.workspace_of(&self.session.id);
        engine.create_private_dir(workspace.folder())?;
        worktree.open_workspace(&workspace, &self.session.branch)?;
        self.failpoints("runner.workspace_made");
        let ready = ReadyAgent::find(engine, &self.session.agent)?;
        let hosts = engine.hosts_of(&self.session, &ready.agent)?;
        let notes = [
            engine.network_note(&ready.agent, &hosts),
            engine.hidden_note(),
        ];
        let notes = notes.into_iter().flatten().collect();
        let (mut sandbox, proxy) = engine.reach(&self.session, worktree, &ready, &hosts)?;
        let record = engine.tried_sandbox(&self.session, worktree, &sandbox, hosts)?;
        self.note_sandbox(record)?;
        let files = engine.output_files(&self.session.id, self.iteration.number)?;
        Engine::give_files_of_turn(&mut sandbox, &files)?;
        let door = engine.open_door(&self.session, &ready.agent, &mut sandbox)?;
        Ok(Some(HeldTurn {
            sandbox,
            door,
            notes,
            _proxy: proxy,
        }))
    }

    /// What git is in the middle of where the agent commits.
    pub(super) fn unfinished(&self) -> Option<InProgress> {
        let is_held = self.engine.isolation_of(&self.session) == Isolation::Sandbox;
        let workspace = self.engine.workspace_of(&self.session.id);
        is_held.then(|| workspace.in_progress()).flatten()
    }

    /// Written down before the agent starts, for whoever recovers.
    fn note_sandbox(&mut self, record: SandboxRecord) -> Result<(), EngineError> {
        let isolation = self.iteration.isolation.get_or_insert_default();
        isolation.held = Isolation::Sandbox;
        isolation.sandbox = Some(record);
        let iteration = &self.iteration;
        self.engine
            .write_stream(|tx| Ok(tx.put_iteration(iteration)?))
    }

    /// Fetches if an agent had the workspace since. What stays there is noted on the iteration.
    pub(super) fn fetch_workspace(&mut self, worktree: &Worktree) -> Result<(), EngineError> {
        let left = self.engine.fetch_due(&self.session, worktree)?;
        note_left(&mut self.iteration, left);
        Ok(())
    }
}

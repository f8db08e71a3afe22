//! Servers that nothing carries any more, as somebody sees them who does not close their runs.

use std::fs;

use orchestra_core::{ScriptResult, ServerFacts, Timestamp};
use orchestra_engine::EngineError;
use orchestra_store::{Durability, NewScriptRun, Store};
use orchestra_testkit::Sandbox;

use crate::world::{engine, session};

#[test]
fn a_dead_server_lived_as_long_as_its_log_grew() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("repo");
    let engine = engine(&sandbox, &[]);
    let (id, _worktree) = session(&engine, repository.root(), "first");
    let store = Store::open(&sandbox.data_dir().join("orchestra.db"), "other").unwrap();
    let new = NewScriptRun {
        session: &id,
        iteration: None,
        script: "dev",
        command: "exec sleep 60",
        started_at: Timestamp::from_second(1_000).unwrap(),
        runner: None,
        commit: None,
        server: Some(&ServerFacts {
            ready_at: Some(Timestamp::from_second(1_002).unwrap()),
            ..ServerFacts::default()
        }),
    };
    let now = Timestamp::from_second(1_000).unwrap();
    let run = store
        .write(Durability::Stream, now, |tx| {
            Ok::<_, EngineError>(tx.insert_script_run(&new)?)
        })
        .unwrap();
    let end = || {
        let view = engine.session(&id).unwrap();
        let end = view.servers[0].finished.unwrap();
        assert_eq!(end.result, ScriptResult::Interrupted);
        end.at.as_second()
    };
    assert_eq!(end(), 1_002);

    let log = engine.script_log(&run);
    fs::create_dir_all(log.parent().unwrap()).unwrap();
    let file = fs::File::create(&log).unwrap();
    let written = Timestamp::from_second(1_300).unwrap();
    file.set_modified(written.into()).unwrap();
    assert_eq!(end(), 1_300);
}

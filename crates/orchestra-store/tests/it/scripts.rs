//! Script runs.

use orchestra_core::{IterationNumber, RunProblem, Runner, ScriptEnd, ScriptResult, ServerFacts};
use orchestra_store::NewScriptRun;

use crate::fixture::{Sandbox, add_session, at, id, read, try_write, write};

#[test]
fn a_run_is_followed_from_start_to_end() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let session = add_session(&store, "k7m2qd");
    let commit = "a".repeat(40).parse().unwrap();
    let new = NewScriptRun {
        session: &session,
        iteration: Some(IterationNumber(2)),
        script: "test",
        command: "make test 'a b' \"c\"",
        started_at: at(5),
        runner: Some(Runner { pid: 1, started: 2 }),
        commit: Some(&commit),
        server: None,
    };
    let first = write(&store, |tx| tx.insert_script_run(&new));
    assert_eq!((first.iteration, first.runner), (new.iteration, new.runner));
    assert_eq!(
        (first.script.as_str(), first.command.as_str()),
        (new.script, new.command)
    );
    assert_eq!((first.started_at, first.finished), (at(5), None));
    assert_eq!(first.commit.as_ref(), Some(&commit));
    let by_hand = NewScriptRun {
        iteration: None,
        runner: None,
        commit: None,
        ..new
    };
    let second = write(&store, |tx| tx.insert_script_run(&by_hand));
    assert_eq!((second.iteration, second.runner), (None, None));
    assert_eq!(
        read(&store, |tx| tx.unfinished_script_runs()),
        [first.clone(), second.clone()]
    );

    let runner = Runner {
        pid: 7,
        started: u64::MAX,
    };
    let end = ScriptEnd {
        at: at(9),
        result: ScriptResult::Exited(101),
    };
    let problem = RunProblem {
        code: "script.timed_out".to_owned(),
        message: "it took longer than 30m".to_owned(),
        hint: None,
    };
    write(&store, |tx| {
        tx.set_script_runner(second.key, runner)?;
        tx.set_script_problem(first.key, &problem)?;
        tx.finish_script_run(first.key, end)
    });
    let first_over = read(&store, |tx| tx.find_script_run(first.key)).unwrap();
    assert_eq!(first_over.finished, Some(end));
    assert_eq!(first_over.problem.as_deref(), Some(&problem));
    let unfinished = read(&store, |tx| tx.unfinished_script_runs());
    assert_eq!((unfinished.len(), unfinished[0].runner), (1, Some(runner)));
    assert_eq!(
        read(&store, |tx| tx.script_runs(&session)),
        [first_over, unfinished[0].clone()]
    );
    assert_eq!(read(&store, |tx| tx.find_script_run(99)), None);
}

#[test]
fn every_end_comes_back() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let session = add_session(&store, "k7m2qd");
    let ends = [
        ScriptResult::Exited(0),
        ScriptResult::Signalled(9),
        ScriptResult::TimedOut,
        ScriptResult::Stopped,
        ScriptResult::Interrupted,
        ScriptResult::NotAllowed,
    ];
    for result in ends {
        let run = write(&store, |tx| {
            let run = tx.insert_script_run(&NewScriptRun {
                session: &session,
                iteration: None,
                script: "dev",
                command: "make",
                started_at: at(1),
                runner: None,
                commit: None,
                server: None,
            })?;
            tx.finish_script_run(run.key, ScriptEnd { at: at(2), result })?;
            Ok(run)
        });
        let found = read(&store, |tx| tx.find_script_run(run.key)).unwrap();
        assert_eq!(found.finished, Some(ScriptEnd { at: at(2), result }));
    }
    assert_eq!(
        sandbox.ask::<u32>("SELECT count(*) FROM script_runs WHERE result IS NULL"),
        0
    );
}

#[test]
fn a_session_that_is_gone_runs_no_script() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let refused = try_write(&store, |tx| {
        tx.insert_script_run(&NewScriptRun {
            session: &id("k7m2qd"),
            iteration: None,
            script: "test",
            command: "make",
            started_at: at(1),
            runner: None,
            commit: None,
            server: None,
        })
    });
    assert_eq!(refused.unwrap_err().code(), "store.failed");
}

#[test]
fn a_server_is_known_by_its_newest_run_and_decides_nothing() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let session = add_session(&store, "k7m2qd");
    let facts = ServerFacts {
        url: Some("http://one.localhost:20000/".to_owned()),
        port: Some(20_000),
        ..ServerFacts::default()
    };
    let new = |script: &'static str, server| NewScriptRun {
        session: &session,
        iteration: None,
        script,
        command: "make",
        started_at: at(1),
        runner: None,
        commit: None,
        server,
    };
    let end = ScriptEnd {
        at: at(2),
        result: ScriptResult::Exited(1),
    };
    let (api, dev) = write(&store, |tx| {
        let old = tx.insert_script_run(&new("dev", Some(&facts)))?;
        tx.finish_script_run(old.key, end)?;
        let api = tx.insert_script_run(&new("api", Some(&facts)))?;
        tx.set_server_late(api.key)?;
        let dev = tx.insert_script_run(&new("dev", Some(&facts)))?;
        tx.set_server_ready(dev.key)?;
        let test = tx.insert_script_run(&new("test", None))?;
        tx.finish_script_run(test.key, end)?;
        Ok((api.key, dev.key))
    });
    let servers = read(&store, |tx| tx.server_runs(None));
    assert_eq!(read(&store, |tx| tx.server_runs(Some(&session))), servers);
    assert_eq!(
        servers.iter().map(|run| run.key).collect::<Vec<_>>(),
        [api, dev]
    );
    let kept: Vec<_> = servers.into_iter().filter_map(|run| run.server).collect();
    assert!(kept.iter().all(|server| server.url == facts.url));
    assert!(kept.iter().all(|server| server.port == facts.port));
    assert!(kept[0].late_at.is_some() && kept[0].ready_at.is_none());
    assert!(kept[1].ready_at.is_some() && kept[1].late_at.is_none());
    assert!(read(&store, |tx| tx.server_runs(Some(&id("q2m7kd")))).is_empty());
    let verdict = |script| read(&store, |tx| tx.script_verdict(&session, script, "make"));
    assert_eq!(verdict("dev"), None);
    assert!(verdict("test").is_some());
}

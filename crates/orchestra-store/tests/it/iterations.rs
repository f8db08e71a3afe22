//! Iterations: numbers, every column, and which ones are not over.

use orchestra_core::status::Outcome;
use orchestra_core::{
    Cost, CostSource, FailureCause, GuardFinding, GuardPlace, IsolationRecord, Iteration,
    IterationNumber, OffBranch, Parked, Progress, Runner, SessionId, Usage,
};
use orchestra_store::{NewIteration, Store};

use crate::fixture::{Sandbox, add_session, at, id, read, try_write, write};

fn ask(store: &Store, session: &SessionId, queued_at: i64) -> Iteration {
    write(store, |tx| {
        tx.insert_iteration(&NewIteration {
            session,
            input: Some("and the tests"),
            commit: true,
            queued_at: at(queued_at),
        })
    })
}

#[test]
fn numbers_count_from_one_in_each_session() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let (one, two) = (add_session(&store, "bbbbbb"), add_session(&store, "cccccc"));
    let numbers = [&one, &one, &two, &one].map(|session| ask(&store, session, 1).number.0);
    assert_eq!(numbers, [1, 2, 1, 3]);
    let latest = read(&store, |tx| tx.latest_iteration(&one)).unwrap();
    assert_eq!(latest.number, IterationNumber(3));
    let mut latest = read(&store, |tx| tx.latest_iterations());
    latest.sort_by_key(|iteration| iteration.session.clone());
    let latest: Vec<_> = latest.iter().map(|iteration| iteration.number.0).collect();
    assert_eq!(latest, [3, 1]);
    assert_eq!(read(&store, |tx| tx.iterations(&one)).len(), 3);
    assert_eq!(read(&store, |tx| tx.latest_iteration(&id("dddddd"))), None);
    assert_eq!(
        read(&store, |tx| tx.find_iteration(&two, IterationNumber(2))),
        None
    );
}

fn run_to_the_end(iteration: Iteration) -> Iteration {
    Iteration {
        progress: Progress::Finished(Outcome::Failed(FailureCause::Crashed)),
        message: Some("signal 11".to_owned()),
        summary: Some("almost".to_owned()),
        started_at: Some(at(20)),
        finished_at: Some(at(30)),
        head_before: Some("a".repeat(40).parse().unwrap()),
        head_after: Some("b".repeat(64).parse().unwrap()),
        thread: Some("T-1".to_owned()),
        model: Some("large".to_owned()),
        usage: Some(Usage {
            input_tokens: u64::MAX,
            output_tokens: 2,
            cache_read_tokens: 3,
            cache_write_tokens: 4,
        }),
        cost: Some(Cost {
            micro_usd: 5,
            source: CostSource::Estimated,
        }),
        commits: vec![
            "c".repeat(40).parse().unwrap(),
            "d".repeat(40).parse().unwrap(),
        ],
        files_changed: Some(7),
        script_passed: Some(false),
        runner: Some(Runner { pid: 8, started: 9 }),
        off_branch: Some(OffBranch {
            branch: Some("elsewhere".parse().unwrap()),
            commits: 2,
        }),
        isolation: Some(IsolationRecord {
            findings: vec![GuardFinding {
                place: GuardPlace::MainCheckout,
                what: "README was changed".to_owned(),
            }],
            ..IsolationRecord::default()
        }),
        ..iteration
    }
}

#[test]
fn every_field_comes_back() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let session = add_session(&store, "k7m2qd");
    let asked = ask(&store, &session, 10);
    assert_eq!(asked.input.as_deref(), Some("and the tests"));
    assert_eq!(asked.progress, Progress::Queued);
    assert_eq!((asked.commit, asked.queued_at), (true, at(10)));
    assert_eq!((asked.started_at, asked.commits.len()), (None, 0));
    let over = run_to_the_end(asked);
    write(&store, |tx| tx.put_iteration(&over));
    assert_eq!(
        read(&store, |tx| tx.find_iteration(&session, over.number)),
        Some(over)
    );
    assert_eq!(sandbox.ask::<i64>("SELECT last_run FROM sessions"), 20);
    assert_eq!(
        sandbox.ask::<String>("SELECT outcome FROM iterations"),
        r#"{"kind":"failed","cause":"crashed"}"#
    );
}

#[test]
fn progress_comes_back_and_only_an_end_ends() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let session = add_session(&store, "k7m2qd");
    let mut iteration = ask(&store, &session, 10);
    let steps = [
        Progress::Queued,
        Progress::Agent,
        Progress::Parked(Parked {
            until: at(60),
            retry: 2,
            retries: 5,
        }),
        Progress::Commit,
        Progress::Script,
    ];
    for progress in steps {
        iteration.progress = progress;
        write(&store, |tx| tx.put_iteration(&iteration));
        assert_eq!(
            read(&store, |tx| tx.unfinished_iterations()),
            [iteration.clone()]
        );
    }
    let ends = [
        Outcome::Succeeded,
        Outcome::AwaitingInput,
        Outcome::Blocked(FailureCause::Overloaded),
        Outcome::Stopped,
        Outcome::Failed(FailureCause::NoResult),
        Outcome::Interrupted,
    ];
    for outcome in ends {
        iteration.progress = Progress::Finished(outcome);
        write(&store, |tx| tx.put_iteration(&iteration));
        assert_eq!(
            read(&store, |tx| tx.latest_iteration(&session)),
            Some(iteration.clone())
        );
        assert_eq!(read(&store, |tx| tx.unfinished_iterations()), []);
    }
    assert_eq!(
        sandbox.ask::<Option<i64>>("SELECT last_run FROM sessions"),
        None
    );
}

#[test]
fn who_waits_longest_comes_first() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let (one, two) = (add_session(&store, "bbbbbb"), add_session(&store, "cccccc"));
    let keys = [
        ask(&store, &one, 9),
        ask(&store, &two, 3),
        ask(&store, &one, 3),
    ]
    .map(|iteration| iteration.key);
    let waiting = read(&store, |tx| tx.unfinished_iterations());
    let order: Vec<_> = waiting.iter().map(|iteration| iteration.key).collect();
    assert_eq!(order, [keys[1], keys[2], keys[0]]);
}

#[test]
fn a_session_that_is_gone_gets_no_iteration() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let error = try_write(&store, |tx| {
        tx.insert_iteration(&NewIteration {
            session: &id("k7m2qd"),
            input: None,
            commit: false,
            queued_at: at(1),
        })
    })
    .unwrap_err();
    assert_eq!(error.code(), "store.failed");
}

#[test]
fn a_row_of_another_version_is_named() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let session = add_session(&store, "k7m2qd");
    ask(&store, &session, 1);
    let cases = [
        ("progress = 'dreaming'", "progress"),
        (
            "progress = 'queued', outcome = '{\"kind\":\"vanished\"}'",
            "outcome",
        ),
        ("outcome = NULL, number = -1", "number"),
        ("number = 1, queued_at = 9223372036854775807", "queued_at"),
        (
            "queued_at = 1, started_at = 9223372036854775807",
            "started_at",
        ),
        (
            "started_at = NULL, head_before = 'no commit'",
            "head_before",
        ),
        ("head_before = NULL, commits = '[1]'", "commits"),
    ];
    for (change, column) in cases {
        sandbox
            .sqlite()
            .execute_batch(&format!("UPDATE iterations SET {change}"))
            .unwrap();
        let error = store.read(|tx| tx.iterations(&session)).unwrap_err();
        assert_eq!(error.code(), "store.damaged");
        assert!(error.hint().unwrap().contains("doctor"));
        let text = error.to_string();
        assert!(
            text.starts_with(&format!("cannot read the column {column}: ")),
            "{text}"
        );
    }
    let restored = "UPDATE iterations SET commits = '[]'; PRAGMA foreign_keys = OFF;
        UPDATE sessions SET id = 'not an id'; UPDATE iterations SET session = 'not an id'";
    sandbox.sqlite().execute_batch(restored).unwrap();
    let error = store.read(|tx| tx.latest_iterations()).unwrap_err();
    assert!(error.to_string().contains("session"), "{error}");
}

#[test]
fn an_iteration_that_waits_for_its_provider_runs_for_older_programs() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let session = add_session(&store, "k7m2qd");
    let mut iteration = ask(&store, &session, 10);
    iteration.progress = Progress::Parked(Parked {
        until: at(60),
        retry: 0,
        retries: 5,
    });
    write(&store, |tx| tx.put_iteration(&iteration));
    let progress = sandbox.ask::<String>("SELECT progress FROM iterations");
    assert_eq!(progress, "agent");
}

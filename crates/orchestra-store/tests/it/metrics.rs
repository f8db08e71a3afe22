//! Sums over iterations, against numbers that were counted by hand.

use orchestra_core::status::Outcome;
use orchestra_core::{Cost, CostSource, FailureCause, Progress, SessionId, Usage};
use orchestra_store::{MetricsBy, MetricsFilter, MetricsRow, NewIteration, Store};

use crate::fixture::{Sandbox, add_session, at, read, write};

const DAY: i64 = 86_400_000;

/// What an agent told at the end of an iteration.
struct Told {
    started: i64,
    outcome: Option<Outcome>,
    model: Option<&'static str>,
    tokens: u64,
    cost: Option<(u64, CostSource)>,
}

fn add(store: &Store, session: &SessionId, told: &Told) {
    write(store, |tx| {
        let mut iteration = tx.insert_iteration(&NewIteration {
            session,
            input: None,
            commit: true,
            queued_at: at(told.started),
        })?;
        iteration.started_at = Some(at(told.started));
        iteration.finished_at = told.outcome.map(|_| at(told.started + 1_000));
        iteration.progress = told.outcome.map_or(Progress::Agent, Progress::Finished);
        iteration.model = told.model.map(str::to_owned);
        iteration.usage = Some(Usage {
            input_tokens: told.tokens,
            output_tokens: 1,
            ..Usage::default()
        });
        iteration.cost = told
            .cost
            .map(|(micro_usd, source)| Cost { micro_usd, source });
        iteration.script_passed = told.outcome.map(|outcome| outcome == Outcome::Succeeded);
        tx.put_iteration(&iteration)
    });
}

/// Two days, two models, every kind of end.
fn filled(sandbox: &Sandbox) -> Store {
    let store = sandbox.open();
    let (one, two) = (add_session(&store, "bbbbbb"), add_session(&store, "cccccc"));
    let reported = Some((3_000, CostSource::Reported));
    let estimated = Some((500, CostSource::Estimated));
    let failed = Outcome::Failed(FailureCause::Crashed);
    let rows = [
        (
            &one,
            1_000,
            Some(Outcome::Succeeded),
            Some("large"),
            10,
            reported,
        ),
        (&one, 2_000, Some(failed), Some("small"), 20, estimated),
        (
            &one,
            DAY + 1,
            Some(Outcome::AwaitingInput),
            Some("large"),
            30,
            reported,
        ),
        (&two, DAY + 2, Some(Outcome::Stopped), None, 40, None),
        (&two, DAY + 3, None, None, u64::MAX, None),
    ];
    for (session, started, outcome, model, tokens, cost) in rows {
        let told = Told {
            started,
            outcome,
            model,
            tokens,
            cost,
        };
        add(&store, session, &told);
    }
    store
}

fn keys(rows: &[MetricsRow]) -> Vec<(Option<&str>, u64)> {
    let rows = rows.iter();
    rows.map(|row| (row.key.as_deref(), row.iterations))
        .collect()
}

#[test]
fn everything_is_summed_up() {
    let sandbox = Sandbox::new();
    let store = filled(&sandbox);
    let rows = read(&store, |tx| {
        tx.metrics(MetricsFilter::default(), MetricsBy::Nothing)
    });
    let expected = MetricsRow {
        key: None,
        iterations: 5,
        sessions: 2,
        succeeded: 2,
        failed: 1,
        stopped: 1,
        unfinished: 1,
        scripts: 4,
        scripts_passed: 1,
        input_tokens: 1_000_000_000_100,
        output_tokens: 5,
        reported_micro_usd: 6_000,
        estimated_micro_usd: 500,
        with_cost: 3,
        duration_ms: 4_000,
        ..MetricsRow::default()
    };
    assert_eq!(rows, [expected]);
}

#[test]
fn sums_are_told_apart() {
    let sandbox = Sandbox::new();
    let store = filled(&sandbox);
    let by = |filter, by| read(&store, |tx| tx.metrics(filter, by));
    let all = MetricsFilter::default();
    let days = by(all, MetricsBy::Day);
    assert_eq!(
        keys(&days),
        [(Some("1970-01-01"), 2), (Some("1970-01-02"), 3)]
    );
    assert_eq!(keys(&by(all, MetricsBy::Agent)), [(Some("amp"), 5)]);
    let models = by(all, MetricsBy::Model);
    assert_eq!(
        keys(&models),
        [(None, 2), (Some("large"), 2), (Some("small"), 1)]
    );
    let places = by(all, MetricsBy::Repository);
    assert_eq!(keys(&places), [(Some("/home/me/app"), 5)]);
    let west = MetricsFilter {
        utc_offset_minutes: -60,
        ..all
    };
    let days = by(west, MetricsBy::Day);
    assert_eq!(
        keys(&days),
        [(Some("1969-12-31"), 2), (Some("1970-01-01"), 3)]
    );
}

#[test]
fn only_what_was_started_in_time_counts() {
    let sandbox = Sandbox::new();
    let store = filled(&sandbox);
    let count = |filter| {
        let rows = read(&store, |tx| tx.metrics(filter, MetricsBy::Nothing));
        rows.iter().map(|row| row.iterations).sum::<u64>()
    };
    let from = MetricsFilter {
        from: Some(at(DAY)),
        ..MetricsFilter::default()
    };
    assert_eq!(count(from), 3);
    let until = MetricsFilter {
        until: Some(at(2_000)),
        ..MetricsFilter::default()
    };
    assert_eq!(count(until), 1);
    let other = MetricsFilter {
        repository: Some(orchestra_core::RepositoryId(77)),
        ..MetricsFilter::default()
    };
    assert_eq!(count(other), 0);
}

//! Whatever an agent says and whatever happens comes back byte for byte.

use orchestra_core::status::Outcome;
use orchestra_core::{
    AgentEvent, Cost, CostSource, EventBody, FailureCause, IterationNumber, Role, SessionStatus,
    Usage,
};
use orchestra_store::{EventFilter, NewItem};
use proptest::collection::{btree_map, vec};
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, TestRunner};
use serde::Serialize;
use serde_json::Value;

use crate::fixture::{Sandbox, add_session, message, read, write};

/// Any text: also with zero bytes, quotes and characters outside the basic plane.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        vec(any::<char>(), 0..20).prop_map(String::from_iter),
        select(vec!["", "\0", "'\"\\", "\u{2028}\u{fffd}😀", "null"]).prop_map(str::to_owned),
    ]
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Value::from),
            btree_map(text(), inner, 0..6).prop_map(|map| map.into_iter().collect()),
        ]
    })
}

fn cause() -> impl Strategy<Value = FailureCause> {
    select(vec![
        FailureCause::AgentMissing,
        FailureCause::NotLoggedIn,
        FailureCause::Unauthorized,
        FailureCause::Offline,
        FailureCause::Overloaded,
        FailureCause::ApprovalRequired,
        FailureCause::ThreadUnavailable,
        FailureCause::BadInput,
        FailureCause::Stopped,
        FailureCause::TimedOut,
        FailureCause::Silent,
        FailureCause::OutputLimit,
        FailureCause::NoResult,
        FailureCause::Crashed,
        FailureCause::Interrupted,
        FailureCause::Engine,
        FailureCause::Other,
    ])
}

fn usage() -> impl Strategy<Value = AgentEvent> {
    let cost = (any::<u64>(), any::<bool>()).prop_map(|(micro_usd, reported)| Cost {
        micro_usd,
        source: if reported {
            CostSource::Reported
        } else {
            CostSource::Estimated
        },
    });
    (any::<[u64; 4]>(), of(cost)).prop_map(|(tokens, cost)| AgentEvent::Usage {
        usage: Usage {
            input_tokens: tokens[0],
            output_tokens: tokens[1],
            cache_read_tokens: tokens[2],
            cache_write_tokens: tokens[3],
        },
        cost,
    })
}

fn agent_event() -> impl Strategy<Value = AgentEvent> {
    let role = select(vec![Role::User, Role::Agent, Role::Subagent, Role::Engine]);
    prop_oneof![
        (of(text()), of(text()), of(text()), vec(text(), 0..4)).prop_map(
            |(thread, model, mode, tools)| AgentEvent::Started {
                thread,
                model,
                mode,
                tools
            }
        ),
        (role, text()).prop_map(|(role, text)| AgentEvent::Message { role, text }),
        text().prop_map(|text| AgentEvent::Thinking { text }),
        (text(), text(), json()).prop_map(|(id, name, input)| AgentEvent::ToolCall {
            id,
            name,
            input
        }),
        (text(), text(), any::<bool>()).prop_map(|(id, content, is_error)| {
            AgentEvent::ToolResult {
                id,
                content,
                is_error,
            }
        }),
        usage(),
        text().prop_map(|question| AgentEvent::AwaitingInput { question }),
        of(text()).prop_map(|summary| AgentEvent::Finished { summary }),
        (cause(), text()).prop_map(|(cause, message)| AgentEvent::Failed { cause, message }),
        text().prop_map(|text| AgentEvent::Diagnostic { text }),
        text().prop_map(|raw| AgentEvent::Unrecognized { raw }),
    ]
}

fn outcome() -> impl Strategy<Value = Outcome> {
    prop_oneof![
        select(vec![
            Outcome::Succeeded,
            Outcome::AwaitingInput,
            Outcome::Stopped,
            Outcome::Interrupted
        ]),
        cause().prop_map(Outcome::Blocked),
        cause().prop_map(Outcome::Failed),
    ]
}

fn iteration() -> impl Strategy<Value = IterationNumber> {
    any::<u32>().prop_map(IterationNumber)
}

fn session_event() -> impl Strategy<Value = EventBody> {
    let status = || select(SessionStatus::ALL.to_vec());
    prop_oneof![
        text().prop_map(|name| EventBody::SessionCreated { name }),
        (status(), status()).prop_map(|(from, to)| EventBody::SessionStatusChanged { from, to }),
        text().prop_map(|field| EventBody::SessionChanged { field }),
        any::<bool>().prop_map(|archived| EventBody::SessionArchived { archived }),
        any::<String>().prop_map(|name| EventBody::SessionForgotten { name }),
        ("[0-9a-f]{40}", text()).prop_map(|(commit, subject)| EventBody::CommitCreated {
            commit: commit.parse().unwrap(),
            subject,
        }),
        text().prop_map(|control| EventBody::ControlRequested { control }),
        text().prop_map(|what| EventBody::Recovered { what }),
    ]
}

fn run_event() -> impl Strategy<Value = EventBody> {
    prop_oneof![
        iteration().prop_map(|iteration| EventBody::IterationQueued { iteration }),
        iteration().prop_map(|iteration| EventBody::IterationStarted { iteration }),
        (iteration(), any::<u32>())
            .prop_map(|(iteration, retry)| EventBody::IterationResumed { iteration, retry }),
        (iteration(), any::<u64>(), any::<u64>()).prop_map(|(iteration, from, to)| {
            EventBody::TranscriptAppended {
                iteration,
                from,
                to,
            }
        }),
        (iteration(), text()).prop_map(|(iteration, question)| EventBody::InputRequested {
            iteration,
            question
        }),
        (iteration(), outcome(), any::<Option<bool>>()).prop_map(
            |(iteration, outcome, script_passed)| EventBody::IterationFinished {
                iteration,
                outcome,
                script_passed,
            }
        ),
        (any::<i64>(), text()).prop_map(|(run, script)| EventBody::ScriptStarted { run, script }),
        (any::<i64>(), text(), any::<Option<i32>>()).prop_map(|(run, script, exit_code)| {
            EventBody::ScriptFinished {
                run,
                script,
                exit_code,
            }
        }),
    ]
}

fn wire<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap()
}

fn runner(cases: u32) -> TestRunner {
    TestRunner::new(Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    })
}

#[test]
fn any_agent_event_comes_back() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let session = add_session(&store, "k7m2qd");
    let every = vec(agent_event(), 1..20);
    let result = runner(128).run(&every, |events| {
        let items: Vec<_> = events
            .iter()
            .map(|event| NewItem {
                event: event.clone(),
                ..message("")
            })
            .collect();
        let positions = write(&store, |tx| {
            tx.append_transcript(&session, IterationNumber(1), &items)
        });
        let (first, _) = positions.unwrap();
        let read_back = read(&store, |tx| tx.transcript_after(&session, first - 1, 100));
        prop_assert_eq!(read_back.len(), events.len());
        for (item, event) in read_back.iter().zip(&events) {
            let query = format!(
                "SELECT event FROM transcript WHERE position = {}",
                item.position
            );
            prop_assert_eq!(sandbox.ask::<String>(&query), wire(event));
            prop_assert_eq!(wire(&item.event), wire(event));
        }
        Ok(())
    });
    result.unwrap();
}

#[test]
fn any_event_comes_back() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let every = vec(prop_oneof![session_event(), run_event()], 1..20);
    let result = runner(128).run(&every, |bodies| {
        let after = read(&store, |tx| tx.last_seq());
        write(&store, |tx| {
            bodies
                .iter()
                .try_for_each(|body| tx.append_event(None, body).map(drop))
        });
        let filter = EventFilter {
            after,
            ..EventFilter::default()
        };
        let read_back = read(&store, |tx| tx.events(filter));
        prop_assert_eq!(read_back.len(), bodies.len());
        for (event, body) in read_back.iter().zip(&bodies) {
            let query = format!("SELECT body FROM events WHERE seq = {}", event.seq);
            prop_assert_eq!(sandbox.ask::<String>(&query), wire(body));
            prop_assert_eq!(&event.body, body);
        }
        Ok(())
    });
    result.unwrap();
}

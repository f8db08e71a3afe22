//! The hook that an agent asks before it uses a tool.

use std::time::{Duration, Instant};

use orchestra_core::IterationNumber;
use orchestra_engine::{HookAnswer, HookCall};
use orchestra_testkit::Sandbox;

use crate::world::{engine, session};

#[test]
fn what_comes_too_late_changes_nothing() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("app");
    let engine = engine(&sandbox, &[("agents.permissions", "ask")]);
    let (id, _) = session(&engine, repository.root(), "one");
    let asked = |until| {
        let call = HookCall {
            tool: "Bash",
            input: br#"{"cmd":"make"}"#,
            until,
        };
        match engine.answer_hook(&id, IterationNumber(1), &call).unwrap() {
            HookAnswer::Reject(reason) => reason,
            HookAnswer::Allow => panic!("it is allowed"),
        }
    };
    let now = Instant::now();
    assert!(asked(now).contains("in time"));
    assert_eq!(asked(now + Duration::from_secs(600)), "the turn is over");
}

//! Values that events have.

use orchestra_core::FailureCause;
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;

/// Any text: also with zero bytes, quotes and characters outside the basic plane.
pub(super) fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        vec(any::<char>(), 0..20).prop_map(String::from_iter),
        select(vec!["", "\0", "'\"\\", "\u{2028}\u{fffd}😀", "null"]).prop_map(str::to_owned),
    ]
}

pub(super) fn json() -> impl Strategy<Value = Value> {
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

pub(super) fn cause() -> impl Strategy<Value = FailureCause> {
    select(vec![
        FailureCause::AgentMissing,
        FailureCause::NotLoggedIn,
        FailureCause::Unauthorized,
        FailureCause::OutOfCredit,
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
        FailureCause::OffBranch,
        FailureCause::Interrupted,
        FailureCause::Engine,
        FailureCause::Other,
    ])
}

//! Questions are numbered within their iteration, decided once, and used up.

use orchestra_core::{Decision, IterationNumber, PermissionPolicy, ToolKind, ToolUse};
use orchestra_store::{NewIteration, NewQuestion, SessionField};
use serde_json::json;

use crate::fixture::{Sandbox, add_session, at, read, write};

fn push() -> ToolUse {
    ToolUse {
        tool: "Bash".to_owned(),
        kind: ToolKind::Execute,
        input: json!({"cmd": "git push"}),
    }
}

#[test]
fn a_question_is_decided_once_and_used_up() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let session = add_session(&store, "k7m2qd");
    let iterate = || {
        write(&store, |tx| {
            tx.insert_iteration(&NewIteration {
                session: &session,
                input: None,
                commit: true,
                queued_at: at(900),
            })
        })
    };
    let first = iterate().number;
    let tool_use = push();
    let ask = |request| {
        write(&store, |tx| {
            tx.insert_question(&NewQuestion {
                session: &session,
                iteration: first,
                request,
                tool_use: &tool_use,
                mark: Some("one mark"),
                title: None,
            })
        })
    };
    let (one, two) = (ask(None), ask(Some("7")));
    assert_eq!((one.number, two.number), (1, 2));
    assert_eq!(two.request.as_deref(), Some("7"));
    let open = || read(&store, |tx| tx.open_questions(Some(&session)));
    assert_eq!(open(), [one.clone(), two.clone()]);
    let decide = |decision| {
        write(&store, |tx| {
            tx.decide_question(one.key, decision, Some("why"))
        })
    };
    assert!(decide(Decision::Reject));
    assert!(!decide(Decision::Allow), "somebody was first");
    assert_eq!(open(), std::slice::from_ref(&two));
    let asked = read(&store, |tx| tx.questions(&session, first));
    let decided = asked[0].decided.as_ref().unwrap();
    assert_eq!(decided.decision, Decision::Reject);
    assert_eq!(decided.reason.as_deref(), Some("why"));
    assert_eq!((decided.used_at, decided.told_at), (None, None));
    assert!(asked[0].untold().is_some());
    write(&store, |tx| tx.note_told(one.key));
    let told = read(&store, |tx| tx.question(one.key));
    assert_eq!(told.untold(), None);
    write(&store, |tx| tx.use_up_decision(two.key));
    let last = |mark| read(&store, |tx| tx.last_question_about(&session, mark));
    assert_eq!(last("one mark").unwrap().key, two.key);
    assert_eq!(
        last("another mark"),
        None,
        "what it looks like says nothing"
    );
    let withdraw = |key| write(&store, |tx| tx.withdraw_question(key, "the turn ended"));
    assert!(!withdraw(one.key), "it was decided");
    assert!(withdraw(two.key) && !withdraw(two.key));
    assert_eq!(open(), []);
    let late = write(&store, |tx| {
        tx.decide_question(two.key, Decision::Allow, None)
    });
    assert!(!late, "nobody waits for it");
    let gone = read(&store, |tx| tx.question(two.key));
    assert_eq!(gone.withdrawn.unwrap().reason, "the turn ended");
    assert_eq!(gone.decided, None);
    let three = ask(None);
    assert_eq!(open(), std::slice::from_ref(&three));
    iterate();
    assert_eq!(open(), [], "a later turn settles what was left open");
    let later = read(&store, |tx| tx.questions(&session, IterationNumber(2)));
    assert_eq!(later, []);
}

#[test]
fn a_session_keeps_its_policy_and_its_rules() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let session = add_session(&store, "k7m2qd");
    let find = || read(&store, |tx| tx.find_session(&session)).unwrap();
    assert_eq!((find().permissions, find().rules.len()), (None, 0));
    let rules = ["allow bash make".parse().unwrap(), "ask *".parse().unwrap()];
    write(&store, |tx| {
        tx.set_field(
            &session,
            &SessionField::Permissions(Some(PermissionPolicy::Ask)),
        )?;
        tx.set_field(&session, &SessionField::Rules(rules.to_vec()))
    });
    assert_eq!(find().permissions, Some(PermissionPolicy::Ask));
    assert_eq!(find().rules, rules);
    write(&store, |tx| {
        tx.set_field(&session, &SessionField::Rules(Vec::new()))
    });
    assert_eq!(find().rules, []);
}

//! Sessions: every column, uniqueness, lookup, changes, removal.

use std::path::Path;
use std::time::Duration;

use orchestra_core::{GitFacts, Landed, LandedFact, OtherCheckout, Rebase, Session, SessionId};
use orchestra_store::{
    Control, ControlTarget, Effect, NewIteration, NewScriptRun, SessionField, SessionFilter, Store,
    StoreError, Unique,
};

use crate::fixture::{
    Sandbox, add_session, at, id, message, note, read, repository, session, try_write, write,
};

fn full(store: &Store) -> Session {
    Session {
        constraints: Some("no new dependencies".to_owned()),
        base_remote: Some("origin".parse().unwrap()),
        branch_adopted: true,
        worktree_ready: true,
        worktree: "/home/me/it's a \"path\"\nwith ünïcode".into(),
        prompt: "zero \0 and 漢字".to_owned(),
        model: Some("large".to_owned()),
        thread: Some("T-1".to_owned()),
        last_run: Some(at(1)),
        archived_at: Some(at(2)),
        landed: Some(Landed {
            at: at(-3),
            into: "main".parse().unwrap(),
            commit: "d".repeat(40).parse().unwrap(),
            head: "e".repeat(40).parse().unwrap(),
        }),
        rebase: Some(Rebase {
            base_branch: "main".parse().unwrap(),
            base_remote: None,
            onto: "f".repeat(40).parse().unwrap(),
            original: "a".repeat(40).parse().unwrap(),
            stopped_at: "b".repeat(40).parse().unwrap(),
            rest: Vec::new(),
        }),
        trash: Some("k7m2qd-20260101-000000-000".parse().unwrap()),
        ..session(&repository(store), "k7m2qd")
    }
}

#[test]
fn every_field_comes_back() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let bare = Session {
        notes: None,
        issue: None,
        script: None,
        timeout: None,
        ..session(&repository(&store), "bbbbbb")
    };
    for session in [full(&store), bare] {
        write(&store, |tx| tx.insert_session(&session));
        assert_eq!(
            read(&store, |tx| tx.find_session(&session.id)),
            Some(session)
        );
    }
    assert_eq!(read(&store, |tx| tx.find_session(&id("zzzzzz"))), None);
    assert_eq!(
        sandbox.ask::<String>("SELECT worktree FROM sessions WHERE id = 'k7m2qd'"),
        "/home/me/it's a \"path\"\nwith ünïcode"
    );
    assert_eq!(
        sandbox.ask::<i64>("SELECT timeout_ms FROM sessions WHERE id = 'k7m2qd'"),
        90_000
    );
}

fn taken_by(store: &Store, change: impl FnOnce(&mut Session)) -> Unique {
    let mut second = session(&repository(store), "bbbbbb");
    change(&mut second);
    match try_write(store, |tx| tx.insert_session(&second)).unwrap_err() {
        StoreError::Taken(what) => what,
        other => panic!("{other:?}"),
    }
}

#[test]
fn id_name_branch_and_directory_are_reserved() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    add_session(&store, "k7m2qd");
    let first = session(&repository(&store), "k7m2qd");
    assert_eq!(
        taken_by(&store, |second| second.id = first.id.clone()),
        Unique::SessionId
    );
    let name = taken_by(&store, |second| second.name = first.name.clone());
    assert_eq!(name, Unique::SessionName);
    let branch = taken_by(&store, |second| second.branch = first.branch.clone());
    assert_eq!(branch, Unique::SessionBranch);
    let worktree = taken_by(&store, |second| second.worktree = first.worktree.clone());
    assert_eq!(worktree, Unique::SessionWorktree);
    assert_eq!(sandbox.ask::<u32>("SELECT count(*) FROM sessions"), 1);
}

#[test]
fn another_repository_may_use_the_same_name_and_branch() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    add_session(&store, "k7m2qd");
    let elsewhere = write(&store, |tx| {
        tx.ensure_repository(Path::new("/other"), Path::new("/other/.git"))
    });
    let first = session(&repository(&store), "k7m2qd");
    let twin = Session {
        id: id("bbbbbb"),
        repository: elsewhere.id,
        worktree: "/other/.worktrees/bbbbbb".into(),
        ..first
    };
    write(&store, |tx| tx.insert_session(&twin));
    let of_elsewhere = SessionFilter {
        repository: Some(elsewhere.id),
        archived: false,
    };
    assert_eq!(read(&store, |tx| tx.sessions(of_elsewhere)), [twin]);
}

#[test]
fn a_session_without_its_repository_is_not_called_taken() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let mut orphan = session(&repository(&store), "k7m2qd");
    orphan.repository = orchestra_core::RepositoryId(99);
    let error = try_write(&store, |tx| tx.insert_session(&orphan)).unwrap_err();
    assert_eq!(error.code(), "store.failed");
}

fn base(branch: &str) -> SessionField {
    SessionField::Base {
        branch: branch.parse().unwrap(),
        remote: Some("origin".parse().unwrap()),
    }
}

/// A field, its name, and what it changes in the session.
type Change = (SessionField, &'static str, fn(&mut Session));

#[test]
fn each_field_changes_alone() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let key = add_session(&store, "k7m2qd");
    let mut expected = session(&repository(&store), "k7m2qd");
    let text = |text: &str| Some(text.to_owned());
    let changes: [Change; 13] = [
        (SessionField::Name("n".parse().unwrap()), "name", |s| {
            s.first_name = Some(std::mem::replace(&mut s.name, "n".parse().unwrap()));
        }),
        (SessionField::Name("o".parse().unwrap()), "name", |s| {
            s.name = "o".parse().unwrap();
        }),
        (SessionField::Prompt("p".to_owned()), "prompt", |s| {
            s.prompt = "p".to_owned()
        }),
        (SessionField::Notes(None), "notes", |s| s.notes = None),
        (SessionField::Constraints(text("c")), "constraints", |s| {
            s.constraints = Some("c".to_owned())
        }),
        (SessionField::Issue(text("i")), "issue", |s| {
            s.issue = Some("i".to_owned())
        }),
        (SessionField::Script(None), "script", |s| s.script = None),
        (SessionField::Model(text("m")), "model", |s| {
            s.model = Some("m".to_owned())
        }),
        (SessionField::Agent("a".to_owned()), "agent", |s| {
            s.agent = "a".to_owned()
        }),
        (base("develop"), "base", |s| {
            s.base_branch = "develop".parse().unwrap();
            s.base_remote = Some("origin".parse().unwrap());
        }),
        (SessionField::Worktree("/moved".into()), "worktree", |s| {
            s.worktree = "/moved".into();
        }),
        (SessionField::Timeout(None), "timeout", |s| s.timeout = None),
        (
            SessionField::Timeout(Some(Duration::from_millis(1))),
            "timeout",
            |s| {
                s.timeout = Some(Duration::from_millis(1));
            },
        ),
    ];
    for (field, name, change) in changes {
        assert_eq!(field.name(), name);
        write(&store, |tx| tx.set_field(&key, &field));
        change(&mut expected);
        assert_eq!(
            read(&store, |tx| tx.find_session(&key)).as_ref(),
            Some(&expected)
        );
    }
    write(&store, |tx| {
        tx.set_worktree_ready(&key)?;
        tx.set_thread(&key, Some("T-9"))
    });
    expected.worktree_ready = true;
    expected.thread = text("T-9");
    assert_eq!(read(&store, |tx| tx.find_session(&key)), Some(expected));
}

#[test]
fn a_limit_beyond_every_number_stays_a_limit() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let key = add_session(&store, "k7m2qd");
    let forever = SessionField::Timeout(Some(Duration::MAX));
    write(&store, |tx| tx.set_field(&key, &forever));
    let kept = read(&store, |tx| tx.find_session(&key)).unwrap().timeout;
    assert_eq!(kept, Some(Duration::from_millis(i64::MAX as u64)));
}

#[test]
fn the_last_word_of_git_is_kept() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let (one, two) = (add_session(&store, "bbbbbb"), add_session(&store, "cccccc"));
    let known = GitFacts {
        head: Some("b".repeat(40).parse().unwrap()),
        ahead: Some(2),
        behind: Some(0),
        dirty: Some(true),
        other_checkout: Some(OtherCheckout::Branch {
            name: "other".to_owned(),
        }),
        landed: Some(LandedFact {
            commit: "c".repeat(40).parse().unwrap(),
            tips: vec!["d".repeat(40).parse().unwrap()],
            is_there: false,
        }),
        checked_at: at(5),
    };
    let unknown = GitFacts {
        head: None,
        ahead: None,
        behind: None,
        dirty: None,
        other_checkout: None,
        landed: None,
        checked_at: at(6),
    };
    assert_eq!(read(&store, |tx| tx.git_facts_of(&one)), None);
    write(&store, |tx| {
        tx.put_git_facts(&one, &known)?;
        tx.put_git_facts(&two, &known)?;
        tx.put_git_facts(&two, &unknown)
    });
    assert_eq!(
        read(&store, |tx| tx.git_facts_of(&one)).as_ref(),
        Some(&known)
    );
    assert_eq!(
        read(&store, |tx| tx.git_facts_of(&two)).as_ref(),
        Some(&unknown)
    );
    assert_eq!(
        read(&store, |tx| tx.git_facts()),
        [(one, known), (two, unknown)]
    );
    assert_eq!(
        sandbox.ask::<u32>("SELECT count(*) FROM git_facts WHERE dirty IS NULL"),
        1
    );
}

#[test]
fn the_later_look_at_git_wins_and_a_session_that_is_gone_is_passed_over() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let (one, gone) = (add_session(&store, "bbbbbb"), id("zzzzzz"));
    let seen = |millis: i64| GitFacts {
        head: None,
        ahead: u32::try_from(millis).ok(),
        behind: None,
        dirty: None,
        other_checkout: None,
        landed: None,
        checked_at: at(millis),
    };
    let put = |session: &SessionId, millis: i64| {
        write(&store, |tx| tx.put_git_facts(session, &seen(millis)));
        read(&store, |tx| tx.git_facts_of(session))
    };
    assert_eq!(put(&one, 20), Some(seen(20)));
    assert_eq!(put(&one, 10), Some(seen(20)));
    assert_eq!(put(&gone, 10), None);
    // The tests write at millisecond 1,000: this one was written while the clock was wrong.
    assert_eq!(put(&one, 5_000), Some(seen(5_000)));
    assert_eq!(put(&one, 30), Some(seen(30)));
}

fn fill(store: &Store, session_id: &str) {
    let key = add_session(store, session_id);
    write(store, |tx| {
        let new = NewIteration {
            session: &key,
            input: None,
            commit: true,
            queued_at: at(1),
        };
        let iteration = tx.insert_iteration(&new)?;
        tx.append_transcript(&key, iteration.number, &[message("hello")])?;
        tx.insert_script_run(&NewScriptRun {
            session: &key,
            iteration: None,
            script: "test",
            command: "make test",
            started_at: at(2),
            runner: None,
            commit: None,
            server: None,
        })?;
        tx.open_intent(&key, &Effect::MakeWorktree)?;
        tx.insert_control(&key, ControlTarget::Iteration(iteration.key), Control::Stop)?;
        let facts = GitFacts {
            head: None,
            ahead: None,
            behind: None,
            dirty: None,
            other_checkout: None,
            landed: None,
            checked_at: at(3),
        };
        tx.put_git_facts(&key, &facts)?;
        tx.append_event(Some(&key), &note("made"))
    });
}

#[test]
fn removing_a_session_removes_what_hangs_on_it_and_keeps_the_log() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    fill(&store, "bbbbbb");
    fill(&store, "cccccc");
    write(&store, |tx| tx.delete_session(&id("bbbbbb")));
    assert_eq!(
        sandbox.ask::<String>("SELECT group_concat(id) FROM sessions"),
        "cccccc"
    );
    for table in [
        "iterations",
        "transcript",
        "script_runs",
        "intents",
        "controls",
        "git_facts",
    ] {
        let query = format!("SELECT group_concat(DISTINCT session) FROM {table}");
        assert_eq!(sandbox.ask::<String>(&query), "cccccc", "{table}");
    }
    assert_eq!(sandbox.ask::<u32>("SELECT count(*) FROM events"), 2);
    assert_eq!(
        sandbox.ask::<u32>("SELECT count(*) FROM pragma_foreign_key_check"),
        0
    );
}

//! Input that makes no sense: the documented exit code, one error with a hint, and nothing changed.

use std::fs;

use orchestra_testkit::Sandbox;

use crate::made::{Made, make};
use crate::oracle::State;
use crate::ran::{orchestra, ran, session};

const NOTHING: &str = "[[step]]\ndo = 'message'\ntext = 'Nothing to do.'\n";

#[test]
fn bad_input_changes_nothing() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("app");
    repository.git(&["branch", "free"]);
    let made = make(&sandbox, "taken", NOTHING);
    let id = made.id.as_str();
    let missing = sandbox.path("missing").display().to_string();
    let before = State::of(&sandbox, &repository);
    let new = ["new", "--name", "n", "--prompt", "p"];
    let with = |more: &[&str]| [&new[..], more].concat().join("\u{1}");
    let cases: Vec<(String, i32, &str)> = vec![
        (with(&["--base", "nowhere"]), 3, "nowhere"),
        (with(&["--base", "-x"]), 2, ""),
        (with(&["--base=-x"]), 2, "-x"),
        (with(&["--base=a..b"]), 2, "a..b"),
        (with(&["--branch", "absent"]), 3, "absent"),
        (with(&["--branch", "main"]), 3, "main"),
        (with(&["--branch=--force"]), 2, "--force"),
        (with(&["--agent", "nobody"]), 2, "nobody"),
        (with(&["--timeout", "soon"]), 2, "soon"),
        (with(&["--repo", &missing]), 3, "missing"),
        (with(&["--repo", "/"]), 3, "not in a git repository"),
        (with(&["--repo", ".git"]), 3, ""),
        (
            "new\u{1}--name\u{1}taken\u{1}--prompt\u{1}p".to_owned(),
            3,
            "taken",
        ),
        ("new\u{1}--name\u{1}\u{1}--prompt\u{1}p".to_owned(), 2, ""),
        (
            "new\u{1}--name\u{1}two\nlines\u{1}--prompt\u{1}p".to_owned(),
            2,
            "",
        ),
        (
            format!("new\u{1}--name\u{1}{}\u{1}--prompt\u{1}p", "x".repeat(500)),
            2,
            "",
        ),
        (
            "new\u{1}--name\u{1}n\u{1}--prompt\u{1}".to_owned(),
            2,
            "empty",
        ),
        (
            "new\u{1}--name\u{1}n\u{1}--prompt\u{1}  \n ".to_owned(),
            2,
            "empty",
        ),
        (
            "new\u{1}--name\u{1}n\u{1}--prompt\u{1}@/no/such/file".to_owned(),
            2,
            "/no/such/file",
        ),
        ("new\u{1}--name\u{1}n".to_owned(), 2, "no prompt"),
        ("new\u{1}--prompt\u{1}p".to_owned(), 2, "--name"),
        ("iterate\u{1}nobody".to_owned(), 2, "nobody"),
        ("status\u{1}zzzzzz".to_owned(), 2, "zzzzzz"),
        ("status\u{1}\u{1}".to_owned(), 2, ""),
        (format!("diff\u{1}{id}\u{1}--since\u{1}7"), 2, "7"),
        (format!("diff\u{1}{id}\u{1}--since\u{1}x"), 2, "x"),
        (format!("diff\u{1}{id}\u{1}--staged\u{1}--unstaged"), 2, ""),
        (format!("commit\u{1}{id}\u{1}-m\u{1}"), 2, "message"),
        (format!("commit\u{1}{id}\u{1}-m\u{1}m"), 3, "no changes"),
        (
            format!("commit\u{1}{id}\u{1}-m\u{1}m\u{1}../../outside"),
            2,
            "outside",
        ),
        (format!("run\u{1}{id}\u{1}nothing"), 2, "nothing"),
        (format!("answer\u{1}{id}\u{1}yes"), 3, "nothing was asked"),
        (format!("resume\u{1}{id}"), 3, "not interrupted"),
        (format!("discard\u{1}{id}"), 3, "not interrupted"),
        (format!("set\u{1}{id}\u{1}colour\u{1}red"), 2, "colour"),
        (format!("set\u{1}{id}\u{1}name\u{1}"), 2, ""),
        (format!("set\u{1}{id}\u{1}agent\u{1}nobody"), 2, "nobody"),
        ("list\u{1}--status\u{1}purple".to_owned(), 2, "purple"),
        ("frobnicate".to_owned(), 2, "frobnicate"),
        (
            format!("iterate\u{1}{id}\u{1}--frobnicate"),
            2,
            "--frobnicate",
        ),
        (
            "list\u{1}--set-config\u{1}nonsense".to_owned(),
            2,
            "KEY=VALUE",
        ),
        (
            "list\u{1}--set-config\u{1}core.max_output=lots".to_owned(),
            2,
            "core.max_output",
        ),
        (
            "config\u{1}get\u{1}core.databse_path".to_owned(),
            2,
            "database_path",
        ),
        (
            "config\u{1}set\u{1}core.idle_timeout\u{1}soon".to_owned(),
            2,
            "idle_timeout",
        ),
    ];
    for (words, code, message) in &cases {
        let words: Vec<&str> = words.split('\u{1}').collect();
        let told = session(&sandbox, &words);
        assert_eq!(told.code, *code, "{words:?}: {told:?}");
        told.refuses(*code, message);
        assert_eq!(State::of(&sandbox, &repository), before, "{words:?}");
    }
    for words in [
        &["worktree", "adopt", "/"][..],
        &["worktree", "adopt", "."],
        &["worktree", "prune", "--repo", &missing],
        &["completions", "tcl"],
    ] {
        let told = orchestra(&sandbox, words);
        assert!(matches!(told.code, 2 | 3), "{words:?}: {told:?}");
        let code = told.code;
        told.refuses(code, "");
        assert_eq!(State::of(&sandbox, &repository), before, "{words:?}");
    }
    println!("bad inputs {}, changed 0", cases.len() + 4);
}

#[test]
fn names_and_prompts_may_look_like_anything() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("app");
    for name in ["--help", "-n", "--"] {
        let words = ["new", "--name", name, "--prompt", "p"];
        session(&sandbox, &words).refuses(2, "--name");
        let words = ["new", &format!("--name={name}"), "--prompt", "p"];
        session(&sandbox, &words).refuses(2, "dash");
    }
    for name in ["$(touch x)", "a/b: c", "ünïcode ✓", "it's \"so\"", "100%"] {
        let words = ["new", "--json", "--name", name, "--prompt", "--version"];
        let made = session(&sandbox, &words).ends_with(0);
        let made = Made::from_json(&made.json()["session"]);
        session(&sandbox, &["status", name]).ends_with(0);
        session(&sandbox, &["iterate", &made.id, "--notes", "--force -x"]).ends_with(0);
        session(&sandbox, &["set", &made.id, "notes", "--", "--all"]).ends_with(0);
        session(&sandbox, &["archive", name]).ends_with(0);
    }
    repository.fsck();
}

#[test]
fn an_error_is_one_json_object_when_asked_for() {
    let sandbox = Sandbox::new();
    sandbox.repository("app");
    let told = session(&sandbox, &["status", "nobody", "--json"]).ends_with(2);
    let error = &told.json()["error"];
    assert_eq!(error["code"], "session.not_found");
    assert!(error["hint"].as_str().is_some_and(|hint| !hint.is_empty()));
    assert_eq!(told.stderr, "");
}

#[test]
fn repositories_that_cannot_take_a_session_say_the_way_out() {
    let sandbox = Sandbox::new();
    let plain = sandbox.repository("app");
    let place = |name: &str| sandbox.path("repositories").join(name);
    let bare = place("bare.git");
    plain.git(&["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    let empty = place("empty");
    fs::create_dir(&empty).unwrap();
    plain.at(&empty).git(&["init", "-q"]);
    let rebasing = sandbox.repository("rebasing");
    rebasing.git(&["checkout", "-q", "-b", "side"]);
    rebasing.write("README.md", "side\n");
    rebasing.commit("side");
    rebasing.git(&["checkout", "-q", "main"]);
    rebasing.write("README.md", "main\n");
    rebasing.commit("main");
    assert!(!rebasing.try_git(&["rebase", "side"]).status.success());
    for (folder, message) in [
        (bare.as_path(), "bare"),
        (empty.as_path(), "no commits"),
        (rebasing.root(), "rebase"),
    ] {
        let mut command = sandbox.ampsm();
        command
            .current_dir(folder)
            .args(["new", "--name", "n", "--prompt", "p"]);
        ran(&mut command).refuses(3, message);
        assert!(!folder.join(".worktrees").exists());
    }
}

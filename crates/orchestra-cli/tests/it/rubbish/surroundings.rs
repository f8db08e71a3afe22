//! What the product stands on is missing, old, broken or was moved.

use std::fs;

use orchestra_testkit::{Sandbox, write_program};

use crate::made::make;
use crate::oracle::State;
use crate::ran::{orchestra, ran, session};

const WORK: &str = "[[step]]\ndo = 'write'\npath = 'work.txt'\ntext = \"kept\\n\"\n";

#[test]
fn broken_settings_name_the_file_and_the_line() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("app");
    let user = sandbox.home().join(".config/orchestra/config.toml");
    fs::create_dir_all(user.parent().unwrap()).unwrap();
    let before = State::of(&sandbox, &repository);
    for text in [
        "[core\nidle_timeout = 1\n",
        "[core]\nidle_timeout = \"soon\"\n",
        "\u{0}\u{1}\u{2}",
    ] {
        fs::write(&user, text).unwrap();
        let told =
            session(&sandbox, &["new", "--name", "n", "--prompt", "p"]).refuses(2, "config.toml");
        assert!(!told.stderr.contains("panicked"), "{}", told.stderr);
        let checked = session(&sandbox, &["doctor"]).ends_with(1);
        for said in ["config.toml", "ok    git", "data directory", "ok    logs"] {
            assert!(checked.stdout.contains(said), "{said}: {checked:?}");
        }
        assert_eq!(State::of(&sandbox, &repository), before);
    }
    fs::write(&user, "[core]\nidel_timeout = \"1m\"\n").unwrap();
    let told = session(&sandbox, &["list"]).ends_with(0);
    assert!(told.stderr.contains("idle_timeout"), "{}", told.stderr);
    fs::remove_file(&user).unwrap();
    repository.write(".orchestra/config.toml", "[git]\nbranch_pattern = 7\n");
    session(&sandbox, &["new", "--name", "n", "--prompt", "p"])
        .refuses(2, ".orchestra/config.toml");
    let told = session(&sandbox, &["list"]).ends_with(0);
    assert!(told.stderr.contains(".orchestra/config.toml"), "{told:?}");
    assert!(told.stderr.contains("left out"), "{told:?}");
    let checked = session(&sandbox, &["doctor"]).ends_with(1);
    for said in [".orchestra/config.toml", "left out", "ok    database"] {
        assert!(checked.stdout.contains(said), "{said}: {checked:?}");
    }
}

/// An agent could write that file while it works.
#[test]
fn broken_settings_of_a_repository_keep_nobody_from_stopping_its_agents() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("app");
    let made = make(
        &sandbox,
        "n",
        "[[step]]\ndo = 'sleep'\nmilliseconds = 60000\n",
    );
    session(&sandbox, &["iterate", &made.id, "--detach"]).ends_with(0);
    repository.write(".orchestra/config.toml", "x = = 1\n");
    session(&sandbox, &["stop", &made.id]).ends_with(0);
    session(&sandbox, &["wait", &made.id]).ends_with(130);
}

/// Whoever edits their settings while agents work must still be able to see and stop them.
#[test]
fn broken_settings_of_the_user_keep_nobody_from_looking_and_stopping() {
    let sandbox = Sandbox::new();
    sandbox.repository("app");
    let user = sandbox.home().join(".config/orchestra/config.toml");
    fs::create_dir_all(user.parent().unwrap()).unwrap();
    let sleeps = "[[step]]\ndo = 'sleep'\nmilliseconds = 60000\n";
    for (name, text) in [
        ("toml", "[core\nidle_timeout = 1\n"),
        ("value", "[core]\nidle_timeout = \"soon\"\n"),
        ("pattern", "[security]\nredact_patterns = [\"(\"]\n"),
        ("table", "core = 7\n"),
    ] {
        let made = make(&sandbox, name, sleeps);
        session(&sandbox, &["iterate", &made.id, "--detach"]).ends_with(0);
        fs::write(&user, text).unwrap();
        for words in [&["status", &made.id][..], &["list"], &["stop", &made.id]] {
            let told = session(&sandbox, words).ends_with(0);
            assert!(told.stderr.contains("left out"), "{told:?}");
        }
        session(&sandbox, &["wait", &made.id]).ends_with(130);
        session(&sandbox, &["iterate", &made.id]).ends_with(2);
        fs::remove_file(&user).unwrap();
    }
}

/// Another database would show nothing, and that would not be true.
#[test]
fn broken_settings_that_may_say_where_the_database_is_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.repository("app");
    let user = sandbox.home().join(".config/orchestra/config.toml");
    fs::create_dir_all(user.parent().unwrap()).unwrap();
    for text in [
        "[core\ndatabase_path = \"/elsewhere\"\n",
        "[core]\ndatabase_path = 7\n",
    ] {
        fs::write(&user, text).unwrap();
        session(&sandbox, &["list"]).refuses(2, "config.toml");
    }
    let mut command = sandbox.ampsm();
    command
        .arg("list")
        .env("ORCHESTRA_CORE_IDLE_TIMEOUT", "many");
    fs::remove_file(&user).unwrap();
    let told = ran(&mut command).ends_with(0);
    assert!(told.stderr.contains("IDLE_TIMEOUT"), "{told:?}");
}

#[test]
fn a_missing_home_variable_is_no_trouble() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("app");
    repository.git(&["config", "user.name", "Nobody"]);
    repository.git(&["config", "user.email", "nobody@example.com"]);
    let config = sandbox.path("config.toml");
    let path = sandbox.scenario(WORK);
    let prompt = format!("scenario: {}", path.display());
    for words in [
        &["new", "--name", "n", "--prompt", &prompt][..],
        &["iterate", "n"],
        &["list"],
    ] {
        let mut command = sandbox.ampsm();
        command
            .args(words)
            .env_remove("HOME")
            .env("ORCHESTRA_CONFIG", &config);
        ran(&mut command).ends_with(0);
    }
}

#[test]
fn a_home_that_nobody_made_is_not_made() {
    let sandbox = Sandbox::new();
    sandbox.repository("app");
    let home = sandbox.path("nowhere");
    let mut command = sandbox.ampsm();
    command
        .arg("list")
        .env_remove("ORCHESTRA_HOME")
        .env_remove("XDG_DATA_HOME")
        .env("HOME", &home);
    ran(&mut command).refuses(2, "home directory");
    assert!(!home.exists());
}

#[test]
fn to_look_makes_no_data_directory() {
    let sandbox = Sandbox::new();
    sandbox.repository("app");
    let fresh = sandbox.path("fresh");
    let run = |words: &[&str]| {
        let mut command = sandbox.orchestra();
        command.args(words).env("ORCHESTRA_HOME", &fresh);
        ran(&mut command)
    };
    for words in [
        &[][..],
        &["session", "list"],
        &["session", "list", "--json", "--refresh"],
        &["session", "queue"],
    ] {
        run(words).ends_with(0);
        assert!(!fresh.exists(), "{words:?}");
    }
    run(&["session", "status", "nobody"]).refuses(2, "nobody");
    assert!(!fresh.exists());
    run(&["session", "new", "--name", "one", "--prompt", "x"]).ends_with(0);
    assert!(fresh.exists());
}

#[test]
fn a_relative_data_directory_is_refused() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("app");
    let mut command = sandbox.ampsm();
    command.arg("list").env("ORCHESTRA_HOME", "some/where");
    ran(&mut command).refuses(2, "ORCHESTRA_HOME");
    assert!(!repository.path("some").exists());
}

#[test]
fn git_that_is_missing_or_too_old_is_named() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("app");
    let made = make(&sandbox, "first", WORK);
    let before = State::of(&sandbox, &repository);
    let old = sandbox.path("old");
    fs::create_dir(&old).unwrap();
    write_program(&old.join("git"), "#!/bin/sh\necho 'git version 2.30.2'\n");
    let empty = sandbox.path("empty");
    fs::create_dir(&empty).unwrap();
    for (path, message) in [(&empty, "git"), (&old, "2.30")] {
        let with = |words: &[&str]| {
            let mut command = sandbox.ampsm();
            command.args(words).env("PATH", path);
            ran(&mut command)
        };
        for words in [
            &["new", "--name", "n", "--prompt", "p"][..],
            &["diff", &made.id],
            &["iterate", &made.id],
        ] {
            with(words).refuses(1, message);
        }
        with(&["list"]).ends_with(0);
        let checked = with(&["doctor"]).ends_with(1);
        assert!(checked.stdout.contains(message), "{checked:?}");
        assert_eq!(State::of(&sandbox, &repository), before);
    }
    session(&sandbox, &["iterate", &made.id]).ends_with(0);
}

#[test]
fn a_repository_that_is_gone_leaves_its_sessions_readable() {
    let sandbox = Sandbox::new();
    sandbox.repository("start");
    let repository = sandbox.repository("app");
    let path = sandbox.scenario(WORK);
    let prompt = format!("scenario: {}", path.display());
    let root = repository.root().to_str().unwrap().to_owned();
    let words = [
        "new", "--json", "--name", "n", "--prompt", &prompt, "--repo", &root,
    ];
    let made = session(&sandbox, &words).ends_with(0);
    let made = crate::made::Made::from_json(&made.json()["session"]);
    session(&sandbox, &["iterate", &made.id]).ends_with(0);
    let elsewhere = sandbox.path("elsewhere");
    fs::rename(repository.root(), &elsewhere).unwrap();

    for words in [
        &["list", "--all"][..],
        &["list", "--refresh", "--all"],
        &["status", &made.id],
        &["transcript", &made.id],
    ] {
        session(&sandbox, words).ends_with(0);
    }
    for words in [
        &["iterate", &made.id][..],
        &["diff", &made.id],
        &["commit", &made.id, "-m", "m"],
        &["run", &made.id, "script"],
    ] {
        let told = session(&sandbox, words);
        let code = told.code;
        assert!(matches!(code, 2 | 3), "{words:?}: {told:?}");
        told.refuses(code, "");
    }
    let checked = orchestra(&sandbox, &["doctor", "--fix"]).ends_with(1);
    assert!(checked.stdout.contains(&root), "{checked:?}");

    fs::rename(&elsewhere, repository.root()).unwrap();
    session(&sandbox, &["iterate", &made.id]).ends_with(0);
    orchestra(&sandbox, &["doctor", "--fix"]).ends_with(0);
    repository.fsck();
}

#[test]
fn a_worktree_that_lost_gits_link_keeps_its_files() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("app");
    let made = make(&sandbox, "n", WORK);
    fs::remove_file(made.worktree.join(".git")).unwrap();
    fs::write(made.worktree.join("precious"), "uncommitted").unwrap();
    session(&sandbox, &["iterate", &made.id]).refuses(3, "git's link");
    let status = session(&sandbox, &["status", &made.id]).ends_with(0);
    assert!(status.stdout.contains("the files are there"), "{status:?}");
    let checked = orchestra(&sandbox, &["doctor"]);
    assert!(checked.stdout.contains("worktree repair"), "{checked:?}");
    repository.git(&["worktree", "repair"]);
    session(&sandbox, &["iterate", &made.id]).ends_with(0);
    let tree = made.tree(&sandbox);
    assert_eq!(tree.git(&["show", "HEAD~1:precious"]), "uncommitted");
}

#[test]
fn a_worktree_deleted_by_hand_leaves_the_branch_and_a_way_out() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("app");
    let made = make(&sandbox, "n", WORK);
    session(&sandbox, &["iterate", &made.id]).ends_with(0);
    fs::remove_dir_all(&made.worktree).unwrap();
    for words in [
        &["iterate", &made.id][..],
        &["diff", &made.id],
        &["commit", &made.id, "-m", "m"],
        &["shell", &made.id],
    ] {
        session(&sandbox, words).refuses(3, "missing");
    }
    for words in [
        &["list", "--refresh"][..],
        &["log", &made.id],
        &["status", &made.id],
    ] {
        session(&sandbox, words).ends_with(0);
    }
    let status = session(&sandbox, &["status", &made.id, "--json"]).ends_with(0);
    assert_eq!(status.json()["session"]["dirty"], serde_json::Value::Null);
    let checked = orchestra(&sandbox, &["doctor"]);
    assert!(checked.stdout.contains(&made.branch), "{checked:?}");
    let pruned = orchestra(&sandbox, &["worktree", "prune"]).ends_with(0);
    assert!(pruned.stdout.contains(made.worktree.to_str().unwrap()));
    let work = format!("{}:work.txt", made.branch);
    assert_eq!(repository.git(&["show", &work]), "kept");
    session(&sandbox, &["archive", &made.id]).ends_with(0);
    orchestra(&sandbox, &["doctor", "--fix"]).ends_with(0);
}

//! What `new` refuses, with the way out, and without a trace.

use std::path::Path;

use orchestra_testkit::Sandbox;

use crate::ran::{Ran, ran};
use crate::world::World;

fn new_in(sandbox: &Sandbox, repo: &Path) -> Ran {
    let mut command = sandbox.orchestra();
    command.args(["session", "new", "--name", "x", "--prompt", "y", "--json"]);
    command.arg("--repo").arg(repo);
    ran(command)
}

#[track_caller]
fn refused(ran: &Ran, exit: i32, code: &str, way_out: &str) {
    let error = &ran.json()["error"];
    assert_eq!((ran.code, error["code"].as_str()), (exit, Some(code)));
    let hint = error["hint"].as_str().unwrap_or_default();
    assert!(hint.contains(way_out), "{error}");
}

#[test]
fn repositories_that_cannot_take_a_session() {
    let world = World::new();
    let bare = world.sandbox.path("bare.git");
    world
        .repository
        .git(&["init", "--quiet", "--bare", bare.to_str().unwrap()]);
    refused(
        &new_in(&world.sandbox, &bare),
        3,
        "git.bare_repository",
        "git clone",
    );
    let empty = world.sandbox.path("empty");
    world
        .repository
        .git(&["init", "--quiet", empty.to_str().unwrap()]);
    refused(
        &new_in(&world.sandbox, &empty),
        3,
        "repository.unusable",
        "git commit",
    );
    assert!(!empty.join(".worktrees").exists());
    let plain = world.sandbox.path("home");
    refused(
        &new_in(&world.sandbox, &plain),
        3,
        "git.not_a_repository",
        "git init",
    );
    let missing = world.sandbox.path("missing");
    refused(
        &new_in(&world.sandbox, &missing),
        3,
        "git.no_such_directory",
        "check the path",
    );
    let inside = world.repository.path(".git");
    refused(
        &new_in(&world.sandbox, &inside),
        3,
        "git.inside_git_directory",
        ".git",
    );
    assert_eq!(world.count("SELECT count(*) FROM sessions"), 0);
}

#[test]
fn a_repository_in_the_middle_of_something() {
    let world = World::new();
    let repository = &world.repository;
    repository.git(&["switch", "--quiet", "-c", "other"]);
    repository.write("README.md", "other\n");
    repository.commit("other");
    repository.git(&["switch", "--quiet", "main"]);
    repository.write("README.md", "main\n");
    repository.commit("main");
    for (start, abort) in [("rebase", "rebase"), ("merge", "merge")] {
        assert!(!repository.try_git(&[start, "other"]).status.success());
        let before = world.outside();
        let way_out = format!("git {abort} --abort");
        refused(
            &new_in(&world.sandbox, repository.root()),
            3,
            "repository.unusable",
            &way_out,
        );
        assert_eq!(world.outside(), before);
        repository.git(&[abort, "--abort"]);
    }
    new_in(&world.sandbox, repository.root()).ok();
}

#[test]
fn a_branch_called_amp_blocks_the_pattern() {
    let world = World::new();
    world.repository.git(&["branch", "amp"]);
    let before = world.outside();
    let ran = new_in(&world.sandbox, world.repository.root());
    refused(&ran, 3, "git.branch_blocked", "git branch -m amp");
    assert_eq!(world.outside(), before);
    assert_eq!(world.count("SELECT count(*) FROM repositories"), 0);
    let error = ran.json();
    assert!(
        error["error"]["hint"]
            .as_str()
            .unwrap()
            .contains("git.branch_pattern"),
        "{error}"
    );
    world.session_with("x", &["--set-config", "git.branch_pattern=work/{slug}"]);
}

#[test]
fn a_name_is_unique_in_its_repository_only() {
    let world = World::new();
    let first = world.session("same");
    let before = world.outside();
    let error = world
        .run(&["new", "--name", "same", "--prompt", "x", "--json"])
        .ends_with(3)
        .json();
    assert_eq!(error["error"]["code"], "session.name_taken");
    assert!(
        error["error"]["message"]
            .as_str()
            .unwrap()
            .contains(&first.id),
        "{error}"
    );
    assert_eq!(world.outside(), before);
    let other = world.sandbox.repository("other");
    let words = ["new", "--name", "same", "--prompt", "x", "--repo"];
    world
        .run(&[&words[..], &[other.root().to_str().unwrap()]].concat())
        .ok();
    assert_eq!(
        world.count("SELECT count(*) FROM sessions WHERE name = 'same'"),
        2
    );
    // Two names with one slug in the same second are two branches.
    world.session("a b");
    world.session("a-b");
    assert_ne!(world.made("a b").branch, world.made("a-b").branch);
}

#[test]
fn names_that_are_no_names() {
    let world = World::new();
    let before = world.outside();
    let long = "x".repeat(121);
    for name in ["", "  ", "a\nb", "a\u{1b}[2Jb", long.as_str()] {
        world
            .run(&["new", "--name", name, "--prompt", "x"])
            .ends_with(2)
            .says("name");
    }
    for name in ["--force", "-x"] {
        let option = format!("--name={name}");
        world
            .run(&["new", &option, "--prompt", "x"])
            .ends_with(2)
            .says("starts with a dash");
    }
    for branch in ["--base=-x", "--branch=a..b", "--base=refs/../x"] {
        world
            .run(&["new", "--name", "n", "--prompt", "x", branch])
            .ends_with(2);
    }
    assert_eq!(world.outside(), before);
}

#[test]
fn mistakes_in_the_words_are_json_too() {
    let world = World::new();
    let asked: [&[&str]; 5] = [
        &["new", "--name", "-x", "--prompt", "x", "--json"],
        &["new", "--prompt", "x", "--json"],
        &["nonsense", "--json"],
        &["list", "--status", "strange", "--json"],
        &["new", "--name=-x", "--prompt", "x", "--json"],
    ];
    for words in asked {
        let ran = world.run(words).ends_with(2);
        let error = &ran.json()["error"];
        assert_eq!(error["code"], "usage.invalid", "{words:?}");
        assert!(error["hint"].is_string(), "{error}");
        let message = error["message"].as_str().unwrap();
        assert!(
            !message.is_empty() && !message.starts_with("error"),
            "{message}"
        );
    }
}

#[test]
fn an_agent_nobody_knows() {
    let world = World::new();
    let before = world.outside();
    let error = world
        .run(&[
            "new", "--name", "x", "--prompt", "y", "--agent", "hal", "--json",
        ])
        .ends_with(2)
        .json();
    assert!(
        error["error"]["hint"].as_str().unwrap().contains("amp"),
        "{error}"
    );
    assert_eq!(world.outside(), before);
}

#[test]
fn a_run_that_cannot_start_makes_no_session() {
    let world = World::new();
    let before = world.outside();
    let mut command = world.session_command(&["new", "--name", "x", "--prompt", "y", "--run"]);
    command.env_remove("AMP_API_KEY");
    ran(command).ends_with(4).says("logged in");
    assert_eq!(world.outside(), before);
}

#[test]
fn a_branch_that_is_not_there_is_named_with_those_almost_like_it() {
    let world = World::new();
    let before = world.outside();
    for option in ["--base", "--branch"] {
        let new = |name| world.run(&["new", "--name", "x", "--prompt", "y", option, name]);
        new("mian")
            .ends_with(3)
            .says("there is no branch called `mian`")
            .says("did you mean `main`?");
        new("nope").ends_with(3).says("git branch --all");
    }
    assert_eq!(world.outside(), before);
}

#[test]
fn a_name_that_looks_like_a_secret_is_refused() {
    let world = World::new();
    world.session("one");
    let before = world.outside();
    let token = format!("ghp_{}", "a1B2c3D4e5".repeat(4).get(..36).unwrap());
    world
        .run(&["new", "--name", &token, "--prompt", "x"])
        .refuses(2, "looks like a secret");
    world
        .run(&["set", "one", "name", &token])
        .refuses(2, "looks like a secret");
    assert_eq!(world.outside(), before);
}

#[test]
fn a_branch_that_only_a_remote_has_is_explained() {
    let world = World::new();
    let head = world.repository.git(&["rev-parse", "HEAD"]);
    world
        .repository
        .git(&["update-ref", "refs/remotes/origin/topic", &head]);
    for name in ["topic", "origin/topic"] {
        world
            .run(&["new", "--name", "x", "--prompt", "x", "--branch", name])
            .refuses(3, "no branch called")
            .says("git branch topic origin/topic");
    }
}

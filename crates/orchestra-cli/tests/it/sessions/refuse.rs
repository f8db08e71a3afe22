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
fn a_pattern_with_an_issue_asks_for_one() {
    let world = World::new();
    let pattern = ["--set-config", "git.branch_pattern=work/{issue}"];
    let words = ["new", "--name", "x", "--prompt", "x"];
    world
        .run(&[&words[..], &pattern].concat())
        .ends_with(2)
        .says("--issue <issue>");
    world.session_with("x", &[&pattern[..], &["--issue", "7"]].concat());
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
fn without_any_branch_to_start_from_the_ways_to_name_one_are_told() {
    let world = World::new();
    world.repository.git(&["switch", "--quiet", "--detach"]);
    world.repository.git(&["branch", "-m", "main", "trunk"]);
    world
        .run(&["new", "--name", "x", "--prompt", "y"])
        .refuses(3, "there is no branch `main`")
        .says("--base")
        .says("git.default_base_branch");
    world
        .run(&["new", "--name", "x", "--prompt", "y", "--base", "trunk"])
        .ok();
}

#[test]
fn folders_that_hold_other_files_get_no_worktrees() {
    let world = World::new();
    world.repository.write("src/lib.rs", "// code\n");
    world.repository.commit("code");
    world.repository.write("drafts/mine.txt", "mine\n");
    std::fs::create_dir(world.repository.path("empty")).unwrap();
    let exclude = world.repository.path(".git/info/exclude");
    let before = std::fs::read(&exclude).ok();
    let new = |root: &str| {
        let setting = format!("core.worktrees_root={root}");
        world.run(&[
            "new",
            "--name",
            "x",
            "--prompt",
            "y",
            "--set-config",
            &setting,
        ])
    };
    for (root, reason) in [
        ("src", "src/lib.rs"),
        ("drafts", "drafts/mine.txt"),
        ("README.md", "README.md"),
        (".", "own checkout"),
        ("src/..", "own checkout"),
        (".git/wt", "git's own directory"),
        ("wt/../.git/wt", "git's own directory"),
    ] {
        let refused = new(root).ends_with(2).says(reason);
        refused.says("core.worktrees_root");
        assert_eq!(std::fs::read(&exclude).ok(), before, "{root}");
    }
    assert_eq!(world.count("SELECT count(*) FROM sessions"), 0);
    new("wt/../empty").ok();
    let made = world.made("x");
    assert_eq!(made.worktree, world.repository.path("empty").join(&made.id));
    assert_eq!(
        world.repository.git(&["status", "--porcelain"]),
        "?? drafts/"
    );
}

#[test]
fn a_missing_program_for_large_files_is_noticed_before() {
    let world = World::new();
    let rule = "*.bin filter=lfs diff=lfs merge=lfs -text\n";
    world.repository.write(".gitattributes", rule);
    world.repository.commit("large files");
    for (key, value) in [("process", "git-lfs filter-process"), ("required", "true")] {
        let key = format!("filter.lfs.{key}");
        world.repository.git(&["config", "--global", &key, value]);
    }
    if world
        .repository
        .try_git(&["lfs", "version"])
        .status
        .success()
    {
        println!("not run: Git LFS is installed here");
        return;
    }
    let before = world.outside();
    world
        .run(&["new", "--name", "x", "--prompt", "y"])
        .ends_with(3)
        .says("`git-lfs`, which is not installed")
        .says("--remove-section filter.lfs");
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

#[test]
fn somebody_git_does_not_know_is_told_before_the_agent_runs() {
    let world = World::new();
    std::fs::write(world.sandbox.home().join(".gitconfig"), "").unwrap();
    let before = world.outside();
    world
        .run(&["new", "--name", "x", "--prompt", "y", "--run"])
        .refuses(3, "git does not know who you are");
    assert_eq!(world.outside(), before);
    world
        .run(&["new", "--name", "x", "--prompt", "y"])
        .ok()
        .says("git does not know who you are");
    world
        .run(&["iterate", "x"])
        .ends_with(3)
        .says("git config --global user.name");
    assert_eq!(world.count("SELECT count(*) FROM iterations"), 0);
    world.run(&["iterate", "x", "--no-commit"]).ok();
}

#[test]
fn a_name_that_looks_like_a_secret_is_refused() {
    let world = World::new();
    let token = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    let refused = world
        .run(&["new", "--name", &token, "--prompt", "y"])
        .ends_with(2)
        .says("looks like a secret");
    assert!(!refused.stderr.contains(&token), "{}", refused.stderr);
    world.session("plain");
    world
        .run(&["set", "plain", "name", &token])
        .ends_with(2)
        .says("looks like a secret");
    let branches = world.repository.git(&["branch", "--all"]);
    assert!(!branches.to_lowercase().contains("ghp"), "{branches}");
}

#[test]
fn an_issue_that_says_nothing_is_refused() {
    let world = World::new();
    let before = world.outside();
    for issue in ["", "  "] {
        world
            .run(&["new", "--name", "x", "--prompt", "y", "--issue", issue])
            .refuses(2, "the issue is empty");
    }
    assert_eq!(world.outside(), before);
}

#[test]
fn a_model_that_is_no_word_is_refused_as_in_a_setting() {
    let world = World::new();
    let before = world.outside();
    for model in ["--help", "", "a b", "a\nb"] {
        let option = format!("--model={model}");
        world
            .run(&["new", "--name", "x", "--prompt", "y", &option])
            .refuses(2, "the model must be one word");
    }
    world
        .run(&["new", "--name", "x", "--prompt", "y", "--issue", "1\n2"])
        .refuses(2, "the issue must be one line");
    assert_eq!(world.outside(), before);
}

//! `new` makes a branch, a worktree and a row, by the patterns of the settings.

use crate::world::World;

#[test]
fn a_session_has_a_branch_a_worktree_and_a_row() {
    let world = World::new();
    let head = world.repository.head();
    let said = world
        .run(&["new", "--name", "Fix Login!", "--prompt", "Fix it"])
        .ok();
    let made = world.made("Fix Login!");
    let (start, stamp) = made.branch.rsplit_once('/').unwrap();
    assert_eq!(start, "amp/fix-login");
    assert!(
        stamp.len() == 15
            && stamp
                .chars()
                .all(|char| char.is_ascii_digit() || char == '-'),
        "{stamp}"
    );
    assert_eq!(
        made.worktree,
        world.repository.path(&format!(".worktrees/{}", made.id))
    );
    assert_eq!(world.repository.branch_sha(&made.branch), head);
    let tree = world.tree(&made);
    assert_eq!(tree.git(&["branch", "--show-current"]), made.branch);
    assert_eq!(tree.read("README.md"), world.repository.read("README.md"));
    assert_eq!(tree.git(&["status", "--porcelain"]), "");
    assert_eq!(world.repository.git(&["status", "--porcelain"]), "");
    assert_eq!(
        world.repository.git(&["config", "--get-regexp", "^user"]),
        "user.name Test\nuser.email test@example.com"
    );
    assert!(said.stdout.contains(&made.id) && said.stdout.contains(&made.branch));
    for next in ["iterate", "open", "status"] {
        let line = format!("orchestra session {next} {}", made.id);
        assert!(said.stderr.contains(&line), "{}", said.stderr);
    }
    world.repository.fsck();
}

#[test]
fn patterns_name_the_branch_and_the_folder() {
    let world = World::new();
    let patterns = [
        "--set-config",
        "git.branch_pattern=feature/issue-{issue}",
        "--set-config",
        "git.folder_pattern=issue-{issue}",
    ];
    let made = world.session_with("seven", &[&["--issue", "7"], &patterns[..]].concat());
    assert_eq!(made.branch, "feature/issue-7");
    assert_eq!(made.worktree, world.repository.path(".worktrees/issue-7"));
    assert!(made.worktree.join("README.md").exists());
    let before = world.outside();
    let words = ["new", "--name", "none", "--prompt", "x"];
    world
        .run(&[&words[..], &patterns].concat())
        .ends_with(2)
        .says("issue");
    assert_eq!(world.outside(), before);
    // A second session for the same issue stands beside the first.
    let beside = world.session_with("again", &[&["--issue", "7"], &patterns[..]].concat());
    assert_eq!(beside.branch, format!("feature/issue-7-{}", beside.id));
}

#[test]
fn a_branch_of_the_user_with_the_same_name_is_never_touched() {
    let world = World::new();
    // At the very commit a session would start from: nothing but its name tells that it is the user's.
    world.repository.git(&["branch", "feature/issue-7"]);
    let before = world.outside();
    world
        .run(&[
            "new",
            "--name",
            "seven",
            "--prompt",
            "x",
            "--issue",
            "7",
            "--set-config",
            "git.branch_pattern=feature/issue-{issue}",
        ])
        .ends_with(3)
        .says("--branch feature/issue-7");
    assert_eq!(world.outside(), before);
}

#[test]
fn worktrees_can_live_elsewhere() {
    let world = World::new();
    let root = world.sandbox.path("trees with spaces");
    let setting = format!("core.worktrees_root={}", root.display());
    let made = world.session_with("away", &["--set-config", &setting]);
    assert_eq!(made.worktree, root.join(&made.id));
    assert!(!world.repository.path(".worktrees").exists());
    assert_eq!(world.tree(&made).git(&["status", "--porcelain"]), "");
    world.run(&["iterate", "away"]).ok();
    assert_eq!(
        world
            .tree(&made)
            .git(&["rev-list", "--count", "main..HEAD"]),
        "1"
    );
}

#[test]
fn a_branch_that_exists_is_adopted() {
    let world = World::new();
    world
        .repository
        .git(&["switch", "--quiet", "-c", "feature/x"]);
    world.repository.write("x.txt", "x\n");
    let head = world.repository.commit("x");
    world.repository.git(&["switch", "--quiet", "main"]);
    let base = world.repository.head();
    let made = world.session_with("adopted", &["--branch", "feature/x"]);
    assert_eq!(made.branch, "feature/x");
    let at = format!("branch    feature/x at {}, lands on main\n", &head[..10]);
    world.run(&["status", "adopted"]).ok().says(&at);
    assert_eq!(world.tree(&made).head(), head);
    assert_eq!(
        world.value("SELECT base_commit FROM sessions"),
        Some(base.clone())
    );
    let before = world.outside();
    world
        .run(&[
            "new",
            "--name",
            "again",
            "--prompt",
            "x",
            "--branch",
            "feature/x",
        ])
        .ends_with(3);
    world
        .run(&["new", "--name", "no", "--prompt", "x", "--branch", "nope"])
        .ends_with(3)
        .says("nope");
    world
        .run(&["new", "--name", "no", "--prompt", "x", "--branch", "main"])
        .ends_with(3)
        .says("main");
    assert_eq!(world.outside(), before);
    world.run(&["iterate", "adopted"]).ok();
    assert_eq!(
        world
            .repository
            .git(&["rev-list", "--count", "main..feature/x"]),
        "2"
    );
}

#[test]
fn everything_given_is_kept() {
    let world = World::new();
    let made = world.session_with(
        "full",
        &[
            "--notes",
            "-n-",
            "--constraints",
            "no new dependency",
            "--script",
            "true",
            "--model",
            "deep",
            "--issue",
            "42",
            "--timeout",
            "90s",
            "--agent",
            "demo",
        ],
    );
    let column = |name: &str| world.value(&format!("SELECT {name} FROM sessions"));
    assert_eq!(column("notes").as_deref(), Some("-n-"));
    assert_eq!(column("constraints").as_deref(), Some("no new dependency"));
    assert_eq!(column("script").as_deref(), Some("true"));
    assert_eq!(column("model").as_deref(), Some("deep"));
    assert_eq!(column("issue").as_deref(), Some("42"));
    assert_eq!(column("timeout_ms").as_deref(), Some("90000"));
    assert_eq!(column("agent").as_deref(), Some("demo"));
    let shown = world.json(&["status", &made.id]);
    assert_eq!(shown["session"]["timeout_ms"], 90_000);
    assert_eq!(shown["session"]["script_command"], "true");
}

#[test]
fn another_base_and_a_default_that_is_not_there() {
    let world = World::new();
    world.repository.git(&["switch", "--quiet", "-c", "trunk"]);
    let trunk = world.repository.commit("on trunk");
    world.session_with("explicit", &["--base", "main"]);
    world.repository.git(&["branch", "--quiet", "-D", "main"]);
    world.session("implicit");
    let base = |name: &str| {
        world.value(&format!(
            "SELECT base_branch || ' ' || base_commit FROM sessions WHERE name = '{name}'"
        ))
    };
    assert!(base("explicit").unwrap().starts_with("main "));
    assert_eq!(base("implicit"), Some(format!("trunk {trunk}")));
    let before = world.outside();
    world
        .run(&["new", "--name", "no", "--prompt", "x", "--base", "gone"])
        .ends_with(3)
        .says("gone");
    assert_eq!(world.outside(), before);
}

#[test]
fn submodules_and_sparse_checkouts_are_told() {
    let world = World::new();
    let library = world.sandbox.repository("library");
    let url = library.root().to_string_lossy().into_owned();
    world.repository.git(&[
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        &url,
        "lib",
    ]);
    world.repository.commit("add lib");
    let said = world
        .run(&["new", "--name", "sub", "--prompt", "x"])
        .ok()
        .says("submodule");
    assert!(said.stderr.contains("git submodule update --init"));
    let made = world.made("sub");
    assert_eq!(world.tree(&made).git(&["status", "--porcelain"]), "");
    world.run(&["iterate", "sub"]).ok();
    assert_eq!(
        world
            .tree(&made)
            .git(&["ls-tree", "HEAD", "lib"])
            .split(' ')
            .next(),
        Some("160000")
    );
    let created = world.json(&["new", "--name", "json", "--prompt", "x"]);
    assert_eq!(created["warnings"].as_array().unwrap().len(), 1);
}

#[test]
fn a_missing_filter_for_large_files_is_told() {
    let world = World::new();
    world.repository.write(
        ".gitattributes",
        "*.bin filter=lfs diff=lfs merge=lfs -text\n",
    );
    world.repository.commit("large files");
    // A filter of the repository's own is never run, so it does not count.
    world.repository.git(&["config", "filter.lfs.clean", "cat"]);
    world
        .run(&["new", "--name", "without", "--prompt", "x"])
        .ok()
        .says("git lfs install");
    for part in ["clean", "smudge"] {
        let key = format!("filter.lfs.{part}");
        world.repository.git(&["config", "--global", &key, "cat"]);
    }
    let said = world.run(&["new", "--name", "with", "--prompt", "x"]).ok();
    assert!(!said.stderr.contains("LFS"), "{}", said.stderr);
}

#[test]
fn a_name_in_any_script_gives_a_branch_that_tells_it_apart() {
    let world = World::new();
    let pattern = ["config", "set", "git.branch_pattern", "amp/{slug}"];
    world.orchestra(&pattern).ok();
    assert_eq!(world.session("ログイン").branch, "amp/roguin");
    assert_eq!(world.session("Größe").branch, "amp/grosse");
    let dots = world.session("...");
    assert_eq!(dots.branch, format!("amp/{}", dots.id));
    // Only the branch is taken, so only the branch needs more than the pattern gives.
    let second = world.session("roguin");
    assert_eq!(second.branch, format!("amp/roguin-{}", second.id));
    assert!(second.worktree.ends_with(&second.id), "{second:?}");
}

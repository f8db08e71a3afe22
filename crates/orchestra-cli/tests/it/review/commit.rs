//! `commit` keeps what a person did; `log` tells the whole history.

use crate::world::World;

#[test]
fn all_or_some_paths() {
    let world = World::new();
    let made = world.session("one");
    let tree = world.tree(&made);
    tree.write("docs/a.md", "a\n");
    tree.write("src/b.rs", "b\n");
    tree.write("-c", "c\n");
    world
        .run(&["commit", "one", "--message", "Only the docs", "docs"])
        .ok()
        .says("1 file");
    assert_eq!(tree.git(&["log", "-1", "--format=%s"]), "Only the docs");
    assert_eq!(
        tree.git(&["show", "--format=", "--name-only", "HEAD"]),
        "docs/a.md"
    );
    assert_eq!(tree.git(&["status", "--porcelain"]), "?? -c\n?? src/");
    let answer = world.json(&["commit", "one", "-m", "- the rest\n\nBody"]);
    assert_eq!(answer["commit"], tree.head());
    assert_eq!(answer["files"].as_array().unwrap().len(), 2);
    assert_eq!(
        tree.git(&["log", "-1", "--format=%B"]).trim(),
        "- the rest\n\nBody"
    );
    assert_eq!(tree.git(&["status", "--porcelain"]), "");
    let head = tree.head();
    world
        .run(&["commit", "one", "-m", "again"])
        .ends_with(3)
        .says("no changes");
    world.run(&["commit", "one", "-m", " "]).ends_with(2);
    world
        .run(&["commit", "one", "-m", "x", "missing.txt"])
        .refuses(2, "no file of the worktree matches `missing.txt`");
    let outside = world.repository.path("README.md");
    for path in ["../../README.md", outside.to_str().unwrap()] {
        world
            .run(&["commit", "one", "-m", "x", path])
            .refuses(2, &format!("`{path}` is outside the worktree"))
            .says("relative to the top of the worktree");
    }
    assert_eq!(tree.head(), head);
    assert_eq!(
        world.count("SELECT count(*) FROM events WHERE type = 'commit_created'"),
        2
    );
}

#[test]
fn the_log_has_commits_iterations_and_script_runs() {
    let world = World::new();
    let made = world.session_with("one", &["--script", "exit 7"]);
    world.run(&["log", "one"]).ok().says("none yet");
    world.run(&["iterate", "one"]).ends_with(5);
    world.tree(&made).write("hand.txt", "x\n");
    world.run(&["commit", "one", "-m", "By hand"]).ok();
    world.run(&["run", "one"]).ends_with(5);
    let tree = world.tree(&made);
    let log = world.json(&["log", "one"]);
    let commits: Vec<_> = log["commits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|commit| commit["id"].as_str().unwrap().to_owned())
        .collect();
    let expected = tree.git(&["rev-list", "main..HEAD"]);
    assert_eq!(commits, expected.lines().collect::<Vec<_>>());
    assert_eq!(log["commits"][0]["subject"], "By hand");
    assert_eq!(log["commits"][0]["files"][0]["path"], "hand.txt");
    let short = log["commits"][0]["short"].as_str().unwrap();
    assert!(commits[0].starts_with(short));
    assert_eq!(log["iterations"].as_array().unwrap().len(), 1);
    assert_eq!(log["iterations"][0]["script_passed"], false);
    let runs = log["script_runs"].as_array().unwrap();
    assert_eq!(runs.len(), 2);
    assert!(
        runs.iter()
            .all(|run| run["exit_code"] == 7 && run["state"] == "failed")
    );
    assert_eq!(
        (&runs[0]["iteration"], &runs[1]["iteration"]),
        (&1.into(), &serde_json::Value::Null)
    );
    let text = world.run(&["log", "one"]).ok().stdout;
    for part in ["By hand", short, "A hand.txt", "#1", "exit 7", "(7)"] {
        assert!(text.contains(part), "no `{part}` in\n{text}");
    }
}

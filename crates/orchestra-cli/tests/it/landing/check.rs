//! `check` and `approve`.

use serde_json::Value;

use super::work::{base_moves, change, with_commit, with_commit_and};
use crate::world::World;

/// The state of each check, such as `clean pass`.
fn states(world: &World, name: &str) -> Vec<String> {
    let answer = world.run(&["check", name, "--json"]).json();
    let rows = answer["checks"].as_array().unwrap().iter();
    rows.map(|row| {
        let text = |name: &str| row[name].as_str().unwrap().to_owned();
        format!("{} {}", text("name"), text("state"))
    })
    .collect()
}

fn row(world: &World, name: &str, check: &str) -> Value {
    let answer = world.run(&["check", name, "--json"]).json();
    let rows = answer["checks"].as_array().unwrap();
    rows.iter()
        .find(|row| row["name"] == check)
        .unwrap()
        .clone()
}

#[test]
fn everything_is_a_line_and_passes_in_the_end() {
    let world = World::new();
    let more = ["--script", "test -s new.txt", "--issue", "#7"];
    let made = with_commit_and(&world, "one", "new.txt", "x\n", &more);
    world.tree(&made).write("left.txt", "left\n");
    change(&world, &made, "new.txt", "y\n", "wip");
    world.tree(&made).write("left.txt", "more\n");
    let expected = [
        "clean fail",
        "base pass",
        "script fail",
        "evaluators not_applicable",
        "reviewed fail",
        "messages fail",
        "migrations pass",
        "issue fail",
    ];
    assert_eq!(states(&world, "one"), expected);
    let shown = world.run(&["check", "one"]).ends_with(1);
    for text in [
        "FAIL  clean       1 uncommitted change(s)",
        "nobody approved it",
        "orchestra session approve",
        "the message `wip` says that it is not finished",
        "no message mentions #7",
        "has not run yet",
        "not ready to land on `main`",
    ] {
        assert!(
            shown.stdout.contains(text) || shown.stderr.contains(text),
            "{text}: {shown:?}"
        );
    }

    world.tree(&made).git(&["checkout", "--quiet", "--", "."]);
    let tree = world.tree(&made);
    tree.git(&["reset", "--quiet", "--soft", "main"]);
    tree.git(&["commit", "--quiet", "-m", "Say more (#7)"]);
    world.run(&["run", "one"]).ok();
    world.run(&["approve", "one"]).ok().says("approved: one at");
    world.run(&["check", "one"]).ok().says("ready to land");
    assert!(
        !states(&world, "one")
            .iter()
            .any(|line| line.ends_with("fail"))
    );
}

#[test]
fn what_is_not_required_is_a_warning() {
    let world = World::new();
    let made = with_commit(&world, "one", "new.txt", "x\n");
    let words = ["--set-config", "landing.required_checks=clean,base"];
    let check = |more: &[&str]| world.run(&[&["check", "one"], more, &words].concat());
    let shown = check(&[]).ok().says("ready to land on `main`");
    assert!(shown.stdout.contains("warn  reviewed"), "{shown:?}");
    let shown = shown.says("although these fail, which nothing requires: reviewed");
    assert!(!shown.stderr.contains("not ready"), "{shown:?}");
    assert_eq!(check(&["--json"]).json()["passes"], true);
    world.tree(&made).write("new.txt", "y\n");
    assert_eq!(check(&["--json"]).ends_with(1).json()["passes"], false);
}

#[test]
fn a_pass_counts_for_the_files_it_was_about() {
    let world = World::new();
    let made = with_commit_and(&world, "one", "new.txt", "x\n", &["--script", "true"]);
    world.run(&["run", "one"]).ok();
    assert_eq!(row(&world, "one", "script")["state"], "pass");
    let tree = world.tree(&made);
    tree.git(&["commit", "--quiet", "--amend", "-m", "Other words"]);
    assert_eq!(row(&world, "one", "script")["state"], "pass");
    change(&world, &made, "new.txt", "y\n", "More");
    let line = row(&world, "one", "script");
    assert_eq!(line["state"], "fail");
    assert!(line["text"].as_str().unwrap().contains("passed on"));
    tree.write("untracked.txt", "x\n");
    world.run(&["run", "one"]).ok();
    let text = row(&world, "one", "script")["text"].clone();
    assert!(text.as_str().unwrap().contains("with uncommitted changes"));
    std::fs::remove_file(made.worktree.join("untracked.txt")).unwrap();
    world.run(&["set", "one", "script", "false"]).ok();
    assert!(
        row(&world, "one", "script")["text"]
            .as_str()
            .unwrap()
            .contains("not run yet")
    );
    world.run(&["run", "one"]).ends_with(5);
    assert!(
        row(&world, "one", "script")["text"]
            .as_str()
            .unwrap()
            .contains("failed")
    );
}

#[test]
fn an_approval_is_for_these_very_changes() {
    let world = World::new();
    world.run(&["new", "--name", "empty", "--prompt", "x"]).ok();
    world
        .run(&["approve", "empty"])
        .refuses(3, "has no commit that `main` does not have");
    let made = with_commit(&world, "one", "code.py", "if a:\n    one()\n    two()\n");
    change(&world, &made, "b.txt", "b\n", "Add b");
    let tree = world.tree(&made);
    tree.write("left.txt", "left\n");
    world
        .run(&["approve", "one"])
        .refuses(3, "it has uncommitted changes");
    std::fs::remove_file(made.worktree.join("left.txt")).unwrap();
    let answer = world.json(&["approve", "one"]);
    assert_eq!(answer["approval"]["commit"], tree.head());
    let reviewed = || row(&world, "one", "reviewed")["state"].clone();
    assert_eq!(reviewed(), "pass");

    tree.git(&["reset", "--quiet", "--soft", "main"]);
    tree.git(&["commit", "--quiet", "-m", "All in one"]);
    assert_eq!(reviewed(), "pass", "squashed");
    base_moves(&world, "elsewhere.txt", "x\n");
    assert_eq!(reviewed(), "pass", "the base moved");
    tree.git(&["rebase", "--quiet", "main"]);
    assert_eq!(reviewed(), "pass", "rebased");
    change(
        &world,
        &made,
        "code.py",
        "if a:\n    one()\ntwo()\n",
        "Space",
    );
    assert_eq!(reviewed(), "fail", "white space decides");
    world.run(&["undo", "one"]).ok();
    tree.git(&["checkout", "--quiet", "--", "."]);
    assert_eq!(reviewed(), "pass", "as it was approved again");

    let answer = world.json(&["approve", "one", "--undo"]);
    assert_eq!(answer["approval"], Value::Null);
    assert_eq!(reviewed(), "fail");
    let events = "SELECT count(*) FROM events WHERE body ->> 'field' = 'approval'";
    assert_eq!(world.count(events), 2);
}

#[test]
fn what_the_base_has_meanwhile_is_looked_at() {
    let world = World::new();
    let made = with_commit(&world, "one", "migrations/0002_a.sql", "a\n");
    base_moves(&world, "migrations/0002_b.sql", "b\n");
    let line = row(&world, "one", "migrations");
    assert_eq!(line["state"], "fail");
    let hint = line["hint"].as_str().unwrap();
    assert!(hint.contains("0003_a.sql"), "{hint}");
    change(&world, &made, "README.md", "mine\n", "Mine");
    base_moves(&world, "README.md", "theirs\n");
    let line = row(&world, "one", "base");
    assert_eq!(line["state"], "fail");
    let text = line["text"].as_str().unwrap();
    assert!(
        text.contains("conflicts with `main` in `README.md`"),
        "{text}"
    );
    let other = with_commit(&world, "two", "Name.txt", "x\n");
    base_moves(&world, "name.txt", "y\n");
    let text = row(&world, "two", "base")["text"].clone();
    assert!(
        text.as_str().unwrap().contains("upper and lower case only"),
        "{text}"
    );
    std::fs::remove_dir_all(&other.worktree).unwrap();
    assert_eq!(row(&world, "two", "clean")["state"], "not_applicable");
}

#[cfg(target_os = "linux")]
#[test]
fn a_session_on_top_of_its_base_is_compared_with_all_of_it() {
    let world = World::new();
    base_moves(&world, "migrations/0001_start.sql", "1\n");
    let one = with_commit(&world, "one", "migrations/0002_a.sql", "a\n");
    with_commit(&world, "two", "Name.txt", "x\n");
    base_moves(&world, "migrations/0002_b.sql", "b\n");
    base_moves(&world, "name.txt", "y\n");
    for name in ["one", "two"] {
        world.run(&["approve", name]).ok();
        world.run(&["rebase", name]).ok();
    }
    let line = row(&world, "one", "migrations");
    assert_eq!(line["state"], "fail", "{line}");
    assert!(line["hint"].as_str().unwrap().contains("0003_a.sql"));
    let text = row(&world, "two", "base")["text"].clone();
    assert!(
        text.as_str().unwrap().contains("upper and lower case only"),
        "{text}"
    );
    for (name, check) in [("one", "migrations"), ("two", "base")] {
        let expected = format!("not ready to land: {check} (");
        for command in ["land", "merge"] {
            let refused = world.run(&[command, name]).ends_with(3);
            assert!(refused.stderr.contains(&expected), "{refused:?}");
        }
    }
    let tree = world.tree(&one);
    let renamed = "migrations/0003_a.sql";
    tree.git(&["mv", "migrations/0002_a.sql", renamed]);
    tree.git(&["commit", "--quiet", "--message", "Renumber"]);
    assert_eq!(row(&world, "one", "migrations")["state"], "pass");
    change(
        &world,
        &one,
        "migrations/0001_start.down.sql",
        "x\n",
        "Down",
    );
    assert_eq!(
        row(&world, "one", "migrations")["state"],
        "pass",
        "the other half of a step"
    );
}

#[test]
fn a_session_that_landed_has_nothing_left_to_check() {
    let world = World::new();
    let made = with_commit_and(&world, "one", "new.txt", "x\n", &["--issue", "7"]);
    world.run(&["approve", "one"]).ok();
    let status = world.run(&["status", "one"]).ok();
    let approved = status.stdout.lines().find(|line| line.contains("approved"));
    assert!(
        approved.is_some_and(|line| line.contains("at ")),
        "{status:?}"
    );
    assert!(!status.stdout.contains("changed since"), "{status:?}");
    world.run(&["merge", "one", "--override", "issue"]).ok();
    world
        .run(&["check", "one"])
        .ok()
        .says("it has landed in `main`; nothing is left to land");
    assert_eq!(row(&world, "one", "reviewed")["state"], "not_applicable");
    assert_eq!(world.json(&["status", "one"])["approval_counts"], true);

    change(&world, &made, "more.txt", "x\n", "More");
    assert_eq!(row(&world, "one", "reviewed")["state"], "fail");
    let detail = world.json(&["status", "one"]);
    assert_eq!(detail["approval_counts"], false);
    assert!(detail["approval"]["commit"].is_string(), "{detail}");
    world
        .run(&["status", "one"])
        .ok()
        .says("it has changed since");

    let two = with_commit(&world, "two", "two.txt", "x\n");
    let head = world.tree(&two).head();
    world.repository.git(&["cherry-pick", &head]);
    world.run(&["check", "two"]).ok().says("record that");
}

#[test]
fn a_conflict_is_ended_with_commands_that_work() {
    let world = World::new();
    let made = with_commit(&world, "one", "new.txt", "x\n");
    base_moves(&world, "new.txt", "y\n");
    world.run(&["rebase", "one"]).ends_with(7);
    let way_out = format!("`orchestra session rebase {} --continue`", made.id);
    for check in ["clean", "base"] {
        let hint = row(&world, "one", check)["hint"].clone();
        assert!(hint.as_str().unwrap().contains(&way_out), "{check}: {hint}");
    }
    world
        .run(&["approve", "one"])
        .refuses(3, "waits at a conflict")
        .says(&way_out);
}

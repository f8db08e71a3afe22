//! An agent works as ever: its commits arrive, its conversation goes on, and what is done to a session is done to this one.

use orchestra_testkit::Sandbox;
use serde_json::Value;

use super::{commits, git, held_world, shell_world, write};
use crate::world::World;

#[test]
fn what_the_agent_commits_arrives_and_so_does_what_it_leaves() {
    let scenario = commits("own.txt", "mine\n") + &write("left.txt", "left\n");
    let world = held_world(&scenario);
    let made = world.session("one");
    let link = std::fs::read(made.worktree.join(".git")).unwrap();
    world.run(&["iterate", "one"]).ok();
    let tree = world.tree(&made);
    let subjects = tree.git(&["log", "-2", "--format=%s", &made.branch]);
    let (left, own) = subjects.split_once('\n').unwrap();
    assert_eq!(own, "by the agent");
    assert!(left.starts_with("amp:"), "{left}");
    assert_eq!(tree.git(&["show", "HEAD~1:own.txt"]), "mine");
    assert_eq!(tree.git(&["show", "HEAD:left.txt"]), "left");
    assert_eq!(tree.git(&["log", "-1", "--format=%an", "HEAD~1"]), "Test");
    assert_eq!(tree.git(&["status", "--porcelain"]), "");
    assert_eq!(tree.git(&["fsck", "--no-dangling"]), "");
    assert_eq!(std::fs::read(made.worktree.join(".git")).unwrap(), link);
    assert_eq!(
        world
            .iteration(&made, 1, "json_array_length(commits)")
            .as_deref(),
        Some("2")
    );
    assert!(
        tree.git(&["reflog", "show", &made.branch])
            .contains("fetched from the workspace")
    );
    world.wait_until_quiet();
}

#[test]
fn a_conversation_goes_on_and_sees_its_own_history() {
    let turn = |step: &str| format!("[[turn]]\n{}", step.replace("[[step]]", "[[turn.step]]"));
    let see = "[[step]]\ndo = 'git'\nargs = ['log', '-3', '--format=%s']\n";
    let scenario = [
        turn(&commits("a.txt", "a\n")),
        turn(&(commits("b.txt", "b\n") + see)),
    ];
    let world = held_world(&scenario.concat());
    let made = world.session("one");
    world.run(&["iterate", "one"]).ok();
    world
        .run(&["iterate", "one", "Go on"])
        .ok()
        .says("by the agent");
    assert_eq!(world.threads().len(), 1, "one conversation");
    let tree = world.tree(&made);
    let files = tree.git(&["diff", "--name-only", "main", &made.branch]);
    assert_eq!(files, "a.txt\nb.txt");
    assert_eq!(tree.git(&["status", "--porcelain"]), "");
}

/// What a person left is there, and stays out of the agent's commit where the settings say so.
#[test]
fn what_a_person_left_is_there() {
    let script = "cat > /dev/null\ncat by-hand.txt ignored.log; git status --porcelain; echo agent > new.txt";
    for keep in [false, true] {
        let (world, _) = shell_world(script);
        let made = world.session("one");
        let tree = world.tree(&made);
        world
            .repository
            .write(".git/info/exclude", "*.log\n/.worktrees/\n");
        tree.write("by-hand.txt", "a person wrote this\n");
        tree.write("ignored.log", "ignored and there\n");
        if keep {
            world
                .orchestra(&["config", "set", "git.human_changes", "keep"])
                .ok();
        }
        let answer = world.run(&["iterate", "one"]).ok();
        let answer = answer.says("a person wrote this").says("ignored and there");
        assert_eq!(
            answer.stdout.contains("?? by-hand.txt"),
            keep,
            "{}",
            answer.stdout
        );
        assert_eq!(tree.git(&["show", "HEAD:new.txt"]), "agent");
        let status = tree.git(&["status", "--porcelain"]);
        assert_eq!(status, if keep { "?? by-hand.txt" } else { "" });
    }
}

#[test]
fn a_session_is_looked_at_and_landed_as_ever() {
    let world = held_world(&commits("feature.txt", "new\n"));
    let made = world.session("one");
    world.run(&["iterate", "one"]).ok();
    world.run(&["diff", "one"]).ok().says("+new");
    world.tree(&made).write("by-hand.txt", "more\n");
    world.run(&["commit", "one", "--message", "By hand"]).ok();
    world.repository.write("other.txt", "meanwhile\n");
    world.repository.commit("on the base");
    world.run(&["rebase", "one"]).ok();
    world.run(&["iterate", "one", "--no-commit"]).ok();
    world.run(&["squash", "one", "--message", "All of it"]).ok();
    world.run(&["undo", "one"]).ok();
    world.run(&["approve", "one"]).ok();
    world.run(&["merge", "one"]).ok();
    assert_eq!(world.repository.git(&["show", "main:feature.txt"]), "new");
    world.run(&["cleanup", "one"]).ok();
    assert!(!made.worktree.exists());
    let folder = world.sandbox.data_dir().join("workspaces").join(&made.id);
    assert!(folder.exists(), "it may come back");
    world.orchestra(&["trash", "empty", "--yes"]).ok();
    assert!(!folder.exists(), "nothing is left of it");
}

/// The rebase waits in the repository; the agent gets the conflicts alone, and what it edits goes on with the rebase.
#[test]
fn a_conflict_is_given_to_the_agent() {
    let turn = |step: &str| format!("[[turn]]\n{}", step.replace("[[step]]", "[[turn.step]]"));
    let resolve = [
        git(&["status"]),
        write("README.md", "both\n"),
        git(&["add", "README.md"]),
        git(&["commit", "--quiet", "-m", "resolved in vain"]),
    ];
    let scenario = turn(&write("README.md", "ours\n")) + &turn(&resolve.concat());
    let world = held_world(&scenario);
    let made = world.session("one");
    world.run(&["iterate", "one"]).ok();
    world.repository.write("README.md", "theirs\n");
    world.repository.commit("on the base");
    let conflicted = world.run(&["rebase", "one"]);
    assert_ne!(conflicted.code, 0);
    world
        .run(&["iterate", "one"])
        .ok()
        .says("is kept by refs/worktree/workspace/");
    let tree = world.tree(&made);
    assert_eq!(tree.git(&["show", "HEAD:README.md"]), "both");
    assert_eq!(tree.git(&["branch", "--show-current"]), made.branch);
    assert_eq!(tree.git(&["rev-list", "--count", "main..HEAD"]), "1");
    assert_eq!(tree.git(&["status", "--porcelain"]), "");
    let session = &world.json(&["status", "one"])["session"];
    assert_eq!(session["status"], Value::from("idle"));
}

/// Everything can be tried with the scripted agent, with nothing set for it.
#[test]
fn the_scripted_agent_works_as_it_is() {
    let sandbox = Sandbox::new();
    let scenario = sandbox.scenario(&write("demo.txt", "by the demo\n"));
    let sandbox = sandbox
        .with_variable("FAKE_AMP_SCENARIO", scenario)
        .with_variable("FAKE_AMP_PACE_MS", "0");
    let world = World::of(sandbox);
    let made = world.session_with("one", &["--agent", "demo", "--isolation", "sandbox"]);
    for _ in 0..2 {
        world.run(&["iterate", "one"]).ok();
    }
    let tree = world.tree(&made);
    assert_eq!(tree.git(&["show", "HEAD:demo.txt"]), "by the demo");
    let record = world.json(&["guard", "one"])["isolation"]["sandbox"].clone();
    assert_eq!(record["network"], serde_json::json!(["off"]));
    let transcript = world.run(&["transcript", "one"]).ok().stdout;
    assert!(
        !transcript.contains("nobody knows which hosts"),
        "{transcript}"
    );
}

/// Also where no set-up made it.
#[test]
fn the_directory_for_caches_can_be_written() {
    let (world, _) = shell_world("cat > /dev/null; echo kept >> $ORCHESTRA_CACHE_DIR/mine");
    let made = world.session("one");
    for _ in 0..2 {
        world.run(&["iterate", "one"]).ok();
    }
    let folder = world.sandbox.data_dir().join("environments").join(&made.id);
    let kept = std::fs::read_to_string(folder.join("cache/mine")).unwrap();
    assert_eq!(kept, "kept\nkept\n");
}

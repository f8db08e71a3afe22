//! Changes a person left in the worktree before an iteration.

use crate::made::Made;
use crate::world::World;

const EDIT: &str = "
[[step]]
do = 'write'
path = 'agent.txt'
text = 'agent'
[[step]]
do = 'append'
path = 'README.md'
text = 'agent line'
";

fn left_by_a_person() -> (World, Made) {
    let world = World::with_scenario(EDIT);
    let made = world.session("one");
    world.tree(&made).write("human.txt", "human\n");
    world.tree(&made).write("LICENSE", "human licence\n");
    (world, made)
}

#[test]
fn they_are_committed_apart() {
    let (world, made) = left_by_a_person();
    world.run(&["iterate", "one"]).ok();
    let tree = world.tree(&made);
    let subjects = tree.git(&["log", "--format=%s", "main.."]);
    let subjects: Vec<_> = subjects.lines().collect();
    assert_eq!(subjects.len(), 2);
    assert!(subjects[0].starts_with("amp: "), "{subjects:?}");
    assert_eq!(subjects[1], "manual: changes made before iteration 1");
    let files = |commit: &str| tree.git(&["show", "--format=", "--name-only", commit]);
    assert_eq!(files("HEAD^"), "LICENSE\nhuman.txt");
    assert_eq!(files("HEAD"), "README.md\nagent.txt");
    let commits = world.iteration(&made, 1, "commits").unwrap();
    assert_eq!(
        commits,
        format!("[\"{}\"]", tree.head()),
        "the agent's only"
    );
}

#[test]
fn or_they_are_kept_out() {
    let (world, made) = left_by_a_person();
    world
        .orchestra(&["config", "set", "git.human_changes", "keep", "--repo"])
        .ok();
    world
        .run(&["iterate", "one"])
        .ok()
        .says("not committed: LICENSE, human.txt");
    let tree = world.tree(&made);
    assert_eq!(tree.git(&["rev-list", "--count", "main.."]), "1");
    assert_eq!(
        tree.git(&["show", "--format=", "--name-only", "HEAD"]),
        "README.md\nagent.txt"
    );
    assert_eq!(
        tree.git(&["status", "--porcelain"]),
        "?? LICENSE\n?? human.txt"
    );
    assert_eq!(tree.read("human.txt"), "human\n");
}

#[test]
fn a_file_that_both_changed_is_named_in_the_commit() {
    let (world, made) = left_by_a_person();
    let tree = world.tree(&made);
    tree.write("README.md", "a person's words\n");
    world
        .orchestra(&["config", "set", "git.human_changes", "keep", "--repo"])
        .ok();
    world
        .run(&["iterate", "one"])
        .ok()
        .says("your own changes were committed with the agent's: README.md");
    let body = tree.git(&["log", "-1", "--format=%b"]);
    assert!(
        body.contains("also hold changes a person had made before:\n  README.md\n"),
        "{body}"
    );
    assert!(!body.contains("human.txt"), "{body}");
    assert_eq!(
        tree.git(&["status", "--porcelain"]),
        "?? LICENSE\n?? human.txt"
    );
    let message = world.iteration(&made, 1, "message").unwrap();
    assert!(message.contains("README.md"), "{message}");
}

#[test]
fn what_an_uncommitted_iteration_left_is_said_to_be_part_of_the_next_commit() {
    let world = World::with_scenario(EDIT);
    let made = world.session("one");
    world.run(&["iterate", "one", "--no-commit"]).ok();
    let tree = world.tree(&made);
    tree.write("human.txt", "human\n");
    world.run(&["iterate", "one"]).ok();
    assert_eq!(tree.git(&["status", "--porcelain"]), "");
    assert_eq!(tree.git(&["rev-list", "--count", "main.."]), "1");
    let body = tree.git(&["log", "-1", "--format=%b"]);
    assert!(body.contains("whoever changed it"), "{body}");
    world.run(&["iterate", "one"]).ok();
    let body = tree.git(&["log", "-1", "--format=%b"]);
    assert!(!body.contains("whoever changed it"), "{body}");
}

/// Somebody commits what a `--no-commit` iteration left; what changes after that is a person's.
fn assert_apart_after(commit: impl Fn(&World, &Made)) {
    let world = World::with_scenario(EDIT);
    let made = world.session("one");
    let tree = world.tree(&made);
    world.run(&["iterate", "one", "--no-commit"]).ok();
    commit(&world, &made);
    assert_eq!(tree.git(&["status", "--porcelain"]), "");
    tree.write("human.txt", "human\n");
    world.run(&["iterate", "one"]).ok();
    let subject = tree.git(&["log", "-1", "--format=%s", "--", "human.txt"]);
    assert_eq!(subject, "manual: changes made before iteration 2");
    let body = tree.git(&["log", "-1", "--format=%b"]);
    assert!(!body.contains("whoever changed it"), "{body}");
}

#[test]
fn nothing_is_left_over_once_it_was_committed() {
    assert_apart_after(|world, _| {
        world.run(&["commit", "one", "-m", "Keep it"]).ok();
    });
    assert_apart_after(|world, made| {
        world.tree(made).git(&["add", "--all"]);
        world
            .tree(made)
            .git(&["commit", "--quiet", "-m", "By hand"]);
    });
}

#[test]
fn what_a_commit_of_some_files_leaves_is_still_the_agents() {
    let world = World::with_scenario(EDIT);
    let made = world.session("one");
    let tree = world.tree(&made);
    world.run(&["iterate", "one", "--no-commit"]).ok();
    world
        .run(&["commit", "one", "agent.txt", "-m", "A part"])
        .ok();
    assert_eq!(tree.git(&["status", "--porcelain"]), " M README.md");
    world.run(&["iterate", "one"]).ok();
    let subject = |path: &str| tree.git(&["log", "-1", "--format=%s", "--", path]);
    assert!(subject("README.md").starts_with("amp: "));
    let all = tree.git(&["log", "--format=%s", "main.."]);
    assert!(!all.contains("manual:"), "{all}");
    let body = tree.git(&["log", "-1", "--format=%b"]);
    assert!(body.contains("whoever changed it"), "{body}");
}

#[test]
fn a_person_is_told_when_the_agent_commits_everything_itself() {
    let world = World::with_scenario(
        "steps = [{ do = 'git', args = ['add', '--all'] }, \
         { do = 'git', args = ['commit', '--quiet', '-m', 'agent: all of it'] }]",
    );
    let made = world.session("one");
    world.tree(&made).write("human.txt", "human\n");
    world
        .orchestra(&["config", "set", "git.human_changes", "keep", "--repo"])
        .ok();
    world
        .run(&["iterate", "one"])
        .ok()
        .says("your own changes were committed with the agent's: human.txt");
}

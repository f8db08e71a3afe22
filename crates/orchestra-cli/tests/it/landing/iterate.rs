//! `iterate` on a conflicted session: the agent resolves, we go on.

use super::stopped::Stopped;
use crate::world::World;

/// A stopped rebase whose agent does this in each turn.
fn stopped(turns: &[&str]) -> Stopped {
    let turns: Vec<_> = turns
        .iter()
        .map(|steps| format!("[[turn]]\nsteps = [{steps}]\n"))
        .collect();
    let it = Stopped::before(World::with_scenario(&turns.concat()));
    it.run(&["rebase", "one"]).ends_with(7);
    it
}

fn write(path: &str, text: &str) -> String {
    format!("{{ do = 'write', path = '{path}', text = \"{text}\" }}")
}

fn message(it: &Stopped, number: u32) -> String {
    let message = it.world.iteration(&it.made, number, "message");
    message.unwrap_or_default()
}

#[test]
fn conflicts_are_resolved_commit_by_commit() {
    let first = write("a.txt", "one\\nby the agent\\nthree\\n");
    let second = write("b.txt", "by the agent\\n");
    let it = stopped(&[&first, &second]);
    let before = it.state();
    it.run(&["iterate", "one"])
        .ends_with(7)
        .says("has conflicts too: b.txt");
    let told = it.world.threads()[0].to_string();
    assert!(told.contains("rebased onto `main`"), "{told}");
    assert!(told.contains("a.txt (both modified, text)"), "{told}");
    assert_eq!(it.status(), "conflicted");
    let answer = it.world.json(&["conflicts", "one"]);
    assert_eq!(answer["conflicts"][0]["path"], "b.txt");

    it.run(&["iterate", "one"]).ok().says("1 file(s)");
    for number in [1, 2] {
        let files = it.world.iteration(&it.made, number, "files_changed");
        assert_eq!(files.as_deref(), Some("1"), "only what the agent edited");
    }
    assert_eq!(it.status(), "idle");
    assert_eq!(it.subjects(), ["amp: add c", "change b", "amp: change a"]);
    assert_eq!(it.tree.read("a.txt"), "one\nby the agent\nthree\n");
    assert_eq!(it.tree.git(&["status", "--porcelain"]), "");
    assert_eq!(it.world.iteration(&it.made, 2, "off_branch"), None);
    it.world.repository.fsck();

    for _ in 0..4 {
        it.run(&["undo", "one"]).ok();
    }
    assert_eq!(it.state(), before, "before the agent's first turn");
    it.world.wait_until_quiet();
}

#[test]
fn what_the_agent_leaves_stays_in_conflict() {
    let half = write("a.txt", "<<<<<<< main\\none\\n=======\\ntwo\\n>>>>>>> x\\n");
    let it = stopped(&[&half, "{ do = 'message', text = 'I did nothing.' }"]);
    for number in [1, 2] {
        it.run(&["iterate", "one"])
            .ends_with(7)
            .says("conflicts are left: a.txt");
        assert_eq!(message(&it, number), "conflicts are left: a.txt");
        assert_eq!(it.status(), "conflicted");
    }
    it.run(&["wait", "one"]).ends_with(7);
    assert_eq!(it.subjects().len(), 3);
    it.run(&["rebase", "one", "--abort"]).ok();
}

#[test]
fn conflicts_of_a_session_that_landed_before_are_told() {
    let nothing = "[[step]]\ndo = 'message'\ntext = 'I did nothing.'\n";
    let world = World::with_scenario(nothing);
    let made = world.session("one");
    let tree = world.tree(&made);
    tree.write("a.txt", "first\n");
    tree.commit("first");
    world.run(&["approve", "one"]).ok();
    world.run(&["merge", "one"]).ok();
    let status = || world.json(&["status", "one"])["session"]["status"].clone();
    assert_eq!(status(), "completed");
    world.repository.write("a.txt", "main\n");
    world.repository.commit("on main");
    tree.write("a.txt", "second\n");
    tree.commit("second");
    world.run(&["rebase", "one"]).ends_with(7);
    world
        .run(&["iterate", "one"])
        .ends_with(7)
        .says("conflicts are left: a.txt");
    assert_eq!(status(), "conflicted");
    let session = world.json(&["status", "one"])["session"].clone();
    assert!(session["landed_at"].is_string(), "{session}");
    world.run(&["wait", "one"]).ends_with(7);
    world.run(&["rebase", "one", "--abort"]).ok();
    world.wait_until_quiet();
}

#[test]
fn each_turn_on_a_conflict_is_undone_by_itself() {
    let half = write("a.txt", "<<<<<<< main\\none\\n=======\\ntwo\\n>>>>>>> x\\n");
    let aside = write("aside.txt", "notes\\n");
    let it = stopped(&[&half, &aside]);
    let before = it.state();
    it.run(&["iterate", "one"]).ends_with(7);
    let between = it.state();
    it.run(&["iterate", "one"]).ends_with(7);
    let list = it.world.json(&["operations", "one"]);
    let rows = list["operations"].as_array().unwrap();
    let told: Vec<_> = rows[1..].iter().map(|row| &row["summary"]).collect();
    assert_eq!(told, ["files edited by the agent, 1 conflict(s) left"; 2]);
    it.run(&["undo", "one"]).ok();
    assert_eq!(it.state(), between);
    assert!(!it.tree.path("aside.txt").exists());
    it.run(&["undo", "one"]).ok();
    assert_eq!(it.state(), before);
    it.run(&["redo", "one"]).ok();
    assert_eq!(it.state(), between);
}

#[test]
fn what_the_agent_stages_itself_is_taken() {
    let it = stopped(
        &["{ do = 'git', args = ['checkout', '--theirs', 'a.txt'] }, \
                        { do = 'git', args = ['add', 'a.txt'] }"],
    );
    it.run(&["iterate", "one"]).ends_with(7).says("b.txt");
    assert_eq!(it.tree.git(&["show", "HEAD:a.txt"]), "one\nsession\nthree");
}

#[test]
fn a_rebase_that_the_agent_ends_itself_is_noticed() {
    let it = stopped(&["{ do = 'git', args = ['rebase', '--abort'] }"]);
    it.run(&["iterate", "one"])
        .ok()
        .says("the rebase onto main was given up with git");
    assert_eq!(it.status(), "idle");
    assert_eq!(it.subjects().len(), 3);
    it.run(&["undo", "one"]).ok();
    assert_eq!(it.status(), "conflicted");

    let it = stopped(&["{ do = 'git', args = ['rebase', '--skip'] }, \
                        { do = 'git', args = ['rebase', '--skip'] }"]);
    it.run(&["iterate", "one"])
        .ok()
        .says("the rebase onto main was finished with git");
    assert_eq!((it.status(), it.subjects().len()), ("idle".to_owned(), 1));
    it.run(&["undo", "one"]).ok();
    assert_eq!(it.status(), "conflicted");
    assert_eq!(it.subjects().len(), 3);
}

#[test]
fn nothing_is_staged_without_commit() {
    let edit = write("a.txt", "one\\nby the agent\\nthree\\n");
    let it = stopped(&[&edit]);
    it.run(&["iterate", "one", "--no-commit"]).ends_with(7);
    assert!(it.tree.git(&["ls-files", "--unmerged"]).contains("a.txt"));
    it.run(&["resolve", "one", "a.txt", "--edited"]).ok();
}

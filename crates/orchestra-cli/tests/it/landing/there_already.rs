//! Work that the base has under another name, and went on with: its lines do not fit any more, and nothing is lost without it.

use super::work::{base_moves, change, with_commit};
use crate::made::Made;
use crate::world::World;

/// A session with two commits, of which `main` gets some by `take`; then it changes the same lines again.
fn taken(take: &[&[&str]]) -> (World, Made) {
    let world = World::new();
    let made = with_commit(&world, "one", "README.md", "session\n");
    change(&world, &made, "b.txt", "b\n", "Add b");
    for words in take {
        let words: Vec<_> = words
            .iter()
            .map(|word| word.replace("BRANCH", &made.branch))
            .collect();
        let words: Vec<_> = words.iter().map(String::as_str).collect();
        world.repository.git(&words);
    }
    base_moves(&world, "README.md", "later\n");
    (world, made)
}

const PICKED: &[&[&str]] = &[&["cherry-pick", "BRANCH~1"]];
const SQUASHED: &[&[&str]] = &[
    &["merge", "--quiet", "--squash", "BRANCH"],
    &["commit", "--quiet", "-m", "Squashed elsewhere"],
];

fn dropped(answer: &serde_json::Value) -> Vec<&str> {
    let dropped = answer["dropped"].as_array().unwrap().iter();
    dropped
        .map(|one| one["subject"].as_str().unwrap())
        .collect()
}

#[test]
fn a_commit_that_was_picked_elsewhere_is_left_out_and_named() {
    let (world, made) = taken(PICKED);
    let foretold = world.json(&["conflicts", "one"]);
    assert_eq!(foretold["conflicts"], serde_json::json!([]));
    let answer = world.json(&["rebase", "one"]);
    assert_eq!(answer["state"], "finished", "{answer}");
    assert_eq!(dropped(&answer), ["Change README.md"]);
    let tree = world.tree(&made);
    assert_eq!(tree.git(&["log", "--format=%s", "main..HEAD"]), "Add b");
    assert_eq!(tree.read("README.md"), "later\n");
}

#[test]
fn commits_that_became_one_elsewhere_are_left_out_and_named() {
    let (world, made) = taken(SQUASHED);
    change(&world, &made, "c.txt", "c\n", "Add c");
    let answer = world.json(&["rebase", "one"]);
    assert_eq!(answer["state"], "finished", "{answer}");
    assert_eq!(dropped(&answer), ["Change README.md", "Add b"]);
    let tree = world.tree(&made);
    assert_eq!(tree.git(&["log", "--format=%s", "main..HEAD"]), "Add c");
}

#[test]
fn what_does_not_fit_besides_still_stops() {
    let (world, made) = taken(PICKED);
    base_moves(&world, "b.txt", "main\n");
    let answer = world.run(&["rebase", "one", "--json"]).ends_with(7).json();
    assert_eq!(answer["state"], "conflicted", "{answer}");
    assert_eq!(dropped(&answer), ["Change README.md"]);
    world.run(&["resolve", "one", "b.txt", "--theirs"]).ok();
    world.run(&["rebase", "one", "--continue"]).ok();
    assert_eq!(world.tree(&made).read("README.md"), "later\n");
}

#[test]
fn what_the_base_has_is_not_in_anybodys_way() {
    let (world, _made) = taken(SQUASHED);
    with_commit(&world, "two", "two.txt", "two\n");
    let answer = world.orchestra(&["conflicts", "--json"]).ok().json();
    let sessions = answer["sessions"].as_array().unwrap();
    assert_eq!(sessions.len(), 1, "{answer}");
    assert_eq!(answer["pairs"].as_array().unwrap().len(), 1);
}

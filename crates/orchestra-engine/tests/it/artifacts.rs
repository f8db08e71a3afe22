//! Artifacts of sessions, where somebody changes the folder they are collected in.

use std::fs;

use crate::copy_files::Ground;
use crate::copy_files::hostile::{outside, while_swapped};
use crate::world::engine;

const ROUNDS: usize = 25;
/// The link may be in the way in all of the first rounds.
const MOST_ROUNDS: usize = 100 * ROUNDS;

#[test]
fn a_folder_that_becomes_a_link_meanwhile_is_not_left_for_it() {
    let ground = Ground::new();
    let outside = outside(&ground);
    let engine = engine(&ground.sandbox, &[("artifacts.paths", "report-*")]);
    let write = |round: usize| {
        for number in 0..10 {
            let file = ground.worktree.join(format!("report-{number}"));
            fs::write(file, format!("{round}")).unwrap();
        }
    };
    write(0);
    engine.collect_artifacts(&ground.id).unwrap();
    let folder = ground.repository.path("artifacts");
    let (mut rounds, mut collected) = (0, 0);
    while_swapped(&folder, &outside, || {
        while rounds < ROUNDS || (collected == 0 && rounds < MOST_ROUNDS) {
            rounds += 1;
            write(rounds);
            // It is refused whenever the link is seen.
            collected += usize::from(engine.collect_artifacts(&ground.id).is_ok());
        }
    });
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
    assert!(collected > 0, "nothing was collected in {rounds} rounds");
    println!("collections in a place that changed {rounds}, whole {collected}, outside 0");
}

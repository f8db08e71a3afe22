//! Which of twenty sessions get into each other's way: every pair, and each with its base, merged in memory.

use std::fs;

use orchestra_core::Repository;
use orchestra_engine::Engine;

use crate::plan::{MEDIUM, Size};
use crate::sampling::{samples, timed};
use crate::table::{Figure, Measured, Row};
use crate::world::World;
use crate::{Bench, Outcome};

const SESSIONS: usize = 20;
/// Each with its base, and each pair.
const MERGES: usize = SESSIONS + SESSIONS * (SESSIONS - 1) / 2;
/// Sessions that change the same file.
const RIVALS: usize = 5;
const LIMIT_MS: f64 = 1_000.0;

pub(super) fn measure(bench: &Bench) -> Outcome<Vec<Row>> {
    let world = World::generate(bench, "matrix", MEDIUM)?;
    let engine = world.engine()?;
    for number in 0..SESSIONS {
        let created = world.create(&engine)?.1;
        work(&world, &created.view.session.worktree, number)?;
    }
    let repository = engine.known_repository(&world.repository().canonicalize()?)?;
    let repository = repository.ok_or("the repository is not recorded")?;
    bench.ground.settle();
    let mut ours = || ask(&engine, &repository);
    let [ours] = samples(bench.plan.repetitions, [&mut ours])?;
    let Size { letter, files, .. } = MEDIUM;
    let what =
        format!("conflicts of {SESSIONS} sessions, {MERGES} merges ({letter}, {files} files)");
    let ours = Measured::new(Figure::Millis, &ours);
    Ok(vec![Row::limited("matrix", what, &ours, LIMIT_MS)])
}

/// A commit that changes a file of its own, and for some of them one that others change too.
fn work(world: &World, worktree: &std::path::Path, number: usize) -> Outcome<()> {
    let listed = world.git_in(worktree, &["ls-files"])?;
    let paths: Vec<&str> = listed.lines().collect();
    let own = paths[number * 17 + 1];
    let shared = paths[0];
    let rivals = (number < RIVALS).then_some(shared);
    for path in [own].into_iter().chain(rivals) {
        fs::write(worktree.join(path), format!("changed by {number}\n"))?;
    }
    world.git_in(worktree, &["commit", "-q", "-a", "-m", "Work"])?;
    Ok(())
}

/// A figure counts only if every pair was tried and exactly the rivals do not fit.
fn ask(engine: &Engine, repository: &Repository) -> Outcome<f64> {
    let (millis, matrix) = timed(|| Ok(engine.conflict_matrix(repository)?))?;
    let clashes = matrix.cells.iter().filter(|cell| !cell.files.is_empty());
    let found = (matrix.cells.len(), clashes.count());
    match found == (MERGES, RIVALS * (RIVALS - 1) / 2) {
        true => Ok(millis),
        false => Err(format!("{found:?} merges and clashes").into()),
    }
}

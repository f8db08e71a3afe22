//! Cleaning up a session, against `git worktree remove --force` (B9).

use std::fs;
use std::io::ErrorKind;

use orchestra_engine::{Cleanup, Engine};

use crate::plan::{MEDIUM, Size};
use crate::sampling::{samples, timed};
use crate::table::{Figure, Measured, Reference, Row};
use crate::world::World;
use crate::{Bench, Outcome};

/// What a rename has over deleting every file.
const TARGET: f64 = 40.0;

pub(super) fn measure(bench: &Bench) -> Outcome<Vec<Row>> {
    let mut rows = Vec::new();
    for size in &bench.plan.sizes {
        rows.extend(measure_size(bench, *size)?);
    }
    Ok(rows)
}

fn measure_size(bench: &Bench, size: Size) -> Outcome<Vec<Row>> {
    let world = World::generate(bench, "cleanup", size)?;
    let engine = world.engine()?;
    let mut processes = 0;
    let mut ours = || {
        let created = world.create(&engine)?.1;
        bench.ground.settle();
        let before = engine.git()?.spawned();
        let id = &created.view.session.id;
        let (millis, cleaned) = timed(|| Ok(engine.cleanup(id, Cleanup::default())?))?;
        processes = engine.git()?.spawned() - before;
        require_in_trash(&world, &engine, cleaned.entry.as_str())?;
        clear(&world)?;
        Ok(millis)
    };
    let mut bare = || {
        let path = world.make_bare_worktree()?;
        bench.ground.settle();
        let arguments = ["worktree", "remove", "--force", &path];
        let millis = timed(|| world.git(&arguments))?.0;
        clear(&world)?;
        Ok(millis)
    };
    let [ours, bare] = samples(bench.plan.repetitions, [&mut ours, &mut bare])?;
    let what = format!(
        "cleanup of a session ({}, {} files)",
        size.letter, size.files
    );
    let ours = Measured::new(Figure::Millis, &ours);
    let against = Reference::new(
        "`git worktree remove --force`",
        Measured::new(Figure::Millis, &bare),
    );
    if size != MEDIUM {
        return Ok(vec![Row::compared("B9", what, &ours, &against)]);
    }
    Ok(vec![
        Row::faster("B9", what, &ours, &against, TARGET),
        Row::counted("git", "git processes of a cleanup", processes, None),
    ])
}

/// A figure counts only if the worktree is where it belongs.
fn require_in_trash(world: &World, engine: &Engine, entry: &str) -> Outcome<()> {
    let (rows, _) = engine.trash(None)?;
    let is_whole = rows
        .iter()
        .any(|row| row.entry.name.as_str() == entry && row.entry.is_whole());
    match is_whole && world.registered()? == 0 {
        true => Ok(()),
        false => Err(format!("{entry} is not in the trash").into()),
    }
}

fn clear(world: &World) -> Outcome<()> {
    world.clear()?;
    match fs::remove_dir_all(world.repository().join(".git/orchestra/trash")) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

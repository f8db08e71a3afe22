//! Creating one session, against `git worktree add -b` (B3, B5), and the whole command `new`.

use orchestra_engine::Engine;

use crate::plan::{MEDIUM, SMALL, Size};
use crate::product::Product;
use crate::sampling::{Sample, processor_millis, samples, timed};
use crate::table::{Figure, Measured, Reference, Row};
use crate::world::World;
use crate::{Bench, Outcome};

/// What a person waits for `new` on a repository of up to 7,000 files.
const NEW_LIMIT_MS: f64 = 1_000.0;
const OVERHEAD_LIMIT_MS: f64 = 10.0;
/// The checkout, and two besides.
const PROCESSES: u64 = 3;

pub(super) fn measure(bench: &Bench) -> Outcome<Vec<Row>> {
    let mut rows = Vec::new();
    for size in &bench.plan.sizes {
        rows.extend(measure_size(bench, *size)?);
    }
    Ok(rows)
}

/// Wall and processor time of the same rounds.
#[derive(Debug, Default)]
struct Times {
    wall: Sample,
    processor: Sample,
}

fn measure_size(bench: &Bench, size: Size) -> Outcome<Vec<Row>> {
    let world = World::generate(bench, "create", size)?;
    let engine = world.engine()?;
    let (mut ours, mut bare) = (Times::default(), Times::default());
    let round = |processor: &mut Sample, work: &dyn Fn() -> Outcome<f64>| {
        bench.ground.settle();
        let before = processor_millis();
        let millis = work();
        if let Some(used) = processor_millis().zip(before) {
            processor.push(used.0 - used.1);
        }
        world.clear()?;
        millis
    };
    let mut command_processor = Sample::default();
    let mut create = || round(&mut ours.processor, &|| Ok(world.create(&engine)?.0));
    let mut add = || round(&mut bare.processor, &|| world.add_bare_worktree());
    let mut command = || match &bench.product {
        Some(product) => round(&mut command_processor, &|| new(product, &world)),
        None => Ok(f64::NAN),
    };
    let [our_wall, bare_wall, command] = samples(
        bench.plan.repetitions,
        [&mut create, &mut add, &mut command],
    )?;
    (ours.wall, bare.wall) = (our_wall, bare_wall);
    let mut rows = engine_rows(size, &ours, &bare);
    if size == SMALL {
        rows.push(processes_row(&world, &engine)?);
    }
    if bench.product.is_some() {
        rows.push(command_row(size, &command));
    }
    Ok(rows)
}

fn engine_rows(size: Size, ours: &Times, bare: &Times) -> Vec<Row> {
    let name = format!("{}, {} files", size.letter, size.files);
    let millis = |sample| Measured::new(Figure::Millis, sample);
    let against = |sample| Reference::new("`git worktree add -b`", millis(sample));
    let target = if size == MEDIUM { 1.8 } else { 0.95 };
    let wall = millis(&ours.wall);
    let mut rows = vec![Row::faster(
        "B3",
        format!("session ready ({name})"),
        &wall,
        &against(&bare.wall),
        target,
    )];
    if size == SMALL {
        let what = format!("overhead of a create ({name}), beyond bare git");
        let beyond = millis(&ours.wall.minus(&bare.wall));
        rows.push(Row::limited("B5", what, &beyond, OVERHEAD_LIMIT_MS));
        return rows;
    }
    if size == MEDIUM {
        let what = format!("overhead of a create ({name})");
        rows.push(Row::costlier("B5", what, &wall, &against(&bare.wall), 1.10));
    }
    if !ours.processor.median().is_nan() {
        let what = format!("processor time of a create ({name})");
        let processor = millis(&ours.processor);
        rows.push(Row::compared(
            "B5",
            what,
            &processor,
            &against(&bare.processor),
        ));
    }
    rows
}

fn processes_row(world: &World, engine: &Engine) -> Outcome<Row> {
    let git = engine.git()?;
    let before = git.spawned();
    world.create(engine)?;
    let what = "git processes of a create, the checkout included";
    Ok(Row::counted(
        "git",
        what,
        git.spawned() - before,
        Some(PROCESSES),
    ))
}

fn new(product: &Product, world: &World) -> Outcome<f64> {
    let name = world.next_name();
    let arguments = [
        "session",
        "new",
        "--name",
        &name,
        "--prompt",
        "Make it faster",
    ];
    Ok(timed(|| product.run(world, &arguments))?.0)
}

fn command_row(size: Size, sample: &Sample) -> Row {
    let what = format!(
        "`orchestra session new` ({}, {} files)",
        size.letter, size.files
    );
    let millis = Measured::new(Figure::Millis, sample);
    if size.files > MEDIUM.files {
        return Row::sampled("new", what, &millis);
    }
    Row::limited("new", what, &millis, NEW_LIMIT_MS)
}

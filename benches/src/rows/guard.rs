//! An iteration whose agent is done at once, with the guard against without.

use std::time::Instant;

use crate::plan::MEDIUM;
use crate::product::{Product, missing};
use crate::sampling::{Sample, millis_since, samples};
use crate::table::{Figure, Measured, Reference, Row};
use crate::world::World;
use crate::{Bench, Outcome};

const SCENARIO: &str = "[[step]]\ndo = \"append\"\npath = \"journal.txt\"\ntext = \"entry\\n\"\n";
/// Idle sessions beside the one that runs, each with a worktree that the guard looks at too.
const BESIDE: usize = 10;
const NAME: &str = "busy";

pub(super) fn measure(bench: &Bench) -> Outcome<Vec<Row>> {
    let product = bench.product.as_ref().ok_or_else(missing)?;
    let mut world = World::generate(bench, "guard", MEDIUM)?;
    product.prepare_agent(&mut world, SCENARIO)?;
    let new = |name: &str| {
        let words = ["session", "new", "--name", name, "--prompt", "Wait"];
        product.run(&world, &words)
    };
    new(NAME)?;
    let alone = compare(bench, product, &world)?;
    for number in 0..BESIDE {
        new(&format!("idle{number}"))?;
    }
    let crowded = compare(bench, product, &world)?;
    let files = MEDIUM.files;
    let what = format!("an instant iteration with the guard (M, {files} files)");
    let beside = format!("the same beside {BESIDE} idle sessions");
    let millis = |sample| Measured::new(Figure::Millis, sample);
    let against = |sample| Reference::new("the same without", millis(sample));
    Ok(vec![
        Row::costlier("guard", what, &millis(&alone[0]), &against(&alone[1]), 1.1),
        Row::compared("guard", beside, &millis(&crowded[0]), &against(&crowded[1])),
    ])
}

fn compare(bench: &Bench, product: &Product, world: &World) -> Outcome<[Sample; 2]> {
    let mut guarded = || {
        bench.ground.settle();
        iterate(product, world, "guard", "nothing changed outside")
    };
    let mut unguarded = || {
        bench.ground.settle();
        iterate(product, world, "none", "nobody looked")
    };
    samples(bench.plan.repetitions, [&mut guarded, &mut unguarded])
}

/// It counts only if the guard says what it should.
fn iterate(product: &Product, world: &World, isolation: &str, says: &str) -> Outcome<f64> {
    let mut command = product.command(world, &["session", "iterate", NAME]);
    command.env("ORCHESTRA_SECURITY_ISOLATION", isolation);
    let start = Instant::now();
    let output = command.output()?;
    let taken = millis_since(start);
    let report = product.run(world, &["session", "guard", NAME])?;
    match output.status.success() && report.contains(says) {
        true => Ok(taken),
        false => Err(format!("the guard says: {report}").into()),
    }
}

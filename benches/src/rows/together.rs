//! Eight iterations at once, against one alone. Their agents mostly wait, as agents do, so that what is left is what Orchestra
//! makes them wait for each other.

use std::thread;
use std::time::Instant;

use crate::plan::SMALL;
use crate::product::{Product, missing};
use crate::sampling::{Sample, millis_since, samples};
use crate::table::{Figure, Measured, Reference, Row};
use crate::world::World;
use crate::{Bench, Outcome};

const SESSIONS: usize = 8;
const SCENARIO: &str = "[[step]]\ndo = \"message\"\ntext = \"Looking around.\"\n\n\
                        [[step]]\ndo = \"sleep\"\nmilliseconds = 3000\n\n\
                        [[step]]\ndo = \"append\"\npath = \"journal.txt\"\ntext = \"entry\\n\"\n";

pub(super) fn measure(bench: &Bench) -> Outcome<Vec<Row>> {
    let product = bench.product.as_ref().ok_or_else(missing)?;
    let mut world = World::generate(bench, "together", SMALL)?;
    product.prepare_agent(&mut world, SCENARIO)?;
    let names: Vec<String> = (0..SESSIONS).map(|number| format!("s{number}")).collect();
    for name in &names {
        product.run(
            &world,
            &["session", "new", "--name", name, "--prompt", "Wait"],
        )?;
    }
    let mut together = || {
        bench.ground.settle();
        iterate_together(product, &world, &names)
    };
    let mut alone = || {
        bench.ground.settle();
        iterate(product, &world, &names[0])
    };
    let samples = samples(bench.plan.repetitions, [&mut together, &mut alone])?;
    Ok(vec![row(&samples)])
}

fn row([together, alone]: &[Sample; 2]) -> Row {
    let millis = |sample| Measured::new(Figure::Millis, sample);
    let against = Reference::new("one alone", millis(alone));
    let what = format!("each of {SESSIONS} iterations at once (S), agents that mostly wait");
    Row::costlier("at once", what, &millis(together), &against, 1.1)
}

/// What one of them takes on average.
fn iterate_together(product: &Product, world: &World, names: &[String]) -> Outcome<f64> {
    let taken: Vec<Outcome<f64>> = thread::scope(|scope| {
        let started: Vec<_> = names
            .iter()
            .map(|name| scope.spawn(|| iterate(product, world, name)))
            .collect();
        let ended = started.into_iter().map(|started| started.join());
        ended
            .map(|ended| ended.unwrap_or_else(|_| Err("an iteration panicked".into())))
            .collect()
    });
    let taken = taken.into_iter().collect::<Outcome<Vec<f64>>>()?;
    Ok(taken.iter().sum::<f64>() / names.len() as f64)
}

fn iterate(product: &Product, world: &World, name: &str) -> Outcome<f64> {
    let start = Instant::now();
    product.run(world, &["session", "iterate", name])?;
    Ok(millis_since(start))
}

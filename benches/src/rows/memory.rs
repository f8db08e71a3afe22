//! What runner and guardian take while the agent works.

mod processes;

use std::time::{Duration, Instant};

use crate::plan::SMALL;
use crate::product::{Product, missing};
use crate::sampling::Sample;
use crate::table::{Figure, Measured, Row};
use crate::world::World;
use crate::{Bench, Outcome};
use processes::Memory;
pub(super) use processes::field;

/// The agent says something, then works long enough to be looked at.
const SCENARIO: &str = "[[step]]\ndo = \"message\"\ntext = \"Looking around.\"\n\n\
                        [[step]]\ndo = \"sleep\"\nmilliseconds = 600000\n";
const SESSION: &str = "waiting";
const LIMIT_MB: f64 = 20.0;
const PATIENCE: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(100);

pub(super) fn measure(bench: &Bench) -> Outcome<Vec<Row>> {
    let product = bench.product.as_ref().ok_or_else(missing)?;
    let mut world = World::generate(bench, "memory", SMALL)?;
    product.prepare_agent(&mut world, SCENARIO)?;
    product.run(
        &world,
        &["session", "new", "--name", SESSION, "--prompt", "Wait"],
    )?;
    product.run(&world, &["session", "iterate", SESSION, "--detach"])?;
    let found = observe(bench, product, &world);
    product.run(&world, &["session", "stop", SESSION])?;
    product.run(&world, &["session", "wait", SESSION]).ok();
    Ok(rows(&found?))
}

/// Looks at the processes once the agent has spoken.
fn observe(bench: &Bench, product: &Product, world: &World) -> Outcome<Vec<Memory>> {
    let deadline = Instant::now() + PATIENCE;
    while !product
        .run(world, &["session", "transcript", SESSION])?
        .contains("Looking around")
    {
        if Instant::now() > deadline {
            return Err("the agent said nothing".into());
        }
        std::thread::sleep(PAUSE);
    }
    (0..bench.plan.repetitions)
        .map(|_| {
            std::thread::sleep(PAUSE);
            Memory::of(product, world)
        })
        .collect()
}

fn rows(memories: &[Memory]) -> Vec<Row> {
    let megabytes = |part: fn(&Memory) -> f64| {
        let mut sample = Sample::default();
        memories.iter().for_each(|memory| sample.push(part(memory)));
        Measured::new(Figure::Megabytes, &sample)
    };
    let resident = megabytes(|memory| memory.resident);
    let own = megabytes(|memory| memory.proportional);
    let what = "runner and guardian while the agent works";
    vec![
        Row::limited("memory", format!("{what}, resident"), &resident, LIMIT_MB),
        Row::sampled("memory", format!("{what}, shared pages in parts"), &own),
    ]
}

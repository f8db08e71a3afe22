//! Sixty-four sessions created at once in one repository, each by an engine of its own, against one after the other (B7).

use std::sync::Barrier;
use std::thread;
use std::time::Instant;

use orchestra_engine::Engine;

use crate::plan::SMALL;
use crate::sampling::{Sample, millis_since, samples};
use crate::table::{Figure, Measured, Reference, Row};
use crate::world::World;
use crate::{Bench, Outcome};

const SESSIONS: usize = 64;

#[derive(Debug, Default)]
struct Tally {
    failures: u64,
    /// Branches and registrations without a session.
    left_over: u64,
}

pub(super) fn measure(bench: &Bench) -> Outcome<Vec<Row>> {
    let world = World::generate(bench, "concurrent", SMALL)?;
    let engine = world.engine()?;
    let mut tally = Tally::default();
    let mut serial = || {
        bench.ground.settle();
        let start = Instant::now();
        for _ in 0..SESSIONS {
            world.create(&engine)?;
        }
        let millis = millis_since(start);
        world.clear()?;
        Ok(millis)
    };
    let mut together = || {
        bench.ground.settle();
        let (millis, failures) = create_together(&world)?;
        tally.note(&world, failures)?;
        world.clear()?;
        Ok(millis)
    };
    let samples = samples(bench.plan.repetitions, [&mut together, &mut serial])?;
    Ok(rows(&samples, &tally))
}

fn rows([together, serial]: &[Sample; 2], tally: &Tally) -> Vec<Row> {
    let millis = |sample| Measured::new(Figure::Millis, sample);
    let against = Reference::new("one after the other", millis(serial));
    let what = format!("{SESSIONS} sessions created at once (S)");
    let left_over = "of these, branches and worktrees left over";
    vec![
        Row::faster("B7", what, &millis(together), &against, 1.7),
        Row::counted("B7", "of these, failures", tally.failures, Some(0)),
        Row::counted("B7", left_over, tally.left_over, Some(0)),
    ]
}

impl Tally {
    fn note(&mut self, world: &World, failures: usize) -> Outcome<()> {
        let made = SESSIONS - failures;
        let extra = world.branches()?.len().abs_diff(made) + world.registered()?.abs_diff(made);
        self.failures += u64::try_from(failures)?;
        self.left_over += u64::try_from(extra)?;
        Ok(())
    }
}

/// Answers the milliseconds from the first start to the last end, and how many failed.
fn create_together(world: &World) -> Outcome<(f64, usize)> {
    let engines = (0..SESSIONS)
        .map(|_| world.engine())
        .collect::<Outcome<Vec<Engine>>>()?;
    let barrier = Barrier::new(SESSIONS + 1);
    thread::scope(|scope| {
        let threads: Vec<_> = engines
            .iter()
            .map(|engine| {
                let barrier = &barrier;
                scope.spawn(move || {
                    barrier.wait();
                    world.create(engine).map_err(|error| error.to_string())
                })
            })
            .collect();
        barrier.wait();
        let start = Instant::now();
        let mut failures = 0;
        for thread in threads {
            match thread.join() {
                Ok(Ok(_)) => {}
                Ok(Err(error)) => {
                    eprintln!("a create failed: {error}");
                    failures += 1;
                }
                Err(_) => return Err("a thread ended badly".into()),
            }
        }
        Ok((millis_since(start), failures))
    })
}

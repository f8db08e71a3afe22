//! Dependencies that a new worktree shares with the main checkout, against a plain copy of them: time until all of it is on
//! the disk, and space.

mod disk;

use std::path::{Path, PathBuf};
use std::process::Command;

use orchestra_core::SessionId;
use orchestra_engine::Engine;
use orchestra_testkit::{Packages, make_packages};

use self::disk::Disk;
use crate::plan::SMALL;
use crate::sampling::{Sample, samples, timed};
use crate::table::{Figure, Measured, Reference, Row};
use crate::world::World;
use crate::{Bench, Outcome};

/// The part of a plain copy that it may cost.
const TARGET: f64 = 0.05;
const SETTINGS: &[(&str, &str)] = &[("worktree.reuse", "node_modules")];

pub(super) fn measure(bench: &Bench) -> Outcome<Vec<Row>> {
    let mut rows = Vec::new();
    for kind in ["xfs", "btrfs"] {
        match Disk::mount(bench.ground.beside(), kind) {
            Some(disk) => rows.extend(measure_on(bench, &disk)?),
            None => eprintln!("not measured: no {kind} can be made and mounted here"),
        }
    }
    match rows.is_empty() {
        true => Err("there is no file system here on which files can share data".into()),
        false => Ok(rows),
    }
}

fn measure_on(bench: &Bench, disk: &Disk) -> Outcome<Vec<Row>> {
    let world = World::generate_at(bench, disk.root().join("world"), SMALL)?;
    let exclude = world.repository().join(".git/info/exclude");
    std::fs::write(exclude, "node_modules\n.worktrees\n")?;
    let original = world.repository().join("node_modules");
    let Packages { files, bytes } = make_packages(&original, bench.plan.dependency_bytes)?;
    let session = world.create(&world.engine()?)?.1.view.session;
    let place = Place {
        disk,
        plain: disk.root().join("plain"),
        reused: session.worktree.join("node_modules"),
        engine: world.engine_with(SETTINGS)?,
        session: session.id,
        original,
        files,
    };
    disk.settle();
    let (mut our_space, mut plain_space) = (Vec::new(), Vec::new());
    let mut ours = || place.cost(&place.reused, &mut our_space, || place.reuse());
    let mut plain = || place.cost(&place.plain, &mut plain_space, || place.copy());
    let [our_time, plain_time] = samples(bench.plan.repetitions, [&mut ours, &mut plain])?;
    let kind = disk.name();
    let megabytes = bytes / 1_000_000;
    let what = format!("{files} files, {megabytes} MB of dependencies, {kind}");
    let row = |figure: &str, unit: fn(f64) -> Figure, ours: &Sample, plain: &Sample| {
        let against = Reference::new("`cp -a`", Measured::new(unit, plain));
        let ours = Measured::new(unit, ours);
        Row::costlier(
            "reuse",
            format!("{figure} of {what}"),
            &ours,
            &against,
            TARGET,
        )
    };
    Ok(vec![
        row(
            "space",
            Figure::Megabytes,
            &sample(&our_space),
            &sample(&plain_space),
        ),
        row("time", Figure::Millis, &our_time, &plain_time),
    ])
}

/// What is copied, and where to.
struct Place<'a> {
    disk: &'a Disk,
    original: PathBuf,
    plain: PathBuf,
    reused: PathBuf,
    engine: Engine,
    session: SessionId,
    files: usize,
}

impl Place<'_> {
    /// Milliseconds until everything is on the disk; the space comes on top of the others. What was made is removed.
    fn cost(
        &self,
        made: &Path,
        space: &mut Vec<f64>,
        work: impl FnOnce() -> Outcome<()>,
    ) -> Outcome<f64> {
        let before = self.disk.used()?;
        let (millis, ()) = timed(|| {
            work()?;
            self.disk.settle();
            Ok(())
        })?;
        let taken = self.disk.used()?.saturating_sub(before);
        space.push(taken as f64 / 1e6);
        std::fs::remove_dir_all(made)?;
        self.disk.settle();
        Ok(millis)
    }

    fn reuse(&self) -> Outcome<()> {
        let lines = self.engine.copy_into_worktree(&self.session)?;
        let expected = format!(
            "reused node_modules: {} file(s) that share their data",
            self.files
        );
        match lines.as_slice() {
            [line] if line.text == expected => Ok(()),
            lines => Err(format!("something else was done: {lines:?}").into()),
        }
    }

    fn copy(&self) -> Outcome<()> {
        let mut command = Command::new("cp");
        command.args(["-a", "--reflink=never"]);
        let status = command.arg(&self.original).arg(&self.plain).status()?;
        match status.success() {
            true => Ok(()),
            false => Err("cp failed".into()),
        }
    }
}

/// Without the first round, which is practice.
fn sample(figures: &[f64]) -> Sample {
    let mut sample = Sample::default();
    for figure in figures.iter().skip(1) {
        sample.push(*figure);
    }
    sample
}

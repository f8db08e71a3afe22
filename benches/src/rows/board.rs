//! Refreshing a board of a hundred sessions, against asking git three times per session (B11).

use std::path::PathBuf;
use std::time::Duration;

use orchestra_engine::{Engine, ListRequest, SessionView};

use crate::plan::{LARGE, SMALL, Size};
use crate::sampling::{Sample, samples, timed};
use crate::table::{Figure, Measured, Reference, Row};
use crate::world::World;
use crate::{Bench, Outcome};

const SESSIONS: usize = 100;
/// git looks at the content of files that are younger than their index.
const AGE: Duration = Duration::from_millis(1_100);
const LONG: Duration = Duration::from_secs(600);

pub(super) fn measure(bench: &Bench) -> Outcome<Vec<Row>> {
    let mut rows = Vec::new();
    for size in bench.plan.sizes.iter().filter(|size| **size != LARGE) {
        rows.extend(measure_size(bench, *size)?);
    }
    Ok(rows)
}

fn measure_size(bench: &Bench, size: Size) -> Outcome<Vec<Row>> {
    let world = World::generate(bench, "board", size)?;
    let engine = world.engine()?;
    let worktrees = occupy(&world, &engine)?;
    bench.ground.settle();
    let mut heads = || refresh(&engine, Ask::Heads);
    let mut all = || refresh(&engine, Ask::Everything);
    let mut bare_heads = || ask_bare(&world, &worktrees, Ask::Heads);
    let mut bare_all = || ask_bare(&world, &worktrees, Ask::Everything);
    let board = samples(
        bench.plan.repetitions,
        [&mut heads, &mut bare_heads, &mut all, &mut bare_all],
    )?;
    let mut rows = rows(size, &board);
    if size == SMALL {
        rows.push(processes_row(&engine)?);
    }
    Ok(rows)
}

fn rows(size: Size, [heads, bare_heads, all, bare_all]: &[Sample; 4]) -> Vec<Row> {
    let board = format!("board of {SESSIONS} sessions ({})", size.letter);
    let millis = |sample| Measured::new(Figure::Millis, sample);
    let against = |count: u32, sample| {
        Reference::new(format!("{count} git processes per session"), millis(sample))
    };
    let (refs, bare_refs) = (millis(heads), against(2, bare_heads));
    let (whole, bare_whole) = (millis(all), against(3, bare_all));
    let what = |part: &str| format!("{board}: {part}");
    vec![
        Row::faster("B11", what("heads and distances"), &refs, &bare_refs, 20.0),
        Row::faster(
            "B11",
            what("and uncommitted changes"),
            &whole,
            &bare_whole,
            3.0,
        ),
    ]
}

fn processes_row(engine: &Engine) -> Outcome<Row> {
    let before = engine.git()?.spawned();
    refresh(engine, Ask::Everything)?;
    let count = engine.git()?.spawned() - before;
    let what = format!("git processes of a refresh of {SESSIONS} sessions, every fourth changed");
    Ok(Row::counted("B11", what, count, None))
}

/// A hundred sessions: every second one has a commit, every fourth one uncommitted changes, and the base went on.
fn occupy(world: &World, engine: &Engine) -> Outcome<Vec<PathBuf>> {
    let mut worktrees = Vec::new();
    for number in 0..SESSIONS {
        let worktree = world.create(engine)?.1.view.session.worktree;
        if number % 2 == 0 {
            world.git_in(&worktree, &["commit", "-q", "--allow-empty", "-m", "Work"])?;
        }
        if number % 4 == 0 {
            std::fs::write(worktree.join("new file"), "new\n")?;
        }
        worktrees.push(worktree);
    }
    world.git(&["commit", "-q", "--allow-empty", "-m", "The base goes on"])?;
    std::thread::sleep(AGE);
    for worktree in &worktrees {
        world.git_in(worktree, &["update-index", "-q", "--refresh"])?;
    }
    Ok(worktrees)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ask {
    Heads,
    Everything,
}

fn refresh(engine: &Engine, ask: Ask) -> Outcome<f64> {
    let (millis, sessions) = timed(|| {
        let mut sessions = engine.list_sessions(&ListRequest::default())?.sessions;
        engine.refresh_heads(&mut sessions)?;
        if ask == Ask::Everything {
            engine.refresh_dirty(&mut sessions, LONG)?;
        }
        Ok(sessions)
    })?;
    require_answers(&sessions, ask)?;
    Ok(millis)
}

/// A fast answer that is wrong does not count.
fn require_answers(sessions: &[SessionView], ask: Ask) -> Outcome<()> {
    let facts: Vec<_> = sessions
        .iter()
        .filter_map(|view| view.git.as_ref())
        .collect();
    let ahead = facts.iter().filter(|facts| facts.ahead == Some(1)).count();
    let behind = facts.iter().filter(|facts| facts.behind == Some(1)).count();
    let dirty = facts
        .iter()
        .filter(|facts| facts.dirty == Some(true))
        .count();
    let right = ahead == SESSIONS / 2 && behind == SESSIONS;
    if right && (ask == Ask::Heads || dirty == SESSIONS / 4) {
        return Ok(());
    }
    Err(format!("wrong answers: {ahead} ahead, {behind} behind, {dirty} with changes").into())
}

fn ask_bare(world: &World, worktrees: &[PathBuf], ask: Ask) -> Outcome<f64> {
    let (millis, ()) = timed(|| {
        for worktree in worktrees {
            world.git_in(worktree, &["rev-parse", "HEAD"])?;
            world.git_in(
                worktree,
                &["rev-list", "--left-right", "--count", "HEAD...main"],
            )?;
            if ask == Ask::Everything {
                world.git_in(worktree, &["status", "--porcelain=v2"])?;
            }
        }
        Ok(())
    })?;
    Ok(millis)
}

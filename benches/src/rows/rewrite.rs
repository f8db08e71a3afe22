//! Squashing and rebasing a session, against what a person would type (B12).

use std::fs;

use orchestra_core::{RebaseState, Session, SessionId};
use orchestra_engine::{Engine, SquashOrder};

use crate::plan::{MEDIUM, Size};
use crate::sampling::{samples, timed};
use crate::table::{Figure, Measured, Reference, Row};
use crate::world::World;
use crate::{Bench, Outcome};

/// Commits of a session.
const COMMITS: usize = 5;
const SQUASH: f64 = 4.0;
const REBASE: f64 = 8.0;
/// Where the base was when the session began.
const BEFORE: &str = "main~3";

pub(super) fn measure(bench: &Bench) -> Outcome<Vec<Row>> {
    let world = World::generate(bench, "rewrite", MEDIUM)?;
    let engine = world.engine()?;
    let session = world.create(&engine)?.1.view.session;
    let (branch, worktree) = (session.branch.as_str(), session.worktree.clone());
    let git = |arguments: &[&str]| world.git_in(&worktree, arguments);
    let start = || prepare(bench, &world, &session);
    start()?;
    let head = git(&["rev-parse", branch])?;
    let again = || -> Outcome<()> {
        git(&["reset", "-q", "--hard", &head])?;
        bench.ground.settle();
        Ok(())
    };
    let mut squash = || {
        again()?;
        Ok(timed(|| squashed(&engine, &session.id))?.0)
    };
    let mut soft_reset = || {
        again()?;
        Ok(timed(|| {
            git(&["reset", "-q", "--soft", BEFORE])?;
            git(&["commit", "-q", "-m", "Squashed"])
        })?
        .0)
    };
    let mut rebase = || {
        again()?;
        Ok(timed(|| rebased(&engine, &session.id))?.0)
    };
    let mut bare_rebase = || {
        again()?;
        Ok(timed(|| git(&["rebase", "-q", "main"]))?.0)
    };
    let [squash, soft_reset, rebase, bare_rebase] = samples(
        bench.plan.repetitions,
        [&mut squash, &mut soft_reset, &mut rebase, &mut bare_rebase],
    )?;
    let millis = |sample| Measured::new(Figure::Millis, sample);
    let Size { letter, files, .. } = MEDIUM;
    let named = |what: &str| format!("{what} of {COMMITS} commits ({letter}, {files} files)");
    let soft_reset = Reference::new("`git reset --soft` and `git commit`", millis(&soft_reset));
    let bare_rebase = Reference::new("`git rebase`", millis(&bare_rebase));
    Ok(vec![
        Row::faster(
            "B12",
            named("squash"),
            &millis(&squash),
            &soft_reset,
            SQUASH,
        ),
        Row::faster(
            "B12",
            named("clean rebase"),
            &millis(&rebase),
            &bare_rebase,
            REBASE,
        ),
    ])
}

/// Commits on an older base, each of which changes a file of its own.
fn prepare(bench: &Bench, world: &World, session: &Session) -> Outcome<()> {
    let git = |arguments: &[&str]| world.git_in(&session.worktree, arguments);
    git(&["reset", "-q", "--hard", BEFORE])?;
    let listed = git(&["ls-files"])?;
    for (number, path) in listed.lines().step_by(97).take(COMMITS).enumerate() {
        fs::write(session.worktree.join(path), format!("changed {number}\n"))?;
        let message = format!("Change {number}");
        git(&["commit", "-q", "-a", "-m", &message])?;
    }
    bench.ground.settle();
    Ok(())
}

fn squashed(engine: &Engine, id: &SessionId) -> Outcome<()> {
    let order = SquashOrder {
        message: "Squashed".to_owned(),
        keep_manual: false,
    };
    match engine.squash(id, &order)?.made.len() {
        1 => Ok(()),
        count => Err(format!("{count} commits were made").into()),
    }
}

fn rebased(engine: &Engine, id: &SessionId) -> Outcome<()> {
    match engine.rebase(id, None)?.state {
        RebaseState::Finished => Ok(()),
        state => Err(format!("the rebase is {state:?}").into()),
    }
}

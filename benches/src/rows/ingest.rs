//! Sixteen agents talk at once: items written in groups, against one by one (B13).

use std::path::Path;
use std::thread;
use std::time::Instant;

use orchestra_core::SessionId;
use orchestra_store::{NewItem, Store};

use super::transcript::{add_sessions, items, open, write_group};
use crate::content::Writer;
use crate::sampling::samples;
use crate::table::{Figure, Measured, Reference, Row};
use crate::{Bench, Outcome};

const AGENTS: usize = 16;
/// The most a runner gathers before it writes.
const GROUP: usize = 256;
const GROUPS_PER_AGENT: usize = 8;
const SINGLES_PER_AGENT: usize = 128;

pub(super) fn measure(bench: &Bench) -> Outcome<Vec<Row>> {
    let items = items(&mut Writer::seeded(13), GROUP);
    let group: &[NewItem] = &items;
    let mut grouped = || rows_per_second(bench, &[group; GROUPS_PER_AGENT]);
    let singles: Vec<&[NewItem]> = items.chunks(1).take(SINGLES_PER_AGENT).collect();
    let mut one_by_one = || rows_per_second(bench, &singles);
    let [grouped, one_by_one] = samples(bench.plan.repetitions, [&mut grouped, &mut one_by_one])?;
    let rate = |sample| Measured::new(Figure::PerSecond, sample);
    let against = Reference::new("one item per transaction", rate(&one_by_one));
    let what = format!("transcript items of 1 kB from {AGENTS} agents, in groups of {GROUP}");
    Ok(vec![Row::faster(
        "B13",
        what,
        &rate(&grouped),
        &against,
        3.0,
    )])
}

/// Every agent writes the same groups, each through a connection of its own.
fn rows_per_second(bench: &Bench, groups: &[&[NewItem]]) -> Outcome<f64> {
    let directory = tempfile::tempdir_in(bench.ground.root())?;
    let path = directory.path().join("ingest.db");
    let sessions = add_sessions(&open(&path)?, u64::try_from(AGENTS)?)?;
    let stores = sessions
        .iter()
        .map(|_| open(&path))
        .collect::<Outcome<Vec<Store>>>()?;
    bench.ground.settle();
    let start = Instant::now();
    write_all(&stores, &sessions, groups)?;
    let seconds = start.elapsed().as_secs_f64();
    let rows = AGENTS * groups.iter().map(|group| group.len()).sum::<usize>();
    require_rows(&path, &sessions, rows)?;
    Ok(f64::from(u32::try_from(rows)?) / seconds)
}

fn write_all(stores: &[Store], sessions: &[SessionId], groups: &[&[NewItem]]) -> Outcome<()> {
    thread::scope(|scope| {
        let agents: Vec<_> = stores
            .iter()
            .zip(sessions)
            .map(|(store, session)| {
                scope.spawn(move || {
                    groups
                        .iter()
                        .try_for_each(|group| write_group(store, session, group))
                })
            })
            .collect();
        for agent in agents {
            agent.join().map_err(|_| "a thread ended badly")??;
        }
        Ok(())
    })
}

/// A figure counts only if everything arrived.
fn require_rows(path: &Path, sessions: &[SessionId], wanted: usize) -> Outcome<()> {
    let store = open(path)?;
    let mut found = 0;
    for session in sessions {
        found += store.read(|tx| tx.last_position(session))?;
    }
    if found == u64::try_from(wanted)? {
        return Ok(());
    }
    Err(format!("{found} of {wanted} items arrived").into())
}

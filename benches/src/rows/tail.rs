//! The last thousand items of a session in a large store, against the same rows through one plain SELECT (B14).

use orchestra_core::{AgentEvent, SessionId};
use orchestra_store::{Store, StoreError};
use rusqlite::{Connection, params};

use super::transcript::{add_sessions, items, open, write_group};
use crate::chance::Chance;
use crate::content::Writer;
use crate::sampling::{Sample, samples, timed};
use crate::table::{Figure, Measured, Reference, Row};
use crate::{Bench, Outcome};

const SESSIONS: u64 = 50;
const GROUP: usize = 250;
const WANTED: u32 = 1_000;
/// One read is too short to time well.
const READS: u32 = 20;

pub(super) fn measure(bench: &Bench) -> Outcome<Vec<Row>> {
    let directory = tempfile::tempdir_in(bench.ground.root())?;
    let path = directory.path().join("tail.db");
    let store = open(&path)?;
    let sessions = add_sessions(&store, SESSIONS)?;
    fill(&store, &sessions, bench.plan.transcript_rows)?;
    bench.ground.settle();
    let connection = Connection::open(&path)?;
    let mut ours = || per_read(&sessions, |session| read(&store, session));
    let mut plain = || per_read(&sessions, |session| Ok(select(&connection, session)?.len()));
    let mut decoded = || per_read(&sessions, |session| decode(&select(&connection, session)?));
    let reads = samples(
        bench.plan.repetitions,
        [&mut ours, &mut plain, &mut decoded],
    )?;
    Ok(rows(bench.plan.transcript_rows, &reads))
}

fn rows(among: usize, [ours, plain, decoded]: &[Sample; 3]) -> Vec<Row> {
    let what = format!("last {WANTED} transcript items among {among} rows");
    let millis = |sample| Measured::new(Figure::Millis, sample);
    let raw = Reference::new("one indexed SELECT of the raw rows", millis(plain));
    let typed = Reference::new("the same, decoded by serde_json", millis(decoded));
    let ours = millis(ours);
    vec![
        Row::costlier("B14", what.clone(), &ours, &raw, 1.5),
        Row::compared("B14", what, &ours, &typed),
    ]
}

/// Sessions take turns, so that the rows of each are scattered over the file as in real life.
fn fill(store: &Store, sessions: &[SessionId], rows: usize) -> Outcome<()> {
    let items = items(&mut Writer::seeded(14), GROUP);
    for session in sessions.iter().cycle().take(rows / GROUP) {
        write_group(store, session, &items)?;
    }
    Ok(())
}

/// The milliseconds of one read, each of a session chosen by chance.
fn per_read(sessions: &[SessionId], read: impl Fn(&SessionId) -> Outcome<usize>) -> Outcome<f64> {
    let mut chance = Chance::fresh()?;
    let (millis, ()) = timed(|| {
        for _ in 0..READS {
            let found = read(&sessions[chance.below(sessions.len())])?;
            if found != usize::try_from(WANTED)? {
                return Err(format!("{found} items instead of {WANTED}").into());
            }
        }
        Ok(())
    })?;
    Ok(millis / f64::from(READS))
}

fn read(store: &Store, session: &SessionId) -> Outcome<usize> {
    let items = store.read(|tx| {
        let last = tx.last_position(session)?;
        tx.transcript_after(session, last - u64::from(WANTED), WANTED)
    });
    Ok(items.map_err(|error: StoreError| error)?.len())
}

/// A row as SQLite has it.
struct RawRow {
    event: String,
    _numbers: [i64; 3],
}

fn select(connection: &Connection, session: &SessionId) -> Outcome<Vec<RawRow>> {
    let mut statement = connection.prepare_cached(
        "SELECT position, iteration, at, event FROM transcript WHERE session = ?1 ORDER BY position DESC LIMIT ?2",
    )?;
    let rows = statement.query_map(params![session.as_str(), WANTED], |row| {
        Ok(RawRow {
            event: row.get(3)?,
            _numbers: [row.get(0)?, row.get(1)?, row.get(2)?],
        })
    })?;
    Ok(rows.collect::<Result<Vec<_>, _>>()?)
}

fn decode(rows: &[RawRow]) -> Outcome<usize> {
    let events = rows
        .iter()
        .map(|row| serde_json::from_str::<AgentEvent>(&row.event))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(events.len())
}

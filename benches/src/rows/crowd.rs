//! One repository with more and more sessions: git processes per command, creating (B8), listing.

mod counter;

use std::io::Read;
use std::process::Stdio;
use std::time::{Duration, Instant};

use orchestra_engine::{Created, DiffWhat, Engine, ListRequest};

use crate::plan::SMALL;
use crate::product::Product;
use crate::sampling::{millis_since, samples};
use crate::table::{Figure, Measured, Reference, Row};
use crate::world::World;
use crate::{Bench, Outcome};
use counter::Counter;

const FIRST_LINE_LIMIT_MS: f64 = 60.0;
const CHANGED: usize = 20;
/// Files that were changed just now may change again without another time, so nothing is remembered of them.
const SETTLED: Duration = Duration::from_secs(4);
const LOOKS: usize = 5;
const MOST_LATER: u64 = 10;

pub(super) fn measure(bench: &Bench) -> Outcome<Vec<Row>> {
    let mut crowd = Crowd::new(bench)?;
    for sessions in bench.plan.crowds {
        crowd.grow_to(sessions)?;
        crowd.count(sessions)?;
    }
    let mut rows = crowd.count_rows();
    rows.push(crowd.create_row()?);
    if let Some(product) = &bench.product {
        rows.extend(crowd.changed_rows(product)?);
        crowd.grow_to(bench.plan.listed)?;
        rows.extend(crowd.list_rows(product)?);
    }
    Ok(rows)
}

struct Crowd<'a> {
    bench: &'a Bench,
    world: World,
    engine: Engine,
    sessions: Vec<Created>,
    counts: Vec<Command>,
}

/// A command, and how many git processes it took at each number of sessions.
struct Command {
    name: String,
    counts: Vec<(usize, u64)>,
}

impl<'a> Crowd<'a> {
    fn new(bench: &'a Bench) -> Outcome<Self> {
        let world = World::generate(bench, "crowd", SMALL)?;
        let engine = world.engine()?;
        Ok(Self {
            bench,
            world,
            engine,
            sessions: Vec::new(),
            counts: Vec::new(),
        })
    }

    fn grow_to(&mut self, count: usize) -> Outcome<()> {
        while self.sessions.len() < count {
            self.sessions.push(self.world.create(&self.engine)?.1);
        }
        Ok(())
    }

    fn count(&mut self, sessions: usize) -> Outcome<()> {
        let spawned = self.count_in_engine()?;
        for (name, count) in spawned {
            self.note(&format!("{name}, engine"), sessions, count);
        }
        if let Some(product) = &self.bench.product {
            for (name, count) in self.count_commands(product)? {
                self.note(&name, sessions, count);
            }
        }
        Ok(())
    }

    fn note(&mut self, name: &str, sessions: usize, count: u64) {
        match self.counts.iter_mut().find(|command| command.name == name) {
            Some(command) => command.counts.push((sessions, count)),
            None => self.counts.push(Command {
                name: name.to_owned(),
                counts: vec![(sessions, count)],
            }),
        }
    }

    /// What each use case starts, by the engine's own count.
    fn count_in_engine(&self) -> Outcome<Vec<(&'static str, u64)>> {
        let git = self.engine.git()?;
        let spawned = |work: &mut dyn FnMut() -> Outcome<()>| -> Outcome<u64> {
            let before = git.spawned();
            work()?;
            Ok(git.spawned() - before)
        };
        let id = &self.sessions[0].view.session.id;
        let create = spawned(&mut || self.world.remove(&self.world.create(&self.engine)?.1))?;
        let heads = spawned(&mut || {
            let mut sessions = self.engine.list_sessions(&ListRequest::default())?.sessions;
            Ok(self.engine.refresh_heads(&mut sessions)?)
        })?;
        let diff = spawned(&mut || {
            Ok(self
                .engine
                .diff_summary(id, &DiffWhat::SinceBase)
                .map(drop)?)
        })?;
        let log = spawned(&mut || Ok(self.engine.session_log(id).map(drop)?))?;
        Ok(vec![
            ("create", create),
            ("heads of all sessions", heads),
            ("diff", diff),
            ("log", log),
        ])
    }

    /// What each command line starts, by a counting git in front of the real one.
    fn count_commands(&self, product: &Product) -> Outcome<Vec<(String, u64)>> {
        let counter = Counter::new(&self.world)?;
        let session = &self.sessions[0].view.session;
        let id = session.id.as_str();
        let name = self.world.next_name();
        let commands: [(&str, &[&str]); 8] = [
            (
                "`new`",
                &[
                    "session",
                    "new",
                    "--name",
                    &name,
                    "--prompt",
                    "Make it faster",
                ],
            ),
            ("`list --no-refresh`", &["session", "list", "--no-refresh"]),
            ("`list`, nothing changed", &["session", "list"]),
            ("`orchestra`, nothing changed", &[]),
            ("`status`", &["session", "status", id]),
            ("`diff`", &["session", "diff", id, "--stat"]),
            ("`log`", &["session", "log", id]),
            (
                "`commit`",
                &["session", "commit", id, "--message", "Keep it"],
            ),
        ];
        let mut counts = Vec::new();
        for (name, arguments) in commands {
            if name == "`status`" {
                // A new file each time, so that every count starts from the same state.
                std::fs::write(session.worktree.join(self.world.next_name()), "kept\n")?;
            }
            let count = counter.count(product, &self.world, arguments)?;
            counts.push((name.to_owned(), count));
        }
        Ok(counts)
    }

    /// `list` where sessions have uncommitted changes: git is asked about each of them once, and not again while nothing there
    /// is different.
    fn changed_rows(&self, product: &Product) -> Outcome<Vec<Row>> {
        let counter = Counter::new(&self.world)?;
        for created in self.sessions.iter().take(CHANGED) {
            std::fs::write(created.view.session.worktree.join("new file"), "new\n")?;
        }
        std::thread::sleep(SETTLED);
        let count = || counter.count(product, &self.world, &["session", "list", "--json"]);
        let first = count()?;
        // Questions end after a while, so that one look may not reach all of them.
        let mut again = count()?;
        for _ in 0..LOOKS {
            again = count()?;
        }
        let what =
            |when: &str| format!("git processes: `list`, {CHANGED} sessions changed, {when}");
        Ok(vec![
            Row::counted("git", what("the first time"), first, None),
            Row::counted("git", what("later"), again, Some(MOST_LATER)),
        ])
    }

    fn count_rows(&self) -> Vec<Row> {
        self.counts
            .iter()
            .map(|command| {
                Row::not_growing(
                    "git",
                    format!("git processes: {}", command.name),
                    &command.counts,
                )
            })
            .collect()
    }

    /// Creating among many sessions, against creating the first one.
    fn create_row(&self) -> Outcome<Row> {
        let bench = self.bench;
        let empty = World::generate(bench, "empty", SMALL)?;
        let empty_engine = empty.engine()?;
        let mut first = || {
            bench.ground.settle();
            let (millis, created) = empty.create(&empty_engine)?;
            empty.remove(&created)?;
            Ok(millis)
        };
        let mut another = || {
            bench.ground.settle();
            let (millis, created) = self.world.create(&self.engine)?;
            self.world.remove(&created)?;
            Ok(millis)
        };
        let [another, first] = samples(bench.plan.repetitions, [&mut another, &mut first])?;
        let millis = |sample| Measured::new(Figure::Millis, sample);
        let against = Reference::new("the first session", millis(&first));
        let what = format!("create beside {} sessions (S)", self.sessions.len());
        Ok(Row::costlier("B8", what, &millis(&another), &against, 2.0))
    }

    /// A terminal gets the table at once and has its cells filled in after; that part is the board's.
    fn list_rows(&self, product: &Product) -> Outcome<Vec<Row>> {
        let mut first_line = || {
            let mut command = product.command_on_terminal(&self.world, "session list");
            Ok(first_byte_and_end(&mut command)?.0)
        };
        let mut whole = || {
            let words = ["session", "list", "--no-refresh"];
            Ok(first_byte_and_end(&mut product.command(&self.world, &words))?.1)
        };
        let [first, whole] = samples(self.bench.plan.repetitions, [&mut first_line, &mut whole])?;
        let listed = self.sessions.len();
        let millis = |sample| Measured::new(Figure::Millis, sample);
        let first_line = format!("first line of `list` on a terminal with {listed} sessions");
        let all = format!("all of `list --no-refresh` with {listed} sessions");
        Ok(vec![
            Row::limited("list", first_line, &millis(&first), FIRST_LINE_LIMIT_MS),
            Row::sampled("list", all, &millis(&whole)),
        ])
    }
}

/// Milliseconds to the first byte a command prints, and to its end.
fn first_byte_and_end(command: &mut std::process::Command) -> Outcome<(f64, f64)> {
    let start = Instant::now();
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut stdout = child.stdout.take().ok_or("no standard output")?;
    stdout.read_exact(&mut [0])?;
    let first = millis_since(start);
    std::io::copy(&mut stdout, &mut std::io::sink())?;
    child.wait()?;
    Ok((first, millis_since(start)))
}

//! Kills at random times of commands, runners, guardians and git processes.

use std::collections::BTreeMap;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use orchestra_testkit::processes;

use crate::concurrency::world::{Made, World, shown};
use crate::dice::Dice;
use crate::thoroughness::is_long;

/// The agent takes its time and writes a little at a time, so that a kill meets it at work.
const SCENARIO: &str = "
[[step]]
do = 'message'
text = 'Working.'
[[step]]
do = 'append'
path = 'journal.txt'
text = \"first half\\n\"
[[step]]
do = 'sleep'
milliseconds = 60
[[step]]
do = 'append'
path = 'journal.txt'
text = \"second half\\n\"
[[step]]
do = 'message'
text = 'Done.'
";

#[test]
fn no_kill_at_any_time_loses_anything() {
    let kills = if is_long() { 200 } else { 40 };
    let counts = shared_out(kills, |worker, kills| Ordeal::new(worker).endure(kills));
    let sum = |count: fn(&Counts) -> u32| counts.iter().map(count).sum::<u32>();
    println!(
        "kills {} of {} programs, lost 0 (commands {}, runners {}, guardians {}, git {}; sessions {})",
        sum(Counts::kills),
        profile(),
        sum(|count| count.commands),
        sum(|count| count.runners),
        sum(|count| count.guardians),
        sum(|count| count.gits),
        sum(|count| count.sessions),
    );
}

/// What was killed.
#[derive(Debug, Default)]
struct Counts {
    commands: u32,
    runners: u32,
    guardians: u32,
    gits: u32,
    sessions: u32,
}

impl Counts {
    fn kills(&self) -> u32 {
        self.commands + self.runners + self.guardians + self.gits
    }
}

/// Lets two workers endure half of the kills each, side by side.
pub(super) fn shared_out<C: Send>(kills: u32, endure: impl Fn(u32, u32) -> C + Sync) -> Vec<C> {
    let (workers, endure) = (2, &endure);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..workers)
            .map(|worker| scope.spawn(move || endure(worker, kills / workers)))
            .collect();
        let ended = workers.into_iter().map(|worker| worker.join().unwrap());
        ended.collect()
    })
}

/// How the programs were built: the name of their folder.
pub(super) fn profile() -> String {
    let program = orchestra_testkit::bin("orchestra");
    let folder = program.parent().and_then(|folder| folder.file_name());
    folder.unwrap_or_default().to_string_lossy().into_owned()
}

/// What was seen of a session once and must never be less again.
#[derive(Debug, Default, Clone)]
struct Seen {
    head: String,
    journal: Vec<u8>,
    iterations: i64,
    items: i64,
}

/// How long each command takes here and now, in microseconds, so that most kills meet it at work.
#[derive(Debug, Default)]
struct Pace {
    new: usize,
    commit: usize,
    run: usize,
    iterate: usize,
}

struct Ordeal {
    world: World,
    pace: Pace,
    dice: Dice,
    counts: Counts,
    seen: BTreeMap<String, Seen>,
    /// Files a person wrote: path, content.
    written: Vec<(std::path::PathBuf, String)>,
}

impl Pace {
    fn measured(world: &World) -> Self {
        let taken = |work: &dyn Fn()| {
            let start = Instant::now();
            work();
            usize::try_from(start.elapsed().as_micros()).unwrap()
        };
        let script = "sleep 0.05; test -d .";
        Self {
            new: taken(&|| drop(world.create("steady", &["--script", script]))),
            commit: taken(&|| {
                let session = world.sessions().remove(0);
                std::fs::write(session.worktree.join("first.txt"), "first").unwrap();
                world.succeed(&["commit", "steady", "--message", "First"]);
            }),
            run: taken(&|| drop(world.succeed(&["run", "steady", "script"]))),
            iterate: taken(&|| drop(world.succeed(&["iterate", "steady"]))),
        }
    }
}

impl Ordeal {
    fn new(worker: u32) -> Self {
        let world = World::new(SCENARIO);
        let pace = Pace::measured(&world);
        Self {
            world,
            pace,
            dice: Dice::new(u64::from(worker) << 17),
            counts: Counts::default(),
            seen: BTreeMap::new(),
            written: Vec::new(),
        }
    }

    /// A round in which everything was over before the kill does not count.
    fn endure(mut self, kills: u32) -> Counts {
        let mut rounds = 0..;
        while self.counts.kills() < kills {
            let when = self.round(rounds.next().unwrap());
            self.world.heal();
            self.world.assert_whole(&when);
            self.world.assert_quiet(&when);
            self.assert_nothing_lost(&when);
        }
        self.world.succeed(&["iterate", "steady"]);
        self.world.create("last", &[]);
        self.world.succeed(&["iterate", "last"]);
        self.world.wait_until_nobody_works();
        self.world.assert_whole("at the end");
        self.counts.sessions = u32::try_from(self.world.sessions().len()).unwrap();
        self.counts
    }

    /// Starts something, kills something, and waits until all is quiet. Answers what it was.
    fn round(&mut self, round: u32) -> String {
        let sessions = self.world.sessions();
        let session = sessions[self.dice.below(sessions.len())].clone();
        let (what, longest, mut child) = match self.dice.below(6) {
            0 => ("new", self.pace.new, self.start_new(round)),
            1 => (
                "commit",
                self.pace.commit,
                self.start_commit(&session, round),
            ),
            2 => (
                "run",
                self.pace.run,
                self.start(&["run", &session.id, "script"]),
            ),
            _ => (
                "iterate",
                self.pace.iterate,
                self.start(&["iterate", &session.id]),
            ),
        };
        let delay = self.dice.below(longest);
        std::thread::sleep(Duration::from_micros(delay as u64));
        let victim = self.kill_something(&mut child);
        let when = format!(
            "round {round}: {what} of {}, {victim} killed after {delay} us",
            session.id
        );
        let output = child.wait_with_output().unwrap();
        assert!(
            !String::from_utf8_lossy(&output.stderr).contains("panicked"),
            "{when}: {}",
            shown(&output)
        );
        self.world.wait_until_nobody_works();
        when
    }

    fn start_new(&self, round: u32) -> Child {
        let name = format!("made-{round}");
        self.start(&[
            "new", "--name", &name, "--prompt", "Do it", "--script", "true",
        ])
    }

    fn start_commit(&mut self, session: &Made, round: u32) -> Child {
        let path = session.worktree.join(format!("by-hand-{round}.txt"));
        let content = format!("written in round {round}\n");
        std::fs::write(&path, &content).unwrap();
        self.written.push((path, content));
        self.start(&["commit", &session.id, "--message", "By hand"])
    }

    fn start(&self, arguments: &[&str]) -> Child {
        let mut command = self.world.session(arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    }

    /// Kills a process of a kind chosen by chance as soon as there is one, or else the command.
    fn kill_something(&mut self, command: &mut Child) -> &'static str {
        let kind = self.dice.below(4);
        while kind > 0 && command.try_wait().unwrap().is_none() {
            let (name, victims) = match kind {
                1 => ("runner", self.world.runners()),
                2 => ("guardian", self.world.guardians()),
                _ => ("git", self.world.gits()),
            };
            let Some(victim) = victims.first() else {
                continue;
            };
            processes::kill(*victim);
            match kind {
                1 => self.counts.runners += 1,
                2 => self.counts.guardians += 1,
                _ => self.counts.gits += 1,
            }
            return name;
        }
        if command.try_wait().unwrap().is_some() {
            return "nothing";
        }
        command.kill().unwrap();
        self.counts.commands += 1;
        "command"
    }

    fn assert_nothing_lost(&mut self, when: &str) {
        let sessions = self.world.sessions();
        for id in self.seen.keys() {
            assert!(sessions.iter().any(|made| &made.id == id), "{when}: {id}");
        }
        for session in &sessions {
            let now = self.look(session);
            let before = self.seen.insert(session.id.clone(), now.clone());
            let before = before.unwrap_or_default();
            assert!(now.journal.starts_with(&before.journal), "{when}: journal");
            assert!(now.iterations >= before.iterations, "{when}: iterations");
            assert!(now.items >= before.items, "{when}: transcript");
            if !before.head.is_empty() {
                let kept = ["merge-base", "--is-ancestor", &before.head, &now.head];
                let kept = self.world.repository.try_git(&kept);
                assert!(kept.status.success(), "{when}: commits");
            }
        }
        for (path, content) in &self.written {
            let found = std::fs::read_to_string(path).ok();
            assert_eq!(found.as_ref(), Some(content), "{when}: {}", path.display());
        }
    }

    fn look(&self, session: &Made) -> Seen {
        let count = |table: &str| {
            let id = &session.id;
            self.world.count(&format!(
                "SELECT count(*) FROM {table} WHERE session = '{id}'"
            ))
        };
        Seen {
            head: self.world.repository.branch_sha(&session.branch),
            journal: std::fs::read(session.worktree.join("journal.txt")).unwrap_or_default(),
            iterations: count("iterations"),
            items: count("transcript"),
        }
    }
}

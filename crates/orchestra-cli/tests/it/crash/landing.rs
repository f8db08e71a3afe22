//! Landing commands that are killed at random times: the same command again finishes, nothing that existed is lost, and the
//! user's own checkout is as before or as after, never half.

mod case;
mod kept;

use std::collections::BTreeMap;
use std::process::{Child, Output, Stdio};
use std::time::{Duration, Instant};

use orchestra_testkit::processes;

use super::random::{profile, shared_out};
use crate::concurrency::world::{World, shown};
use crate::dice::Dice;
use crate::thoroughness::is_long;
use case::{Case, Trial};
use kept::Kept;

/// The base is checked out, and somebody has changes of their own there.
const OWN_CHANGES: &str = " M own.txt\n?? mine.txt";
/// Rounds in which everything was over before the kill do not count; there are only so many of them.
const MOST_ROUNDS_PER_KILL: u32 = 6;

#[test]
fn no_kill_of_a_landing_command_loses_anything() {
    let kills = if is_long() { 200 } else { 32 };
    let counts = shared_out(kills, |worker, kills| Ordeal::new(worker).endure(kills));
    let mut by_case: BTreeMap<Case, u32> = BTreeMap::new();
    for (case, kills) in counts.iter().flat_map(|counts| &counts.by_case) {
        *by_case.entry(*case).or_default() += kills;
    }
    let killed: u32 = by_case.values().sum();
    let gits: u32 = counts.iter().map(|counts| counts.gits).sum();
    assert!(killed >= kills);
    assert!(
        by_case.len() >= Case::ALL.len() / 2,
        "the kills met too few commands: {by_case:?}"
    );
    println!(
        "landing kills {killed}, lost 0 ({} programs, {gits} of them git; {by_case:?})",
        profile()
    );
}

/// What was killed.
#[derive(Debug, Default)]
struct Counts {
    by_case: BTreeMap<Case, u32>,
    gits: u32,
}

struct Ordeal {
    world: World,
    dice: Dice,
    /// How long each command takes here and now, so that most kills meet it at work.
    pace: BTreeMap<Case, Duration>,
    counts: Counts,
}

impl Ordeal {
    fn new(worker: u32) -> Self {
        let world = World::new("[[step]]\ndo = 'message'\ntext = 'Done.'\n");
        world.repository.write("own.txt", "as committed\n");
        world.repository.write("conflict.txt", "start\n");
        world.repository.git(&["add", "--all"]);
        world
            .repository
            .git(&["commit", "--quiet", "-m", "Files of everybody"]);
        let shared = world.sandbox.path("shared.git");
        let (shared, root) = (shared.to_str().unwrap(), world.repository.root());
        let root = root.to_str().unwrap();
        world
            .repository
            .git(&["clone", "--quiet", "--bare", root, shared]);
        world.repository.git(&["remote", "add", "origin", shared]);
        world.repository.git(&["branch", "release"]);
        world.repository.write("own.txt", "changed by its owner\n");
        world.repository.write("mine.txt", "not even added\n");
        Self {
            world,
            dice: Dice::new(u64::from(worker) << 17),
            pace: BTreeMap::new(),
            counts: Counts::default(),
        }
    }

    fn endure(mut self, kills: u32) -> Counts {
        for case in Case::ALL {
            self.measure(case);
        }
        let mut round = self.dice.below(Case::ALL.len()) as u32;
        let last = round + kills * MOST_ROUNDS_PER_KILL;
        while self.counts.by_case.values().sum::<u32>() < kills {
            assert!(round < last, "too few kills met a command at work");
            self.round(Case::ALL[round as usize % Case::ALL.len()], round);
            round += 1;
        }
        self.world.heal();
        self.counts
    }

    /// The command as it is when nobody kills it.
    fn measure(&mut self, case: Case) {
        let trial = Trial::prepare(&self.world, case, &format!("calm-{case:?}"));
        let start = Instant::now();
        let output = self.run(&trial.words());
        self.pace.insert(case, start.elapsed());
        let when = format!("{case:?}, not killed");
        assert_calm(&output, &when);
        assert!(trial.is_done(&self.world), "{when}: {}", shown(&output));
        self.assert_checkout(&trial, &when);
    }

    fn round(&mut self, case: Case, round: u32) {
        let trial = Trial::prepare(&self.world, case, &format!("round-{round}"));
        let kept = Kept::of(&self.world, &trial.session);
        let delay = self.pace[&case].mul_f64(self.dice.below(1_000) as f64 / 1_000.0);
        let mut child = self.start(&trial.words());
        std::thread::sleep(delay);
        let victim = self.kill_something(&mut child);
        let output = child.wait_with_output().unwrap();
        let when = format!("round {round}: {case:?}, {victim} killed after {delay:?}");
        assert_no_panic(&output, &when);
        match victim {
            Victim::Nothing => {}
            Victim::Command => *self.counts.by_case.entry(case).or_default() += 1,
            Victim::Git => {
                *self.counts.by_case.entry(case).or_default() += 1;
                self.counts.gits += 1;
            }
        }
        self.look_around(&trial, &when);
        self.ask_again(&trial, &when);
        kept.assert_still_there(&self.world, &when);
        self.assert_whole(&when);
    }

    /// Half of the time somebody looks at something else first, which must make the checkout whole.
    fn look_around(&mut self, trial: &Trial, when: &str) {
        if self.dice.below(2) == 0 {
            return;
        }
        let output = self.run(&["list", "--no-refresh"]);
        assert_eq!(
            output.status.code(),
            Some(0),
            "{when}, list: {}",
            shown(&output)
        );
        self.assert_checkout(trial, &format!("{when}, after list"));
    }

    fn ask_again(&self, trial: &Trial, when: &str) {
        let output = self.run(&trial.words());
        let when = format!("{when}, asked again: {}", shown(&output));
        assert_calm(&output, &when);
        assert!(trial.is_done(&self.world), "{when}");
        self.assert_checkout(trial, &when);
        trial.assert_worktree(&self.world, &when);
    }

    /// Files and branch agree, the user's own changes are there, and the branch is where it was or where it should go.
    fn assert_checkout(&self, trial: &Trial, when: &str) {
        let main = &self.world.repository;
        assert_eq!(main.git(&["status", "--porcelain"]), OWN_CHANGES, "{when}");
        assert_eq!(main.read("own.txt"), "changed by its owner\n", "{when}");
        assert_eq!(main.read("mine.txt"), "not even added\n", "{when}");
        let head = main.head();
        assert!(
            head == trial.base || trial.is_done(&self.world),
            "{when}: the base is at {head}"
        );
    }

    fn assert_whole(&self, when: &str) {
        let fsck = ["fsck", "--full", "--no-dangling"];
        let fsck = self.world.repository.try_git(&fsck);
        assert!(
            fsck.status.success() && fsck.stdout.is_empty(),
            "{when}: {}",
            shown(&fsck)
        );
        self.world.assert_store_whole(when);
        let locks = self.world.lock_files();
        assert!(locks.is_empty(), "{when}: {locks:?}");
    }

    fn run(&self, words: &[&str]) -> Output {
        self.world.session(words).output().unwrap()
    }

    fn start(&self, words: &[&str]) -> Child {
        let mut command = self.world.session(words);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    }

    /// Kills the command, or now and then a git process that works for it.
    fn kill_something(&mut self, command: &mut Child) -> Victim {
        let wants_git = self.dice.below(3) == 0;
        while wants_git && command.try_wait().unwrap().is_none() {
            if let Some(git) = self.world.gits().first() {
                processes::kill(*git);
                return Victim::Git;
            }
        }
        if command.try_wait().unwrap().is_some() {
            return Victim::Nothing;
        }
        command.kill().unwrap();
        Victim::Command
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Victim {
    Nothing,
    Command,
    Git,
}

impl std::fmt::Display for Victim {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Nothing => "nothing",
            Self::Command => "the command",
            Self::Git => "a git process",
        })
    }
}

/// It did it, says that nothing is left to do (2 where a path is named that has no conflict any more), or stopped at a
/// conflict.
fn assert_calm(output: &Output, when: &str) {
    let code = output.status.code();
    assert!(
        matches!(code, Some(0 | 2 | 3 | 7)),
        "{when}: {}",
        shown(output)
    );
    assert_no_panic(output, when);
}

fn assert_no_panic(output: &Output, when: &str) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!said.contains("panicked"), "{when}: {}", shown(output));
}

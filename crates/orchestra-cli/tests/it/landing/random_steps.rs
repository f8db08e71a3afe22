//! Random sequences of landing commands and plain git on two sessions, against a model: undo and redo lead to exactly the
//! state that was there, and every tree that a command met can be found again, without git's reflog.

mod by_hand;
mod commands;
mod counts;
mod found_again;
mod model;
mod state;
mod step;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use orchestra_testkit::Sandbox;

use crate::dice::Dice;
use crate::made::Made;
use crate::ran::Ran;
use crate::thoroughness::is_long;
use crate::world::World;
use counts::Counts;
use found_again::Everything;
use model::Done;
use state::{Entry, State};
use step::{ByHand, Command, Deck, Step};

#[test]
fn undo_leads_back_and_every_tree_is_found_again() {
    let (runs, steps) = if is_long() { (40, 90) } else { (4, 70) };
    let walk = |run| {
        let mut walk = Walk::new(run);
        for number in 0..steps {
            walk.step(number);
        }
        walk.end();
        walk.counts
    };
    let workers = 2;
    let mut counts = Counts::default();
    std::thread::scope(|scope| {
        let walks = |worker| {
            (worker..runs)
                .step_by(workers)
                .map(walk)
                .collect::<Vec<_>>()
        };
        let workers: Vec<_> = (0..workers as u64)
            .map(|worker| scope.spawn(move || walks(worker)))
            .collect();
        for worker in workers {
            let walked = worker.join().unwrap();
            walked.iter().for_each(|walked| counts.add(walked));
        }
    });
    counts.require_enough();
    println!("sequences {runs}, steps {}, {counts}, lost 0", runs * steps);
}

/// A session, and what the model knows of it.
struct Actor {
    made: Made,
    /// Changes whenever the session does; the same number means the same state.
    at: u64,
    /// Whether the last turn of its agent was cut off.
    is_interrupted: bool,
    /// What people often do next, while what they did last is fresh.
    urge: Option<Command>,
}

struct Walk {
    world: World,
    actors: Vec<Actor>,
    /// As [`Actor::at`], for the base and its checkout.
    base_at: u64,
    dice: Dice,
    deck: Deck,
    seed: u64,
    clock: u64,
    /// Lines that somebody wrote, so that each is unique.
    lines: u32,
    /// What the agent does in its next turn.
    scenario: PathBuf,
    done: BTreeMap<i64, Done>,
    /// Files that a command met, with path and content.
    entries: BTreeSet<Entry>,
    /// Where branches were when a command met them.
    commits: BTreeSet<String>,
    counts: Counts,
    log: Vec<String>,
}

impl Walk {
    fn new(seed: u64) -> Self {
        let sandbox = Sandbox::new();
        let scenario = sandbox.scenario("");
        let world = World::of(sandbox.with_knob("scenario", &scenario.to_string_lossy()));
        world.repository.write("shared.txt", "start\n");
        world.repository.commit("shared");
        world.repository.git(&["branch", "side"]);
        super::work::add_remote(&world);
        let actors = ["one", "two"].map(|name| Actor {
            made: world.session(name),
            at: 0,
            is_interrupted: false,
            urge: None,
        });
        Self {
            world,
            actors: actors.into(),
            base_at: 0,
            dice: Dice::new(seed << 21),
            deck: Deck::default(),
            seed,
            clock: 0,
            lines: 0,
            scenario,
            done: BTreeMap::new(),
            entries: BTreeSet::new(),
            commits: BTreeSet::new(),
            counts: Counts::default(),
            log: Vec::new(),
        }
    }

    fn step(&mut self, number: u64) {
        let who = self.dice.below(self.actors.len());
        let step = self.choose(who);
        let name = self.actors[who].made.id.clone();
        self.log.push(format!("{number}: {step:?} {name}"));
        match step {
            Step::ByHand(by_hand) => self.by_hand(who, by_hand),
            Step::Command(command) => {
                self.remember();
                if self.command(who, command) {
                    self.wish_next(who, command);
                }
            }
        }
    }

    /// What can be done with a session as it is now.
    fn choose(&mut self, who: usize) -> Step {
        if let Some(command) = self.actors[who].urge.take() {
            return Step::Command(command);
        }
        if !self.actors[who].made.worktree.exists() {
            return self.dice.one_of(step::IN_TRASH);
        }
        if self.is_stopped(who) {
            return self.dice.one_of(step::STOPPED);
        }
        if self.actors[who].is_interrupted {
            return self.dice.one_of(step::INTERRUPTED);
        }
        if !self.is_on_branch(who) && self.dice.below(3) > 0 {
            return Step::ByHand(ByHand::Switch);
        }
        self.deck.draw(&mut self.dice)
    }

    /// What was just done is often undone, most often what is rare, and what was undone is done again.
    fn wish_next(&mut self, who: usize, command: Command) {
        let (urge, of_five) = match command {
            Command::Undo => (Command::Redo, 2),
            Command::Interrupt => (Command::Discard, 3),
            Command::Resolve(_) | Command::Discard | Command::Cleanup => (Command::Undo, 4),
            _ if self.is_stopped(who) => (Command::Undo, 0),
            _ => (Command::Undo, 2),
        };
        self.actors[who].urge = (self.dice.below(5) < of_five).then_some(urge);
    }

    fn is_on_branch(&self, who: usize) -> bool {
        let tree = self.world.tree(&self.actors[who].made);
        let head = tree.try_git(&["symbolic-ref", "--quiet", "HEAD"]);
        head.status.success() && state::head(&tree).is_some()
    }

    /// Everything that a command could lose is written down before it.
    fn remember(&mut self) {
        let branches = ["for-each-ref", "--format=%(objectname)", "refs/heads"];
        let branches = self.world.repository.git(&branches);
        self.commits.extend(branches.lines().map(str::to_owned));
        let mut places = vec![self.world.repository.root().to_owned()];
        places.extend(self.actors.iter().map(|actor| actor.made.worktree.clone()));
        for place in places.iter().filter(|place| place.exists()) {
            self.entries.extend(state::entries(place));
        }
    }

    /// As far back as it goes, and forward again; then everything that a command ever met must be somewhere.
    fn end(&mut self) {
        for who in 0..self.actors.len() {
            for command in [Command::Undo, Command::Redo] {
                self.log.push(format!("at the end: {command:?} {who}"));
                self.remember();
                while self.command(who, command) {
                    self.remember();
                }
            }
        }
        self.world.repository.fsck();
        let open = "SELECT count(*) FROM operations WHERE state = 'open'";
        assert_eq!(self.world.count(open), 0, "{}", self.story());
        let kept = Everything::kept(&self.world, &self.actors);
        for commit in &self.commits {
            let story = self.story();
            assert!(kept.commits.contains(commit), "lost {commit}: {story}");
        }
        for entry in &self.entries {
            let story = self.story();
            assert!(kept.entries.contains(entry), "lost {entry}: {story}");
        }
        self.counts.trees += self.entries.len();
        self.counts.commits += self.commits.len();
        self.world.wait_until_quiet();
    }

    /// It did it, refused it, or stopped at a conflict; nothing else.
    #[track_caller]
    fn require_calm(&self, ran: &Ran, what: &str) {
        assert!(
            [0, 3, 7].contains(&ran.code),
            "{what} ended with {}: {}\n{}",
            ran.code,
            ran.stderr,
            self.story()
        );
    }

    fn is_stopped(&self, who: usize) -> bool {
        let id = &self.actors[who].made.id;
        let rebase = format!("SELECT rebase FROM sessions WHERE id = '{id}'");
        self.world.value(&rebase).is_some()
    }

    fn state(&self, who: usize) -> State {
        State::of(&self.world, &self.actors[who].made)
    }

    fn new_line(&mut self) -> String {
        self.lines += 1;
        format!("line {} of sequence {}\n", self.lines, self.seed)
    }

    fn tick(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }

    fn story(&self) -> String {
        format!("sequence {}:\n{}", self.seed, self.log.join("\n"))
    }
}

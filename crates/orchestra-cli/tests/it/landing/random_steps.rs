//! Random sequences of landing commands and plain git on two sessions, against a model: undo and redo lead to exactly the
//! state that was there, and whatever was ever written can be found again.

mod found_again;
mod state;

use crate::made::Made;
use crate::thoroughness::is_long;
use crate::world::World;
use found_again::everything_kept;
use state::State;

/// What people and commands may do next; the first ones more often.
const STEPS: &[&str] = &[
    "write",
    "write",
    "append",
    "append",
    "mode",
    "link",
    "stage",
    "git_commit",
    "base_commit",
    "commit",
    "commit",
    "squash",
    "keep_manual",
    "rebase",
    "rebase",
    "merge",
    "cleanup",
    "undo",
    "undo",
    "undo",
    "redo",
    "redo",
];
/// What may happen while a rebase waits for somebody.
const STOPPED: &[&str] = &[
    "ours", "theirs", "continue", "continue", "abort", "skip", "undo", "redo",
];

#[test]
fn undo_leads_back_and_nothing_is_ever_lost() {
    let (runs, steps) = if is_long() { (40, 60) } else { (4, 30) };
    let mut counts = Counts::default();
    for run in 0..runs {
        let mut walk = Walk::new(run);
        for number in 0..steps {
            walk.step(number);
        }
        walk.end();
        counts.add(&walk.counts);
    }
    println!(
        "sequences {runs}, steps {}, operations {}, undone {} ({} compared), redone {} ({} compared), lost 0",
        runs * steps,
        counts.operations,
        counts.undone,
        counts.undone_compared,
        counts.redone,
        counts.redone_compared
    );
}

#[derive(Debug, Default)]
struct Counts {
    operations: u32,
    undone: u32,
    undone_compared: u32,
    redone: u32,
    redone_compared: u32,
}

impl Counts {
    fn add(&mut self, other: &Self) {
        self.operations += other.operations;
        self.undone += other.undone;
        self.undone_compared += other.undone_compared;
        self.redone += other.redone;
        self.redone_compared += other.redone_compared;
    }
}

/// One operation as the model knows it. A number stands for "nobody else changed anything in between".
#[derive(Debug, Clone)]
struct Done {
    what: String,
    before: State,
    before_at: u64,
    after: State,
    after_at: u64,
}

struct Actor {
    made: Made,
    done: Vec<Done>,
    undone: Vec<Done>,
    /// Changes whenever somebody works with plain git or an editor.
    at: u64,
}

struct Walk {
    world: World,
    actors: Vec<Actor>,
    random: u64,
    seed: u64,
    clock: u64,
    /// Lines that somebody wrote, each unique.
    written: Vec<String>,
    counts: Counts,
    log: Vec<String>,
}

impl Walk {
    fn new(seed: u64) -> Self {
        let world = World::new();
        world.repository.write("shared.txt", "start\n");
        world.repository.commit("shared");
        let actors = ["one", "two"].map(|name| Actor {
            made: world.session(name),
            done: Vec::new(),
            undone: Vec::new(),
            at: 0,
        });
        Self {
            world,
            actors: actors.into(),
            random: 0x9e37_79b9_7f4a_7c15 ^ (seed << 21),
            seed,
            clock: 0,
            written: Vec::new(),
            counts: Counts::default(),
            log: Vec::new(),
        }
    }

    fn step(&mut self, number: u64) {
        let who = self.below(self.actors.len());
        let is_there = self.actors[who].made.worktree.exists();
        let is_stopped = is_there && self.is_stopped(who);
        let step = match (is_there, is_stopped) {
            (false, _) => ["undo", "restore"][self.below(2)],
            (true, true) => STOPPED[self.below(STOPPED.len())],
            (true, false) => STEPS[self.below(STEPS.len())],
        };
        let name = self.actors[who].made.id.clone();
        self.log.push(format!("{number}: {step} {name}"));
        match step {
            "write" | "append" | "mode" | "link" | "stage" | "git_commit" => {
                self.by_hand(who, step)
            }
            "base_commit" => self.base_commit(),
            "undo" => self.undo(who),
            "redo" => self.redo(who),
            command => self.command(who, command),
        }
    }

    /// A person works in the worktree.
    fn by_hand(&mut self, who: usize, step: &str) {
        let tree = self.world.tree(&self.actors[who].made);
        let line = self.new_line();
        match step {
            "write" => tree.write(&format!("file-{}.txt", self.written.len()), &line),
            "append" => {
                let old = tree.read("shared.txt");
                tree.write("shared.txt", &format!("{old}\n{line}"));
            }
            "mode" => {
                let tool = format!("tool-{}.sh", self.written.len());
                tree.write(&tool, &line);
                #[cfg(unix)]
                {
                    use std::os::unix::fs::PermissionsExt;
                    let mode = std::fs::Permissions::from_mode(0o755);
                    std::fs::set_permissions(tree.path(&tool), mode).unwrap();
                }
            }
            "link" => {
                self.written.pop();
                let link = tree.path(&format!("link-{}", self.log.len()));
                #[cfg(unix)]
                std::os::unix::fs::symlink("shared.txt", link).unwrap();
            }
            "stage" => {
                self.written.pop();
                tree.git(&["add", "--all"]);
            }
            _ => {
                tree.write(&format!("by-git-{}.txt", self.written.len()), &line);
                tree.git(&["add", "--all"]);
                tree.git(&["commit", "--quiet", "-m", "by git"]);
            }
        }
        self.clock += 1;
        self.actors[who].at = self.clock;
    }

    /// Somebody commits on the base, in the main checkout.
    fn base_commit(&mut self) {
        let line = self.new_line();
        let base = &self.world.repository;
        let old = base.read("shared.txt");
        base.write("shared.txt", &format!("{line}{old}\n"));
        base.git(&["add", "shared.txt"]);
        base.git(&["commit", "--quiet", "-m", "on the base"]);
    }

    fn command(&mut self, who: usize, step: &str) {
        let id = self.actors[who].made.id.clone();
        let words: Vec<&str> = match step {
            "commit" => vec!["commit", &id, "-m", "By hand"],
            "squash" => vec!["squash", &id, "--message", "Squashed"],
            "keep_manual" => vec!["squash", &id, "--message", "Squashed", "--keep-manual"],
            "rebase" => vec!["rebase", &id, "--onto", "main"],
            "continue" => vec!["rebase", &id, "--continue"],
            "abort" => vec!["rebase", &id, "--abort"],
            "skip" => vec!["rebase", &id, "--skip"],
            "ours" | "theirs" => return self.resolve(who, step),
            "merge" => vec![
                "merge",
                &id,
                "--override",
                "reviewed",
                "--override",
                "clean",
                "--override",
                "messages",
            ],
            "cleanup" => vec!["cleanup", &id, "--even-unlanded", "--even-dirty"],
            _ => return self.restore(who),
        };
        self.operate(who, &words);
    }

    fn resolve(&mut self, who: usize, side: &str) {
        let made = self.actors[who].made.clone();
        let tree = self.world.tree(&made);
        let listed = tree.git(&["diff", "--name-only", "--diff-filter=U"]);
        let Some(path) = listed.lines().next() else {
            return;
        };
        let side = format!("--{side}");
        self.operate(who, &["resolve", &made.id, path, &side]);
    }

    /// Bringing a worktree back from the trash undoes its cleanup.
    fn restore(&mut self, who: usize) {
        let id = self.actors[who].made.id.clone();
        let ran = self.world.orchestra(&["trash", "restore", &id]);
        self.require_calm(&ran, "trash restore");
        if ran.code == 0 {
            self.taken_back(who);
        }
    }

    /// A command that may be an operation: the store tells.
    fn operate(&mut self, who: usize, words: &[&str]) {
        let made = self.actors[who].made.clone();
        let before = State::of(&self.world, &made);
        let newest = self.newest_operation(&made);
        let ran = self.world.run(words);
        self.require_calm(&ran, &words.join(" "));
        let after = State::of(&self.world, &made);
        if self.newest_operation(&made) == newest {
            assert_eq!(before, after, "refused, and yet changed: {}", self.story());
            return;
        }
        self.clock += 1;
        let actor = &mut self.actors[who];
        actor.undone.clear();
        actor.done.push(Done {
            what: words.join(" "),
            before,
            before_at: actor.at,
            after,
            after_at: self.clock,
        });
        actor.at = self.clock;
        self.counts.operations += 1;
    }

    fn undo(&mut self, who: usize) {
        let id = self.actors[who].made.id.clone();
        let ran = self.world.run(&["undo", &id]);
        self.require_calm(&ran, "undo");
        if ran.code == 0 {
            self.taken_back(who);
        }
    }

    /// The newest operation does not last any more.
    fn taken_back(&mut self, who: usize) {
        self.counts.undone += 1;
        let now = State::of(&self.world, &self.actors[who].made);
        let actor = &mut self.actors[who];
        let done = actor.done.pop();
        let done = done.expect("the model knows what can be undone");
        if actor.at == done.after_at {
            assert_eq!(now, done.before, "undo of {}: {}", done.what, self.story());
            self.counts.undone_compared += 1;
            self.actors[who].at = done.before_at;
        } else {
            self.clock += 1;
            self.actors[who].at = self.clock;
        }
        self.actors[who].undone.push(done);
    }

    fn redo(&mut self, who: usize) {
        let made = self.actors[who].made.clone();
        let ran = self.world.run(&["redo", &made.id]);
        self.require_calm(&ran, "redo");
        if ran.code != 0 {
            return;
        }
        self.counts.redone += 1;
        let now = State::of(&self.world, &made);
        let actor = &mut self.actors[who];
        let done = actor
            .undone
            .pop()
            .expect("the model knows what can be redone");
        if actor.at == done.before_at {
            assert_eq!(now, done.after, "redo of {}: {}", done.what, self.story());
            self.counts.redone_compared += 1;
            self.actors[who].at = done.after_at;
        } else {
            self.clock += 1;
            self.actors[who].at = self.clock;
        }
        self.actors[who].done.push(done);
    }

    /// Everything is whole at the end, and every line that was ever written is somewhere.
    fn end(&mut self) {
        for who in 0..self.actors.len() {
            let made = self.actors[who].made.clone();
            if made.worktree.exists() && self.is_stopped(who) {
                self.operate(who, &["rebase", &made.id, "--abort"]);
            }
        }
        self.world.repository.fsck();
        let kept = everything_kept(&self.world);
        for line in &self.written {
            assert!(
                kept.contains(line.trim_end()),
                "lost {line:?}: {}",
                self.story()
            );
        }
        let open = self
            .world
            .count("SELECT count(*) FROM operations WHERE state = 'open'");
        assert_eq!(open, 0, "{}", self.story());
    }

    /// It did it, refused it, or stopped at a conflict; nothing else.
    #[track_caller]
    fn require_calm(&self, ran: &crate::ran::Ran, what: &str) {
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

    fn newest_operation(&self, made: &Made) -> i64 {
        let newest = format!(
            "SELECT coalesce(max(key), 0) FROM operations WHERE session = '{}' AND state = 'done'",
            made.id
        );
        self.world.count(&newest)
    }

    fn new_line(&mut self) -> String {
        let line = format!("line {} of sequence {}\n", self.written.len(), self.seed);
        self.written.push(line.clone());
        line
    }

    fn story(&self) -> String {
        format!("sequence {}:\n{}", self.seed, self.log.join("\n"))
    }

    fn below(&mut self, limit: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        usize::try_from(self.random % limit as u64).unwrap()
    }
}

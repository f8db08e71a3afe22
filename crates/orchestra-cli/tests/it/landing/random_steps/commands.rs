//! The commands of the walk.

use orchestra_testkit::{processes, wait_until};

use super::Walk;
use super::model::Worker;
use super::state::head_of;
use super::step::{Command, Manner, Side};
use crate::landing::OVERRIDES;
use crate::ran::signal;
use crate::world::PATIENCE;

impl Walk {
    /// Answers whether it changed anything.
    pub(super) fn command(&mut self, who: usize, command: Command) -> bool {
        let id = self.actors[who].made.id.clone();
        let words: Vec<String> = match command {
            Command::Commit => words(&["commit", &id, "-m", "By hand"]),
            Command::Squash => words(&["squash", &id, "--message", "Squashed"]),
            Command::KeepManual => {
                words(&["squash", &id, "--message", "Squashed", "--keep-manual"])
            }
            Command::Rebase => words(&["rebase", &id, "--onto", "main"]),
            Command::Continue => words(&["rebase", &id, "--continue"]),
            Command::Skip => words(&["rebase", &id, "--skip"]),
            Command::Abort => words(&["rebase", &id, "--abort"]),
            Command::Resolve(side) => match self.resolve(who, side) {
                Some(words) => words,
                None => return false,
            },
            Command::Merge(manner) => self.merge(who, manner),
            Command::Land => words(&[&["land", &id], OVERRIDES].concat()),
            Command::Push => words(&["push", &id, "--force-with-lease"]),
            Command::Iterate => return self.iterate(who),
            Command::Interrupt => return self.interrupt(who),
            Command::Discard => words(&["discard", &id]),
            Command::Cleanup => words(&["cleanup", &id, "--even-unlanded", "--even-dirty"]),
            Command::Restore => words(&["trash", "restore", &id]),
            Command::Undo => words(&["undo", &id]),
            Command::Redo => words(&["redo", &id]),
        };
        if matches!(command, Command::Discard | Command::Commit) {
            self.actors[who].is_interrupted = false;
        }
        self.run(who, &words)
    }

    /// Runs a command; one that is refused changes nothing.
    fn run(&mut self, who: usize, words: &[String]) -> bool {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut code = 0;
        let changed = self.observed(who, Worker::Command, |walk| {
            let ran = walk.world.run(&words);
            walk.require_calm(&ran, &words.join(" "));
            code = ran.code;
        });
        let is_quiet = code != 3 || !changed || words[0] == "land";
        assert!(is_quiet, "refused, and yet changed: {}", self.story());
        changed && code != 3
    }

    fn resolve(&mut self, who: usize, side: Side) -> Option<Vec<String>> {
        let made = self.actors[who].made.clone();
        let tree = self.world.tree(&made);
        let listed = tree.git(&["diff", "--name-only", "--diff-filter=U"]);
        let path = listed.lines().next()?;
        let how = match side {
            Side::Ours => "--ours",
            Side::Theirs => "--theirs",
            Side::Edited => {
                let line = self.new_line();
                self.edit(who, path, &line);
                "--edited"
            }
        };
        Some(words(&["resolve", &made.id, path, how]))
    }

    fn merge(&self, who: usize, manner: Manner) -> Vec<String> {
        let made = &self.actors[who].made;
        // Where somebody deleted the branch, there is nothing to pick.
        let tip = head_of(&self.world.repository, &made.branch);
        let tip = tip.unwrap_or_else(|| "0000000".to_owned());
        let how: &[&str] = match manner {
            Manner::AsItFits => &[],
            Manner::NoFastForward => &["--no-ff"],
            Manner::Squash => &["--squash", "--message", "Landed"],
            Manner::CherryPick => &["--cherry-pick", &tip],
            Manner::Into => &["--into", "side"],
        };
        words(&[&["merge", made.id.as_str()], how, OVERRIDES].concat())
    }

    /// A turn of the agent, which writes a file, and decides about conflicts if there are any.
    fn iterate(&mut self, who: usize) -> bool {
        let made = self.actors[who].made.clone();
        let line = self.new_line();
        let file = format!("agent-{}.txt", self.lines);
        let tree = self.world.tree(&made);
        let conflicts = tree.git(&["diff", "--name-only", "--diff-filter=U"]);
        let paths = conflicts
            .lines()
            .chain(conflicts.is_empty().then_some(file.as_str()));
        let steps: String = paths.map(|path| write_step(path, &line)).collect();
        std::fs::write(&self.scenario, steps).unwrap();
        self.actors[who].is_interrupted = false;
        self.observed(who, Worker::Agent, |walk| {
            let ran = walk.world.run(&["iterate", &made.id]);
            walk.require_calm(&ran, "iterate");
        })
    }

    /// A turn whose runner is killed after the agent has written its file.
    fn interrupt(&mut self, who: usize) -> bool {
        let made = self.actors[who].made.clone();
        let line = self.new_line();
        let file = format!("cut-off-{}.txt", self.lines);
        let steps = format!("{}[[step]]\ndo = 'hang'\n", write_step(&file, &line));
        std::fs::write(&self.scenario, steps).unwrap();
        let changed = self.observed(who, Worker::Agent, |walk| {
            let ran = walk.world.run(&["iterate", &made.id, "--detach"]);
            walk.require_calm(&ran, "iterate --detach");
            if ran.code != 0 {
                return;
            }
            wait_until("the agent wrote its file", PATIENCE, || {
                made.worktree.join(&file).exists()
            });
            walk.kill_runner(who);
            walk.world.run(&["status", &made.id]).ok();
            walk.actors[who].is_interrupted = true;
        });
        self.world.wait_until_quiet();
        changed
    }

    fn kill_runner(&self, who: usize) {
        let made = &self.actors[who].made;
        let newest = format!(
            "SELECT max(number) FROM iterations WHERE session = '{}'",
            made.id
        );
        let number = u32::try_from(self.world.count(&newest)).unwrap();
        let runner = self.world.runner(made, number);
        signal(&self.world.sandbox, "KILL", runner.into());
        wait_until("the runner is gone", PATIENCE, || !processes::alive(runner));
    }
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn write_step(path: &str, line: &str) -> String {
    format!("[[step]]\ndo = 'write'\npath = {path:?}\ntext = {line:?}\n")
}

//! What people do with an editor and plain git. What they drop themselves, nobody has to keep for them.

use std::collections::BTreeSet;
use std::path::Path;

use orchestra_testkit::TestRepository;

use super::Walk;
use super::state::{Entry, committed, entries, head};
use super::step::{ByHand, Command};

/// What a checkout and the commit under it hold.
struct Held {
    entries: BTreeSet<Entry>,
    head: String,
}

impl Walk {
    pub(super) fn by_hand(&mut self, who: usize, step: ByHand) {
        let tree = self.world.tree(&self.actors[who].made);
        match step {
            ByHand::CommitOnBase | ByHand::DirtyBase => {
                let base = self.world.repository.at(self.world.repository.root());
                self.excusing(&base, |walk, base| walk.on_base(base, step));
                self.base_at = self.tick();
            }
            ByHand::Clash => {
                let base = self.world.repository.at(self.world.repository.root());
                self.excusing(&tree, Self::change_first_line);
                self.excusing(&base, Self::change_first_line);
                self.actors[who].at = self.tick();
                self.base_at = self.tick();
                self.actors[who].urge = Some(Command::Rebase);
            }
            ByHand::DeleteBranch => {
                self.delete_branch(who);
                self.actors[who].at = self.tick();
            }
            ByHand::Write
            | ByHand::Append
            | ByHand::MakeTool
            | ByHand::Link
            | ByHand::Stage
            | ByHand::Commit
            | ByHand::Amend
            | ByHand::Reset
            | ByHand::ResetHard
            | ByHand::Switch => {
                self.excusing(&tree, |walk, tree| walk.in_worktree(who, tree, step));
                self.actors[who].at = self.tick();
            }
        }
    }

    fn in_worktree(&mut self, who: usize, tree: &TestRepository, step: ByHand) {
        let line = self.new_line();
        let name = |kind: &str| format!("{kind}-{}.txt", self.lines);
        match step {
            ByHand::Write => tree.write(&name("file"), &line),
            ByHand::Append => {
                let old = tree.read("shared.txt");
                tree.write("shared.txt", &format!("{old}{line}"));
            }
            ByHand::MakeTool => {
                tree.write(&name("tool"), &line);
                make_executable(&tree.path(&name("tool")));
            }
            ByHand::Link => make_link(&tree.path(&name("link"))),
            ByHand::Stage => drop(tree.git(&["add", "--all"])),
            ByHand::Commit => {
                tree.write(&name("by-git"), &line);
                tree.git(&["add", "--all"]);
                tree.git(&["commit", "--quiet", "-m", "by git"]);
            }
            ByHand::Amend if self.has_own_commits(who) => {
                tree.git(&["commit", "--quiet", "--amend", "--all", "-m", "amended"]);
            }
            ByHand::Reset if self.has_own_commits(who) => {
                tree.git(&["reset", "--quiet", "HEAD~1"]);
            }
            ByHand::ResetHard if self.has_own_commits(who) => {
                tree.git(&["reset", "--quiet", "--hard", "HEAD~1"]);
            }
            ByHand::Switch => self.switch(who, tree),
            _ => {}
        }
    }

    /// Somebody decides about a conflict in an editor.
    pub(super) fn edit(&mut self, who: usize, path: &str, text: &str) {
        let tree = self.world.tree(&self.actors[who].made);
        self.excusing(&tree, |_, tree| tree.write(path, text));
        self.actors[who].at = self.tick();
    }

    /// Away from the branch, or back to it; a branch that somebody deleted is made again. Git refuses it where changes are
    /// in the way, which is fine too.
    fn switch(&self, who: usize, tree: &TestRepository) {
        let branch = self.actors[who].made.branch.as_str();
        let words = match (
            self.is_on_branch(who),
            self.world.repository.has_branch(branch),
        ) {
            (true, _) => ["switch", "--quiet", "--detach"].to_vec(),
            (false, true) => ["switch", "--quiet", branch].to_vec(),
            (false, false) if head(tree).is_some() => {
                ["switch", "--quiet", "--create", branch].to_vec()
            }
            (false, false) => ["reset", "--quiet", "--soft", "main"].to_vec(),
        };
        tree.try_git(&words);
    }

    /// Whether the newest commit is one that only this branch has, on top of another one.
    fn has_own_commits(&self, who: usize) -> bool {
        let tree = self.world.tree(&self.actors[who].made);
        let own = tree.git(&["rev-list", "--count", "main..HEAD"]);
        let merges = tree.git(&["rev-list", "--count", "--merges", "main..HEAD"]);
        own != "0" && merges == "0"
    }

    fn change_first_line(&mut self, tree: &TestRepository) {
        let (line, old) = (self.new_line(), tree.read("shared.txt"));
        let rest = old.split_once('\n').map_or("", |(_, rest)| rest);
        tree.write("shared.txt", &format!("{line}{rest}"));
        tree.git(&["add", "shared.txt"]);
        tree.git(&["commit", "--quiet", "-m", "another first line"]);
    }

    fn delete_branch(&mut self, who: usize) {
        let (main, branch) = (&self.world.repository, &self.actors[who].made.branch);
        if !main.has_branch(branch) {
            return;
        }
        let exclude = format!("--exclude={branch}");
        let only = ["rev-list", branch, "--not", &exclude, "--branches"];
        let only = main.git(&only);
        let only: Vec<_> = only.lines().map(str::to_owned).collect();
        let dropped = committed(main, only.iter().map(String::as_str));
        main.git(&["branch", "--quiet", "-D", branch]);
        self.commits.retain(|commit| !only.contains(commit));
        self.entries.retain(|entry| !dropped.contains(entry));
    }

    fn on_base(&mut self, base: &TestRepository, step: ByHand) {
        let line = self.new_line();
        let old = base.read("shared.txt");
        // Sessions write at the end, so that some of this fits together with theirs and some does not.
        let new = match self.dice.below(2) {
            0 => format!("{line}{old}"),
            _ => format!("{old}{line}"),
        };
        base.write("shared.txt", &new);
        if step == ByHand::CommitOnBase {
            base.git(&["add", "shared.txt"]);
            base.git(&["commit", "--quiet", "-m", "on the base"]);
        }
    }

    /// What somebody's own step takes away is not looked for any more.
    fn excusing(&mut self, place: &TestRepository, act: impl FnOnce(&mut Self, &TestRepository)) {
        let before = held(place);
        act(self, place);
        let after = held(place);
        for entry in before.entries.difference(&after.entries) {
            self.entries.remove(entry);
        }
        let is_left = ["merge-base", "--is-ancestor", &before.head, &after.head];
        if !place.try_git(&is_left).status.success() {
            self.commits.remove(&before.head);
        }
    }
}

fn held(place: &TestRepository) -> Held {
    let mut found: BTreeSet<_> = entries(place.root()).collect();
    let head = head(place);
    found.extend(committed(place, head.as_deref()));
    Held {
        entries: found,
        head: head.unwrap_or_default(),
    }
}

#[cfg(unix)]
fn make_executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(path, mode).unwrap();
}

#[cfg(not(unix))]
fn make_executable(_path: &Path) {}

#[cfg(unix)]
fn make_link(path: &Path) {
    std::os::unix::fs::symlink("shared.txt", path).unwrap();
}

#[cfg(not(unix))]
fn make_link(path: &Path) {
    std::fs::write(path, "no link here").unwrap();
}

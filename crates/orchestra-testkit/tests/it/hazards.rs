//! The traps are real: plain git falls into them.

use std::process::Output;

use orchestra_testkit::{Sandbox, TestRepository, hazards};

/// A repository with a linked worktree, one trap, and plain git to fall into it.
struct Trapped {
    sandbox: Sandbox,
    repository: TestRepository,
    worktree: TestRepository,
}

impl Trapped {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        let repository = sandbox.repository("app");
        for name in ["a.txt", "b.json", "c.yml", "d.rs"] {
            repository.write(name, "one\n");
        }
        repository.commit("files");
        let worktree = repository.add_worktree(&sandbox.path("worktree"), "work");
        Self {
            sandbox,
            repository,
            worktree,
        }
    }

    fn plant(&self, name: &str) {
        let marker = self.sandbox.path("marker");
        let planted = hazards::plant(name, self.repository.root(), self.worktree.root(), &marker);
        assert!(planted, "{name} was not planted");
    }

    fn change(&self) {
        for name in ["README.md", "a.txt", "b.json", "c.yml", "d.rs"] {
            self.worktree.write(name, "changed\n");
        }
    }

    fn git(&self, line: &str) -> Output {
        let words: Vec<&str> = line.split_whitespace().collect();
        self.worktree.try_git(&words)
    }

    fn executed(&self) -> Vec<String> {
        hazards::executed(&self.sandbox.path("marker"))
    }
}

/// Commands that spring a trap, after files were changed.
const TRIGGERS: &[(&str, &[&str])] = &[
    ("core.hooksPath", &["commit -am x"]),
    ("core.fsmonitor", &["status"]),
    ("include.path", &["add -A"]),
    ("includeIf.path", &["add -A"]),
    ("config.worktree", &["add -A"]),
    ("diff.external", &["diff"]),
    ("diff.driver.command", &["diff"]),
    ("diff.driver.textconv", &["diff"]),
    ("filter.clean", &["add -A"]),
    ("filter.smudge", &["checkout -f HEAD -- README.md"]),
    ("filter.process", &["add -A"]),
    ("gpg.program", &["commit -am x"]),
    ("core.sshCommand", &["fetch trap-ssh"]),
    ("core.gitProxy", &["fetch trap-git"]),
    ("remote.ext", &["fetch trap-ext"]),
    ("remote.vcs", &["fetch trap-vcs"]),
    ("remote.uploadpack", &["fetch trap-pack"]),
    (
        "remote.receivepack",
        &["push trap-receive HEAD:refs/heads/other"],
    ),
    ("http.proxy", &["fetch trap-proxy"]),
    ("url.insteadOf", &["fetch trap-instead"]),
    ("credential.helper", &["fetch trap-password"]),
    ("core.askPass", &["fetch trap-password"]),
    ("core.editor", &["commit -a"]),
    ("sequence.editor", &["stash", "rebase -i HEAD~1"]),
    ("alias", &["trap"]),
    ("submodule.config", &["status"]),
    ("submodule.update", &["submodule update"]),
];

#[test]
fn plain_git_springs_the_traps() {
    for (name, commands) in TRIGGERS {
        let trapped = Trapped::new();
        trapped.plant(name);
        trapped.change();
        let outputs: Vec<Output> = commands.iter().map(|line| trapped.git(line)).collect();
        let sprung = trapped.executed().iter().any(|executed| executed == name);
        assert!(sprung, "{name}: {outputs:?}");
    }
    println!(
        "traps {}, sprung by plain git {}",
        hazards::names().len(),
        TRIGGERS.len()
    );
}

#[test]
fn plain_git_runs_the_hooks() {
    let trapped = Trapped::new();
    trapped.plant("hooks");
    trapped.change();
    for line in [
        "commit -am x",
        "checkout -q -b other",
        "commit --amend -m y",
        "rebase --force-rebase HEAD~1",
        "merge work",
    ] {
        trapped.git(line);
    }
    let executed = trapped.executed();
    for hook in [
        "pre-commit",
        "commit-msg",
        "prepare-commit-msg",
        "post-commit",
        "post-checkout",
        "post-index-change",
        "post-rewrite",
        "pre-rebase",
        "reference-transaction",
    ] {
        assert!(
            executed.contains(&format!("hook.{hook}")),
            "{hook} is not in {executed:?}"
        );
    }
}

/// `ours` and `theirs` both changed the same file.
fn conflicting() -> Trapped {
    let trapped = Trapped::new();
    let (repository, worktree) = (&trapped.repository, &trapped.worktree);
    repository.write("a.txt", "main\n");
    repository.commit("main side");
    worktree.write("a.txt", "work\n");
    worktree.commit("work side");
    trapped
}

#[test]
fn a_merge_driver_runs_even_inside_merge_tree() {
    let trapped = conflicting();
    trapped.plant("merge.driver");
    trapped.git("merge-tree --write-tree main work");
    assert_eq!(trapped.executed(), ["merge.driver"]);
}

#[test]
fn an_exec_line_in_a_rebase_runs_when_it_continues() {
    let trapped = conflicting();
    trapped.git("rebase main");
    trapped.plant("rebase.todo");
    trapped.worktree.write("a.txt", "both\n");
    trapped.git("add a.txt");
    trapped.git("-c core.editor=true rebase --continue");
    assert_eq!(trapped.executed(), ["rebase.todo"]);
}

#[test]
fn all_traps_fit_into_one_repository() {
    let trapped = Trapped::new();
    let marker = trapped.sandbox.path("marker");
    let planted = hazards::plant_all(trapped.repository.root(), trapped.worktree.root(), &marker);
    assert_eq!(
        planted.len(),
        hazards::names().len() - 1,
        "all but the rebase"
    );
    assert!(planted.len() >= 22);
    assert!(
        trapped.executed().is_empty(),
        "planting springs nothing: {:?}",
        trapped.executed()
    );
    trapped.change();
    trapped.git("status");
    trapped.git("add -A");
    assert!(trapped.executed().len() >= 3, "{:?}", trapped.executed());
}

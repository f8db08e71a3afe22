//! A git directory of an agent's own: what it commits there is brought over, and nothing else of it counts.

use orchestra_core::{BranchName, CommitId};
use orchestra_git::{InProgress, Workspace, WorkspaceWork, Worktree};
use orchestra_testkit::TestRepository;

use crate::world::{World, branch};

struct Given {
    world: World,
    worktree: Worktree,
    workspace: Workspace,
}

impl Given {
    fn of(world: World) -> Self {
        let worktree = world.worktree("one");
        let workspace = Workspace::at(world.sandbox.path("workspace"));
        let given = Self {
            world,
            worktree,
            workspace,
        };
        given.open();
        given
    }

    fn new() -> Self {
        Self::of(World::new())
    }

    fn branch(&self) -> BranchName {
        branch("one")
    }

    fn open(&self) {
        self.worktree
            .open_workspace(&self.workspace, &self.branch())
            .unwrap();
    }

    fn files(&self) -> TestRepository {
        self.world.plain_at(self.worktree.path())
    }

    /// Git as the agent runs it, with its own directory in the place of the worktree's.
    fn agent(&self, words: &[&str]) -> String {
        let git_dir = format!("--git-dir={}", self.workspace.git_dir().display());
        let tree = format!("--work-tree={}", self.worktree.path().display());
        self.files()
            .git(&[&[git_dir.as_str(), &tree], words].concat())
    }

    fn agent_commits(&self, path: &str, text: &str) -> CommitId {
        self.files().write(path, text);
        self.agent(&["add", "--all"]);
        self.agent(&["commit", "--quiet", "-m", path]);
        self.agent(&["rev-parse", "HEAD"]).parse().unwrap()
    }

    fn fetch(&self) -> WorkspaceWork {
        self.worktree
            .fetch_workspace(&self.workspace, &self.branch())
            .unwrap()
    }

    /// As the engine does it.
    fn fetch_and_settle(&self) -> WorkspaceWork {
        let work = self.fetch();
        if let Some(to) = work.to.as_ref().filter(|_| work.is_moved()) {
            let name = self.branch().full_ref();
            self.world.plain.git(&["update-ref", &name, to.as_str()]);
            self.worktree.stage_commit(to).unwrap();
        }
        self.workspace.settle().unwrap();
        work
    }

    fn code_of_fetch(&self) -> &'static str {
        let fetched = self
            .worktree
            .fetch_workspace(&self.workspace, &self.branch());
        fetched.unwrap_err().code()
    }
}

#[test]
fn commits_are_brought_over_and_nothing_moves_by_itself() {
    let given = Given::new();
    let before = given.world.plain.git(&["for-each-ref"]);
    let commit = given.agent_commits("a.txt", "a\n");
    let loose = format!(
        "objects/{}/{}",
        &commit.as_str()[..2],
        &commit.as_str()[2..]
    );
    assert!(!given.world.plain.path(".git").join(&loose).exists());
    let work = given.fetch();
    assert_eq!(work.from, Some(given.world.head()));
    assert_eq!(work.to, Some(commit.clone()));
    assert_eq!((work.elsewhere, work.in_progress), (None, None));
    assert_eq!(given.world.plain.git(&["for-each-ref"]), before);
    assert_eq!(
        given.world.plain.git(&["show", &format!("{commit}:a.txt")]),
        "a"
    );
    assert_eq!(given.fetch().to, Some(commit), "again is harmless");
    given.fetch_and_settle();
    assert!(!given.workspace.is_due());
    assert_eq!(given.files().git(&["status", "--porcelain"]), "");
    given.world.plain.fsck();
}

/// A hundred files make a pack, which is checked as a whole.
#[test]
fn many_objects_come_as_a_pack() {
    let given = Given::new();
    for number in 0..120 {
        given
            .files()
            .write(&format!("many/{number}"), &number.to_string());
    }
    let commit = given.agent_commits("one.txt", "x\n");
    given.fetch_and_settle();
    assert_eq!(
        given
            .world
            .plain
            .git(&["show", &format!("{commit}:many/77")]),
        "77"
    );
    given.world.plain.fsck();
}

#[test]
fn the_agent_sees_the_repository_and_its_own_identity() {
    let given = Given::of(World::with(|plain| {
        plain.git(&["config", "user.email", "own@example.com"]);
        plain.git(&["config", "commit.gpgsign", "true"]);
        plain.git(&["config", "alias.evil", "!touch evil"]);
        plain.git(&["branch", "other"]);
        plain.git(&["tag", "v1"]);
    }));
    assert_eq!(given.agent(&["status", "--porcelain"]), "");
    let names = given.agent(&["for-each-ref", "--format=%(refname)"]);
    assert!(
        names.contains("refs/heads/other") && names.contains("refs/tags/v1"),
        "{names}"
    );
    given.agent_commits("a.txt", "a\n");
    assert_eq!(
        given.agent(&["log", "-1", "--format=%ae"]),
        "own@example.com"
    );
    let config = std::fs::read_to_string(given.workspace.git_dir().join("config")).unwrap();
    assert!(!config.contains("evil"), "{config}");
}

#[test]
fn what_else_it_made_stays_with_the_agent_from_turn_to_turn() {
    let given = Given::new();
    given.files().write("README.md", "put away\n");
    given.agent(&["stash", "--quiet"]);
    given.agent(&["tag", "mark"]);
    given.agent(&["branch", "own"]);
    let work = given.fetch_and_settle();
    assert_eq!(work.others, ["own", "tags/mark"]);
    assert!(work.is_stashed);
    // Somebody takes the name meanwhile.
    given
        .world
        .plain
        .git(&["commit", "--quiet", "--allow-empty", "-m", "more"]);
    given.world.plain.git(&["branch", "own"]);
    for _ in 0..2 {
        given.open();
        assert_eq!(given.agent(&["stash", "list"]).lines().count(), 1);
        assert_eq!(given.agent(&["tag", "--list"]), "mark");
        given.fetch_and_settle();
    }
    given.open();
    let main = given.world.plain.git(&["rev-parse", "own"]);
    assert_eq!(
        given.agent(&["rev-parse", "own"]),
        main,
        "the repository's own"
    );
    given.agent(&["stash", "pop", "--quiet"]);
    assert_eq!(given.files().read("README.md"), "put away\n");
}

#[test]
fn what_git_is_in_the_middle_of_goes_on() {
    let given = Given::new();
    let commit = given.agent_commits("README.md", "own\n");
    given.agent(&["checkout", "--quiet", "-b", "side", "HEAD~1"]);
    given.agent_commits("README.md", "side\n");
    given.agent(&["checkout", "--quiet", "one"]);
    given.agent(&["merge", "--quiet", "-s", "ours", "--no-commit", "side"]);
    let work = given.fetch_and_settle();
    assert_eq!(work.in_progress, Some(InProgress::Merge));
    assert_eq!(work.to, Some(commit.clone()));
    given.world.plain.git(&["branch", "meanwhile"]);
    given.open();
    assert_eq!(given.workspace.in_progress(), Some(InProgress::Merge));
    let work = given.fetch();
    assert_eq!(
        work.from,
        Some(commit),
        "what was fetched before is not fetched again"
    );
    given.workspace.settle().unwrap();
    // The branch goes on elsewhere: it begins anew.
    given
        .files()
        .git(&["commit", "--quiet", "--allow-empty", "-m", "by somebody"]);
    given.open();
    assert_eq!(given.workspace.in_progress(), None);
}

#[test]
fn another_commit_that_is_checked_out_is_told_unless_it_was_given_so() {
    let given = Given::new();
    given.agent(&["checkout", "--quiet", "--detach"]);
    let commit = given.agent_commits("a.txt", "a\n");
    let left = given.fetch().elsewhere.unwrap();
    assert_eq!((left.name, left.commit), (None, commit.clone()));
    let name = given.worktree.keep_fetched(&commit).unwrap();
    assert_eq!(given.files().git(&["rev-parse", &name]), commit.as_str());
    given.worktree.leave_checked_out(&commit).unwrap();
    given.worktree.stage_commit(&commit).unwrap();
    assert_eq!(given.files().git(&["status", "--porcelain"]), "");
    given.workspace.settle().unwrap();
    given.open();
    assert_eq!(given.fetch().elsewhere, None, "it is where it was");
    given.workspace.settle().unwrap();
    given.open();
    let next = given.agent_commits("b.txt", "b\n");
    assert_eq!(given.fetch().elsewhere.map(|left| left.commit), Some(next));
}

/// The engine's own rebase waits in the repository; the agent has its conflicts and no part in it.
#[test]
fn conflicts_of_a_rebase_are_given_alone() {
    let world = World::new();
    let worktree = world.worktree("one");
    let tree = world.plain_at(worktree.path());
    tree.write("README.md", "ours\n");
    tree.commit("ours");
    world.plain.write("README.md", "theirs\n");
    world.plain.commit("theirs");
    assert!(!tree.try_git(&["rebase", "main"]).status.success());
    let workspace = Workspace::at(world.sandbox.path("workspace"));
    worktree.open_workspace(&workspace, &branch("one")).unwrap();
    assert_eq!(workspace.in_progress(), None);
    let given = Given {
        world,
        worktree,
        workspace,
    };
    assert_eq!(given.agent(&["ls-files", "--unmerged"]).lines().count(), 3);
    given.files().write("README.md", "both\n");
    given.agent(&["add", "README.md"]);
    assert_eq!(given.fetch().elsewhere, None);
    assert_eq!(given.worktree.in_progress(), Some(InProgress::Rebase));
}

#[test]
fn what_cannot_be_given_is_refused() {
    let code = |given: &Given| {
        given.workspace.settle().unwrap();
        let opened = given
            .worktree
            .open_workspace(&given.workspace, &given.branch());
        let error = opened.unwrap_err();
        assert!(error.hint().is_some(), "{error}");
        error.code()
    };
    let given = Given::new();
    let opened = given
        .worktree
        .open_workspace(&given.workspace, &given.branch());
    assert_eq!(
        opened.unwrap_err().code(),
        "workspace.rejected",
        "it is due"
    );
    std::fs::create_dir(given.world.plain.path(".git/lfs")).unwrap();
    assert_eq!(code(&given), "workspace.unsuited");
    let merging = Given::new();
    merging.files().git(&["checkout", "--quiet", "-b", "side"]);
    merging
        .files()
        .git(&["commit", "--quiet", "--allow-empty", "-m", "side"]);
    merging.files().git(&["checkout", "--quiet", "one"]);
    merging
        .files()
        .git(&["merge", "--quiet", "--no-commit", "--no-ff", "side"]);
    assert_eq!(code(&merging), "workspace.in_progress");
    let main = merging
        .world
        .repository
        .worktree_at(merging.world.plain.root())
        .unwrap();
    let opened = main.open_workspace(&merging.workspace, &merging.branch());
    assert_eq!(opened.unwrap_err().code(), "workspace.not_linked");
}

/// Does something to a git directory.
#[cfg(unix)]
type Spoil<'a> = &'a dyn Fn(&std::path::Path);

/// What an agent can write is hostile.
#[cfg(unix)]
#[test]
fn what_git_would_not_make_is_rejected() {
    use std::os::unix::fs::symlink;
    let hostile: &[(&str, Spoil)] = &[
        ("a link among objects", &|git| {
            symlink("/etc/hostname", git.join("objects/evil")).unwrap();
        }),
        ("a link in the place of HEAD", &|git| {
            std::fs::remove_file(git.join("HEAD")).unwrap();
            symlink("/etc/hostname", git.join("HEAD")).unwrap();
        }),
        ("no objects", &|git| {
            std::fs::remove_dir_all(git.join("objects")).unwrap();
        }),
        ("references in another form", &|git| {
            std::fs::create_dir(git.join("reftable")).unwrap();
        }),
        ("a commit that is not there", &|git| {
            let name = git.join("refs/heads/one");
            std::fs::create_dir_all(name.parent().unwrap()).unwrap();
            std::fs::write(name, "1".repeat(40)).unwrap();
        }),
        ("a HEAD that says nothing", &|git| {
            std::fs::write(git.join("HEAD"), "nothing\n").unwrap();
        }),
    ];
    for (what, spoil) in hostile {
        let given = Given::new();
        given.agent_commits("a.txt", "a\n");
        spoil(&given.workspace.git_dir());
        assert_eq!(given.code_of_fetch(), "workspace.rejected", "{what}");
        let place = given.workspace.set_aside().unwrap();
        assert!(place.exists() && !given.workspace.is_due(), "{what}");
        given.open();
        given.agent_commits("b.txt", "b\n");
        assert!(given.fetch().is_moved(), "{what}: the next turn works");
    }
    println!(
        "hostile git directories {}, rejected {}",
        hostile.len(),
        hostile.len()
    );
}

/// Its configuration is never read, and it names no objects that it may not read itself.
#[cfg(unix)]
#[test]
fn nothing_of_its_configuration_runs_and_no_lender_counts() {
    let given = Given::new();
    let git_dir = given.workspace.git_dir();
    let evil = given.world.sandbox.path("evil");
    let touch = format!("touch {}", evil.display());
    for key in [
        "core.fsmonitor",
        "core.sshCommand",
        "filter.x.clean",
        "uploadpack.packObjectsHook",
    ] {
        given.agent(&["config", key, &touch]);
    }
    given.agent_commits("a.txt", "a\n");
    std::fs::create_dir_all(git_dir.join("hooks")).unwrap();
    orchestra_testkit::write_program(&git_dir.join("hooks/reference-transaction"), &touch);
    std::fs::remove_file(&evil).ok();
    let secret = given.world.sandbox.repository("secret");
    secret.write("secret.txt", "a secret\n");
    let commit = secret.commit("secret");
    let lenders = git_dir.join("objects/info/alternates");
    std::fs::write(
        &lenders,
        format!("{}\n", secret.path(".git/objects").display()),
    )
    .unwrap();
    let name = git_dir.join("refs/heads/one");
    let own = std::fs::read_to_string(&name).unwrap();
    std::fs::write(&name, format!("{commit}\n")).unwrap();
    assert_eq!(given.code_of_fetch(), "workspace.rejected");
    std::fs::write(&name, own).unwrap();
    assert!(given.fetch().is_moved());
    assert!(!evil.exists(), "nothing was run");
}

//! A sandbox with one repository, opened.

use std::path::{Path, PathBuf};

use orchestra_core::{BranchName, CommitId};
use orchestra_git::{
    CommitError, CommitRequest, Environment, FileChange, Fill, Git, Repository, StartingPoint,
    Worktree,
};
use orchestra_testkit::{Sandbox, TestRepository};

pub(crate) struct World {
    pub(crate) sandbox: Sandbox,
    pub(crate) plain: TestRepository,
    pub(crate) git: Git,
    pub(crate) repository: Repository,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with(|_| {})
    }

    /// Prepares the sandbox and the repository with plain git before it is opened.
    pub(crate) fn with(prepare: impl FnOnce(&TestRepository)) -> Self {
        let sandbox = Sandbox::new();
        let plain = sandbox.repository("sample");
        prepare(&plain);
        let git = git(&sandbox);
        let repository = git.open(plain.root()).unwrap();
        Self {
            sandbox,
            plain,
            git,
            repository,
        }
    }

    pub(crate) fn head(&self) -> CommitId {
        self.plain.head().parse().unwrap()
    }

    pub(crate) fn place(&self, name: &str) -> PathBuf {
        self.plain.root().join(".worktrees").join(name)
    }

    /// A worktree with files, on a new branch.
    pub(crate) fn worktree(&self, name: &str) -> Worktree {
        let start = StartingPoint::NewBranch {
            name: branch(name),
            at: self.head(),
        };
        let worktree = self
            .repository
            .register_worktree(&self.place(name), &start)
            .unwrap();
        worktree.fill(&self.head(), Fill::Fresh).unwrap();
        worktree
    }

    /// Plain git in a worktree.
    pub(crate) fn plain_at(&self, path: &Path) -> TestRepository {
        self.plain.at(path)
    }

    /// The same repository through a git that says it is the oldest supported one, and refuses what came later.
    #[cfg(unix)]
    pub(crate) fn with_oldest_git(&self) -> Repository {
        let body = "case \"$1 $*\" in\n\
            --version*) echo git version 2.38.0; exit;;\n\
            merge-tree*--merge-base=* | merge-tree*--stdin*) exit 129;;\n\
            esac\n\
            test -z \"$GIT_ATTR_SOURCE\" || exit 129\n\
            exec git \"$@\"";
        let program = crate::open::script(&self.sandbox, "older-git", body);
        let private = self.sandbox.path("private");
        let git = Git::find(Some(program.as_ref()), environment(&self.sandbox), &private);
        git.unwrap().open(self.plain.root()).unwrap()
    }

    /// Starts a branch at a commit and leaves the checkout on it.
    pub(crate) fn start(&self, name: &str, at: &CommitId) {
        self.plain
            .git(&["checkout", "--quiet", "-b", name, at.as_str()]);
    }

    /// Opens again, for tests that changed the configuration.
    pub(crate) fn reopened(&self) -> Repository {
        self.git.open(self.plain.root()).unwrap()
    }
}

/// Has worktrees made by git, not in process.
pub(crate) fn left_to_git(plain: &TestRepository) {
    plain.git(&["config", "core.sharedRepository", "group"]);
}

/// A commit that its branch points at.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Committed {
    pub(crate) commit: CommitId,
    pub(crate) parent: CommitId,
    pub(crate) changes: Vec<FileChange>,
    pub(crate) left_out: Vec<PathBuf>,
}

/// Both steps of a commit at once, and what it changed.
pub(crate) trait CommitAll {
    fn commit_all(&self, request: &CommitRequest) -> Result<Option<Committed>, CommitError>;
}

impl CommitAll for Worktree {
    fn commit_all(&self, request: &CommitRequest) -> Result<Option<Committed>, CommitError> {
        let Some(prepared) = self.prepare_commit(request)? else {
            return Ok(None);
        };
        self.publish_commit(&prepared)?;
        let repository = self.repository();
        Ok(Some(Committed {
            changes: repository.changes_between(&prepared.parent, &prepared.commit)?,
            commit: prepared.commit,
            parent: prepared.parent,
            left_out: prepared.left_out,
        }))
    }
}

pub(crate) fn git(sandbox: &Sandbox) -> Git {
    Git::find(None, environment(sandbox), &sandbox.data_dir().join("git")).unwrap()
}

/// The user's environment inside the sandbox.
#[expect(
    clippy::disallowed_methods,
    reason = "programs are found where the test finds them"
)]
pub(crate) fn environment(sandbox: &Sandbox) -> Environment {
    let home = sandbox.home();
    let own = [
        ("HOME", home.clone()),
        ("XDG_CONFIG_HOME", home.join(".config")),
        ("TMPDIR", sandbox.path("tmp")),
    ];
    let own = own.map(|(name, value)| (name.into(), value.into()));
    let lent = ["PATH", "SystemRoot", "PATHEXT", "COMSPEC"];
    let lent = lent
        .into_iter()
        .filter_map(|name| Some((name.into(), std::env::var_os(name)?)));
    Environment::from_variables(own.into_iter().chain(lent))
}

pub(crate) fn branch(name: &str) -> BranchName {
    name.parse().unwrap()
}

pub(crate) fn id(text: &str) -> CommitId {
    text.parse().unwrap()
}

/// Names of files below a directory, for before-and-after comparisons.
pub(crate) fn files_below(dir: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let Ok(entries) = std::fs::read_dir(dir) else {
        return files;
    };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.is_symlink() {
            files.extend(files_below(&path));
        }
        files.push(path);
    }
    files.sort();
    files
}

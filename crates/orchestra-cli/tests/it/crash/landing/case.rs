//! What is killed: one landing command each, with the work it needs, and how its end is known.

use std::path::PathBuf;

use orchestra_testkit::TestRepository;

use crate::concurrency::world::{World, shown};
use crate::landing::OVERRIDES;
use crate::made::Made;

/// Files of a session's commits: enough for a kill to meet git while it writes them.
const FILES: usize = 40;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Case {
    Squash,
    Rebase,
    Conflict,
    Resolve,
    Continue,
    Skip,
    Abort,
    FastForward,
    MergeCommit,
    SquashMerge,
    MergeInto,
    Land,
    Push,
    Cleanup,
    Restore,
    Undo,
    UndoMerge,
    Redo,
}

impl Case {
    pub(super) const ALL: [Self; 18] = [
        Self::Squash,
        Self::FastForward,
        Self::Conflict,
        Self::Cleanup,
        Self::MergeCommit,
        Self::Continue,
        Self::Push,
        Self::SquashMerge,
        Self::Rebase,
        Self::Undo,
        Self::Land,
        Self::Resolve,
        Self::UndoMerge,
        Self::Restore,
        Self::Abort,
        Self::MergeInto,
        Self::Redo,
        Self::Skip,
    ];

    fn has_conflict(self) -> bool {
        matches!(
            self,
            Self::Conflict | Self::Resolve | Self::Continue | Self::Skip | Self::Abort
        )
    }
}

/// A session with work, just before the command.
pub(super) struct Trial {
    case: Case,
    pub(super) session: Made,
    /// Where the base is.
    pub(super) base: String,
    /// Where the session's branch is.
    tip: String,
    /// The files of the session's last commit.
    tree: String,
    /// Where something comes back to, if the command brings it back.
    earlier: String,
}

impl Trial {
    /// `name` must be new in this world.
    pub(super) fn prepare(world: &World, case: Case, name: &str) -> Self {
        let session = world.create(name, &[]);
        let tree = world.repository.at(&session.worktree);
        work(&tree, case, &session);
        match case {
            Case::Rebase | Case::Land | Case::MergeCommit => {
                base_moves(world, &format!("base-{name}.txt"), name);
            }
            _ if case.has_conflict() => base_moves(world, "conflict.txt", name),
            _ => {}
        }
        tree.write("notes.txt", &notes(&session));
        let mut trial = Self {
            case,
            base: world.repository.head(),
            tip: world.repository.branch_sha(&session.branch),
            tree: tree.git(&["rev-parse", "HEAD^{tree}"]),
            earlier: String::new(),
            session,
        };
        trial.begin(world);
        trial
    }

    /// What comes before the command.
    fn begin(&mut self, world: &World) {
        let id = self.session.id.clone();
        let squash = ["squash", &id, "--message", "All"];
        match self.case {
            Case::Resolve | Case::Continue | Case::Skip | Case::Abort => {
                expect(world, &["rebase", &id], 7);
                if self.case == Case::Continue {
                    expect(world, &["resolve", &id, "conflict.txt", "--theirs"], 0);
                }
            }
            Case::Restore => expect(world, &cleanup(&id), 0),
            Case::Undo => expect(world, &squash, 0),
            Case::Redo => {
                expect(world, &squash, 0);
                expect(world, &["undo", &id], 0);
            }
            Case::UndoMerge => {
                self.earlier.clone_from(&self.base);
                let merge = [&["merge", &id], OVERRIDES].concat();
                expect(world, &merge, 0);
                self.base = world.repository.head();
            }
            _ => {}
        }
    }

    pub(super) fn words(&self) -> Vec<&str> {
        let id = self.session.id.as_str();
        let merge = |more: &[&'static str]| [&["merge", id][..], more, OVERRIDES].concat();
        match self.case {
            Case::Squash => vec!["squash", id, "--message", "All"],
            Case::Rebase | Case::Conflict => vec!["rebase", id],
            Case::Resolve => vec!["resolve", id, "conflict.txt", "--theirs"],
            Case::Continue => vec!["rebase", id, "--continue"],
            Case::Skip => vec!["rebase", id, "--skip"],
            Case::Abort => vec!["rebase", id, "--abort"],
            Case::FastForward => merge(&["--ff-only"]),
            Case::MergeCommit => merge(&["--no-ff"]),
            Case::SquashMerge => merge(&["--squash", "--message", "All"]),
            Case::MergeInto => merge(&["--into", "release", "--override", "base"]),
            Case::Land => [&["land", id], OVERRIDES].concat(),
            Case::Push => vec!["push", id],
            Case::Cleanup => cleanup(id).to_vec(),
            Case::Restore => vec!["trash", "restore", id],
            Case::Undo | Case::UndoMerge => vec!["undo", id],
            Case::Redo => vec!["redo", id],
        }
    }

    /// Whether what was asked for is so.
    pub(super) fn is_done(&self, world: &World) -> bool {
        let main = &world.repository;
        let tip = || main.branch_sha(&self.session.branch);
        let at = |branch: &str| {
            let work = format!("{branch}:{}", work_file(&self.session, 0));
            main.try_git(&["cat-file", "-e", &work]).status.success()
        };
        let is_on_top = || {
            let on_top = ["merge-base", "--is-ancestor", &self.base, &tip()];
            main.try_git(&on_top).status.success()
        };
        match self.case {
            Case::Squash | Case::Redo => {
                self.commits(world) == 1 && tree_of(main, &tip()) == self.tree
            }
            Case::Undo => tip() == self.tip,
            Case::Rebase => is_on_top() && tip() != self.tip,
            Case::Conflict => self.is_conflicted(world) && !self.unmerged(world).is_empty(),
            Case::Resolve => self.is_conflicted(world) && self.unmerged(world).is_empty(),
            Case::Continue | Case::Skip => !self.is_conflicted(world) && is_on_top(),
            Case::Abort => !self.is_conflicted(world) && tip() == self.tip,
            Case::FastForward | Case::MergeCommit | Case::SquashMerge | Case::Land => at("main"),
            Case::MergeInto => at("release"),
            Case::UndoMerge => main.head() == self.earlier,
            Case::Push => {
                let full = format!("refs/heads/{}", self.session.branch);
                let remote = main.git(&["ls-remote", "origin", &full]);
                remote.starts_with(&self.tip)
            }
            Case::Cleanup => !self.session.worktree.exists() && self.in_trash(world).is_some(),
            Case::Restore => self.session.worktree.join("notes.txt").exists(),
        }
    }

    /// The worktree has what the command left there and what somebody wrote, and nothing else differs.
    pub(super) fn assert_worktree(&self, world: &World, when: &str) {
        if !self.session.worktree.exists() || self.is_conflicted(world) {
            return;
        }
        let tree = world.repository.at(&self.session.worktree);
        let status = tree.git(&["status", "--porcelain"]);
        assert_eq!(status, "?? notes.txt", "{when}");
    }

    fn commits(&self, world: &World) -> usize {
        let range = format!("{}..{}", self.base, self.session.branch);
        let count = world.repository.git(&["rev-list", "--count", &range]);
        count.parse().unwrap()
    }

    fn is_conflicted(&self, world: &World) -> bool {
        let id = &self.session.id;
        let sql = format!("SELECT count(*) FROM sessions WHERE id = '{id}' AND rebase IS NOT NULL");
        world.count(&sql) == 1
    }

    fn unmerged(&self, world: &World) -> String {
        let tree = world.repository.at(&self.session.worktree);
        tree.git(&["ls-files", "--unmerged"])
    }

    fn in_trash(&self, world: &World) -> Option<PathBuf> {
        in_trash(world, &self.session)
    }
}

/// What a person wrote in the worktree and did not commit.
pub(super) fn notes(session: &Made) -> String {
    format!("notes in {}\n", session.id)
}

/// Where the worktree of a session lies in the trash.
pub(super) fn in_trash(world: &World, session: &Made) -> Option<PathBuf> {
    let trash = world.repository.path(".git/orchestra/trash");
    let entries = std::fs::read_dir(trash).into_iter().flatten().flatten();
    let mut entries = entries.map(|entry| entry.path());
    entries.find(|entry| {
        let name = entry.file_name().unwrap().to_string_lossy().into_owned();
        name.starts_with(&session.id) && entry.join("entry.json").exists()
    })
}

fn cleanup(id: &str) -> [&str; 4] {
    ["cleanup", id, "--even-unlanded", "--even-dirty"]
}

fn work_file(session: &Made, number: usize) -> String {
    format!("work/{}/{number}.txt", session.id)
}

#[track_caller]
fn expect(world: &World, words: &[&str], code: i32) {
    let output = world.session(words).output().unwrap();
    assert_eq!(
        output.status.code(),
        Some(code),
        "{words:?}: {}",
        shown(&output)
    );
}

/// Three commits; the middle one may not fit onto the base.
fn work(tree: &TestRepository, case: Case, session: &Made) {
    let write = |numbers: std::ops::Range<usize>| {
        for number in numbers {
            let text = format!("{number} of {}\n", session.id);
            tree.write(&work_file(session, number), &text);
        }
    };
    write(0..FILES / 2);
    tree.commit("amp: half of the work");
    if case.has_conflict() {
        tree.write("conflict.txt", &format!("of {}\n", session.id));
    } else {
        tree.write(&work_file(session, FILES), "in between\n");
    }
    tree.commit("by hand");
    write(FILES / 2..FILES);
    tree.commit("amp: the other half");
}

/// Somebody commits one file on the base, in the main checkout, and leaves everything else there as it is.
fn base_moves(world: &World, path: &str, text: &str) {
    let main = &world.repository;
    main.write(path, &format!("{text}\n"));
    main.git(&["add", path]);
    main.git(&["commit", "--quiet", "-m", "The base moves on"]);
}

fn tree_of(repository: &TestRepository, commit: &str) -> String {
    repository.git(&["rev-parse", &format!("{commit}^{{tree}}")])
}

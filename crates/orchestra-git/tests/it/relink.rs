//! Links between a repository and its worktrees after something was moved.

use std::fs;
use std::path::{Path, PathBuf};

use orchestra_git::{Former, Repository, WorktreeError, registered_worktrees};

use crate::world::World;

/// A repository with two worktrees that was moved.
struct Moved {
    world: World,
    repository: Repository,
    former_common: PathBuf,
}

impl Moved {
    fn new() -> Self {
        let world = World::new();
        world.worktree("amp-one");
        world.worktree("amp-two");
        let former_common = world.repository.common_dir().to_owned();
        let place = world.sandbox.path("elsewhere");
        fs::rename(world.plain.root(), &place).unwrap();
        let repository = world.git.open(&place).unwrap();
        Self {
            world,
            repository,
            former_common,
        }
    }

    fn worktree(&self, name: &str) -> PathBuf {
        self.repository.root().join(".worktrees").join(name)
    }

    fn relink(&self, name: &str) -> Result<(), WorktreeError> {
        let former = self.world.place(name);
        self.repository.relink_worktree(
            &self.worktree(name),
            Former {
                common_dir: &self.former_common,
                worktree: &former,
            },
        )
    }

    fn named_by(&self, name: &str) -> String {
        let admin = self.repository.common_dir().join("worktrees").join(name);
        fs::read_to_string(admin.join("gitdir")).unwrap()
    }
}

#[test]
fn a_moved_repository_and_its_worktrees_are_linked_again() {
    let moved = Moved::new();
    let registered = registered_worktrees(moved.repository.common_dir()).unwrap();
    let former = ["amp-one", "amp-two"].map(|name| moved.world.place(name));
    assert_eq!(registered, former);
    assert!(
        moved
            .repository
            .worktree_at(&moved.worktree("amp-one"))
            .is_err()
    );
    for _ in 0..2 {
        moved.relink("amp-one").unwrap();
    }
    let worktree = moved.repository.worktree_at(&moved.worktree("amp-one"));
    assert!(!worktree.unwrap().is_dirty().unwrap());
    assert!(
        moved
            .named_by("amp-two")
            .starts_with(former[1].to_str().unwrap())
    );
}

#[test]
fn what_a_directory_says_of_itself_is_not_enough() {
    let moved = Moved::new();
    let marker = moved.worktree("amp-one").join(".git");
    let before = moved.named_by("amp-two");
    let foreign = moved.world.sandbox.repository("foreign");
    foreign.git(&["worktree", "add", "--quiet", "../theirs"]);
    let theirs = foreign.path(".git/worktrees/theirs");
    let others = moved.former_common.join("worktrees/amp-two");
    let claim = |admin: &Path| format!("gitdir: {}\n", admin.display());
    for text in [claim(&others), claim(&theirs), "nonsense\n".to_owned()] {
        fs::write(&marker, &text).unwrap();
        let error = moved.relink("amp-one").unwrap_err();
        assert_eq!(error.code(), "git.not_a_worktree", "{text}");
    }
    fs::remove_file(&marker).unwrap();
    assert!(moved.relink("amp-one").is_err());
    assert_eq!(moved.named_by("amp-two"), before);
    let named = fs::read_to_string(theirs.join("gitdir")).unwrap();
    assert!(named.contains("theirs"), "{named}");
}

#[test]
fn a_directory_without_worktrees_has_none_registered() {
    let world = World::new();
    assert!(
        registered_worktrees(world.repository.common_dir())
            .unwrap()
            .is_empty()
    );
    let file = world.plain.path("README.md");
    assert!(registered_worktrees(&file).unwrap().is_empty());
}

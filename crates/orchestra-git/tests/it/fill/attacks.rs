//! Trees that git would never make, built to write outside a worktree or into git's own files.

use std::fs;
use std::path::PathBuf;

use orchestra_core::CommitId;
use orchestra_git::Fill;
use orchestra_testkit::TestRepository;

use super::{TreeEntry, commit_of, fill, registered, store, store_tree};
use crate::world::{World, files_below};

/// Ids to build trees from.
struct Parts {
    /// A blob.
    file: String,
    /// A link to the directory outside.
    link: String,
    /// A tree with one file.
    tree: String,
}

struct Scene {
    world: World,
    outside: PathBuf,
    parts: Parts,
}

impl Scene {
    fn new() -> Self {
        let world = World::new();
        let outside = world.sandbox.path("outside");
        fs::create_dir_all(&outside).unwrap();
        fs::write(outside.join("victim"), "untouched").unwrap();
        let file = store(&world.plain, "blob", b"evil");
        let link = store(&world.plain, "blob", outside.as_os_str().as_encoded_bytes());
        let tree = store_tree(&world.plain, &[("100644", b"victim", &file)]);
        Self {
            world,
            outside,
            parts: Parts { file, link, tree },
        }
    }

    /// Whatever becomes of the tree, git decides it, and nothing outside changes.
    fn require_left_to_git(&self, label: &str, commit: &CommitId) {
        let before = self.snapshot();
        let worktree = registered(&self.world, label);
        let (processes, result) = fill(&self.world, &worktree, commit);
        assert_eq!(processes, 1, "{label}");
        let reference = registered(&self.world, &format!("{label}-reference"));
        let gits = reference.fill(commit, Fill::Again);
        assert_eq!(result.is_ok(), gits.is_ok(), "{label}: {result:?} {gits:?}");
        assert_eq!(self.snapshot(), before, "{label}");
        let marker = fs::read_to_string(worktree.path().join(".git")).unwrap();
        assert!(marker.starts_with("gitdir: "), "{label}");
    }

    /// What an attack would change.
    fn snapshot(&self) -> (Vec<PathBuf>, String, Vec<PathBuf>) {
        let victim = fs::read_to_string(self.outside.join("victim")).unwrap();
        let hooks = files_below(&self.world.plain.path(".git/hooks"));
        (files_below(&self.outside), victim, hooks)
    }

    fn plain(&self) -> &TestRepository {
        &self.world.plain
    }
}

#[test]
fn a_link_and_a_directory_of_one_name() {
    let scene = Scene::new();
    let Parts { file, link, tree } = &scene.parts;
    let trees: [(&str, Vec<TreeEntry<'_>>); 4] = [
        (
            "link-first",
            vec![("120000", b"a", link), ("40000", b"a", tree)],
        ),
        (
            "tree-first",
            vec![("40000", b"a", tree), ("120000", b"a", link)],
        ),
        (
            "apart",
            vec![
                ("120000", b"a", link),
                ("100644", b"a.", file),
                ("40000", b"a", tree),
            ],
        ),
        (
            "twice",
            vec![("100644", b"a", file), ("120000", b"a", link)],
        ),
    ];
    for (label, entries) in trees {
        let tree = store_tree(scene.plain(), &entries);
        scene.require_left_to_git(label, &commit_of(scene.plain(), &tree));
    }
}

#[test]
fn names_that_lead_elsewhere() {
    let scene = Scene::new();
    let Parts { file, tree, .. } = &scene.parts;
    let names: [(&str, &[u8]); 16] = [
        ("git", b".git"),
        ("upper", b".GIT"),
        ("mixed", b".gIt"),
        ("short", b"git~1"),
        ("space", b".git "),
        ("dot", b".git."),
        ("stream", b".git::$INDEX_ALLOCATION"),
        ("ignored", ".g\u{200c}it".as_bytes()),
        ("parent", b".."),
        ("self", b"."),
        ("empty", b""),
        ("slash", b"../outside/victim"),
        ("absolute", b"/tmp/evil"),
        ("backslash", b"..\\outside\\victim"),
        ("inner", b"a\\.git"),
        ("nested", b"a/b"),
    ];
    for (label, name) in names {
        for (kind, mode, id) in [("file", "100644", file), ("directory", "40000", tree)] {
            let odd = store_tree(scene.plain(), &[(mode, name, id)]);
            let commit = commit_of(scene.plain(), &odd);
            scene.require_left_to_git(&format!("{label}-{kind}"), &commit);
            let below = store_tree(scene.plain(), &[("40000", b"below", &odd)]);
            let commit = commit_of(scene.plain(), &below);
            scene.require_left_to_git(&format!("{label}-{kind}-below"), &commit);
        }
    }
}

#[test]
fn names_that_no_disk_takes() {
    let scene = Scene::new();
    let Parts { file, tree, .. } = &scene.parts;
    let long = [b'x'; 300];
    for (label, mode, id) in [("file", "100644", file), ("directory", "40000", tree)] {
        let odd = store_tree(scene.plain(), &[("100644", b"a", file), (mode, &long, id)]);
        scene.require_left_to_git(label, &commit_of(scene.plain(), &odd));
    }
}

#[test]
fn links_to_gits_own_files() {
    let scene = Scene::new();
    let link = &scene.parts.link;
    for (label, name) in [("modules", &b".gitmodules"[..]), ("short", b"GITMOD~1")] {
        let tree = store_tree(scene.plain(), &[("120000", name, link)]);
        scene.require_left_to_git(label, &commit_of(scene.plain(), &tree));
    }
}

#[test]
fn trees_without_an_order_or_an_end() {
    let scene = Scene::new();
    let Parts { file, tree, .. } = &scene.parts;
    let unsorted = store_tree(
        scene.plain(),
        &[("100644", b"b", file), ("100644", b"a", file)],
    );
    scene.require_left_to_git("unsorted", &commit_of(scene.plain(), &unsorted));
    let mut deep = tree.clone();
    for _ in 0..400 {
        deep = store_tree(scene.plain(), &[("40000", b"d", &deep)]);
    }
    scene.require_left_to_git("deep", &commit_of(scene.plain(), &deep));
    let wrong = store_tree(scene.plain(), &[("40000", b"d", file)]);
    scene.require_left_to_git("blob-as-tree", &commit_of(scene.plain(), &wrong));
    let cut = store(scene.plain(), "tree", b"100644 a\0short");
    scene.require_left_to_git("cut", &commit_of(scene.plain(), &cut));
}

#[test]
fn a_harmless_link_to_outside_is_only_a_link() {
    let scene = Scene::new();
    let Parts { file, link, .. } = &scene.parts;
    let tree = store_tree(
        scene.plain(),
        &[("120000", b"a", link), ("100644", b"a.txt", file)],
    );
    let worktree = registered(&scene.world, "link");
    let (processes, result) = fill(&scene.world, &worktree, &commit_of(scene.plain(), &tree));
    result.unwrap();
    assert_eq!(processes, 0);
    assert_eq!(
        fs::read_link(worktree.path().join("a")).unwrap(),
        scene.outside
    );
    assert_eq!(
        fs::read_to_string(scene.outside.join("victim")).unwrap(),
        "untouched"
    );
}

//! What is not done in process.

use std::fs;

use orchestra_git::{Fill, Worktree};
use orchestra_testkit::{Sandbox, TestRepository};

use super::{fill, registered, store};
use crate::world::{World, files_below};

/// A repository with a little of everything, prepared further, must be filled by git.
fn require_git(label: &str, prepare: impl FnOnce(&TestRepository)) -> (World, Worktree) {
    let world = World::with(|plain| {
        plain.write("text.txt", "one\ntwo\n");
        plain.write("part/more.txt", "$Id$\n");
        plain.commit("files");
        prepare(plain);
    });
    let worktree = registered(&world, "one");
    let (processes, result) = fill(&world, &worktree, &world.head());
    result.unwrap();
    assert_ne!(processes, 0, "{label}");
    assert!(!worktree.status().unwrap().is_dirty(), "{label}");
    (world, worktree)
}

#[test]
fn attributes_that_convert() {
    for rule in [
        "*.txt filter=upper",
        "*.txt text eol=crlf",
        "more.txt ident",
        "*.txt text working-tree-encoding=ISO-8859-1",
        "[attr]mine eol=crlf",
    ] {
        for file in [".gitattributes", "part/.gitattributes"] {
            require_git(rule, |plain| {
                plain.write(file, rule);
                plain.commit("attributes");
            });
        }
        require_git(rule, |plain| plain.write(".git/info/attributes", rule));
    }
    let (_world, worktree) = require_git("crlf", |plain| {
        plain.write(".gitattributes", "*.txt eol=crlf");
        plain.commit("attributes");
    });
    let text = fs::read_to_string(worktree.path().join("text.txt")).unwrap();
    assert_eq!(text, "one\r\ntwo\r\n", "and git converts");
}

#[test]
fn attributes_of_the_user() {
    let default = |sandbox: &Sandbox| sandbox.home().join(".config/git/attributes");
    let named = |sandbox: &Sandbox| sandbox.home().join("my-attributes");
    for place in [default, named] {
        let world = World::new();
        let file = place(&world.sandbox);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "*.md eol=crlf\n").unwrap();
        let name = file.to_str().unwrap();
        if file.ends_with("my-attributes") {
            world
                .plain
                .git(&["config", "--global", "core.attributesFile", name]);
        }
        let worktree = registered(&world, "one");
        assert_eq!(fill(&world, &worktree, &world.head()).0, 1, "{name}");
        let text = fs::read_to_string(worktree.path().join("README.md")).unwrap();
        assert!(text.contains("\r\n"), "{name}");
    }
}

#[test]
fn attributes_that_cannot_be_read() {
    for label in ["circle", "directory"] {
        let world = World::new();
        let file = world.sandbox.home().join("my-attributes");
        match label {
            "circle" => std::os::unix::fs::symlink(&file, &file).unwrap(),
            _ => fs::create_dir(&file).unwrap(),
        }
        let name = file.to_str().unwrap();
        world
            .plain
            .git(&["config", "--global", "core.attributesFile", name]);
        let worktree = registered(&world, "one");
        let (processes, result) = fill(&world, &worktree, &world.head());
        result.unwrap();
        assert_eq!(processes, 1, "{label}");
    }
}

#[test]
fn settings_that_change_files() {
    for (key, value) in [
        ("core.autocrlf", "true"),
        ("core.autocrlf", "input"),
        ("core.eol", "crlf"),
        ("core.symlinks", "false"),
        ("core.fileMode", "false"),
        ("core.ignoreCase", "true"),
        ("core.precomposeUnicode", "true"),
        ("extensions.partialClone", "origin"),
    ] {
        require_git(key, |plain| {
            plain.git(&["config", key, value]);
        });
    }
    require_git("sparse", |plain| {
        plain.git(&["sparse-checkout", "set", "--cone", "part"]);
    });
}

#[test]
fn trees_that_are_more_than_files() {
    require_git("submodule", |plain| {
        let link = format!("160000,{},sub", plain.head());
        plain.git(&["update-index", "--add", "--cacheinfo", &link]);
        plain.git(&["commit", "--quiet", "-m", "submodule"]);
    });
    require_git("unusual mode", |plain| {
        let blob = store(plain, "blob", b"x");
        let tree = super::store_tree(plain, &[("100664", b"file", &blob)]);
        let commit = super::commit_of(plain, &tree);
        plain.git(&["reset", "--quiet", "--hard", commit.as_str()]);
    });
    require_git("backslash", |plain| {
        plain.write("odd\\name", "x");
        plain.commit("odd name");
    });
    require_git("nothing", |plain| {
        plain.git(&["rm", "--quiet", "-r", "."]);
        plain.commit("nothing");
    });
}

#[test]
fn another_object_format() {
    let world = World::with(|plain| {
        fs::remove_dir_all(plain.path(".git")).unwrap();
        plain.git(&[
            "init",
            "--quiet",
            "--initial-branch=main",
            "--object-format=sha256",
        ]);
        plain.commit("first");
    });
    let worktree = registered(&world, "one");
    let (processes, result) = fill(&world, &worktree, &world.head());
    result.unwrap();
    assert_eq!(processes, 1);
}

#[test]
fn what_is_in_the_way_stays() {
    let world = World::new();
    for (name, path) in [
        ("same", "README.md"),
        ("other", "mine.txt"),
        ("directory", "part/x"),
    ] {
        let worktree = registered(&world, name);
        let file = worktree.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "mine").unwrap();
        let (processes, result) = fill(&world, &worktree, &world.head());
        assert_eq!(processes, 1, "{name}");
        assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
        match name {
            "same" => assert_eq!(result.unwrap_err().code(), "git.failed"),
            _ => result.unwrap(),
        }
    }
}

#[test]
fn a_locked_index_is_respected() {
    let world = World::new();
    let worktree = registered(&world, "one");
    let lock = worktree.admin_dir().join("index.lock");
    fs::write(&lock, "somebody's").unwrap();
    let (_, result) = fill(&world, &worktree, &world.head());
    assert_eq!(result.unwrap_err().code(), "git.failed");
    assert_eq!(fs::read_to_string(&lock).unwrap(), "somebody's");
    assert!(!worktree.path().join("README.md").exists());
}

#[test]
fn a_missing_or_damaged_object_leaves_nothing() {
    let damage = |plain: &TestRepository, name: &str, content: Option<&str>| {
        let id = plain.git(&["rev-parse", &format!("HEAD:{name}")]);
        let path = plain.path(&format!(".git/objects/{}/{}", &id[..2], &id[2..]));
        fs::remove_file(&path).unwrap();
        if let Some(content) = content {
            fs::write(path, content).unwrap();
        }
    };
    for (name, content) in [
        ("part/deep/file-300", None),
        ("part/deep/file-300", Some("nonsense")),
        ("part/deep", None),
        ("part/link", None),
    ] {
        let world = World::with(|plain| {
            for number in 0..400 {
                plain.write(&format!("part/deep/file-{number}"), &number.to_string());
            }
            std::os::unix::fs::symlink("deep", plain.path("part/link")).unwrap();
            plain.commit("files");
            damage(plain, name, content);
        });
        let worktree = registered(&world, "one");
        let before = files_below(worktree.path());
        let (processes, result) = fill(&world, &worktree, &world.head());
        assert_eq!(
            (processes, result.unwrap_err().code()),
            (1, "git.failed"),
            "{name}"
        );
        let in_the_way = files_below(worktree.path()).len() > before.len();
        // git itself leaves what it wrote before it failed, but never what it found.
        assert!(
            !worktree.admin_dir().join("index.lock").exists(),
            "{name} {in_the_way}"
        );
        assert!(!worktree.admin_dir().join("index").exists(), "{name}");
    }
}

#[test]
fn a_second_fill_is_git() {
    let world = World::new();
    let worktree = registered(&world, "one");
    assert_eq!(fill(&world, &worktree, &world.head()).0, 0);
    fs::write(worktree.path().join("README.md"), "half").unwrap();
    let before = world.git.spawned();
    worktree.fill(&world.head(), Fill::Again).unwrap();
    assert_eq!(world.git.spawned() - before, 1);
    assert!(!worktree.status().unwrap().is_dirty());
}

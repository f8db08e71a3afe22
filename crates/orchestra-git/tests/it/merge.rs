//! Merges in memory: every kind of conflict, odd names, hostile configuration, many at once.

use std::fs;
use std::path::{Path, PathBuf};

use orchestra_core::{CommitId, ConflictContent, ConflictKind};
use orchestra_git::{ConflictedFile, MergeLabels, MergeResult, Repository};
use orchestra_testkit::{TestRepository, hazards};

use crate::world::{World, files_below, id};

struct Sides {
    world: World,
    base: CommitId,
    ours: CommitId,
    theirs: CommitId,
}

type Prepare = fn(&TestRepository);

impl Sides {
    fn new(base: Prepare, ours: Prepare, theirs: Prepare) -> Self {
        let world = World::new();
        base(&world.plain);
        let start = id(&world.plain.commit("base"));
        let side = |name: &str, change: Prepare| {
            world.start(name, &start);
            change(&world.plain);
            id(&world.plain.commit(name))
        };
        let (ours, theirs) = (side("ours", ours), side("theirs", theirs));
        let base = start.clone();
        Self {
            world,
            base,
            ours,
            theirs,
        }
    }

    fn merge(&self) -> MergeResult {
        self.merge_in(&self.world.repository)
    }

    fn merge_in(&self, repository: &Repository) -> MergeResult {
        repository
            .merge_in_memory(&self.ours, &self.theirs, None)
            .unwrap()
    }

    /// The conflicts as `path kind content`, which must be the same with the base given and with an older git.
    fn conflicts(&self) -> Vec<String> {
        let found = self.merge();
        let told = self
            .world
            .repository
            .merge_in_memory(&self.ours, &self.theirs, Some(&self.base))
            .unwrap();
        assert_eq!(found.conflicts, told.conflicts);
        #[cfg(unix)]
        {
            let older = self.world.with_oldest_git();
            assert_eq!(self.merge_in(&older), found);
        }
        self.world.plain.fsck();
        found.conflicts.iter().map(shown).collect()
    }
}

fn shown(file: &ConflictedFile) -> String {
    let path = file.path.display();
    format!("{path}: {}, {}", file.kind(), file.content())
}

fn nothing(_: &TestRepository) {}

fn remove(plain: &TestRepository, path: &str) {
    plain.git(&["rm", "--quiet", path]);
}

#[test]
fn different_files_merge_cleanly() {
    let sides = Sides::new(
        |plain| plain.write("a", "1\n"),
        |plain| plain.write("a", "2\n"),
        |plain| plain.write("b", "1\n"),
    );
    let before = sides.world.git.spawned();
    let result = sides.merge();
    assert_eq!(sides.world.git.spawned() - before, 1);
    assert!(result.is_clean() && result.messages.is_empty());
    let plain = &sides.world.plain;
    plain.git(&["checkout", "--quiet", "ours"]);
    plain.git(&["merge", "--quiet", "--no-edit", "theirs"]);
    assert_eq!(
        plain.git(&["rev-parse", "HEAD^{tree}"]),
        result.tree.as_str()
    );
}

#[test]
fn lines_that_both_changed_are_a_conflict_with_markers() {
    let sides = Sides::new(
        |plain| plain.write("a", "1\n2\n3\n"),
        |plain| plain.write("a", "ours\n2\n3\n"),
        |plain| plain.write("a", "theirs\n2\n3\n"),
    );
    assert_eq!(sides.conflicts(), ["a: both modified, text"]);
    let result = sides.merge();
    let plain = &sides.world.plain;
    let content = plain.git(&["cat-file", "-p", &format!("{}:a", result.tree)]);
    assert!(content.contains("<<<<<<<") && content.contains("theirs\n>>>>>>>"));
    let file = &result.conflicts[0];
    let objects = [&file.base, &file.ours, &file.theirs].map(|stage| {
        let object = stage.as_ref().unwrap().object.to_string();
        plain.git(&["cat-file", "-p", &object])
    });
    assert_eq!(objects, ["1\n2\n3", "ours\n2\n3", "theirs\n2\n3"]);
}

#[test]
fn names_of_the_sides_stand_in_markers() {
    let sides = Sides::new(
        |plain| plain.write("a", "1\n"),
        |plain| plain.write("a", "ours\n"),
        |plain| plain.write("a", "theirs\n"),
    );
    let labels = MergeLabels {
        ours: "main",
        theirs: "abc1234567 amp: fix it",
    };
    let plain = &sides.world.plain;
    let mut repositories = vec![sides.world.repository.clone()];
    #[cfg(unix)]
    repositories.push(sides.world.with_oldest_git());
    for repository in repositories {
        let base = Some(&sides.base);
        let result = repository
            .merge_with_labels(&sides.ours, &sides.theirs, base, labels)
            .unwrap();
        assert_eq!(
            plain.git(&["cat-file", "-p", &format!("{}:a", result.tree)]),
            "<<<<<<< main\nours\n=======\ntheirs\n>>>>>>> abc1234567-amp-fix-it"
        );
    }
    assert!(!plain.has_branch("abc1234567-amp-fix-it"));
}

#[test]
fn each_side_may_delete_or_add() {
    let deleted_by_us = Sides::new(
        |plain| plain.write("a", "1\n"),
        |plain| remove(plain, "a"),
        |plain| plain.write("a", "2\n"),
    );
    assert_eq!(deleted_by_us.conflicts(), ["a: deleted by us, text"]);
    let deleted_by_them = Sides::new(
        |plain| plain.write("a", "1\n"),
        |plain| plain.write("a", "2\n"),
        |plain| remove(plain, "a"),
    );
    assert_eq!(deleted_by_them.conflicts(), ["a: deleted by them, text"]);
    let added = Sides::new(
        nothing,
        |plain| plain.write("a", "1\n"),
        |plain| plain.write("a", "2\n"),
    );
    assert_eq!(added.conflicts(), ["a: both added, text"]);
}

#[test]
fn renames_can_meet_deletions_and_other_renames() {
    let sides = Sides::new(
        |plain| {
            plain.write("old", "1\n2\n3\n");
            plain.write("other", "4\n5\n6\n");
        },
        |plain| {
            plain.git(&["mv", "old", "new"]);
            plain.git(&["mv", "other", "left"]);
        },
        |plain| {
            remove(plain, "old");
            plain.git(&["mv", "other", "right"]);
        },
    );
    assert_eq!(
        sides.conflicts(),
        [
            "left: added by us, text",
            "new: deleted by them, text",
            "other: both deleted, text",
            "right: added by them, text",
        ]
    );
    let kinds: Vec<_> = sides
        .merge()
        .messages
        .into_iter()
        .map(|one| one.kind)
        .collect();
    assert!(
        kinds.contains(&"CONFLICT (rename/rename)".to_owned()),
        "{kinds:?}"
    );
    assert!(
        kinds.contains(&"CONFLICT (rename/delete)".to_owned()),
        "{kinds:?}"
    );
}

#[test]
fn a_directory_can_be_in_the_way_of_a_file() {
    let sides = Sides::new(
        nothing,
        |plain| plain.write("a", "file\n"),
        |plain| plain.write("a/b", "inside\n"),
    );
    assert_eq!(sides.conflicts(), ["a: file/directory, text"]);
    let labels = MergeLabels {
        ours: "main",
        theirs: "session",
    };
    let result = sides
        .world
        .repository
        .merge_with_labels(&sides.ours, &sides.theirs, None, labels)
        .unwrap();
    assert_eq!(result.conflicts[0].path, Path::new("a"));
    assert_eq!(result.aside[0].name, Path::new("a~main"));
}

#[test]
fn bytes_that_are_no_text_are_told() {
    let sides = Sides::new(
        |plain| plain.write("a.bin", "\0one"),
        |plain| plain.write("a.bin", "\0two"),
        |plain| plain.write("a.bin", "\0three"),
    );
    assert_eq!(sides.conflicts(), ["a.bin: both modified, binary"]);
}

#[cfg(unix)]
#[test]
fn modes_and_links_are_told() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let executable = |plain: &TestRepository, text: &str| {
        plain.write("run", text);
        fs::set_permissions(plain.path("run"), fs::Permissions::from_mode(0o755)).unwrap();
    };
    let sides = {
        let world = World::new();
        let base = world.head();
        world.start("ours", &base);
        executable(&world.plain, "same\n");
        symlink("one", world.plain.path("link")).unwrap();
        let ours = id(&world.plain.commit("ours"));
        world.start("theirs", &base);
        world.plain.write("run", "same\n");
        symlink("two", world.plain.path("link")).unwrap();
        let theirs = id(&world.plain.commit("theirs"));
        Sides {
            world,
            base,
            ours,
            theirs,
        }
    };
    assert_eq!(
        sides.conflicts(),
        ["link: both added, symlink", "run: both added, mode"]
    );
}

#[test]
fn submodules_are_told() {
    fn point(plain: &TestRepository, digit: &str) {
        let entry = format!("160000,{},module", digit.repeat(40));
        plain.git(&["update-index", "--add", "--cacheinfo", &entry]);
        plain.git(&["commit", "--quiet", "--message", "module"]);
        fs::create_dir_all(plain.path("module")).unwrap();
    }
    let sides = Sides::new(
        |plain| point(plain, "1"),
        |plain| point(plain, "2"),
        |plain| point(plain, "3"),
    );
    let found = sides.merge();
    assert_eq!(found.conflicts.len(), 1, "{found:?}");
    let pair = (sides.ours.clone(), sides.theirs.clone());
    let pairs = [pair.clone(), pair];
    let many = sides.world.repository.merge_many(&pairs).unwrap();
    assert_eq!(many, [found.clone(), found.clone()]);
    let file = &found.conflicts[0];
    assert_eq!(file.content(), ConflictContent::Submodule);
    assert_eq!(file.kind(), ConflictKind::BothModified);
    assert_eq!(
        file.theirs.as_ref().unwrap().object.as_str(),
        "3".repeat(40)
    );
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_differ_in_case_only_are_two_files() {
    let sides = Sides::new(
        nothing,
        |plain| plain.write("Notes", "1\n"),
        |plain| plain.write("NOTES", "2\n"),
    );
    let result = sides.merge();
    assert!(result.is_clean());
    let listed = sides
        .world
        .plain
        .git(&["ls-tree", "--name-only", result.tree.as_str()]);
    assert_eq!(listed, "NOTES\nNotes\nREADME.md");
    let repository = &sides.world.repository;
    let clashes = repository
        .added_clashes(&sides.ours, &sides.theirs)
        .unwrap();
    let [clash] = clashes.case.as_slice() else {
        panic!("{clashes:?}")
    };
    assert_eq!(clash.ours, Path::new("Notes"));
    assert_eq!(clash.theirs, Path::new("NOTES"));
    assert_eq!(clashes.migrations, []);
}

#[test]
fn migrations_with_the_same_number_are_found_where_nothing_conflicts() {
    let sides = Sides::new(
        |plain| plain.write("migrations/0001_start.sql", "1\n"),
        |plain| plain.write("migrations/0002_users.sql", "2\n"),
        |plain| plain.write("migrations/0002_tokens.sql", "3\n"),
    );
    assert!(sides.merge().is_clean());
    let repository = &sides.world.repository;
    let clashes = repository
        .added_clashes(&sides.ours, &sides.theirs)
        .unwrap();
    assert_eq!(clashes.case, []);
    assert_eq!(
        clashes.migrations[0].proposal[0].to,
        Path::new("migrations/0003_tokens.sql")
    );
    let nothing = repository.added_clashes(&sides.base, &sides.theirs);
    assert_eq!(nothing.unwrap(), orchestra_git::AddedClashes::default());
    let plain = &sides.world.plain;
    plain.git(&["checkout", "--quiet", "--detach", sides.theirs.as_str()]);
    plain.git(&["rebase", "--quiet", sides.ours.as_str()]);
    let on_top = id(&plain.head());
    let again = repository.added_clashes(&sides.ours, &on_top).unwrap();
    assert_eq!(again, clashes, "on top of it as beside it");
    plain.git(&["rm", "--quiet", "migrations/0002_users.sql"]);
    let without = id(&plain.commit("take the other away"));
    let gone = repository.added_clashes(&sides.ours, &without).unwrap();
    assert_eq!(gone, orchestra_git::AddedClashes::default());
}

#[cfg(target_os = "linux")]
#[test]
fn paths_may_be_any_bytes() {
    use std::os::unix::ffi::OsStrExt;
    fn odd(plain: &TestRepository, text: &str) {
        for name in [&b"a\xff\xfe"[..], b"b\nc\td", b"-x"] {
            let path = plain.root().join(std::ffi::OsStr::from_bytes(name));
            fs::write(path, text).unwrap();
        }
    }
    let sides = Sides::new(
        |plain| odd(plain, "1\n"),
        |plain| odd(plain, "2\n"),
        |plain| odd(plain, "3\n"),
    );
    let paths: Vec<PathBuf> = sides
        .merge()
        .conflicts
        .into_iter()
        .map(|file| file.path)
        .collect();
    let expected = [&b"-x"[..], b"a\xff\xfe", b"b\nc\td"];
    let expected = expected.map(|name| PathBuf::from(std::ffi::OsStr::from_bytes(name)));
    assert_eq!(paths, expected);
}

#[test]
fn no_driver_of_the_repository_runs() {
    let sides = Sides::new(
        |plain| plain.write("a.txt", "1\n"),
        |plain| plain.write("a.txt", "2\n"),
        |plain| plain.write("a.txt", "3\n"),
    );
    let world = &sides.world;
    let marker = world.sandbox.path("marker");
    let driver = format!("echo driver >> '{}'; exit 0", marker.display());
    world.plain.git(&["config", "merge.evil.driver", &driver]);
    world.plain.git(&["config", "merge.default", "evil"]);
    let attributes = "* merge=evil\n*.txt merge=evil\n";
    fs::write(world.plain.path(".git/info/attributes"), attributes).unwrap();
    world.plain.git(&["checkout", "--quiet", "ours"]);
    world.plain.write(".gitattributes", attributes);
    let ours = id(&world.plain.commit("attributes"));
    hazards::plant_all(world.plain.root(), world.plain.root(), &marker);
    fs::remove_file(&marker).ok();

    let repository = world.reopened();
    let result = repository
        .merge_in_memory(&ours, &sides.theirs, None)
        .unwrap();
    assert_eq!(result.conflicts.len(), 1);
    repository
        .merge_many(&[(ours.clone(), sides.theirs.clone())])
        .unwrap();
    repository.landed(&sides.theirs, &ours).unwrap();
    repository.patch_id(&sides.base, &ours).unwrap();
    repository.mail_patch(&ours, &mut |_| {}).unwrap();
    assert_eq!(hazards::executed(&marker), Vec::<String>::new());
}

#[test]
fn attributes_that_name_no_program_apply() {
    let sides = Sides::new(
        |plain| {
            plain.write(".gitattributes", "CHANGES merge=union\n");
            plain.write("CHANGES", "end\n");
        },
        |plain| plain.write("CHANGES", "ours\nend\n"),
        |plain| plain.write("CHANGES", "theirs\nend\n"),
    );
    let result = sides.merge();
    let is_read = sides.world.git.version().minor >= 41;
    assert_eq!(result.is_clean(), is_read);
    let content = |path: &str| sides.world.plain.git(&["cat-file", "-p", path]);
    if is_read {
        let merged = content(&format!("{}:CHANGES", result.tree));
        assert_eq!(merged, "ours\ntheirs\nend");
    }
}

#[test]
fn histories_that_never_met_and_missing_commits_are_refused() {
    let world = World::new();
    let plain = &world.plain;
    plain.git(&["checkout", "--quiet", "--orphan", "other"]);
    let other = id(&plain.commit("other"));
    let main = id(&plain.branch_sha("main"));
    let error = world
        .repository
        .merge_in_memory(&main, &other, None)
        .unwrap_err();
    assert_eq!(error.code(), "git.failed");
    let missing = id(&"1".repeat(40));
    let pairs = [(main.clone(), other), (main.clone(), missing.clone())];
    assert_eq!(world.repository.merge_many(&pairs[..1]).unwrap().len(), 1);
    world.repository.merge_many(&pairs).unwrap_err();
    assert_eq!(world.repository.merge_many(&[]).unwrap(), []);
    let clashes = world.repository.added_clashes(&main, &pairs[0].1);
    assert_eq!(clashes.unwrap(), orchestra_git::AddedClashes::default());
    #[cfg(unix)]
    {
        let older = world.with_oldest_git();
        assert_eq!(older.merge_many(&pairs[..1]).unwrap().len(), 1);
        let error = older
            .merge_in_memory(&main, &missing, Some(&main))
            .unwrap_err();
        assert_eq!(error.code(), "git.no_such_revision");
    }
}

#[test]
fn many_pairs_leave_nothing_behind() {
    let world = World::new();
    let base = world.head();
    let mut tips = vec![base.clone()];
    for number in 0..12 {
        world.start(&format!("amp/{number}"), &base);
        let name = if number % 2 == 0 { "shared" } else { "own" };
        world
            .plain
            .write(&format!("{name}{}", number / 4), &number.to_string());
        tips.push(id(&world.plain.commit("work")));
    }
    let pairs: Vec<_> = tips
        .iter()
        .enumerate()
        .flat_map(|(place, one)| {
            tips[place + 1..]
                .iter()
                .map(move |two| (one.clone(), two.clone()))
        })
        .collect();
    let before = (
        files_below(&world.plain.path(".git/objects")),
        world.git.spawned(),
    );
    let results = world.repository.merge_many(&pairs).unwrap();
    assert_eq!(files_below(&world.plain.path(".git/objects")), before.0);
    let cores = std::thread::available_parallelism().unwrap().get() as u64;
    assert!(world.git.spawned() - before.1 <= cores);
    assert_eq!(results.len(), pairs.len());
    for ((ours, theirs), result) in pairs.iter().zip(&results) {
        let alone = world
            .repository
            .merge_in_memory(ours, theirs, None)
            .unwrap();
        assert_eq!(&alone, result);
    }
    assert!(results.iter().any(|result| !result.is_clean()));
    #[cfg(unix)]
    assert_eq!(world.with_oldest_git().merge_many(&pairs).unwrap(), results);
}

#[test]
fn a_lender_may_be_called_anything() {
    let sandbox = orchestra_testkit::Sandbox::new();
    let plain = sandbox.repository("odd \"name\"\\ with\nbreaks: and more");
    let base = id(&plain.head());
    let git = crate::world::git(&sandbox);
    let repository = git.open(plain.root()).unwrap();
    plain.write("a", "1");
    let head = id(&plain.commit("more"));
    let results = repository.merge_many(&[(base, head)]).unwrap();
    assert!(results[0].is_clean());
}

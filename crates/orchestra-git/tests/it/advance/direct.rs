//! Files that are switched in process: the result is what git makes of it, and nothing of the user's is lost.

use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::time::{Duration, UNIX_EPOCH};

use orchestra_git::{AdvanceEnd, AdvanceStep};
use orchestra_testkit::TestRepository;

use super::Moving;
use crate::world::files_below;

/// The folder in which files wait until they are put in place.
const ROOM: &str = ".git/orchestra-switch";

/// Processes of an advance that is expected to work.
fn counted(moving: &Moving) -> u64 {
    let git = &moving.world.git;
    let before = git.spawned();
    moving.go().unwrap();
    git.spawned() - before
}

/// What is on disk, with permissions, apart from git's own files.
fn disk(plain: &TestRepository) -> Vec<String> {
    let files = files_below(plain.root()).into_iter();
    let files = files.filter(|path| !path.starts_with(plain.path(".git")));
    let facts = |path: std::path::PathBuf| {
        let mode = path.symlink_metadata().unwrap().permissions().mode();
        let content = match path.is_symlink() {
            true => fs::read_link(&path).unwrap().display().to_string(),
            false => fs::read_to_string(&path).unwrap_or_default(),
        };
        let name = path.strip_prefix(plain.root()).unwrap().display();
        format!("{name} {mode:o} {content}")
    };
    files.map(facts).collect()
}

fn before(plain: &TestRepository) {
    for name in [
        "changed",
        "a/gone",
        "a/b/gone",
        "a/b/kept",
        "turns/link",
        "mode",
    ] {
        plain.write(name, &format!("old {name}\n"));
    }
    symlink("changed", plain.path("link")).unwrap();
}

fn after(plain: &TestRepository) {
    plain.write("changed", "new\n");
    plain.write("x/y/z/added", "new\n");
    plain.write("a-", "sorts before the directory\n");
    fs::remove_file(plain.path("a/gone")).unwrap();
    fs::remove_file(plain.path("a/b/gone")).unwrap();
    fs::remove_file(plain.path("turns/link")).unwrap();
    symlink("../changed", plain.path("turns/link")).unwrap();
    fs::remove_file(plain.path("link")).unwrap();
    symlink("mode", plain.path("link")).unwrap();
    fs::set_permissions(plain.path("mode"), fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn one_process_holds_the_locks_and_the_result_is_gits() {
    let moving = Moving::with(&before, &after);
    let plain = &moving.world.plain;
    let start = disk(plain);
    assert_eq!(counted(&moving), 1);
    moving.assert_at(&moving.advance.to);
    let (ours, index) = (disk(plain), plain.git(&["ls-files", "--stage"]));
    assert!(!plain.path(ROOM).exists());
    // The notes about trees are whole: no tree has to be written for this.
    assert_eq!(
        plain.git(&["write-tree"]),
        plain.git(&["rev-parse", "next^{tree}"])
    );
    let worktree = moving.world.repository.worktree_at(plain.root());
    assert!(!worktree.unwrap().is_dirty().unwrap());
    plain.git(&["reset", "--quiet", "--hard", moving.advance.from.as_str()]);
    assert_eq!(disk(plain), start);
    plain.git(&["read-tree", "-m", "-u", "HEAD", moving.advance.to.as_str()]);
    assert_eq!(
        (disk(plain), plain.git(&["ls-files", "--stage"])),
        (ours, index)
    );
}

#[test]
fn what_git_would_convert_or_does_not_know_is_left_to_it() {
    let deeds: [fn(&TestRepository); 5] = [
        |plain| plain.write(".gitattributes", "*.x ident\n"),
        |plain| plain.write(".git/info/attributes", "* eol=crlf\n"),
        |plain| {
            plain.write("x/.gitattributes", "* ident\n");
            plain.write(".git/info/exclude", ".gitattributes\n");
        },
        |plain| {
            plain.git(&["update-index", "--assume-unchanged", "untouched"]);
        },
        |plain| {
            plain.write("staged", "mine\n");
            plain.git(&["add", "staged"]);
        },
    ];
    for (number, deed) in deeds.into_iter().enumerate() {
        let moving = Moving::with(
            &|plain| {
                plain.write("untouched", "old\n");
                plain.write("x/changed", "old\n");
            },
            &|plain| plain.write("x/changed", "new\n"),
        );
        deed(&moving.world.plain);
        assert!(counted(&moving) > 1, "{number}");
        assert_eq!(moving.main(), moving.advance.to, "{number}");
        assert_eq!(
            moving.world.plain.git(&["diff", "--name-only"]),
            "",
            "{number}"
        );
    }
}

#[test]
fn a_change_at_the_last_moment_is_put_back() {
    let deeds: [fn(&TestRepository); 3] = [
        |plain| plain.write("changed", "mine\n"),
        |plain| plain.write("x/y/z/added", "mine\n"),
        |plain| {
            fs::remove_dir_all(plain.path("turns")).unwrap();
            symlink("a", plain.path("turns")).unwrap();
        },
    ];
    for (number, deed) in deeds.into_iter().enumerate() {
        let moving = Moving::with(&before, &after);
        let plain = &moving.world.plain;
        let mut then = Vec::new();
        let at_lock = std::cell::RefCell::new(&mut then);
        let refused = moving.world.repository.advance(&moving.advance, &|step| {
            if step == AdvanceStep::Locked {
                deed(plain);
                **at_lock.borrow_mut() = disk(plain);
            }
        });
        assert!(refused.is_err(), "{number}");
        assert_eq!(disk(plain), then, "{number}");
        assert_eq!(moving.main(), moving.advance.from, "{number}");
        assert!(!plain.path(ROOM).exists() && !plain.path(".git/index.lock").exists());
    }
}

#[test]
fn what_was_left_out_of_sight_goes_only_if_git_has_it() {
    let moving = Moving::new();
    let plain = &moving.world.plain;
    plain.write(&format!("{ROOM}/0"), "old\n");
    assert_eq!(counted(&moving), 1);
    assert!(!plain.path(ROOM).exists());
    let moving = Moving::new();
    let plain = &moving.world.plain;
    plain.write(&format!("{ROOM}/0"), "somebody's own\n");
    assert!(counted(&moving) > 1);
    moving.assert_at(&moving.advance.to);
    assert_eq!(plain.read(&format!("{ROOM}/0")), "somebody's own\n");
}

/// Killed between two files: the old ones are out of sight, the index is locked and as before.
#[test]
fn a_death_between_two_files_is_made_good() {
    let moving = Moving::new();
    let plain = &moving.world.plain;
    plain.write(".git/index.lock", "");
    fs::create_dir(plain.path(ROOM)).unwrap();
    fs::rename(plain.path("changed"), plain.path(&format!("{ROOM}/0"))).unwrap();
    plain.write("changed", "new\n");
    plain.write("folder/added", "new\n");
    plain.write(&format!("{ROOM}/2"), "new\n");
    let settled = moving.world.repository.finish_advance(&moving.advance);
    assert_eq!(settled.unwrap(), AdvanceEnd::Old);
    moving.assert_at(&moving.advance.from);
    assert!(!plain.path(ROOM).exists() && !plain.path(".git/index.lock").exists());
    assert_eq!(counted(&moving), 1);
    moving.assert_at(&moving.advance.to);
}

/// Written at the same instant as the index and with the same length, a change is known by its content alone.
#[test]
fn a_change_in_the_instant_of_the_index_stays_one() {
    let moving = Moving::new();
    let plain = &moving.world.plain;
    plain.git(&["config", "core.trustctime", "false"]);
    plain.git(&["config", "core.checkStat", "minimal"]);
    let instant = UNIX_EPOCH + Duration::from_secs(1_600_000_000);
    let stamp = |name: &str| {
        let file = File::options().write(true).open(plain.path(name));
        file.unwrap().set_modified(instant).unwrap();
    };
    ["changed", "gone", "untouched"]
        .iter()
        .for_each(|name| stamp(name));
    plain.git(&["update-index", "-q", "--refresh"]);
    plain.write("untouched", "own\n");
    stamp("untouched");
    stamp(".git/index");
    assert_eq!(plain.git(&["diff", "--name-only"]), "untouched");
    stamp(".git/index");
    let repository = moving.world.reopened();
    let spawned = moving.world.git.spawned();
    repository.advance(&moving.advance, &|_| {}).unwrap();
    assert_eq!(moving.world.git.spawned() - spawned, 1);
    assert_eq!(plain.git(&["diff", "--name-only"]), "untouched");
}

//! Disks that are full or cannot be written.
//!
//! Small disks are mounted in a mount namespace of the test's own, which both root and, where the system allows it, an
//! ordinary user can have. A file size limit stands in for a full disk everywhere.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use orchestra_testkit::processes::mentioning;
use orchestra_testkit::{Sandbox, TestRepository, wait_until};

use crate::made::{iterate_with, make};
use crate::oracle::{State, entries, last_iteration};
use crate::ran::{orchestra, ran, session};

const WORK: &str = "[[step]]\ndo = 'write'\npath = 'work.txt'\ntext = \"kept\\n\"\n";
const NEXT: &str = "[[step]]\ndo = 'write'\npath = 'next.txt'\ntext = \"next\\n\"\n";
const INSIDE: &str = "ORCHESTRA_TEST_OWN_MOUNTS";

/// Runs the named test again in a mount namespace of its own. Without one, or where small disks are not kept small, the
/// test of the file size limit must do.
#[expect(clippy::print_stdout, reason = "a test that cannot run here says so")]
fn in_own_mounts(name: &str, test: impl FnOnce()) {
    if is_inside() {
        return test();
    }
    let Some(flags) = ["-m", "-rm"].into_iter().find(|flags| can_mount(flags)) else {
        println!("not run: {name}: no small disk can be mounted here");
        return;
    };
    let status = unshare(flags)
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", &format!("rubbish::disk::{name}"), "--nocapture"])
        .env(INSIDE, "1")
        .status()
        .unwrap();
    assert!(status.success(), "{name} in a mount namespace: {status}");
}

#[expect(
    clippy::disallowed_methods,
    reason = "a test asks its own environment whether it runs for the second time"
)]
fn is_inside() -> bool {
    std::env::var_os(INSIDE).is_some()
}

#[expect(
    clippy::disallowed_methods,
    reason = "tests start the programs they need"
)]
fn unshare(flags: &str) -> Command {
    let mut command = Command::new("unshare");
    command.arg(flags);
    command
}

fn can_mount(flags: &str) -> bool {
    let script = "mkdir -p \"$0\" && mount -t tmpfs -o size=64k tmpfs \"$0\" && ! head -c 1m /dev/zero > \"$0/file\"";
    let place = tempfile::tempdir().unwrap();
    let tried = unshare(flags)
        .args(["sh", "-c", script])
        .arg(place.path())
        .output();
    tried.is_ok_and(|output| output.status.success())
}

/// Far more than any disk of these tests holds.
const TOO_MUCH: usize = 64 << 20;

/// A small disk mounted over a folder.
struct Disk<'a> {
    sandbox: &'a Sandbox,
    place: PathBuf,
}

impl<'a> Disk<'a> {
    fn mount(sandbox: &'a Sandbox, place: &Path, size: &str) -> Self {
        fs::create_dir_all(place).unwrap();
        let disk = Self {
            sandbox,
            place: place.to_owned(),
        };
        disk.run(
            "mount",
            &["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"],
        );
        disk
    }

    /// Changes the mount alone, which needs no right over the file system below.
    fn allow_writes(&self, allow: bool) {
        let how = if allow { "rw" } else { "ro" };
        self.run("mount", &["-o", &format!("remount,bind,{how}")]);
    }

    /// Fills the disk to the last byte but so many.
    fn fill(&self, left: usize) {
        let ballast = self.ballast();
        let mut size = 0;
        let piece = vec![b'x'; 4096];
        let mut file = fs::File::create(&ballast).unwrap();
        while std::io::Write::write_all(&mut file, &piece).is_ok() {
            size += piece.len();
            assert!(size < TOO_MUCH, "the disk is larger than it should be");
        }
        drop(file);
        let file = fs::OpenOptions::new().write(true).open(ballast).unwrap();
        file.set_len((size - left.min(size)) as u64).unwrap();
    }

    fn make_room(&self) {
        fs::remove_file(self.ballast()).unwrap();
    }

    fn ballast(&self) -> PathBuf {
        self.place.join("ballast")
    }

    fn run(&self, program: &str, words: &[&str]) {
        let mut command = self.sandbox.command(Path::new(program));
        let output = command
            .current_dir("/")
            .args(words)
            .arg(&self.place)
            .output()
            .unwrap();
        assert!(output.status.success(), "{program} {words:?}: {output:?}");
    }
}

impl Drop for Disk<'_> {
    fn drop(&mut self) {
        self.run("umount", &["--lazy"]);
    }
}

#[test]
fn a_data_directory_without_room_is_refused() {
    in_own_mounts("a_data_directory_without_room_is_refused", || {
        let sandbox = Sandbox::new();
        let repository = sandbox.repository("app");
        let disk = Disk::mount(&sandbox, &sandbox.data_dir(), "16m");
        disk.fill(65_536);
        let refs = repository.git(&["for-each-ref"]);
        for words in [&["list"][..], &["new", "--name", "n", "--prompt", "p"]] {
            session(&sandbox, words).refuses(1, "full");
        }
        assert_eq!(repository.git(&["for-each-ref"]), refs);
        assert_eq!(
            entries(&repository.path(".git/worktrees")),
            Vec::<PathBuf>::new()
        );
        disk.make_room();
        let made = make(&sandbox, "n", WORK);
        session(&sandbox, &["iterate", &made.id]).ends_with(0);
    });
}

#[test]
fn a_data_directory_that_fills_up_loses_nothing() {
    in_own_mounts("a_data_directory_that_fills_up_loses_nothing", || {
        let sandbox = Sandbox::new();
        let repository = sandbox.repository("app");
        let disk = Disk::mount(&sandbox, &sandbox.data_dir(), "8m");
        let made = make(&sandbox, "first", WORK);
        let before = State::of(&sandbox, &repository);
        for left in [0, 4_096, 16_384, 65_536, 131_072] {
            disk.fill(left);
            let told = session(&sandbox, &["new", "--name", "second", "--prompt", "p"]);
            disk.make_room();
            if told.code == 0 {
                println!("{left} bytes were enough");
                break;
            }
            told.refuses(1, "");
            orchestra(&sandbox, &["doctor", "--fix"]).ends_with(0);
            assert_eq!(
                State::of(&sandbox, &repository),
                before,
                "{left} bytes left"
            );
        }
        disk.fill(0);
        let checked = orchestra(&sandbox, &["doctor"]).ends_with(1).stdout;
        assert!(checked.contains("bad   data directory"), "{checked}");
        session(&sandbox, &["iterate", &made.id]).refuses(1, "full");
        disk.make_room();
        session(&sandbox, &["iterate", &made.id]).ends_with(0);
        assert_eq!(made.tree(&sandbox).git(&["show", "HEAD:work.txt"]), "kept");
        repository.fsck();
    });
}

/// The output does not fit, then the end of the iteration cannot be written until there is room again.
#[test]
fn a_disk_that_fills_up_during_an_iteration_keeps_the_work() {
    in_own_mounts(
        "a_disk_that_fills_up_during_an_iteration_keeps_the_work",
        || {
            let sandbox = Sandbox::new();
            let repository = sandbox.repository("app");
            let disk = Disk::mount(&sandbox, &sandbox.data_dir(), "16m");
            let full = sandbox.path("run/full");
            let ready = sandbox.path("run/ready");
            let steps = format!(
                "{WORK}[[step]]\ndo = 'touch_file'\npath = '{}'\n[[step]]\ndo = 'wait_for_file'\npath = '{}'\n\
             [[step]]\ndo = 'flood'\nbytes = 20000000\n",
                ready.display(),
                full.display()
            );
            let made = make(&sandbox, "first", &steps);
            session(&sandbox, &["iterate", &made.id, "--detach"]).ends_with(0);
            wait_until("the agent has begun", Duration::from_secs(60), || {
                ready.exists()
            });
            disk.fill(0);
            fs::write(&full, "").unwrap();
            let agent = sandbox.path("fake-amp").display().to_string();
            wait_until("the agent was stopped", Duration::from_secs(60), || {
                mentioning(&agent).is_empty()
            });
            disk.make_room();
            session(&sandbox, &["wait", &made.id]);
            let (progress, outcome, message) = last_iteration(&sandbox, &made.id);
            assert_eq!(progress, "finished");
            assert!(outcome.contains("engine"), "{outcome}");
            assert!(message.contains("could not be kept"), "{message}");
            let work = format!("{}:work.txt", made.branch);
            assert_eq!(repository.git(&["show", &work]), "kept");
            iterate_with(&sandbox, &made, NEXT).ends_with(0);
            assert_eq!(made.tree(&sandbox).git(&["show", "HEAD:next.txt"]), "next");
            repository.fsck();
        },
    );
}

#[test]
fn new_leaves_nothing_on_a_full_disk() {
    in_own_mounts("new_leaves_nothing_on_a_full_disk", || {
        let sandbox = Sandbox::new();
        let place = sandbox.path("elsewhere");
        let disk = Disk::mount(&sandbox, &place, "16m");
        disk.fill(512 * 1024);
        let repository = with_large_file(&sandbox);
        make(&sandbox, "first", WORK);
        let before = State::of(&sandbox, &repository);
        let setting = format!("core.worktrees_root={}", place.display());
        let words = [
            "new",
            "--set-config",
            &setting,
            "--name",
            "n",
            "--prompt",
            "p",
        ];
        session(&sandbox, &words).refuses(1, "");
        assert_eq!(State::of(&sandbox, &repository), before);
        assert_eq!(entries(&place), [disk.ballast()]);
        disk.make_room();
        session(&sandbox, &words).ends_with(0);
        repository.fsck();
    });
}

fn with_large_file(sandbox: &Sandbox) -> TestRepository {
    let repository = sandbox.repository("app");
    let numbers = (0..200_000_u32).map(|number| number.wrapping_mul(2_654_435_761).to_string());
    repository.write("large.txt", &numbers.collect::<Vec<_>>().join("\n"));
    repository.commit("a large file");
    repository
}

/// Objects do not fit: the changes stay in the worktree, and the next run commits them.
#[test]
fn a_commit_that_does_not_fit_leaves_the_changes_in_the_worktree() {
    in_own_mounts(
        "a_commit_that_does_not_fit_leaves_the_changes_in_the_worktree",
        || {
            let sandbox = Sandbox::new();
            let disk = Disk::mount(&sandbox, &sandbox.path("repositories"), "16m");
            let repository = sandbox.repository("app");
            let full = sandbox.path("run/full");
            let ready = sandbox.path("run/ready");
            let steps = format!(
                "{WORK}[[step]]\ndo = 'touch_file'\npath = '{}'\n[[step]]\ndo = 'wait_for_file'\npath = '{}'\n",
                ready.display(),
                full.display()
            );
            let made = make(&sandbox, "first", &steps);
            session(&sandbox, &["iterate", &made.id, "--detach"]).ends_with(0);
            wait_until("the agent has begun", Duration::from_secs(60), || {
                ready.exists()
            });
            disk.fill(0);
            fs::write(&full, "").unwrap();
            session(&sandbox, &["wait", &made.id]).ends_with(1);
            let checked = orchestra(&sandbox, &["doctor"]).ends_with(1).stdout;
            assert!(checked.contains("bad   repository"), "{checked}");
            let (_, outcome, message) = last_iteration(&sandbox, &made.id);
            assert!(outcome.contains("engine"), "{outcome}");
            assert!(message.to_lowercase().contains("space"), "{message}");
            let commit = format!("session commit {} -m", made.id);
            let needs = session(&sandbox, &["status", &made.id]).stdout;
            assert!(needs.contains(&commit), "{needs}");
            assert_eq!(
                fs::read_to_string(made.worktree.join("work.txt")).unwrap(),
                "kept\n"
            );
            disk.make_room();
            iterate_with(&sandbox, &made, NEXT).ends_with(0);
            let tree = made.tree(&sandbox);
            assert_eq!(tree.git(&["show", "HEAD:next.txt"]), "next");
            assert_eq!(tree.git(&["show", "HEAD:work.txt"]), "kept");
            repository.fsck();
        },
    );
}

#[test]
fn a_read_only_data_directory_is_refused() {
    in_own_mounts("a_read_only_data_directory_is_refused", || {
        let sandbox = Sandbox::new();
        let repository = sandbox.repository("app");
        let disk = Disk::mount(&sandbox, &sandbox.data_dir(), "16m");
        disk.allow_writes(false);
        session(&sandbox, &["list"]).refuses(1, "");
        disk.allow_writes(true);
        let made = make(&sandbox, "n", WORK);
        let before = State::of(&sandbox, &repository);
        disk.allow_writes(false);
        for words in [
            &["list"][..],
            &["iterate", &made.id],
            &["new", "--name", "second", "--prompt", "p"],
        ] {
            let told = session(&sandbox, words).refuses(1, "");
            let said = told.stderr.matches("unable to open").count();
            assert_eq!(said, 1, "{}", told.stderr);
        }
        let checked = session(&sandbox, &["doctor"]).ends_with(1);
        for said in [
            "bad   database",
            "bad   data directory",
            "ok    git",
            "ok    logs",
            "ok    agent demo",
        ] {
            assert!(checked.stdout.contains(said), "{said}: {checked:?}");
        }
        disk.allow_writes(true);
        assert_eq!(State::of(&sandbox, &repository), before);
        session(&sandbox, &["iterate", &made.id]).ends_with(0);
    });
}

/// Works everywhere: writes beyond a size fail, as on a full disk.
#[test]
fn writes_that_fail_leave_nothing_half_done() {
    let sandbox = Sandbox::new();
    let repository = with_large_file(&sandbox);
    let made = make(&sandbox, "first", WORK);
    let before = State::of(&sandbox, &repository);
    let limited = |blocks: u32, words: &[&str]| {
        let program = orchestra_testkit::bin("ampsm");
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
        let mut command = sandbox.command(Path::new("sh"));
        command.args(["-c", &script]).arg(program).args(words);
        // The limit would cut that file as well.
        command.env_remove(orchestra_testkit::COUNTERS);
        ran(&mut command)
    };
    for blocks in [0, 1, 64, 1_000] {
        let told = limited(blocks, &["new", "--name", "second", "--prompt", "p"]);
        assert_ne!(told.code, 0, "{told:?}");
        assert!(!told.stderr.contains("panicked"), "{told:?}");
        orchestra(&sandbox, &["doctor", "--fix"]).ends_with(0);
        assert_eq!(State::of(&sandbox, &repository), before, "{blocks} blocks");
    }
    session(&sandbox, &["iterate", &made.id]).ends_with(0);
    repository.fsck();
}

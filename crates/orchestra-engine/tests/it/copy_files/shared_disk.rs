//! Dependencies on a file system that can share data: a disk in a file, mounted in a mount namespace of the test's own.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use orchestra_testkit::{Packages, Sandbox, make_packages};

use super::{Ground, mode, set_mode};

const INSIDE: &str = "ORCHESTRA_TEST_OWN_MOUNTS";
const LONG: &str = "ORCHESTRA_TEST_LONG";
const REUSE: &[(&str, &str)] = &[("worktree.reuse", "node_modules")];
const MEBIBYTE: u64 = 1 << 20;

#[expect(
    clippy::disallowed_methods,
    reason = "a test asks its own environment how it was started"
)]
fn is_set(variable: &str) -> bool {
    std::env::var_os(variable).is_some()
}

#[expect(
    clippy::disallowed_methods,
    reason = "tests start the programs they need"
)]
fn command(program: impl AsRef<OsStr>) -> Command {
    Command::new(program)
}

/// Runs the named test again in a mount namespace of its own, once for each file system that can be made here.
#[expect(clippy::print_stdout, reason = "a test that cannot run here says so")]
fn on_shared_disks(name: &str, test: impl FnOnce(&str)) {
    if is_set(INSIDE) {
        #[expect(clippy::disallowed_methods, reason = "the first run says which")]
        let kind = std::env::var(INSIDE).unwrap();
        return test(&kind);
    }
    for kind in ["xfs", "btrfs"] {
        if let Err(reason) = require_disk(kind) {
            println!("not run: {name} on {kind}: {reason}");
            continue;
        }
        let status = command("unshare")
            .arg("-m")
            .arg(std::env::current_exe().unwrap())
            .args(["--exact", &format!("copy_files::shared_disk::{name}")])
            .arg("--nocapture")
            .env(INSIDE, kind)
            .status();
        assert!(status.unwrap().success(), "{name} on {kind}");
    }
}

fn require_disk(kind: &str) -> Result<(), &'static str> {
    let made = command(format!("mkfs.{kind}")).arg("-V").output();
    if !made.is_ok_and(|output| output.status.success()) {
        return Err("there is no program that makes one");
    }
    let place = tempfile::tempdir().unwrap();
    let script = format!(
        "truncate -s 400M \"$0/image\" && mkfs.{kind} -q \"$0/image\" && mkdir \"$0/disk\" && mount -o loop \"$0/image\" \"$0/disk\""
    );
    let tried = command("unshare")
        .args(["-m", "sh", "-c", &script])
        .arg(place.path())
        .output();
    match tried.is_ok_and(|output| output.status.success()) {
        true => Ok(()),
        false => Err("it cannot be mounted"),
    }
}

/// A disk that is mounted for as long as somebody has this.
struct Mounted(PathBuf);

impl Drop for Mounted {
    fn drop(&mut self) {
        succeed(command("umount").arg(&self.0));
    }
}

/// A session in a repository on a disk that can share data.
fn ground_on(kind: &str, mebibytes: u64) -> (Ground, Mounted) {
    let sandbox = Sandbox::new();
    let (image, disk) = (sandbox.path("image"), sandbox.path("repositories/disk"));
    let file = fs::File::create(&image).unwrap();
    file.set_len((3 * mebibytes + 400) * MEBIBYTE).unwrap();
    fs::create_dir_all(&disk).unwrap();
    succeed(command(format!("mkfs.{kind}")).arg("-q").arg(&image));
    succeed(command("mount").args(["-o", "loop"]).arg(&image).arg(&disk));
    let repository = sandbox.repository("disk/repo");
    (Ground::of(sandbox, repository), Mounted(disk))
}

fn succeed(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {output:?}");
}

/// What some work on a disk takes: time until everything is written, and bytes.
fn cost(disk: &Path, work: impl FnOnce()) -> (Duration, u64) {
    let before = used(disk);
    let start = Instant::now();
    work();
    sync(disk);
    (start.elapsed(), used(disk).saturating_sub(before))
}

fn used(disk: &Path) -> u64 {
    sync(disk);
    let facts = rustix::fs::statvfs(disk).unwrap();
    (facts.f_blocks - facts.f_bfree) * facts.f_frsize
}

fn sync(disk: &Path) {
    rustix::fs::syncfs(fs::File::open(disk).unwrap()).unwrap();
}

#[test]
fn dependencies_cost_a_fraction_of_a_copy() {
    on_shared_disks("dependencies_cost_a_fraction_of_a_copy", |kind| {
        let mebibytes = if is_set(LONG) { 1024 } else { 48 };
        let (ground, _mounted) = ground_on(kind, mebibytes);
        let packages = ground.repository.path("node_modules");
        let Packages { files, .. } = make_packages(&packages, (mebibytes as usize) << 20).unwrap();
        let disk = ground.sandbox.path("repositories/disk");
        let plain = disk.join("plain");
        let (plain_time, plain_bytes) = cost(&disk, || {
            succeed(
                command("cp")
                    .args(["-a", "--reflink=never"])
                    .arg(&packages)
                    .arg(&plain),
            );
        });
        let mut lines = Vec::new();
        let (time, bytes) = cost(&disk, || lines = ground.copy(REUSE));
        assert_eq!(
            lines,
            [format!(
                "reused node_modules: {files} file(s) that share their data"
            )]
        );
        succeed(
            command("diff")
                .arg("-r")
                .arg(&plain)
                .arg(ground.worktree.join("node_modules")),
        );
        println!(
            "{kind}: {files} files, {mebibytes} MiB; copy {plain_time:.2?} and {plain_bytes} bytes, reuse {time:.2?} ({:.1} %) and {bytes} bytes ({:.1} %)",
            100.0 * time.as_secs_f64() / plain_time.as_secs_f64(),
            100.0 * bytes as f64 / plain_bytes as f64,
        );
        // Btrfs keeps the data of the smallest files beside their names, twice, where it cannot be shared.
        let percent = if kind == "btrfs" { 15 } else { 5 };
        assert!(
            bytes * 100 < plain_bytes * percent,
            "{kind}: {bytes} of {plain_bytes}"
        );
    });
}

#[test]
fn what_is_reused_is_the_sessions_own() {
    on_shared_disks("what_is_reused_is_the_sessions_own", |kind| {
        let (ground, _mounted) = ground_on(kind, 1);
        let packages = ground.repository.path("node_modules");
        for path in ["x/run.js", "x/.env", "nested/file", "closed/inner"] {
            ground
                .repository
                .write(&format!("node_modules/{path}"), "theirs");
        }
        ground
            .repository
            .git(&["init", "--quiet", "node_modules/nested"]);
        symlink("/usr/bin/python3", packages.join("python")).unwrap();
        symlink("../x/run.js", packages.join("closed/run")).unwrap();
        symlink("../apps/web", packages.join("workspace")).unwrap();
        symlink(ground.repository.path("apps/web"), packages.join("linked")).unwrap();
        set_mode(&packages.join("x/run.js"), 0o755);
        set_mode(&packages.join("closed"), 0o555);
        // A part that somebody left who was cut off.
        let reused = ground.worktree.join("node_modules");
        fs::create_dir_all(reused.join("half")).unwrap();
        set_mode(&reused, 0o1700);
        ground
            .repository
            .write("node_modules/y/.env.named", "PORT=1\n");
        let settings = [
            REUSE[0],
            ("worktree.copy", ".env.named"),
            ("worktree.rewrite.PORT", "2"),
        ];
        let lines = ground.copy(&settings).join("\n");
        let rewritten = fs::read_to_string(reused.join("y/.env.named")).unwrap();
        assert_eq!(rewritten, "PORT=2\n");
        assert!(lines.contains("reused node_modules: 6 file(s)"), "{lines}");
        assert!(
            lines.contains("left out node_modules/nested: it is a repository"),
            "{lines}"
        );
        assert!(
            lines.contains("left out node_modules/x/.env: files with secrets"),
            "{lines}"
        );
        assert!(!reused.join("half").exists() && !reused.join("x/.env").exists());
        let out = "left out node_modules/python: it is a link that leads out";
        assert!(lines.contains(out), "{lines}");
        for (name, target) in [
            ("closed/run", "../x/run.js"),
            ("workspace", "../apps/web"),
            ("linked", "../apps/web"),
        ] {
            let found = fs::read_link(reused.join(name)).unwrap();
            assert_eq!(found, Path::new(target), "{name}");
        }
        let modes = ["", "x/run.js", "closed"].map(|name| mode(&reused.join(name)));
        assert_eq!(modes, [mode(&packages), 0o755, 0o555]);
        fs::write(reused.join("x/run.js"), "mine").unwrap();
        assert_eq!(
            fs::read_to_string(packages.join("x/run.js")).unwrap(),
            "theirs"
        );
    });
}

#[test]
fn what_is_shared_is_not_counted_as_its_own() {
    on_shared_disks("what_is_shared_is_not_counted_as_its_own", |kind| {
        let (ground, _mounted) = ground_on(kind, 16);
        let packages = ground.repository.path("node_modules");
        fs::create_dir_all(&packages).unwrap();
        for number in 0..8 {
            fs::write(
                packages.join(format!("{number}.bin")),
                vec![number; 1 << 20],
            )
            .unwrap();
        }
        sync(&packages);
        let counted = |path: &Path| orchestra_git::disk_use(path, Duration::from_secs(60)).unwrap();
        let alone = counted(&packages);
        assert!(
            alone.is_sharing_known && alone.shared_bytes == 0,
            "{alone:?}"
        );
        ground.copy(REUSE);
        let reused = ground.worktree.join("node_modules");
        sync(&packages);
        let found = counted(&reused);
        assert_eq!(found.shared_bytes, 8 * MEBIBYTE, "{kind}");
        assert!(found.own_bytes < MEBIBYTE, "{kind}: {found:?}");
        fs::write(reused.join("0.bin"), vec![9; 1 << 20]).unwrap();
        sync(&packages);
        let found = counted(&reused);
        assert_eq!(found.shared_bytes, 7 * MEBIBYTE, "{kind}");
        assert!(found.own_bytes >= MEBIBYTE, "{kind}: {found:?}");
    });
}

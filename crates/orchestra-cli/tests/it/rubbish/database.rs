//! Databases that cannot be used.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use orchestra_testkit::{Sandbox, processes, wait_until};

use crate::made::{Made, make};
use crate::oracle::{database, entries};
use crate::ran::{orchestra, session};
use crate::world::PATIENCE;

const NOTHING: &str = "[[step]]\ndo = 'message'\ntext = 'Nothing to do.'\n";

fn file(sandbox: &Sandbox) -> PathBuf {
    sandbox.data_dir().join("orchestra.db")
}

/// A session whose database is closed, so that all of it is in the one file.
fn at_rest() -> (Sandbox, Made) {
    let sandbox = Sandbox::new();
    sandbox.repository("app");
    let made = make(&sandbox, "first", NOTHING);
    wait_until_at_rest(&sandbox);
    (sandbox, made)
}

#[test]
fn a_newer_database_is_refused_and_left_as_it_is() {
    let (sandbox, made) = at_rest();
    database(&sandbox)
        .pragma_update(None, "user_version", 99)
        .unwrap();
    let before = fs::read(file(&sandbox)).unwrap();
    let commands: [&[&str]; 4] = [
        &["list"],
        &["status", &made.id],
        &["iterate", &made.id],
        &["new", "--name", "x", "--prompt", "y"],
    ];
    for words in commands {
        session(&sandbox, words).refuses(1, "version 99");
        assert_eq!(fs::read(file(&sandbox)).unwrap(), before, "{words:?}");
    }
    for words in [&["doctor"][..], &["doctor", "--fix"]] {
        let checked = session(&sandbox, words).ends_with(1).says("version 99");
        assert!(checked.stdout.contains("ok    git"), "{}", checked.stdout);
        assert_eq!(fs::read(file(&sandbox)).unwrap(), before, "{words:?}");
    }
}

#[test]
fn a_damaged_database_is_refused_and_doctor_puts_it_aside() {
    let garbage: fn(&[u8]) -> Vec<u8> =
        |_whole| b"this is no database at all, not even close\n".repeat(200);
    let truncated: fn(&[u8]) -> Vec<u8> = |whole| whole[..5_000].to_vec();
    for damage in [garbage, truncated] {
        let (sandbox, made) = at_rest();
        let damaged = damage(&fs::read(file(&sandbox)).unwrap());
        fs::write(file(&sandbox), &damaged).unwrap();
        for words in [&["list"][..], &["iterate", &made.id]] {
            let told = session(&sandbox, words).refuses(1, "damaged");
            assert!(told.stderr.contains("doctor --fix"), "{}", told.stderr);
        }
        let checked = session(&sandbox, &["doctor"]).ends_with(1).says("damaged");
        assert!(checked.stdout.contains("doctor --fix"), "{checked:?}");
        assert!(checked.stdout.contains("ok    git"), "{checked:?}");
        assert_eq!(
            fs::read(file(&sandbox)).unwrap(),
            damaged,
            "nothing was changed"
        );

        let fixed = orchestra(&sandbox, &["doctor", "--fix"]);
        assert!(fixed.stdout.contains("fixed"), "{fixed:?}");
        let kept = entries(&sandbox.data_dir())
            .into_iter()
            .find(|path| path.to_string_lossy().contains("damaged"))
            .unwrap();
        assert_eq!(
            fs::read(&kept).unwrap(),
            damaged,
            "the damaged file is kept"
        );
        assert!(fixed.stdout.contains(kept.to_str().unwrap()), "{fixed:?}");

        let worktree = made.worktree.to_str().unwrap();
        orchestra(
            &sandbox,
            &["worktree", "adopt", worktree, "--name", "again"],
        )
        .ends_with(0);
        session(&sandbox, &["iterate", "again"]).ends_with(0);
        orchestra(&sandbox, &["doctor", "--fix"]).ends_with(0);
    }
}

#[test]
fn a_lost_database_is_not_taken_for_a_new_one() {
    let lose: [fn(&PathBuf); 2] = [
        |path| fs::remove_file(path).unwrap(),
        |path| fs::write(path, "").unwrap(),
    ];
    for lose in lose {
        let (sandbox, made) = at_rest();
        session(&sandbox, &["iterate", &made.id]).ends_with(0);
        wait_until_at_rest(&sandbox);
        lose(&file(&sandbox));
        for words in [&["list"][..], &["new", "--name", "x", "--prompt", "y"]] {
            let told = session(&sandbox, words).refuses(1, "gone or empty");
            assert!(told.stderr.contains("doctor --fix"), "{}", told.stderr);
        }
        let fixed = orchestra(&sandbox, &["doctor", "--fix"]);
        assert!(fixed.stdout.contains("was restored"), "{fixed:?}");
        let listed = session(&sandbox, &["list"]).ends_with(0);
        assert!(listed.stdout.contains("first"), "{}", listed.stdout);
    }
}

fn epoch(sandbox: &Sandbox) -> String {
    let ask = "SELECT value FROM meta WHERE key = 'epoch'";
    database(sandbox)
        .query_row(ask, [], |row| row.get(0))
        .unwrap()
}

/// A runner that ends may close the database and open it once more, so a log that is gone is not enough: a file that is removed
/// while somebody has it open leaves its log behind.
fn wait_until_at_rest(sandbox: &Sandbox) {
    let home = sandbox.data_dir();
    let log = home.join("orchestra.db-wal");
    wait_until("nobody uses the database", PATIENCE, || {
        let left = processes::with_variable("ORCHESTRA_HOME", &home.to_string_lossy());
        left.is_empty() && !log.exists()
    });
}

/// Makes a backup now, as it was so many minutes ago.
fn back_up(sandbox: &Sandbox, name: &str, minutes: u64) {
    let backup = sandbox.data_dir().join(name);
    fs::copy(file(sandbox), &backup).unwrap();
    let backup = fs::File::options().append(true).open(backup).unwrap();
    let now = backup.metadata().unwrap().modified().unwrap();
    let then = now - Duration::from_secs(minutes * 60 + 1);
    backup.set_modified(then).unwrap();
}

/// The newest backup that is whole takes the place of the damaged file, under a new name for its sequence numbers.
#[test]
fn a_backup_is_restored() {
    let (sandbox, made) = at_rest();
    let before = epoch(&sandbox);
    wait_until_at_rest(&sandbox);
    back_up(&sandbox, "orchestra.v1.backup", 42);
    let newer = sandbox.data_dir().join("orchestra.20260101-000000.backup");
    fs::write(newer, "not even a backup is safe").unwrap();
    fs::write(file(&sandbox), "rubbish").unwrap();
    let fixed = orchestra(&sandbox, &["doctor", "--fix"]).ends_with(0);
    let told = "orchestra.v1.backup was restored, 42 minutes old";
    assert!(fixed.stdout.contains(told), "{fixed:?}");
    assert_ne!(epoch(&sandbox), before);
    let left = entries(&sandbox.data_dir());
    let partial = |path: &PathBuf| path.to_string_lossy().contains("restoring");
    assert!(!left.iter().any(partial), "{left:?}");
    session(&sandbox, &["iterate", &made.id]).ends_with(0);
}

#[test]
fn what_the_restored_records_do_not_know_is_listed() {
    let (sandbox, made) = at_rest();
    back_up(&sandbox, "orchestra.v1.backup", 1);
    let late = make(&sandbox, "late", NOTHING);
    session(&sandbox, &["iterate", "late"]).ends_with(0);
    let repository = made.tree(&sandbox);
    repository.git(&["branch", "amp/lost/20260101"]);
    repository.git(&["branch", "of-the-user"]);
    wait_until_at_rest(&sandbox);
    fs::write(file(&sandbox), "rubbish").unwrap();
    let fixed = orchestra(&sandbox, &["doctor", "--fix"])
        .ends_with(0)
        .stdout;
    let adopt = format!("orchestra worktree adopt '{}'", late.worktree.display());
    for expected in [&*adopt, "session new --branch amp/lost/20260101", &late.id] {
        assert!(fixed.contains(expected), "{expected} is not in {fixed}");
    }
    for known in [&*made.branch, "of-the-user"] {
        assert!(!fixed.contains(known), "{known} is in {fixed}");
    }
    let path = late.worktree.to_str().unwrap();
    orchestra(&sandbox, &["worktree", "adopt", path]).ends_with(0);
    let healthy = orchestra(&sandbox, &["doctor"]).ends_with(0).stdout;
    assert!(!healthy.contains("no session is recorded"), "{healthy}");
}

#[test]
fn nothing_is_restored_while_an_agent_works() {
    let (sandbox, made) = at_rest();
    back_up(&sandbox, "orchestra.v1.backup", 1);
    let hang = sandbox.scenario("[[step]]\ndo = 'hang'\n");
    let notes = format!("scenario: {}", hang.display());
    session(
        &sandbox,
        &["iterate", "first", "--detach", "--notes", &notes],
    )
    .ends_with(0);
    let home = sandbox.data_dir();
    let works = || processes::with_variable("ORCHESTRA_HOME", &home.to_string_lossy());
    let started = "SELECT count(*) FROM transcript WHERE event LIKE '%started%'";
    wait_until("the agent's first words are kept", PATIENCE, || {
        database(&sandbox).query_row(started, [], |row| row.get(0)) == Ok(1)
    });
    fs::write(file(&sandbox), "rubbish").unwrap();
    let told = orchestra(&sandbox, &["doctor", "--fix"])
        .ends_with(1)
        .says(&made.id);
    assert!(told.stdout.contains("`kill "), "{}", told.stdout);
    // A runner may still move what it wrote from its log into the file.
    let kept = fs::read(file(&sandbox)).unwrap();
    assert!(kept.starts_with(b"rubbish"));

    let runner = told.stdout.split("`kill ").nth(1).unwrap();
    let runner = runner.split('`').next().unwrap().parse().unwrap();
    processes::kill(runner);
    wait_until("the agent is gone", PATIENCE, || works().is_empty());
    orchestra(&sandbox, &["doctor", "--fix"]).ends_with(0);
    session(&sandbox, &["iterate", "first"]).ends_with(0);
}

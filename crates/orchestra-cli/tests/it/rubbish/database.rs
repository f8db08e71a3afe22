//! Databases that cannot be used.

use std::fs;
use std::path::PathBuf;

use orchestra_testkit::{Sandbox, wait_until};

use crate::product::{Made, database, entries, make, orchestra, session};

const NOTHING: &str = "[[step]]\ndo = 'message'\ntext = 'Nothing to do.'\n";

fn file(sandbox: &Sandbox) -> PathBuf {
    sandbox.data_dir().join("orchestra.db")
}

/// A session whose database is closed, so that all of it is in the one file.
fn at_rest() -> (Sandbox, Made) {
    let sandbox = Sandbox::new();
    sandbox.repository("app");
    let made = make(&sandbox, "first", NOTHING);
    let log = sandbox.data_dir().join("orchestra.db-wal");
    wait_until(
        "nobody uses the database",
        std::time::Duration::from_secs(30),
        || !log.exists(),
    );
    (sandbox, made)
}

#[test]
fn a_newer_database_is_refused_and_left_as_it_is() {
    let (sandbox, made) = at_rest();
    database(&sandbox)
        .pragma_update(None, "user_version", 99)
        .unwrap();
    let before = fs::read(file(&sandbox)).unwrap();
    let commands: [&[&str]; 5] = [
        &["list"],
        &["status", &made.id],
        &["iterate", &made.id],
        &["new", "--name", "x", "--prompt", "y"],
        &["doctor", "--fix"],
    ];
    for words in commands {
        session(&sandbox, words).refuses(1, "version 99");
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
        for words in [&["list"][..], &["iterate", &made.id], &["doctor"]] {
            let told = session(&sandbox, words).refuses(1, "damaged");
            assert!(told.stderr.contains("doctor --fix"), "{}", told.stderr);
        }
        assert_eq!(
            fs::read(file(&sandbox)).unwrap(),
            damaged,
            "nothing was changed"
        );

        let fixed = orchestra(&sandbox, &["doctor", "--fix"]);
        assert!(fixed.text().contains("fixed"), "{fixed:?}");
        let kept = entries(&sandbox.data_dir())
            .into_iter()
            .find(|path| path.to_string_lossy().contains("damaged"))
            .unwrap();
        assert_eq!(
            fs::read(&kept).unwrap(),
            damaged,
            "the damaged file is kept"
        );
        assert!(fixed.text().contains(kept.to_str().unwrap()), "{fixed:?}");

        let worktree = made.worktree.to_str().unwrap();
        orchestra(
            &sandbox,
            &["worktree", "adopt", worktree, "--name", "again"],
        )
        .exits(0);
        session(&sandbox, &["iterate", "again"]).exits(0);
        orchestra(&sandbox, &["doctor", "--fix"]).exits(0);
    }
}

/// The newest backup takes the place of the damaged file.
#[test]
fn a_backup_is_restored() {
    let (sandbox, made) = at_rest();
    let backup = sandbox.data_dir().join("orchestra.v1.backup");
    fs::copy(file(&sandbox), backup).unwrap();
    fs::write(file(&sandbox), "rubbish").unwrap();
    let fixed = orchestra(&sandbox, &["doctor", "--fix"]).exits(0);
    assert!(fixed.text().contains("orchestra.v1.backup"), "{fixed:?}");
    session(&sandbox, &["iterate", &made.id]).exits(0);
}

//! Versioned, append-only migrations.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use crate::StoreError;
use crate::backup::backup;

/// One per version, in order.
pub(crate) const MIGRATIONS: &[&str] = &[
    include_str!("../migrations/0001_sessions.sql"),
    include_str!("../migrations/0002_base_remote_and_off_branch.sql"),
    include_str!("../migrations/0003_other_checkout.sql"),
    include_str!("../migrations/0004_landing.sql"),
    include_str!("../migrations/0005_push.sql"),
    include_str!("../migrations/0006_checks.sql"),
    include_str!("../migrations/0007_environments.sql"),
    include_str!("../migrations/0008_landed_fact.sql"),
    include_str!("../migrations/0009_unheard_operations.sql"),
    include_str!("../migrations/0010_artifacts.sql"),
    include_str!("../migrations/0011_servers.sql"),
    include_str!("../migrations/0012_shared_space.sql"),
    include_str!("../migrations/0013_script_runs_by_name.sql"),
    include_str!("../migrations/0014_run_problem.sql"),
    include_str!("../migrations/0015_first_name.sql"),
    include_str!("../migrations/0016_permissions.sql"),
    include_str!("../migrations/0017_overload.sql"),
    include_str!("../migrations/0018_told_decisions.sql"),
    include_str!("../migrations/0019_use_marks.sql"),
    include_str!("../migrations/0020_withdrawn_questions.sql"),
    include_str!("../migrations/0021_runtime.sql"),
    include_str!("../migrations/0023_isolation.sql"),
    include_str!("../migrations/0024_callers.sql"),
    include_str!("../migrations/0025_requests.sql"),
    include_str!("../migrations/0026_after_setup.sql"),
];

/// The schema version this program writes.
pub const LATEST_VERSION: u32 = MIGRATIONS.len() as u32;

fn version(connection: &Connection) -> Result<u32, StoreError> {
    Ok(connection.query_row("PRAGMA user_version", [], |row| row.get(0))?)
}

/// Refuses a file that a newer version or another program wrote. Writes nothing.
pub(crate) fn check(
    connection: &Connection,
    path: &Path,
    migrations: &[&str],
) -> Result<(), StoreError> {
    let moment = connection.unchecked_transaction()?;
    let found = version(&moment)?;
    let known = migrations.len() as u32;
    if found > known {
        return Err(StoreError::Newer {
            path: path.to_owned(),
            found,
            known,
        });
    }
    let objects: u32 =
        moment.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if found == 0 && objects > 0 {
        return Err(StoreError::Open {
            path: path.to_owned(),
            source: "it holds the tables of another program".into(),
        });
    }
    Ok(())
}

/// Brings the schema to the latest version; a copy of an older one is kept beside it.
pub(crate) fn bring_up_to_date(
    connection: &mut Connection,
    path: &Path,
    migrations: &[&str],
) -> Result<(), StoreError> {
    let found = version(connection)?;
    if found as usize >= migrations.len() {
        return Ok(());
    }
    if found > 0 {
        let copy = path.with_extension(format!("v{found}.backup"));
        backup(connection, &copy)?;
    }
    migrate(connection, migrations)
}

/// All missing migrations and the version number are one transaction, so a crash leaves the file at a whole version; two
/// processes that start together take turns.
fn migrate(connection: &mut Connection, migrations: &[&str]) -> Result<(), StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let current = version(&transaction)?;
    for (index, migration) in migrations.iter().enumerate().skip(current as usize) {
        transaction.execute_batch(migration)?;
        transaction.pragma_update(None, "user_version", index + 1)?;
    }
    transaction.commit()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: &[&str] = &[MIGRATIONS[0], "CREATE TABLE labels (text TEXT) STRICT"];
    const BROKEN: &[&str] = &[
        MIGRATIONS[0],
        "CREATE TABLE labels (text TEXT) STRICT; nonsense",
    ];

    /// A store of the first version with a row in it.
    fn first_version(path: &Path) -> Connection {
        let mut connection = Connection::open(path).unwrap();
        bring_up_to_date(&mut connection, path, &MIGRATIONS[..1]).unwrap();
        let row = "INSERT INTO meta (key, value) VALUES ('epoch', 'first')";
        connection.execute(row, []).unwrap();
        connection
    }

    fn epoch_and_version(path: &Path) -> (String, u32) {
        let connection = Connection::open(path).unwrap();
        let epoch = "SELECT value FROM meta WHERE key = 'epoch'";
        let epoch = connection.query_row(epoch, [], |row| row.get(0)).unwrap();
        (epoch, version(&connection).unwrap())
    }

    #[test]
    fn an_older_store_is_copied_and_then_migrated() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("orchestra.db");
        let mut connection = first_version(&path);
        bring_up_to_date(&mut connection, &path, TWO).unwrap();
        let copy = directory.path().join("orchestra.v1.backup");
        assert_eq!(epoch_and_version(&copy), ("first".to_owned(), 1));
        assert_eq!(epoch_and_version(&path), ("first".to_owned(), 2));
        connection
            .execute("INSERT INTO labels VALUES ('x')", [])
            .unwrap();
        bring_up_to_date(&mut connection, &path, TWO).unwrap();
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 2);
    }

    #[test]
    fn rows_of_the_first_version_are_kept_and_read() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("orchestra.db");
        first_version(&path)
            .execute_batch(
                "INSERT INTO repositories VALUES (1, '/r', '/r/.git');
                 INSERT INTO sessions VALUES ('k7m2qd', 1, 'old', 'p', NULL, NULL, NULL, 'main',
                     'cccccccccccccccccccccccccccccccccccccccc', 'amp/old', 0, '/r/w', 1, 'amp', NULL, NULL, NULL, NULL,
                     5, NULL, NULL, NULL);
                 INSERT INTO iterations (session, number, commit_changes, progress, queued_at)
                     VALUES ('k7m2qd', 1, 1, 'queued', 5);
                 INSERT INTO git_facts VALUES ('k7m2qd', NULL, 1, 2, NULL, 5);",
            )
            .unwrap();
        let store = crate::Store::open(&path, "first").unwrap();
        let (session, iteration, facts) = store
            .read(|tx| {
                let id = "k7m2qd".parse().unwrap();
                let session = tx.find_session(&id)?.unwrap();
                Ok::<_, StoreError>((session, tx.latest_iteration(&id)?, tx.git_facts_of(&id)?))
            })
            .unwrap();
        assert_eq!(session.name.as_str(), "old");
        assert_eq!(session.base_remote, None);
        assert_eq!((session.landed, session.rebase), (None, None));
        assert_eq!(iteration.unwrap().off_branch, None);
        let facts = facts.unwrap();
        assert_eq!((facts.behind, facts.other_checkout), (Some(2), None));
    }

    #[test]
    fn a_migration_that_fails_leaves_the_old_version() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("orchestra.db");
        let mut connection = first_version(&path);
        let error = bring_up_to_date(&mut connection, &path, BROKEN).unwrap_err();
        assert_eq!(error.code(), "store.failed");
        assert_eq!(epoch_and_version(&path), ("first".to_owned(), 1));
        bring_up_to_date(&mut connection, &path, TWO).unwrap();
        assert_eq!(epoch_and_version(&path), ("first".to_owned(), 2));
    }

    #[test]
    fn a_copy_that_cannot_be_made_stops_the_migration() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("orchestra.db");
        let mut connection = first_version(&path);
        let taken = directory.path().join("orchestra.v1.backup");
        std::fs::create_dir_all(taken.join("inside")).unwrap();
        let error = bring_up_to_date(&mut connection, &path, TWO).unwrap_err();
        assert_eq!(error.code(), "store.cannot_open");
        assert_eq!(epoch_and_version(&path), ("first".to_owned(), 1));
    }
}

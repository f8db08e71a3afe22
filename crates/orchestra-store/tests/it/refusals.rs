//! A system that does not let the store write: no rights, no room.

use std::path::Path;

use orchestra_store::Store;

use crate::child;
use crate::fixture::{Sandbox, note, read, try_write};

/// The job of a process without rights: open, read, write, and say how far it came.
pub(crate) fn open_without_rights(database: &Path) {
    let told = match Store::open(database, "child") {
        Err(error) => format!("open {} {}", error.code(), error.hint().is_some()),
        Ok(store) => {
            let error =
                try_write(&store, |tx| tx.append_event(None, &note("refused"))).unwrap_err();
            let read = store.read(|tx| tx.last_seq());
            format!(
                "write {} {} {:?}",
                error.code(),
                error.hint().is_some(),
                read.ok()
            )
        }
    };
    child::answer(&told);
}

/// The job of a process whose disk fills up: write until it is refused, then make room and go on.
pub(crate) fn fill(database: &Path) {
    let ballast = database.with_extension("ballast");
    std::fs::write(&ballast, vec![1; 200_000]).unwrap();
    let store = Store::open(database, "child").unwrap();
    let big = "x".repeat(30_000);
    let mut written = 0;
    let error = loop {
        assert!(written < 10_000, "the disk does not fill up");
        match try_write(&store, |tx| tx.append_event(None, &note(&big))) {
            Ok(seq) => written = seq,
            Err(error) => break error,
        }
    };
    child::answer(&format!("{} {}", error.code(), error.hint().is_some()));
    assert_eq!(read(&store, |tx| tx.last_seq()), written);
    assert_eq!(store.check_integrity().unwrap(), Vec::<String>::new());
    match Store::open(&database.with_extension("second"), "child") {
        Ok(_) => child::answer("a second store found room"),
        Err(error) => child::answer(&format!(
            "second {} {}",
            error.code(),
            error.hint().is_some()
        )),
    }
    std::fs::remove_file(&ballast).unwrap();
    match try_write(&store, |tx| tx.append_event(None, &note("small"))) {
        Ok(seq) => assert_eq!(seq, written + 1),
        Err(error) => child::answer(&format!("still {}", error.code())),
    }
    drop(store);
    let store = Store::open(database, "child").unwrap();
    assert!(read(&store, |tx| tx.last_seq()) >= written);
    assert_eq!(store.check_integrity().unwrap(), Vec::<String>::new());
}

#[cfg(unix)]
mod unix {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::os::unix::process::CommandExt;
    use std::path::Path;

    use super::*;

    const NOBODY: u32 = 65_534;

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    /// Opens the store in a process that rights apply to: the administrator's tests use another user.
    fn open_as_a_user(sandbox: &Sandbox) -> Vec<String> {
        let administrator = fs::metadata(sandbox.directory()).unwrap().uid() == 0;
        let program = tempfile::TempDir::new().unwrap();
        set_mode(program.path(), 0o755);
        let copy = program.path().join("test");
        fs::copy(std::env::current_exe().unwrap(), &copy).unwrap();
        let mut command = child::with_program(&copy, "open without rights", &sandbox.database());
        command.current_dir("/");
        if administrator {
            command.uid(NOBODY).gid(NOBODY);
        }
        child::run(command)
    }

    fn existing() -> Sandbox {
        let sandbox = Sandbox::new();
        crate::fixture::write(&sandbox.open(), |tx| tx.append_event(None, &note("one")));
        sandbox
    }

    #[test]
    fn a_directory_nobody_may_write_is_refused() {
        let sandbox = Sandbox::new();
        set_mode(sandbox.directory(), 0o555);
        assert_eq!(open_as_a_user(&sandbox), ["open store.cannot_open true"]);
        set_mode(sandbox.directory(), 0o755);
        assert_eq!(sandbox.file_names(), Vec::<String>::new());
    }

    #[test]
    fn a_store_in_a_directory_nobody_may_write_is_refused() {
        let sandbox = existing();
        set_mode(&sandbox.database(), 0o444);
        set_mode(sandbox.directory(), 0o555);
        let told = open_as_a_user(&sandbox);
        set_mode(sandbox.directory(), 0o755);
        let allowed = ["open store.cannot_open true", "open store.read_only true"];
        assert!(allowed.contains(&told[0].as_str()), "{told:?}");
    }

    #[test]
    fn a_file_nobody_may_write_can_be_read_at_most() {
        let sandbox = existing();
        set_mode(&sandbox.database(), 0o444);
        set_mode(sandbox.directory(), 0o777);
        let told = open_as_a_user(&sandbox);
        let allowed = [
            "open store.cannot_open true",
            "open store.read_only true",
            "write store.read_only true Some(1)",
        ];
        assert!(allowed.contains(&told[0].as_str()), "{told:?}");
    }

    #[test]
    fn a_file_nobody_may_read_is_refused() {
        let sandbox = existing();
        set_mode(&sandbox.database(), 0o000);
        set_mode(sandbox.directory(), 0o777);
        assert_eq!(open_as_a_user(&sandbox), ["open store.cannot_open true"]);
    }

    /// A limit on the size of files stops the writes with another error than a full disk does; nothing is lost either way.
    #[test]
    fn a_limit_on_file_size_is_told_with_a_hint() {
        let sandbox = Sandbox::new();
        // The limit would cut what a coverage run counts as well.
        let line = "unset LLVM_PROFILE_FILE; trap '' XFSZ; ulimit -f 2000; exec \"$@\"";
        let told = child::run(child::through_shell(line, "fill", &sandbox.database()));
        assert_eq!(told[0], "store.failed true");
    }

    /// Linux lets a user mount a small disk in a namespace of his own, unless the machine forbids it.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_told_and_room_is_used_again() {
        let sandbox = Sandbox::new();
        let line = r#"unshare -Urm true 2>/dev/null || exit 0
            exec unshare -Urm sh -c 'mount -t tmpfs -o size=2m none "$0" && exec "$@"' \
                "$(dirname "$ORCHESTRA_STORE_TEST_DATABASE")" "$@""#;
        let told = child::run(child::through_shell(line, "fill", &sandbox.database()));
        if told.is_empty() {
            println!("no small disk can be mounted here");
            return;
        }
        assert_eq!(
            told,
            ["store.disk_full true", "second store.disk_full true"]
        );
    }
}

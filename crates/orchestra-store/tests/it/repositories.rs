//! Repositories are known by their git directory.

use std::path::Path;

use orchestra_core::RepositoryId;
use orchestra_store::CountedRepository;

use crate::fixture::{Sandbox, at, id, read, session, try_write, write};

#[test]
fn the_same_git_directory_is_one_repository() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let ensure = |root: &str, common_dir: &str| {
        write(&store, |tx| {
            tx.ensure_repository(Path::new(root), Path::new(common_dir))
        })
    };
    let first = ensure("/a", "/a/.git");
    let second = ensure("/it's \"b\"\n", "/b/.git");
    assert_eq!(ensure("/a", "/a/.git"), first);
    assert_ne!(first.id, second.id);

    let moved = ensure("/elsewhere", "/a/.git");
    assert_eq!(moved.id, first.id);
    assert_eq!(moved.root, Path::new("/elsewhere"));
    let other_git_directory = ensure("/elsewhere", "/somewhere.git");
    assert_eq!(other_git_directory.id, first.id);

    assert_eq!(
        read(&store, |tx| tx.repositories()),
        [other_git_directory.clone(), second.clone()]
    );
    assert_eq!(read(&store, |tx| tx.repository(second.id)), second);
    assert_eq!(
        read(&store, |tx| tx.find_repository(Path::new("/b/.git"))),
        Some(second)
    );
    assert_eq!(
        read(&store, |tx| tx.find_repository(Path::new("/a/.git"))),
        None
    );
    assert_eq!(
        sandbox.ask::<String>("SELECT group_concat(root, '|') FROM repositories"),
        "/elsewhere|/it's \"b\"\n"
    );
}

#[test]
fn a_repository_that_is_not_there_is_an_error() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let error = store.read(|tx| tx.repository(RepositoryId(7))).unwrap_err();
    assert_eq!(error.code(), "store.failed");
    assert_eq!(error.hint(), None);
}

#[test]
fn the_root_of_one_repository_cannot_become_that_of_another() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    for root in ["/a", "/b"] {
        write(&store, |tx| {
            tx.ensure_repository(Path::new(root), &Path::new(root).join(".git"))
        });
    }
    let error = try_write(&store, |tx| {
        tx.ensure_repository(Path::new("/b"), Path::new("/a/.git"))
    })
    .unwrap_err();
    assert_eq!(error.to_string(), "repositories.root is taken already");
}

#[cfg(unix)]
#[test]
fn a_path_that_is_not_text_is_refused() {
    use std::os::unix::ffi::OsStrExt;
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let path = Path::new(std::ffi::OsStr::from_bytes(b"/\xff"));
    let error = try_write(&store, |tx| tx.ensure_repository(path, path)).unwrap_err();
    assert!(error.to_string().contains("not UTF-8"), "{error}");
}

#[test]
fn a_command_is_allowed_word_for_word() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let ensure = |root: &str| {
        let common_dir = Path::new(root).join(".git");
        write(&store, |tx| {
            tx.ensure_repository(Path::new(root), &common_dir)
        })
        .id
    };
    let (here, elsewhere) = (ensure("/a"), ensure("/b"));
    let allow = || {
        write(&store, |tx| {
            tx.allow_command(here, "commands.pr", "make pr")
        })
    };
    assert!(allow());
    assert!(!allow(), "allowed before");
    let is_allowed = |repository, name: &str, command: &str| {
        read(&store, |tx| {
            tx.is_command_allowed(repository, name, command)
        })
    };
    assert!(is_allowed(here, "commands.pr", "make pr"));
    assert!(!is_allowed(here, "commands.pr", "make pr; rm -rf ~"));
    assert!(!is_allowed(here, "commands.after_merge", "make pr"));
    assert!(!is_allowed(elsewhere, "commands.pr", "make pr"));
    for repository in [here, elsewhere] {
        write(&store, |tx| tx.forget_unused_repository(repository));
    }
    let left = read(&store, |tx| tx.repositories());
    assert_eq!(left.len(), 1, "what was allowed stays");
    assert!(is_allowed(here, "commands.pr", "make pr"));
    let forget = |repository| write(&store, |tx| tx.forget_command(repository, "commands.pr"));
    assert!(!forget(elsewhere) && forget(here) && !forget(here));
    assert!(!is_allowed(here, "commands.pr", "make pr"));
}

#[test]
fn sessions_are_counted_by_repository() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let first = write(&store, |tx| {
        tx.ensure_repository(Path::new("/b"), Path::new("/b/.git"))
    });
    write(&store, |tx| {
        tx.ensure_repository(Path::new("/a"), Path::new("/a/.git"))
    });
    let counts = || {
        let counted = read(&store, |tx| tx.counted_repositories()).into_iter();
        let row = |it: CountedRepository| (it.repository.root, it.sessions, it.archived);
        counted.map(row).collect::<Vec<_>>()
    };
    assert_eq!(counts(), [("/a".into(), 0, 0), ("/b".into(), 0, 0)]);
    for name in ["bbbbbb", "cccccc"] {
        write(&store, |tx| tx.insert_session(&session(&first, name)));
    }
    write(&store, |tx| tx.set_archived(&id("cccccc"), Some(at(5))));
    assert_eq!(counts(), [("/a".into(), 0, 0), ("/b".into(), 2, 1)]);
}

//! The sandbox keeps its promises.

use std::time::Duration;

use orchestra_testkit::{Sandbox, processes, wait_until};

#[test]
fn a_repository_is_sound_and_the_same_every_time() {
    let (first, second) = (Sandbox::new(), Sandbox::new());
    let heads = [
        first.repository("app").head(),
        second.repository("app").head(),
    ];
    assert_eq!(heads[0], heads[1]);
    let repository = first.repository("other");
    repository.write("src/a.txt", "a\n");
    let head = repository.commit("second");
    assert_eq!(repository.branch_sha("main"), head);
    assert_eq!(repository.read("src/a.txt"), "a\n");
    assert!(repository.has_branch("main") && !repository.has_branch("none"));
    repository.fsck();
}

#[test]
fn many_files_are_made_quickly() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("large").with_files(7_000);
    let listed = repository.git(&["ls-files"]).lines().count();
    assert_eq!(listed, 7_001);
    assert_eq!(repository.git(&["status", "--porcelain"]), "");
    assert!(
        repository
            .read("files/000/000/file0.txt")
            .starts_with("file 0\n")
    );
}

#[test]
fn everything_is_removed_at_the_end() {
    let sandbox = Sandbox::new();
    sandbox.repository("app");
    let folder = sandbox.path("");
    assert!(folder.exists());
    drop(sandbox);
    assert!(!folder.exists());
}

#[test]
fn the_environment_is_its_own() {
    let sandbox = Sandbox::new()
        .with_variable("EXTRA", "1")
        .with_knob("build", "jan");
    let env = sandbox.env();
    let value = |name: &str| {
        let found = env.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.to_string_lossy().into_owned())
    };
    assert_eq!(
        value("HOME"),
        Some(sandbox.home().to_string_lossy().into_owned())
    );
    assert_eq!(
        value("ORCHESTRA_HOME"),
        Some(sandbox.data_dir().to_string_lossy().into_owned())
    );
    assert_eq!(value("EXTRA").as_deref(), Some("1"));
    assert_eq!(value("CARGO_MANIFEST_DIR"), None);
    assert!(value("AMP_API_KEY").is_some_and(|key| key.len() >= 8));
    assert!(
        value("ORCHESTRA_AGENTS_AMP_COMMAND")
            .is_some_and(|command| command.contains("--fake-build jan"))
    );
}

#[test]
fn a_program_that_is_not_built_is_named() {
    let panicked = std::panic::catch_unwind(|| orchestra_testkit::bin("no-such-program"));
    let message = *panicked.unwrap_err().downcast::<String>().unwrap();
    assert!(
        message.contains("build it first: cargo build -p"),
        "{message}"
    );
}

#[test]
fn waiting_names_what_it_waited_for() {
    wait_until("now", Duration::from_secs(1), || true);
    let panicked =
        std::panic::catch_unwind(|| wait_until("pigs fly", Duration::from_millis(20), || false));
    let message = *panicked.unwrap_err().downcast::<String>().unwrap();
    assert!(message.contains("pigs fly"), "{message}");
}

#[test]
fn processes_are_seen_from_outside() {
    assert!(processes::alive(std::process::id()));
    assert!(!processes::alive(u32::MAX - 1));
    let sandbox = Sandbox::new();
    assert!(processes::recorded(&sandbox.path("none")).is_empty());
}

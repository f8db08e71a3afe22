//! What is set for before a cleanup: it runs in the worktree, and must pass.

use crate::world::World;

fn with_teardown(command: &str) -> World {
    let world = World::new();
    world.settle(&format!("[commands]\nteardown = {command:?}\n"));
    world
}

#[test]
fn it_runs_in_the_worktree_before_that_goes() {
    let world = World::new();
    let note = world.sandbox.path("note");
    let command = format!(
        "pwd > '{0}'; echo \"$ORCHESTRA_SESSION\" >> '{0}'",
        note.display()
    );
    world.settle(&format!("[commands]\nteardown = {command:?}\n"));
    let made = world.session("one");
    world
        .run(&["cleanup", "one", "--dry-run"])
        .ok()
        .says("would run");
    assert!(!note.exists());
    world.run(&["cleanup", "one"]).ok();
    let told = std::fs::read_to_string(&note).unwrap();
    assert_eq!(told, format!("{}\n{}\n", made.worktree.display(), made.id));
    assert!(!made.worktree.exists());
    let runs = "SELECT count(*) FROM script_runs WHERE script = 'teardown'";
    assert_eq!(world.count(runs), 1);
    world.run(&["undo", "one"]).ok();
    world.run(&["iterate", "one"]).ok();
}

#[test]
fn if_it_fails_the_worktree_stays() {
    let world = with_teardown("echo still busy; exit 3");
    let made = world.session("one");
    let failed = world.run(&["cleanup", "one", "--json"]).ends_with(1).json();
    assert_eq!(failed["error"]["code"], "cleanup.teardown_failed");
    assert!(made.worktree.exists());
    world
        .run(&["cleanup", "one"])
        .ends_with(1)
        .says("its servers were ended")
        .says("--without-teardown");
    world.run(&["cleanup", "one", "--without-teardown"]).ok();
    assert!(!made.worktree.exists());
}

#[test]
fn one_that_takes_too_long_names_its_limit() {
    let world = World::new();
    world.settle("[commands]\nteardown = \"sleep 600\"\ntimeout = \"300ms\"\n");
    let made = world.session("one");
    world
        .run(&["cleanup", "one"])
        .ends_with(1)
        .says("`commands.teardown` failed: it took longer than 300ms")
        .says("`commands.timeout` says how long it may take");
    assert!(made.worktree.exists());
}

#[test]
fn it_must_be_allowed() {
    let world = with_teardown("touch ../torn");
    world.orchestra(&["commands", "forget", "--all"]).ok();
    let made = world.session("one");
    world.run(&["cleanup", "one"]).refuses(3, "touch ../torn");
    assert!(made.worktree.exists());
    world.run(&["cleanup", "one", "--yes"]).ok();
    assert!(world.repository.path(".worktrees/torn").exists());
}

#[test]
fn what_was_torn_down_is_set_up_again() {
    let world = World::new();
    world.settle("[commands]\nsetup = \"touch .up\"\nteardown = \"rm .up\"\n");
    world.session_with("one", &["--wait-setup"]);
    world.run(&["cleanup", "one", "--even-dirty"]).ok();
    world.run(&["undo", "one"]).ok();
    world
        .run(&["status", "one"])
        .ok()
        .says("its set-up was taken back");
    world.run(&["iterate", "one"]).refuses(3, "was taken back");
    world.run(&["setup", "one", "--follow"]).ok();
    world.run(&["iterate", "one"]).ok();
}

#[test]
fn a_cleanup_that_is_done_again_tears_down_what_is_up() {
    let world = World::new();
    world.settle("[commands]\nsetup = \"touch .up\"\nteardown = \"rm .up\"\n");
    let made = world.session_with("one", &["--wait-setup"]);
    let runs = || world.count("SELECT count(*) FROM script_runs WHERE script = 'teardown'");
    world.run(&["cleanup", "one", "--even-dirty"]).ok();
    world.run(&["undo", "one"]).ok();
    world.run(&["redo", "one"]).ok();
    assert_eq!(runs(), 1, "it was down already");
    world.run(&["undo", "one"]).ok();
    world.run(&["setup", "one", "--follow"]).ok();
    assert!(made.worktree.join(".up").exists());
    world.run(&["redo", "one"]).ok();
    assert_eq!(runs(), 2);
    world.run(&["undo", "one"]).ok();
    assert!(!made.worktree.join(".up").exists());
}

#[test]
fn a_cleanup_without_teardown_is_done_again_without_it() {
    let world = World::new();
    world.settle("[commands]\nsetup = \"touch .up\"\nteardown = \"rm .up\"\n");
    let made = world.session_with("one", &["--wait-setup"]);
    let words = ["cleanup", "one", "--even-dirty", "--without-teardown"];
    world.run(&words).ok();
    world.run(&["undo", "one"]).ok();
    world.run(&["redo", "one"]).ok();
    world.run(&["undo", "one"]).ok();
    assert!(made.worktree.join(".up").exists());
}

#[test]
fn one_that_is_not_allowed_any_more_is_allowed_by_a_command_of_its_own() {
    let world = World::new();
    world.settle("[commands]\nsetup = \"touch .up\"\nteardown = \"rm .up\"\n");
    let made = world.session_with("one", &["--wait-setup"]);
    world.run(&["cleanup", "one", "--even-dirty"]).ok();
    world.run(&["undo", "one"]).ok();
    world.run(&["setup", "one", "--follow"]).ok();
    let allow = |word: &str| {
        world
            .orchestra(&["commands", word, "commands.teardown"])
            .ok()
    };
    allow("forget");
    world
        .run(&["redo", "one"])
        .refuses(3, "is not allowed yet")
        .says("orchestra commands allow commands.teardown");
    allow("allow");
    world.run(&["redo", "one"]).ok();
    assert!(!made.worktree.exists());
}

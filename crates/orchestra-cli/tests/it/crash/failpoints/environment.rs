//! Set-up, databases and teardown, killed at each of their places.

use super::{CREATE, scenario};
use crate::concurrency::world::{Made, World, shown};

/// Places in the set-up of a session, in its runner.
pub(super) const SETUP: &[&str] = &[
    "script.recorded",
    "database.creating",
    "database.made",
    "script.ended",
];
/// Places in `cleanup --delete-database` before the worktree goes, and after that.
pub(super) const TEARDOWN: &[&str] = &[
    "script.recorded",
    "script.ended",
    "cleanup.torn_down",
    "database.dropping",
    "database.dropped",
];

/// Places in the same for a database that is a file.
pub(super) const DROP_FILE: &[&str] = &[
    "database.dropping",
    "database.file_recorded",
    "database.dropped",
];

/// Places in `gc --regenerable`.
pub(super) const CLEAR: &[&str] = &["clear.recorded", "clear.removing", "clear.removed"];

const NEW: &[&str] = &["new", "--name", "victim", "--prompt", "Do it"];

/// A repository whose sessions are set up and torn down. The commands can be repeated.
fn world() -> World {
    let world = World::new(&scenario());
    let folder = world.sandbox.path("server");
    std::fs::create_dir_all(&folder).unwrap();
    let server = folder.display();
    let settings = format!(
        "[databases.main]\nkind = \"postgresql\"\ncreate = \"touch '{server}'/$ORCHESTRA_LOCATION\"\ndrop = \"rm -f '{server}'/$ORCHESTRA_LOCATION\"\n[commands]\nsetup = \"test -f '{server}'/$ORCHESTRA_DATABASE_MAIN\"\nteardown = \"true\"\n"
    );
    world.repository.write(".orchestra/config.toml", &settings);
    world.repository.commit("settings");
    world.allow_commands();
    world
}

impl World {
    fn on_server(&self) -> usize {
        let folder = self.sandbox.path("server");
        std::fs::read_dir(folder).unwrap().count()
    }

    fn setup_state(&self) -> String {
        let status: serde_json::Value =
            serde_json::from_str(&self.succeed(&["status", "victim", "--json"])).unwrap();
        status["session"]["setup"].as_str().unwrap().to_owned()
    }

    /// Whatever was cut off, the same again comes to a good end.
    fn set_up_again(&self, session: &Made, place: &str) {
        let known = self.setup_state();
        assert!(
            ["interrupted", "passed"].contains(&known.as_str()),
            "{place}: {known}"
        );
        self.succeed(&["setup", "victim", "--follow"]);
        assert_eq!(self.setup_state(), "passed", "{place}");
        let ready = "SELECT count(*) FROM databases WHERE state = 'ready'";
        assert_eq!(self.count(ready), 1, "{place}");
        self.goes_on(session, place);
    }
}

#[test]
fn a_set_up_that_was_cut_off_is_finished_by_the_same_again() {
    for place in SETUP {
        let world = world();
        let output = world.abort_at(place, NEW);
        assert!(output.status.success(), "{place}: {}", shown(&output));
        world.wait_until_nobody_works();
        world.recover_twice_killed(place);
        let session = world.sessions().remove(0);
        assert_eq!(world.setup_state(), "interrupted", "{place}");
        world.set_up_again(&session, place);
    }
    println!("failpoints in the set-up {}, lost 0", SETUP.len());
}

#[test]
fn a_session_that_was_cut_off_is_never_taken_for_one_that_is_set_up() {
    for place in CREATE {
        let world = world();
        let output = world.abort_at(place, NEW);
        assert!(!output.status.success(), "{place}");
        world.recover_twice_killed(place);
        if world.sessions().is_empty() {
            world.succeed(&[NEW, &["--wait-setup"]].concat());
        }
        let session = world.sessions().remove(0);
        world.set_up_again(&session, place);
    }
}

#[test]
fn databases_are_dropped_by_the_same_again() {
    let clean_up = ["cleanup", "victim", "--delete-database"];
    for place in TEARDOWN {
        let world = world();
        world.succeed(&[NEW, &["--wait-setup"]].concat());
        let session = world.sessions().remove(0);
        assert_eq!(world.on_server(), 1, "{place}");
        let output = world.abort_at(place, &clean_up);
        assert!(!output.status.success(), "{place}");
        world.kill_recovery();
        world.heal();
        world.assert_store_whole(place);
        let is_before = !place.starts_with("database.");
        assert_eq!(session.worktree.exists(), is_before, "{place}");
        world.succeed(&clean_up);
        assert!(!session.worktree.exists(), "{place}");
        let left = (
            world.on_server(),
            world.count("SELECT count(*) FROM databases"),
        );
        assert_eq!(left, (0, 0), "{place}");
        world.succeed(&["undo", "victim"]);
        world.succeed(&["setup", "victim", "--follow"]);
        world.goes_on(&session, place);
    }
    println!("failpoints in teardown {}, lost 0", TEARDOWN.len());
}

#[test]
fn a_file_that_is_gone_never_looks_set_up() {
    let clean_up = ["cleanup", "victim", "--delete-database"];
    for place in DROP_FILE {
        let world = World::new(&scenario());
        let setup = "touch \"$ORCHESTRA_DATABASE_MAIN\"";
        let settings =
            format!("[databases.main]\nkind = \"sqlite\"\n[commands]\nsetup = {setup:?}\n");
        world.repository.write(".orchestra/config.toml", &settings);
        world.repository.commit("settings");
        world.allow_commands();
        world.succeed(&[NEW, &["--wait-setup"]].concat());
        let session = world.sessions().remove(0);
        let output = world.abort_at(place, &clean_up);
        assert!(!output.status.success(), "{place}");
        world.kill_recovery();
        world.heal();
        world.assert_store_whole(place);
        world.succeed(&clean_up);
        assert_eq!(world.count("SELECT count(*) FROM databases"), 0, "{place}");
        world.succeed(&["undo", "victim"]);
        assert_eq!(world.setup_state(), "torn_down", "{place}");
        world.succeed(&["setup", "victim", "--follow"]);
        world.goes_on(&session, place);
    }
}

#[test]
fn half_of_what_is_made_again_never_looks_set_up() {
    for place in CLEAR {
        let world = World::new(&scenario());
        world.repository.write(".gitignore", "node_modules\n");
        let setup =
            "rm -rf node_modules && mkdir node_modules && touch node_modules/a node_modules/b";
        let settings = format!("[commands]\nsetup = {setup:?}\n");
        world.repository.write(".orchestra/config.toml", &settings);
        world.repository.commit("settings");
        world.allow_commands();
        world.succeed(&[NEW, &["--wait-setup"]].concat());
        let session = world.sessions().remove(0);
        let output = world.abort_at(place, &["gc", "--regenerable", "--yes"]);
        assert!(!output.status.success(), "{place}");
        world.recover_twice_killed(place);
        assert_eq!(world.setup_state(), "cleared", "{place}");
        world.succeed(&["gc", "--regenerable", "--yes"]);
        assert!(!session.worktree.join("node_modules").exists(), "{place}");
        world.succeed(&["setup", "victim", "--follow"]);
        assert_eq!(world.setup_state(), "passed", "{place}");
        assert!(session.worktree.join("node_modules/b").exists(), "{place}");
        world.goes_on(&session, place);
    }
    println!("failpoints in gc --regenerable {}, lost 0", CLEAR.len());
}

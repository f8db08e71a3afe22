//! Databases of sessions: made by the set-up, dropped by a cleanup that wants it, for good.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs::Permissions;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use orchestra_testkit::Sandbox;
use rusqlite::Connection;
use serde_json::Value;

use crate::ran::ran;
use crate::world::World;

const LOGGED: &str = "\
[databases.main]
kind = \"postgresql\"
location = \"app_{slug}\"
create = \"echo create $ORCHESTRA_DATABASE $ORCHESTRA_LOCATION $DATABASE_URL >> '@log'\"
drop = \"echo drop $ORCHESTRA_DATABASE $ORCHESTRA_LOCATION >> '@log'; test ! -f '@log.stuck'\"
";

fn logged() -> (World, PathBuf) {
    let world = World::new();
    let log = world.sandbox.path("log");
    world.settle(&LOGGED.replace("@log", log.to_str().unwrap()));
    (world, log)
}

fn database(world: &World, session: &str) -> Value {
    world.json(&["status", session])["databases"][0].clone()
}

#[test]
fn a_file_lies_in_a_place_of_the_session() {
    let world = World::new();
    world.settle(
        "[databases.main]\nkind = \"sqlite\"\n[commands]\nsetup = \"touch \\\"$ORCHESTRA_DATABASE_MAIN\\\"\"\n",
    );
    world.session_with("one", &["--wait-setup"]);
    let main = database(&world, "one");
    assert_eq!(main["state"], "ready");
    let file = PathBuf::from(main["location"].as_str().unwrap());
    assert!(file.exists());
    std::fs::write(file.with_extension("db-wal"), "").unwrap();
    world
        .run(&["cleanup", "one", "--dry-run", "--delete-database"])
        .ok()
        .says("for good");
    assert!(file.exists());
    world.run(&["cleanup", "one"]).ok();
    assert!(
        file.exists(),
        "a database stays unless somebody wants it gone"
    );
    assert_eq!(database(&world, "one")["state"], "ready");
    world
        .run(&["cleanup", "one", "--delete-database"])
        .ok()
        .says("does not bring it back")
        .says("databases dropped");
    assert!(!file.exists() && !file.with_extension("db-wal").exists());
    assert_eq!(database(&world, "one"), Value::Null);
    world.run(&["undo", "one"]).ok();
    let session = world.json(&["status", "one"])["session"].clone();
    assert_eq!(session["setup"], "torn_down", "its set-up filled the file");
    assert_eq!(session["status"], "idle");
    world.run(&["iterate", "one"]).refuses(3, "was taken back");
    world.run(&["setup", "one", "--follow"]).ok();
    assert!(file.exists());
}

#[test]
fn a_file_that_a_settings_file_chose_is_not_deleted() {
    let world = World::new();
    let precious = world.sandbox.path("precious-one.db");
    std::fs::write(&precious, "mine").unwrap();
    let location = world.sandbox.path("precious-{slug}.db");
    world.settle(&format!("[databases.main]\nlocation = {location:?}\n"));
    world.session_with("one", &["--wait-setup"]);
    world
        .run(&["cleanup", "one", "--delete-database"])
        .refuses(3, "nothing says how");
    assert_eq!(std::fs::read_to_string(&precious).unwrap(), "mine");
    std::fs::remove_file(precious).unwrap();
    world.run(&["cleanup", "one", "--delete-database"]).ok();
    assert_eq!(
        database(&world, "one"),
        Value::Null,
        "its owner deleted the file"
    );
}

#[test]
fn a_file_in_the_worktree_goes_into_the_trash_and_comes_back() {
    let world = World::new();
    world.repository.write(".gitignore", "data\n");
    world.repository.commit("what is ignored");
    world.settle(
        "[databases.main]\nlocation = \"data/app.db\"\ncreate = \"echo mine > data/app.db\"\n",
    );
    let made = world.session_with("one", &["--wait-setup"]);
    let words = ["cleanup", "one", "--delete-database"];
    let foretold = world.run(&[&words[..], &["--dry-run"]].concat()).ok();
    let cleaned = world.run(&words).ok();
    for ran in [foretold, cleaned] {
        let ran = ran.says("in the trash with the worktree");
        assert!(!ran.stdout.contains("for good"), "{}", ran.stdout);
        assert!(!ran.stderr.contains("for good"), "{}", ran.stderr);
    }
    world.run(&["undo", "one"]).ok();
    assert!(made.worktree.join("data/app.db").exists());
}

#[test]
fn nobody_is_warned_of_a_loss_that_is_refused() {
    let (world, log) = logged();
    let made = world.session_with("one", &["--wait-setup"]);
    std::fs::write(made.worktree.join("new"), "not committed").unwrap();
    let refused = world
        .run(&["cleanup", "one", "--delete-database"])
        .ends_with(3);
    assert!(!refused.stderr.contains("for good"), "{}", refused.stderr);
    assert!(!std::fs::read_to_string(&log).unwrap().contains("drop"));
}

#[test]
fn no_two_sessions_meet_in_a_database() {
    let (shared, climbs) = ("for every session", "never climbs with `..`");
    for (settings, why) in [
        ("location = \"/tmp/shared.db\"", shared),
        ("location = \"../../shared.db\"", climbs),
        ("location = \"../../../{id}.db\"", climbs),
        ("location = \"{slug}/../../shared.db\"", climbs),
        ("kind = \"postgresql\"\nlocation = \"postgres\"", shared),
    ] {
        let world = World::new();
        world.settle(&format!("[databases.main]\n{settings}\n"));
        let words = ["new", "--name", "one", "--prompt", "x"];
        world.run(&words).ok().says(why);
        assert_eq!(database(&world, "one"), Value::Null, "{settings}");
    }
}

#[test]
fn no_directory_is_made_behind_a_link() {
    let world = World::new();
    let outside = world.sandbox.path("outside");
    std::fs::create_dir(&outside).unwrap();
    symlink(&outside, world.repository.path("link")).unwrap();
    world.settle("[databases.main]\nlocation = \"{worktree}/link/deep/er/db\"\n");
    world.repository.commit("a link");
    let words = ["new", "--name", "one", "--prompt", "x", "--wait-setup"];
    let ran = world.run(&words).says("a file or a link is in its way");
    assert_ne!(ran.code, 0);
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0);
    world.settle("[databases.main]\nlocation = \"{worktree}/data/deep/db\"\n");
    let made = world.session_with("two", &["--wait-setup"]);
    assert!(made.worktree.join("data/deep").is_dir());
}

#[test]
fn commands_make_and_drop_it() {
    let (world, log) = logged();
    let read = || std::fs::read_to_string(&log).unwrap();
    world.session_with("one", &["--wait-setup"]);
    let created = "create main app_one postgresql:///app_one\n";
    assert_eq!(read(), created);
    world
        .run(&["setup", "one", "--follow"])
        .ok()
        .says("databases.main.create passed for app_one");
    let created = created.repeat(2);
    assert_eq!(read(), created, "only the server knows whether it is there");
    let stuck = log.with_extension("stuck");
    std::fs::write(&stuck, "").unwrap();
    let clean_up = ["cleanup", "one", "--delete-branch", "--delete-database"];
    let worktree = world.made("one").worktree;
    world
        .run(&clean_up)
        .ends_with(1)
        .says("was not dropped")
        .says("its worktree is in the trash");
    assert_eq!(database(&world, "one")["state"], "dropping");
    assert!(!worktree.exists());
    std::fs::remove_file(stuck).unwrap();
    let answer = world.json(&clean_up);
    assert_eq!(answer["databases"][0]["location"], "app_one");
    let dropped = "drop main app_one\n";
    assert_eq!(read(), format!("{created}{dropped}{dropped}"));
    let events = "SELECT count(*) FROM events WHERE type = 'database_changed'";
    assert_eq!(world.count(events), 7);
    world.run(&["undo", "one"]).ok();
    world.run(&["iterate", "one"]).refuses(3, "was taken back");
    world.run(&["setup", "one", "--follow"]).ok();
    assert_eq!(database(&world, "one")["state"], "ready");
    world.run(&["redo", "one"]).ok();
    assert!(!worktree.exists());
    let state = database(&world, "one")["state"].clone();
    assert_eq!(state, "ready", "nobody wanted the new one dropped");
}

#[test]
fn a_database_that_cannot_be_made_fails_the_set_up() {
    let world = World::new();
    world.settle("[databases.main]\nkind = \"mysql\"\ncreate = \"test -f /nowhere\"\n");
    let words = ["new", "--name", "one", "--prompt", "x", "--wait-setup"];
    world.run(&words).ends_with(5).says("set-up: database main");
    assert_eq!(database(&world, "one")["state"], "failed");
    world
        .run(&["status", "one"])
        .ok()
        .says("was not made: databases.main.create failed")
        .says("hint: the command must pass as well");
    world
        .run(&["cleanup", "one", "--delete-database"])
        .refuses(3, "databases.main.drop");
}

#[test]
fn a_file_that_has_no_room_for_its_directory_fails_too() {
    let world = World::new();
    world.repository.write("data", "a file\n");
    world.repository.commit("a file");
    world.settle("[databases.main]\nlocation = \"data/app.db\"\n");
    let words = ["new", "--name", "one", "--prompt", "x", "--wait-setup"];
    world.run(&words).ends_with(5).says("is in its way");
    assert_eq!(database(&world, "one")["state"], "failed");
}

#[test]
fn nobody_says_that_a_database_is_there_that_nobody_made() {
    let world = World::new();
    world.settle("[databases.main]\nkind = \"postgresql\"\n");
    world.session_with("one", &["--wait-setup"]);
    assert_eq!(database(&world, "one")["state"], "unknown");
    assert_eq!(world.json(&["status", "one"])["session"]["setup"], "passed");
    world
        .run(&["setup", "one", "--follow"])
        .ok()
        .says("was not made: databases.main.create is not set");
    world
        .run(&["cleanup", "one", "--delete-database"])
        .refuses(3, "databases.main.drop");
}

#[test]
fn nobody_drops_by_a_command_that_was_not_allowed() {
    let (world, log) = logged();
    world.session_with("one", &["--wait-setup"]);
    world
        .orchestra(&["commands", "forget", "databases.main.drop"])
        .ok();
    let words = ["cleanup", "one", "--delete-database"];
    world.run(&words).refuses(3, "`databases.main.drop`");
    assert!(!std::fs::read_to_string(&log).unwrap().contains("drop"));
    world.run(&[&words[..], &["--yes"]].concat()).ok();
    assert!(std::fs::read_to_string(&log).unwrap().contains("drop"));
}

/// A PostgreSQL server in a directory of its own, reached by its socket only.
struct Postgresql {
    folder: tempfile::TempDir,
    sandbox: Sandbox,
}

impl Postgresql {
    /// `None` where PostgreSQL is not installed, or cannot run as this user.
    fn start() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::set_permissions(folder.path(), Permissions::from_mode(0o777)).unwrap();
        let sandbox = Sandbox::new();
        let server = Self { folder, sandbox };
        let data = server.data();
        let socket = server.socket().to_str().unwrap();
        server.serve("initdb", &["-A", "trust", "-U", "tester", "-D", &data])?;
        let options = format!("-k '{socket}' -c listen_addresses=''");
        let log = format!("{socket}/log");
        let words = ["-D", &data, "-w", "-o", &options, "-l", &log, "start"];
        server.serve("pg_ctl", &words)?;
        Some(server)
    }

    /// The server refuses to run as root, so then it runs as nobody.
    fn serve(&self, program: &str, words: &[&str]) -> Option<String> {
        let is_root = std::fs::metadata(self.folder.path()).unwrap().uid() == 0;
        if !is_root {
            return self.call(program, words);
        }
        let program = self.installed(program)?;
        let nobody = ["--reuid", "65534", "--regid", "65534", "--clear-groups"];
        let all = [&nobody[..], &[program.to_str().unwrap()], words].concat();
        self.call("setpriv", &all)
    }

    fn call(&self, program: &str, words: &[&str]) -> Option<String> {
        let mut command = self.sandbox.command(&self.installed(program)?);
        command.args(words).current_dir("/");
        let answer = ran(command);
        (answer.code == 0).then_some(answer.stdout)
    }

    /// On the path, or where Debian puts what is for its own administrator.
    fn installed(&self, program: &str) -> Option<PathBuf> {
        let mut variables = self.sandbox.env().into_iter();
        let (_, folders) = variables.find(|(name, _)| name == "PATH")?;
        let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter();
        let versions = versions.flatten().flatten();
        let versions = versions.map(|version| version.path().join("bin"));
        std::env::split_paths(&folders)
            .chain(versions)
            .map(|folder| folder.join(program))
            .find(|path| path.exists())
    }

    fn data(&self) -> String {
        format!("{}/data", self.folder.path().display())
    }

    fn socket(&self) -> &Path {
        self.folder.path()
    }

    fn databases(&self) -> String {
        let host = self.socket().to_str().unwrap();
        let sql = "SELECT datname FROM pg_database ORDER BY 1";
        let words = ["-h", host, "-U", "tester", "-At", "-c", sql, "postgres"];
        self.call("psql", &words).unwrap()
    }
}

impl Drop for Postgresql {
    fn drop(&mut self) {
        self.serve("pg_ctl", &["-D", &self.data(), "-m", "immediate", "stop"]);
    }
}

#[test]
fn a_real_server_has_one_for_each_session() {
    let Some(server) = Postgresql::start() else {
        println!("not run: PostgreSQL is not installed, or does not start as this user");
        return;
    };
    let world = World::new();
    let at = format!("-h '{}' -U tester", server.socket().display());
    let create = format!(
        "psql {at} -At -c \"SELECT 1 FROM pg_database WHERE datname = '$ORCHESTRA_LOCATION'\" postgres | grep -q 1 || createdb {at} \"$ORCHESTRA_LOCATION\""
    );
    let drop = format!("dropdb {at} --if-exists \"$ORCHESTRA_LOCATION\"");
    let setup = format!(
        "psql {at} -q -c \"CREATE TABLE mine (name text); INSERT INTO mine VALUES ('$ORCHESTRA_SESSION')\" \"$ORCHESTRA_DATABASE_MAIN\""
    );
    world.settle(&format!(
        "[databases.main]\nkind = \"postgresql\"\ncreate = {create:?}\ndrop = {drop:?}\n[commands]\nsetup = {setup:?}\n"
    ));
    for name in ["one", "two", "three"] {
        let made = world.session_with(name, &["--wait-setup"]);
        let place = database(&world, name)["location"]
            .as_str()
            .unwrap()
            .to_owned();
        let host = server.socket().to_str().unwrap();
        let words = [
            "-h",
            host,
            "-U",
            "tester",
            "-At",
            "-c",
            "SELECT name FROM mine",
            &place,
        ];
        assert_eq!(server.call("psql", &words).unwrap().trim(), made.id);
    }
    let before = server.databases();
    world.run(&["cleanup", "two", "--delete-database"]).ok();
    let gone: Vec<String> = before
        .lines()
        .filter(|name| !server.databases().lines().any(|left| left == *name))
        .map(str::to_owned)
        .collect();
    assert!(
        matches!(gone.as_slice(), [only] if only.contains("two")),
        "{gone:?}"
    );
    // The same again, as after a crash in the middle: it is there already.
    let store: Connection = world.writable_store();
    store
        .execute("UPDATE databases SET state = 'creating'", [])
        .unwrap();
    world.settle(&format!(
        "[databases.main]\nkind = \"postgresql\"\ncreate = {create:?}\ndrop = {drop:?}\n"
    ));
    world.run(&["setup", "one", "--follow"]).ok();
    assert_eq!(database(&world, "one")["state"], "ready");
}

/// Deletes the worktree of a session for good.
fn delete_for_good(world: &World, session: &str) {
    world.run(&["cleanup", session]).ok();
    world.orchestra(&["trash", "empty", "--yes"]).ok();
}

#[test]
fn a_database_of_a_session_that_is_gone_is_offered_and_dropped() {
    let (world, log) = logged();
    world.session_with("one", &["--wait-setup"]);
    let gc = |words: &[&str]| {
        let words = [&["gc", "--json"], words].concat();
        world.orchestra(&words).ok().json()["databases"].clone()
    };
    assert_eq!(gc(&[]), serde_json::json!([]), "its session is there");
    delete_for_good(&world, "one");
    world
        .orchestra(&["gc"])
        .ok()
        .says("database main (postgresql, app_one)")
        .says("gc --delete-databases");
    let offered = gc(&["--delete-databases", "--dry-run"]);
    assert_eq!(offered[0]["dropped"], false);
    assert_eq!(offered[0]["database"]["location"], "app_one");
    let stuck = log.with_extension("stuck");
    std::fs::write(&stuck, "").unwrap();
    world
        .orchestra(&["gc", "--delete-databases"])
        .refuses(3, "only if somebody agrees")
        .says("--yes");
    let told = std::fs::read_to_string(&log).unwrap();
    assert!(!told.contains("drop"), "{told}");
    world
        .orchestra(&["gc", "--delete-databases", "--yes"])
        .ends_with(1)
        .says("was not dropped");
    std::fs::remove_file(stuck).unwrap();
    world.orchestra(&["commands", "forget", "--all"]).ok();
    assert_eq!(gc(&["--delete-databases", "--yes"])[0]["dropped"], true);
    let told = std::fs::read_to_string(&log).unwrap();
    assert!(told.ends_with("drop main app_one\n"), "{told}");
    assert_eq!(gc(&[]), serde_json::json!([]));
    assert_eq!(world.count("SELECT count(*) FROM databases"), 0);
}

#[test]
fn whoever_forgets_a_session_is_told_of_its_databases() {
    let (world, _) = logged();
    let made = world.session_with("one", &["--wait-setup"]);
    world.settle("[databases.other]\nkind = \"sqlite\"\n");
    world.session_with("two", &["--wait-setup"]);
    std::fs::remove_dir_all(world.repository.root()).unwrap();
    let outside = |words: &[&str]| {
        let mut command = world.sandbox.orchestra();
        let place = world.sandbox.path("").parent().unwrap().to_owned();
        command.args(words).current_dir(place);
        ran(command)
    };
    let forget = ["session", "forget", "one", "--json"];
    let forgotten = outside(&forget).ok().json();
    assert_eq!(forgotten["databases"][0]["location"], "app_one");
    assert_eq!(forgotten["id"], made.id);
    outside(&["session", "forget", "two"])
        .ok()
        .says("database other (sqlite) is perhaps still there");
    for table in ["sessions", "databases", "artifacts"] {
        assert_eq!(world.count(&format!("SELECT count(*) FROM {table}")), 0);
    }
}

#[test]
fn a_cache_goes_with_the_worktree_unless_a_database_is_in_it() {
    let world = World::new();
    let cache = |id: &str| {
        let own = world.sandbox.data_dir().join("environments");
        own.join(id).join("cache")
    };
    let plain = world.session("plain");
    std::fs::create_dir_all(cache(&plain.id).join("deep")).unwrap();
    world.settle("[databases.main]\nlocation = \"{cache}/main.db\"\n");
    let kept = world.session_with("kept", &["--wait-setup"]);
    std::fs::write(cache(&kept.id).join("main.db"), "x").unwrap();
    for name in ["plain", "kept"] {
        world.run(&["cleanup", name]).ok();
    }
    assert!(cache(&plain.id).exists(), "the worktree can come back");
    world.orchestra(&["trash", "empty", "--yes"]).ok();
    assert!(!cache(&plain.id).exists());
    world.orchestra(&["gc"]).ok();
    assert!(cache(&kept.id).join("main.db").exists());
    world.orchestra(&["gc", "--delete-databases", "--yes"]).ok();
    world.orchestra(&["gc"]).ok().says("1 cache(s) deleted");
    assert!(!cache(&kept.id).exists());
}

#[test]
fn a_cache_that_cannot_be_removed_keeps_no_other_from_it() {
    let world = World::new();
    let own = world.sandbox.data_dir();
    let ids = ["one", "two", "three"].map(|name| world.session(name).id);
    for id in &ids {
        world.run(&["cleanup", id]).ok();
    }
    world.orchestra(&["trash", "empty", "--yes"]).ok();
    let caches = ids.each_ref().map(|id| {
        let cache = own.join("environments").join(id).join("cache");
        std::fs::create_dir_all(&cache).unwrap();
        cache
    });
    let lock = own.join("leases").join(format!("{}.start", ids[1]));
    std::fs::remove_file(&lock).ok();
    std::fs::create_dir(&lock).unwrap();
    let problem = format!("{}: cannot lock the session", ids[1]);
    world
        .orchestra(&["gc"])
        .says("2 cache(s) deleted")
        .says(&problem);
    assert_eq!(caches.map(|cache| cache.exists()), [false, true, false]);
}

#[test]
fn a_database_that_was_added_later_makes_the_set_up_outdated() {
    let world = World::new();
    world.settle("[scripts]\ntest = \"true\"\n[databases.main]\n");
    let made = world.session_with("one", &["--wait-setup"]);
    let setup = || world.json(&["status", "one"])["session"]["setup"].clone();
    assert_eq!(setup(), "passed");
    world.settle("[scripts]\ntest = \"true\"\n[databases.main]\n[databases.more]\n");
    assert_eq!(setup(), "outdated", "before anything ran in it");
    world.run(&["run", "one", "test"]).ok();
    assert_eq!(setup(), "outdated");
    world
        .run(&["status", "one"])
        .ok()
        .says("passed before a database was added")
        .says(&format!("orchestra session setup {}", made.id));
    world.run(&["iterate", "one"]).ok();
    world.run(&["setup", "one", "--follow"]).ok();
    assert_eq!(setup(), "passed");
}

#[test]
fn a_file_that_was_deleted_is_made_again() {
    let world = World::new();
    world.settle("[databases.main]\ncreate = \"touch \\\"$ORCHESTRA_LOCATION\\\"\"\n");
    world.session_with("one", &["--wait-setup"]);
    let main = database(&world, "one");
    assert_eq!(main["state"], "ready");
    std::fs::remove_file(main["location"].as_str().unwrap()).unwrap();
    assert_eq!(database(&world, "one")["state"], "reserved");
    world.run(&["setup", "one", "--follow"]).ok();
    assert_eq!(database(&world, "one")["state"], "ready");
}

#[test]
fn what_needs_an_issue_says_so() {
    let world = World::new();
    world.settle("[databases.main]\nlocation = \"data/{issue}.db\"\n");
    let words = ["new", "--name", "one", "--prompt", "x", "--wait-setup"];
    world.run(&words).ends_with(5).says("`{issue}`");
    world
        .run(&["status", "one"])
        .ok()
        .says("hint: the session has no issue");
}

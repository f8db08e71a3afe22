//! What is kept: for its owner alone, exported whole, removed for good.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};

use orchestra_testkit::wait_until;
use serde_json::Value;

use crate::ran::{Ran, ran};
use crate::world::{PATIENCE, World};

const SAID: &str = "vermilion-otter-9301";
const SCENARIO: &str = "
[[step]]
do = 'tool_call'
name = 'look'
result = 'vermilion-otter-9301'
[[step]]
do = 'write'
path = 'one.txt'
text = \"one\\n\"
[[step]]
do = 'message'
text = 'All is well.'
";

/// Everything below a folder, links not followed.
fn below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.is_symlink() {
            found.extend(below(&path));
        }
        found.push(path);
    }
    found
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
}

/// Whether a path is a copy of work in a snapshot, which keeps the permissions it comes back with.
fn is_copy_of_work(data: &Path, path: &Path) -> bool {
    let below = path.strip_prefix(data.join("snapshots"));
    below.is_ok_and(|below| below.components().count() > 2)
}

/// Whether any file of the data directory has a text.
fn files_with(data: &Path, text: &str) -> Vec<PathBuf> {
    let has = |path: &PathBuf| {
        let bytes = fs::read(path).unwrap_or_default();
        bytes
            .windows(text.len())
            .any(|part| part == text.as_bytes())
    };
    below(data).into_iter().filter(has).collect()
}

/// `orchestra <words>` of somebody who lets everybody read new files.
fn careless(world: &World, words: &[&str]) -> Ran {
    let orchestra = world.sandbox.orchestra();
    let mut command = world.sandbox.command(Path::new("/bin/sh"));
    command
        .args(["-c", "umask 000; exec \"$@\"", "sh"])
        .arg(orchestra.get_program())
        .args(words)
        .current_dir(world.repository.root());
    ran(command)
}

fn purge(world: &World, words: &[&str]) -> Ran {
    world.orchestra(&[&["data", "purge"], words].concat())
}

fn said(world: &World) -> String {
    world.run(&["transcript", "x"]).ok().stdout
}

fn begun() -> World {
    let world = World::with_scenario(SCENARIO);
    world.session_with("x", &["--script", "true", "--run"]);
    assert!(said(&world).contains(SAID));
    world
}

#[test]
fn nothing_is_open_to_others_whatever_the_umask_says() {
    let world = World::with_scenario(SCENARIO);
    let new = ["session", "new", "--name", "x", "--prompt", "Go"];
    let more = ["--script", "echo hello", "--run"];
    careless(&world, &[&new[..], &more[..]].concat()).ok();
    world.tree(&world.made("x")).write("mine.txt", "mine\n");
    for words in [
        &["session", "commit", "x", "-m", "Mine"][..],
        &["session", "iterate", "x"],
        &["session", "squash", "x", "-m", "All"],
        &["session", "undo", "x"],
        &["session", "run", "x"],
        &["template", "save", "t", "--prompt", "Fix it"],
        &["agents", "list"],
        &["gc"],
        &["doctor"],
    ] {
        careless(&world, words).ok();
    }
    let data = world.sandbox.data_dir();
    let all = below(&data);
    let open: Vec<_> = all
        .iter()
        .filter(|path| !path.is_symlink() && !is_copy_of_work(&data, path))
        .filter(|path| mode(path) & 0o077 != 0)
        .collect();
    println!("files and folders {}", all.len());
    assert!(all.len() > 20, "{all:?}");
    assert_eq!(open, Vec::<&PathBuf>::new());
    assert_eq!(mode(&data), 0o700);
}

#[test]
fn what_became_open_is_closed_and_told_once() {
    let world = World::new();
    world.session("x");
    let data = world.sandbox.data_dir();
    let lease = data.join("leases/open");
    fs::write(&lease, "").unwrap();
    fs::set_permissions(&lease, Permissions::from_mode(0o644)).unwrap();
    fs::set_permissions(&data, Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(data.join("output"), Permissions::from_mode(0o770)).unwrap();
    let told = world.run(&["list"]).ok();
    assert_eq!(
        told.stderr.matches("others could read").count(),
        2,
        "{}",
        told.stderr
    );
    assert_eq!((mode(&data), mode(&data.join("output"))), (0o700, 0o700));
    assert_eq!(world.run(&["list"]).ok().stderr, "");
    let shown = world.orchestra(&["data", "show"]).ok();
    assert!(shown.stdout.contains("for you alone"), "{}", shown.stdout);
    shown.says("leases/open has permissions for others");
    world.orchestra(&["doctor"]).ok().says("open to others");
    world
        .orchestra(&["doctor", "--fix"])
        .ok()
        .says("for their owner alone now");
    assert_eq!(mode(&lease), 0o600);
    let report = world.orchestra(&["data", "show", "--json"]).ok().json();
    assert_eq!(report["open_to_others"], Value::Array(Vec::new()));
    assert!(report["bytes"].as_u64().unwrap() > 10_000, "{report}");
}

#[test]
fn a_directory_of_another_user_is_refused() {
    let world = World::new();
    let theirs = world.sandbox.path("theirs");
    fs::create_dir(&theirs).unwrap();
    // Only root can give a directory away; everybody else has those of root.
    let place = match chown(&theirs, Some(65_534), None) {
        Ok(()) => theirs.clone(),
        Err(_) => PathBuf::from("/usr"),
    };
    let mut list = world.session_command(&["list"]);
    list.env("ORCHESTRA_HOME", &place);
    ran(list)
        .refuses(3, "belongs to another user")
        .says("ORCHESTRA_HOME");
    assert_eq!(fs::read_dir(&theirs).unwrap().count(), 0);
}

#[test]
fn a_purged_transcript_is_in_no_file_any_more() {
    let world = begun();
    world.run(&["iterate", "x"]).ok();
    let data = world.sandbox.data_dir();
    assert!(!files_with(&data, SAID).is_empty());
    purge(&world, &["x"]).ends_with(2);
    purge(&world, &["x", "--everything"])
        .refuses(3, "nothing brings")
        .says("transcripts");
    purge(&world, &["x", "--everything", "--dry-run"])
        .ok()
        .says("nothing was done");
    assert!(said(&world).contains(SAID));
    let purged = purge(&world, &["x", "--everything", "--yes", "--json"])
        .ok()
        .json();
    assert_eq!(purged["removed"].as_array().unwrap().len(), 2, "{purged}");
    assert_eq!(purged["problems"], Value::Array(Vec::new()));
    assert_eq!(files_with(&data, SAID), Vec::<PathBuf>::new());
    let told = said(&world);
    let note = "the transcript of this iteration was removed on request on 20";
    assert_eq!(told.matches(note).count(), 2, "{told}");
    assert_eq!(
        world.count("SELECT count(*) FROM events WHERE type = 'data_removed'"),
        2
    );
    let log = world.json(&["log", "x"]);
    assert_eq!(log["iterations"][0]["summary"], Value::Null, "{log}");
    assert_eq!(log["iterations"][0]["outcome"], "succeeded", "{log}");
    let made = world.made("x");
    assert_eq!(world.tree(&made).read("one.txt"), "one\n");
    world.orchestra(&["doctor"]).ok();
    purge(&world, &["x", "--everything", "--yes"])
        .ok()
        .says("nothing to remove");
    let before = world.count("SELECT max(position) FROM transcript");
    world.run(&["iterate", "x"]).ok();
    assert!(world.count("SELECT min(position) FROM transcript WHERE iteration = 3") > before);
}

#[test]
fn no_record_repeats_what_was_purged() {
    const ASKED: &str = "heliotrope-badger-7714";
    const ADDED: &str = "cerulean-stoat-2208";
    let world = World::with_scenario(
        "
[[step]]
do = 'write'
path = 'one.txt'
text = \"one\\n\"
[[step]]
do = 'ask'
text = 'Shall it be heliotrope-badger-7714?'
",
    );
    world.session("x");
    world.run(&["iterate", "x", "--notes", ADDED]).ends_with(6);
    world.run(&["answer", "x", ADDED]).ends_with(6);
    let data = world.sandbox.data_dir();
    let database = world.database();
    for text in [ASKED, ADDED] {
        assert!(files_with(&data, text).contains(&database), "{text}");
    }
    purge(&world, &["x", "--everything", "--yes"]).ok();
    for text in [ASKED, ADDED] {
        assert_eq!(files_with(&data, text), Vec::<PathBuf>::new(), "{text}");
    }
    purge(&world, &["x", "--everything", "--yes"])
        .ok()
        .says("nothing to remove");
    world.orchestra(&["doctor"]).ok();
    world.run(&["status", "x"]).ok();
    world.run(&["answer", "x", "Go on"]).ends_with(6);
}

#[test]
fn questions_about_tools_go_with_the_transcript() {
    let world = World::with_scenario("[[step]]\ndo = 'git'\nargs = ['tag', '--force', 'wanted']\n");
    world.session_with("x", &["--permissions", "ask"]);
    world.run(&["iterate", "x"]).ends_with(6);
    world.run(&["answer", "x", "--allow", "Go on"]).ok();
    world.run(&["iterate", "x"]).ends_with(6);
    assert_eq!(world.count("SELECT count(*) FROM questions"), 2);
    let purged = purge(&world, &["x", "--transcripts", "--yes", "--json"]);
    assert!(purged.ok().json()["removed"][0]["items"].as_u64().unwrap() > 2);
    assert_eq!(world.count("SELECT count(*) FROM questions"), 0);
    let withdrawn = "SELECT count(*) FROM events WHERE type = 'permission_withdrawn'";
    assert_eq!(world.count(withdrawn), 1);
    let status = world.json(&["status", "x"]);
    assert_eq!(status["session"]["questions"], Value::Array(Vec::new()));
    world.orchestra(&["doctor"]).ok();
    purge(&world, &["x", "--transcripts", "--yes"])
        .ok()
        .says("nothing to remove");
    // The session goes on with words; it is asked again, and nothing of before decides.
    world.run(&["answer", "x", "Try again"]).ends_with(6);
    assert_eq!(world.count("SELECT count(*) FROM questions"), 1);
}

#[test]
fn a_session_at_work_keeps_what_it_has() {
    let world = World::with_scenario(
        "[[step]]\ndo = 'message'\ntext = 'Hm.'\n[[step]]\ndo = 'sleep'\nmilliseconds = 600000\n",
    );
    world.session("x");
    world.run(&["iterate", "x", "--detach"]).ok();
    wait_until("it said something", PATIENCE, || {
        world.count("SELECT count(*) FROM transcript WHERE event LIKE '%Hm.%'") > 0
    });
    purge(&world, &["x", "--everything", "--yes"]).refuses(3, "running");
    let all = purge(&world, &["--all", "--everything", "--yes", "--json"])
        .ok()
        .json();
    assert_eq!(all["skipped"][0], world.made("x").id.as_str());
    world.run(&["stop", "x", "--now"]).ok();
    assert!(said(&world).contains("Hm."));
}

#[test]
fn what_is_over_goes_after_its_time_and_nothing_else() {
    let world = begun();
    world.session_with("y", &["--run"]);
    let gc = |more: &[&str]| {
        let words = ["gc", "--set-config", "data.keep_transcripts=1ms"];
        world.orchestra(&[&words[..], more].concat()).ok()
    };
    gc(&[]);
    assert!(said(&world).contains(SAID), "it is not over yet");
    world.run(&["archive", "x"]).ok();
    world.orchestra(&["gc"]).ok();
    assert!(said(&world).contains(SAID), "nothing says that it goes");
    gc(&["--dry-run"]).says("of transcripts would be deleted");
    assert!(said(&world).contains(SAID));
    let done = gc(&["--json"]).json();
    assert_eq!(done["data"][0]["session_name"], "x", "{done}");
    assert_eq!(done["data"].as_array().unwrap().len(), 1);
    assert!(said(&world).contains("was removed after 1ms on 20"));
    let logs = world
        .sandbox
        .data_dir()
        .join("output")
        .join(world.made("x").id);
    let names: Vec<_> = below(&logs)
        .into_iter()
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    assert!(
        names.iter().any(|name| name.starts_with("script-")),
        "{names:?}"
    );
    assert!(
        !names.iter().any(|name| name.ends_with(".jsonl")),
        "{names:?}"
    );
    assert!(world.run(&["transcript", "y"]).ok().stdout.contains(SAID));
}

#[test]
fn an_export_has_everything_and_is_its_owners_alone() {
    let world = begun();
    let target = world.sandbox.path("export");
    let place = target.to_str().unwrap();
    let words = ["data", "export", "--session", "x", "-o", place];
    let done = world
        .orchestra(&[&words[..], &["--json"]].concat())
        .ok()
        .json();
    let files = below(&target);
    assert!(
        files.iter().all(|path| mode(path) & 0o077 == 0),
        "{files:?}"
    );
    assert_eq!(mode(&target), 0o700);
    assert_eq!(
        done["files"],
        files.iter().filter(|path| path.is_file()).count()
    );
    let id = world.made("x").id;
    let read = |name: &str| {
        fs::read_to_string(target.join(&id).join(name))
            .unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    assert!(read("transcript.jsonl").contains(SAID));
    assert!(read("output/1.jsonl").contains(SAID));
    assert!(read("work.patch").contains("+one"));
    let session: Value = serde_json::from_str(&read("session.json")).unwrap();
    assert_eq!(session["session"]["name"], "x");
    let events = world.count(&format!(
        "SELECT count(*) FROM events WHERE session = '{id}'"
    ));
    assert_eq!(read("events.jsonl").lines().count() as i64, events);
    let manifest: Value =
        serde_json::from_slice(&fs::read(target.join("manifest.json")).unwrap()).unwrap();
    assert_eq!(manifest["sessions"][0], id.as_str());
    world.orchestra(&words).refuses(3, "exists already");
    let inside = world.sandbox.data_dir().join("output/copy");
    world
        .orchestra(&["data", "export", "--all", "-o", inside.to_str().unwrap()])
        .refuses(3, "in the data directory");
    let missing = world.sandbox.path("missing/export");
    world
        .orchestra(&["data", "export", "--all", "-o", missing.to_str().unwrap()])
        .ends_with(1);
    assert!(!missing.exists());
}

#[test]
fn an_export_has_commits_that_only_snapshots_keep() {
    let world = begun();
    let made = world.made("x");
    let tree = world.tree(&made);
    tree.write("two.txt", "two\n");
    world.run(&["commit", "x", "-m", "Mine"]).ok();
    let before = tree.git(&["rev-parse", "HEAD"]).trim().to_owned();
    world.run(&["squash", "x", "-m", "All"]).ok();
    let after = tree.git(&["rev-parse", "HEAD"]).trim().to_owned();
    world
        .repository
        .git(&["reflog", "expire", "--expire=now", "--all"]);
    world.repository.git(&["gc", "-q", "--prune=now"]);
    let is_there = |root: &Path, commit: &str| {
        let mut command = world.sandbox.command(Path::new("git"));
        command.current_dir(root).args(["cat-file", "-e", commit]);
        command.output().unwrap().status.success()
    };
    assert!(!is_there(world.repository.root(), &before));

    let target = world.sandbox.path("export");
    let place = target.to_str().unwrap();
    world
        .orchestra(&["data", "export", "--session", "x", "-o", place])
        .ok();
    assert!(!is_there(world.repository.root(), &before), "nothing came");
    let clone = world.sandbox.path("clone");
    let git = |words: &[&str]| {
        let mut command = world.sandbox.command(Path::new("git"));
        command.current_dir(world.sandbox.path("")).args(words);
        let done = command.output().unwrap();
        assert!(done.status.success(), "{done:?}");
    };
    let root = world.repository.root().to_str().unwrap();
    let clone_at = clone.to_str().unwrap();
    git(&[
        "clone",
        "-q",
        "--no-local",
        "--single-branch",
        "--branch",
        "main",
        root,
        clone_at,
    ]);
    let own = target.join(&made.id);
    let bundle = own.join("commits.bundle");
    let bundle = bundle.to_str().unwrap();
    let both = "refs/*:refs/exported/*";
    git(&["-C", clone_at, "fetch", "-q", bundle, both]);
    assert!(is_there(&clone, &before) && is_there(&clone, &after));
    let branch = format!("refs/exported/heads/{}", made.branch);
    assert!(is_there(&clone, &branch));
    let snapshots = fs::read_dir(own.join("snapshots")).unwrap().count();
    assert_eq!(snapshots, 2, "of the commit and of the squash");
}

#[test]
fn an_export_says_what_is_not_in_its_bundle() {
    let world = begun();
    world.session("y");
    let id = world.made("y").id;
    let export = |name: &str| -> String {
        let target = world.sandbox.path(name);
        let mut command = world.sandbox.orchestra();
        command.args(["data", "export", "--session", "y", "-o"]);
        command.arg(&target).current_dir(world.sandbox.path(""));
        ran(command).ok();
        assert!(!target.join(&id).join("commits.bundle").exists());
        fs::read_to_string(target.join("manifest.json")).unwrap()
    };
    let said = export("first");
    assert!(
        said.contains("has no commits that its base does not have"),
        "{said}"
    );
    let root = world.repository.root();
    fs::rename(root, world.sandbox.path("elsewhere")).unwrap();
    let said = export("second");
    assert!(said.contains("its bundle: "), "{said}");
}

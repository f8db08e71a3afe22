//! The guard: what an agent does outside of its worktree is told, and what the engine does is not.

use std::process::Child;

use orchestra_testkit::{Sandbox, processes, wait_until};
use serde_json::Value;

use crate::made::Made;
use crate::ran::ended;
use crate::thoroughness::is_long;
use crate::world::{PATIENCE, World};

const MAIN: &str = "../..";

fn git(words: &[&str]) -> String {
    format!("[[step]]\ndo = 'git'\nargs = {words:?}\n")
}

fn in_main(words: &[&str]) -> String {
    git(&[&["-C", MAIN], words].concat())
}

fn write(path: &str, text: &str) -> String {
    format!("[[step]]\ndo = 'write'\npath = '{path}'\ntext = {text:?}\n")
}

fn append(path: &str, text: &str) -> String {
    format!("[[step]]\ndo = 'append'\npath = '{path}'\ntext = {text:?}\n")
}

/// What the guard says of the last iteration.
fn report(world: &World, name: &str) -> Value {
    world.json(&["guard", name])
}

fn findings(report: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let findings = report["isolation"]["findings"].as_array();
    findings
        .into_iter()
        .flatten()
        .map(|finding| (text(&finding["place"]), text(&finding["what"])))
        .collect()
}

/// An agent does this outside of its worktree; it has to be told in this place, with these words, and in the diff.
struct Escape {
    steps: String,
    place: &'static str,
    words: &'static str,
    diff: &'static str,
}

fn escapes() -> Vec<Escape> {
    let escape = |steps: String, place, words, diff| Escape {
        steps,
        place,
        words,
        diff,
    };
    vec![
        escape(
            append("../../README.md", "owned\n"),
            "main_checkout",
            "`README.md` was changed",
            "+owned",
        ),
        escape(
            write("../../planted/new.txt", "new\n"),
            "main_checkout",
            "`planted/new.txt`, which git does not track",
            "+new",
        ),
        escape(
            format!(
                "{}{}",
                append("../../README.md", "staged\n"),
                in_main(&["add", "README.md"])
            ),
            "main_checkout",
            "`README.md` is staged otherwise",
            "+staged",
        ),
        escape(
            format!(
                "{}{}",
                in_main(&["update-index", "--assume-unchanged", "README.md"]),
                append("../../README.md", "unseen\n"),
            ),
            "main_checkout",
            "`README.md` was changed",
            "README.md",
        ),
        escape(
            in_main(&["update-index", "--skip-worktree", "README.md"]),
            "main_checkout",
            "git was told to pass over `README.md`",
            "README.md",
        ),
        escape(
            git(&["config", "core.sshCommand", "evil"]),
            "git_directory",
            "`.git/config` was changed",
            "+\tsshCommand = evil",
        ),
        escape(
            write("../../.git/hooks/post-commit", "#!/bin/sh\n"),
            "git_directory",
            "`.git/hooks/post-commit` is new",
            "+#!/bin/sh",
        ),
        escape(
            append("../../.git/info/exclude", "*.rs\n"),
            "git_directory",
            "`.git/info/exclude` was changed",
            "+*.rs",
        ),
        escape(
            append("../idle/README.md", "there\n"),
            "worktree",
            "in the worktree of `idle`, `README.md` was changed",
            "+there",
        ),
        escape(
            append("../../../foreign/README.md", "far\n"),
            "worktree",
            "foreign, `README.md` was changed",
            "+far",
        ),
        escape(
            in_main(&["update-ref", "refs/heads/victim", "HEAD"]),
            "reference",
            "the branch `victim` was moved",
            "refs/heads/victim",
        ),
        escape(
            in_main(&["branch", "-D", "doomed"]),
            "reference",
            "the branch `doomed` was deleted",
            "refs/heads/doomed",
        ),
        escape(
            in_main(&["branch", "planted"]),
            "reference",
            "the branch `planted` is new",
            "refs/heads/planted",
        ),
        escape(
            git(&["tag", "planted"]),
            "reference",
            "the tag `planted` is new",
            "refs/tags/planted",
        ),
        escape(
            format!("{}{}", write("README.md", "mine\n"), git(&["stash"])),
            "stash",
            "the agent stashed",
            "WIP on",
        ),
        escape(
            git(&["worktree", "add", "--detach", "../../../extra"]),
            "worktree",
            "extra was added",
            "worktrees",
        ),
        escape(
            "[[step]]\ndo = 'delete'\npath = '../idle'\n".to_owned(),
            "worktree",
            "the worktree of `idle` was removed or moved",
            ".worktrees/idle",
        ),
        escape(
            "[[step]]\ndo = 'rename'\nfrom = '../../../foreign'\nto = '../../../taken'\n"
                .to_owned(),
            "worktree",
            "foreign was removed or moved",
            "/foreign",
        ),
        escape(
            "[[step]]\ndo = 'delete'\npath = '../../user.txt'\n".to_owned(),
            "main_checkout",
            "`user.txt` was removed",
            "user.txt",
        ),
        escape(
            in_main(&["switch", "--quiet", "victim"]),
            "main_checkout",
            "the main checkout has `victim` checked out now",
            "victim",
        ),
    ]
}

/// A repository with an idle session, a worktree of the user's own, two branches, and a file that git does not track.
fn surrounded(scenario: &str) -> World {
    let sandbox = Sandbox::new();
    let path = sandbox.scenario(scenario);
    let sandbox = sandbox
        .with_knob("scenario", &path.to_string_lossy())
        .with_variable("ORCHESTRA_GIT_FOLDER_PATTERN", "{slug}");
    let world = World::of(sandbox);
    let repository = &world.repository;
    repository.git(&["branch", "doomed"]);
    repository.git(&["commit", "--quiet", "--allow-empty", "-m", "more"]);
    repository.git(&["branch", "victim", "HEAD~1"]);
    let foreign = repository.root().with_file_name("foreign");
    repository.add_worktree(&foreign, "foreign");
    repository.write("user.txt", "mine\n");
    world.session("idle");
    world
}

#[test]
fn escapes_are_reported_with_their_diff() {
    let escapes = escapes();
    let mut reported = 0;
    for escape in &escapes {
        let world = surrounded(&escape.steps);
        let made = world.session("one");
        let before = world.repository.git(&["rev-parse", "HEAD"]);
        world
            .run(&["iterate", "one"])
            .ok()
            .says("changed outside of the worktree while the agent ran");
        let report = report(&world, "one");
        let findings = findings(&report);
        let is_told = findings
            .iter()
            .any(|(place, what)| place == escape.place && what.contains(escape.words));
        assert!(is_told, "{}: {findings:#?}", escape.words);
        let diff = report["diff"].as_str().unwrap();
        assert!(diff.contains(escape.diff), "{}: {diff}", escape.words);
        assert_told_everywhere(&world, &made);
        if escape.place != "main_checkout" {
            assert_eq!(world.repository.git(&["rev-parse", "HEAD"]), before);
        }
        reported += 1;
    }
    assert!(reported >= 10);
    println!("escapes {}, reported {reported}", escapes.len());
}

fn assert_told_everywhere(world: &World, made: &Made) {
    world
        .run(&["status", "one"])
        .ok()
        .says("outside of the worktree");
    world
        .run(&["transcript", "one"])
        .ok()
        .says("changed outside of the worktree");
    let status = world.json(&["status", "one"]);
    let record = &status["session"]["last_iteration"]["isolation"];
    assert_eq!(record["held"], "guard");
    assert!(!record["findings"].as_array().unwrap().is_empty());
    let events = format!(
        "SELECT count(*) FROM events WHERE session = '{}' AND type = 'guard_tripped'",
        made.id
    );
    assert_eq!(world.count(&events), 1);
    let folder = world.sandbox.data_dir().join("output").join(&made.id);
    assert!(
        !folder.join("1.guard").exists(),
        "what was remembered is gone"
    );
}

#[test]
fn work_within_the_worktree_trips_nothing() {
    let steps = write("new.txt", "new\n") + &git(&["add", "."]) + &git(&["commit", "-qm", "own"]);
    let world = surrounded(&steps);
    world.session("one");
    world.run(&["iterate", "one"]).ok();
    let report = report(&world, "one");
    assert_eq!(findings(&report), []);
    assert_eq!(report["isolation"]["held"], "guard");
    assert!(report["isolation"]["problem"].is_null(), "{report}");
    world
        .run(&["guard", "one"])
        .ok()
        .says("nothing changed outside");
}

#[test]
fn without_isolation_nobody_looks() {
    let world = surrounded(&append("../../README.md", "owned\n"));
    world.session_with("one", &["--isolation", "none"]);
    world.run(&["iterate", "one"]).ok();
    world.run(&["guard", "one"]).ok().says("nobody looked");
    world.run(&["status", "one"]).ok().says("isolation none");
    world.run(&["set", "one", "isolation", "guard"]).ok();
    world.orchestra(&["env", "show", "one"]).ok().says("guard");
    world.run(&["iterate", "one"]).ok();
    assert_eq!(findings(&report(&world, "one")).len(), 1);
    world
        .run(&["set", "one", "isolation", "jail"])
        .refuses(2, "is no isolation");
}

#[test]
fn what_an_agent_stashes_is_kept_apart_from_the_users_stash() {
    let steps = write("README.md", "the agent's\n") + &git(&["stash", "push", "-m", "for later"]);
    let world = surrounded(&steps);
    let repository = &world.repository;
    let made = world.session("one");
    for number in 1..=2 {
        repository.write("README.md", &format!("the user's {number}\n"));
        repository.git(&["stash", "push", "-m", &format!("mine {number}")]);
    }
    let before = repository.git(&["stash", "list"]);
    world.run(&["iterate", "one"]).ok();
    assert_eq!(repository.git(&["stash", "list"]), before);
    repository.git(&["stash", "show", "-p", "stash@{0}"]);
    assert!(
        !repository
            .git(&["log", "--all", "--format=%s"])
            .contains("for later")
    );
    let tree = world.tree(&made);
    let kept = tree.git(&["for-each-ref", "--format=%(refname)", "refs/worktree"]);
    tree.git(&["stash", "apply", "--quiet", &kept]);
    assert_eq!(tree.read("README.md"), "the agent's\n");
    repository.git(&["stash", "pop", "--quiet"]);
    assert_eq!(repository.read("README.md"), "the user's 2\n");
    repository.fsck();
}

#[test]
fn what_an_agent_takes_from_the_stash_is_kept() {
    let world = surrounded(&git(&["stash", "clear"]));
    world.session("one");
    world.repository.write("README.md", "the user's\n");
    world.repository.git(&["stash", "push", "-m", "mine"]);
    let commit = world.repository.git(&["rev-parse", "stash@{0}"]);
    world.run(&["iterate", "one"]).ok().says("brings it back");
    world
        .repository
        .git(&["-c", "gc.pruneExpire=now", "gc", "--quiet", "--prune=now"]);
    world
        .repository
        .git(&["stash", "store", "-m", "mine", &commit]);
    world.repository.git(&["stash", "pop", "--quiet"]);
    assert_eq!(world.repository.read("README.md"), "the user's\n");
}

#[test]
fn a_killed_runner_leaves_the_comparison_to_whoever_recovers() {
    let signs = tempfile::tempdir().unwrap();
    let (here, go) = (signs.path().join("here"), signs.path().join("go"));
    let steps = append("../../README.md", "owned\n")
        + &format!("[[step]]\ndo = 'touch_file'\npath = {here:?}\n")
        + &format!("[[step]]\ndo = 'wait_for_file'\npath = {go:?}\n");
    let world = surrounded(&steps);
    let made = world.session("one");
    world.run(&["iterate", "one", "--detach"]).ok();
    wait_until("the agent has left", PATIENCE, || here.exists());
    let runner = world.iteration(&made, 1, "json_extract(runner, '$.pid')");
    processes::kill(runner.unwrap().parse().unwrap());
    wait_until("the iteration is interrupted", PATIENCE, || {
        world.json(&["status", "one"])["session"]["status"] == "interrupted"
    });
    let found = findings(&report(&world, "one"));
    assert_eq!(found.len(), 1, "{found:?}");
    world
        .run(&["status", "one"])
        .ok()
        .says("outside of the worktree");
    world.wait_until_quiet();
}

/// Sessions that are made, run, commit, land and are cleaned up at once, each with the guard.
#[test]
fn sessions_side_by_side_trip_nothing() {
    let rounds = if is_long() { 8 } else { 1 };
    let steps =
        write("notes.txt", "notes\n") + &git(&["add", "."]) + &git(&["commit", "-qm", "own"]);
    let mut runs = 0;
    for _ in 0..rounds {
        let world = World::with_scenario(&steps);
        let names: Vec<_> = (0..16).map(|number| format!("s{number}")).collect();
        at_once(&world, &names, |name| {
            let words = ["new", "--name", name, "--prompt", "Do it", "--run"];
            words.map(str::to_owned).to_vec()
        });
        at_once(&world, &names, |name| {
            let number: u32 = name[1..].parse().unwrap();
            let words: &[&str] = match number % 4 {
                0 => &["land", name],
                1 => &["cleanup", name, "--even-unlanded", "--delete-branch"],
                _ => &["iterate", name],
            };
            words.iter().map(|word| (*word).to_owned()).collect()
        });
        let tripped = "SELECT count(*) FROM events WHERE type = 'guard_tripped'";
        let what =
            "SELECT coalesce(group_concat(body), '') FROM events WHERE type = 'guard_tripped'";
        assert_eq!(world.count(tripped), 0, "{:?}", world.value(what));
        let problems = "SELECT count(*) FROM iterations WHERE json_extract(isolation, '$.problem') IS NOT NULL";
        assert_eq!(world.count(problems), 0);
        runs += world.count("SELECT count(*) FROM iterations WHERE isolation IS NOT NULL");
    }
    assert!(runs >= 16 * rounds, "{runs}");
    println!("guarded runs beside others {runs}, false reports 0");
}

/// Starts a command for every name, and waits for all of them. Some may be refused: they meet each other on purpose.
fn at_once(world: &World, names: &[String], words: impl Fn(&str) -> Vec<String>) {
    let start = |name: &String| {
        let words = words(name);
        world.start(&words.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let started: Vec<Child> = names.iter().map(start).collect();
    for child in started {
        let output = ended(child);
        assert!(!output.stderr.contains("panicked"), "{}", output.stderr);
    }
}

//! Artifacts: files of worktrees that are collected in the repository.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::time::UNIX_EPOCH;

use serde_json::Value;

use crate::made::Made;
use crate::world::World;

const SETTINGS: &str = "[artifacts]\npaths = [\"reports/*.xml\", \"report.txt\"]\n";

/// A world whose repository ignores `reports/` and collects from it.
fn collecting() -> World {
    let world = World::new();
    prepare(&world);
    world
}

fn prepare(world: &World) {
    world.repository.write(".orchestra/config.toml", SETTINGS);
    world
        .repository
        .write(".gitignore", "reports/\n.orchestra/\n");
    world.repository.commit("what is ignored");
}

fn of_issue(world: &World, name: &str, issue: &str) -> Made {
    world.session_with(name, &["--issue", issue])
}

fn collect(world: &World, session: &str) -> Value {
    world.json(&["artifacts", session])
}

fn names(answer: &Value) -> Vec<&str> {
    let artifacts = answer["artifacts"].as_array().unwrap().iter();
    artifacts
        .map(|artifact| artifact["name"].as_str().unwrap())
        .collect()
}

fn artifact(world: &World, name: &str) -> String {
    world.repository.read(&format!("artifacts/{name}"))
}

#[test]
fn files_are_collected_under_the_issue_and_status_shows_them() {
    let world = collecting();
    let made = of_issue(&world, "one", "101");
    let tree = world.tree(&made);
    tree.write("reports/junit.xml", "<one/>");
    tree.write("report.txt", "one");
    tree.write("other.txt", "no");
    fs::set_permissions(
        made.worktree.join("report.txt"),
        PermissionsExt::from_mode(0o4755),
    )
    .unwrap();
    let answer = collect(&world, "one");
    assert_eq!(
        names(&answer),
        ["issue-101-report.txt", "issue-101-reports-junit.xml"]
    );
    assert_eq!(answer["collected"], 2);
    assert_eq!(artifact(&world, "issue-101-reports-junit.xml"), "<one/>");
    let mode = fs::metadata(world.repository.path("artifacts/issue-101-report.txt")).unwrap();
    assert_eq!(mode.permissions().mode() & 0o7777, 0o755);
    assert_eq!(world.repository.git(&["status", "--porcelain"]), "");
    tree.write("reports/junit.xml", "<newer/>");
    collect(&world, "one");
    assert_eq!(artifact(&world, "issue-101-reports-junit.xml"), "<newer/>");
    let detail = world.json(&["status", "one"]);
    assert_eq!(detail["artifacts"].as_array().unwrap().len(), 2);
    world.run(&["status", "one"]).ok().says("2 file(s) in");
    world
        .run(&["artifacts", "one", "--list"])
        .ok()
        .says("reports/junit.xml");
    let other = world.session("Two!");
    world.tree(&other).write("report.txt", "two");
    assert_eq!(names(&collect(&world, "Two!")), ["two-report.txt"]);
}

#[test]
fn a_folder_of_the_same_name_in_a_session_is_seen() {
    let world = collecting();
    let made = of_issue(&world, "one", "7");
    let tree = world.tree(&made);
    tree.write("report.txt", "one");
    collect(&world, "one");
    tree.write("artifacts/page.html", "a page of the product");
    let seen = tree.git(&["status", "--porcelain"]);
    assert!(seen.contains("?? artifacts/"), "{seen}");
    assert_eq!(world.repository.git(&["status", "--porcelain"]), "");
}

#[test]
fn nobody_elses_file_is_replaced() {
    let world = collecting();
    let (one, two) = (of_issue(&world, "one", "7"), of_issue(&world, "two", "7"));
    world.tree(&one).write("report.txt", "one");
    world.tree(&two).write("report.txt", "two");
    world.tree(&two).write("reports/a.xml", "two");
    collect(&world, "one");
    world
        .repository
        .write("artifacts/issue-7-reports-a.xml", "a person's");
    let answer = collect(&world, "two");
    assert_eq!(
        names(&answer),
        ["issue-7-report-2.txt", "issue-7-reports-a-2.xml"]
    );
    assert_eq!(artifact(&world, "issue-7-report.txt"), "one");
    assert_eq!(artifact(&world, "issue-7-reports-a.xml"), "a person's");
    world.tree(&two).write("report.txt", "two again");
    assert_eq!(names(&collect(&world, "two")).len(), 2);
    assert_eq!(artifact(&world, "issue-7-report-2.txt"), "two again");
}

#[test]
fn a_collected_file_that_somebody_changed_stays_as_it_is() {
    let world = collecting();
    let made = of_issue(&world, "one", "7");
    world.tree(&made).write("report.txt", "one");
    collect(&world, "one");
    // Of the same length, as a file that was moved there may be.
    let path = world.repository.path("artifacts/issue-7-report.txt");
    fs::write(&path, "own").unwrap();
    let file = fs::File::options().write(true).open(&path).unwrap();
    file.set_modified(UNIX_EPOCH).unwrap();
    world.tree(&made).write("report.txt", "two");
    assert_eq!(names(&collect(&world, "one")), ["issue-7-report-2.txt"]);
    assert_eq!(artifact(&world, "issue-7-report.txt"), "own");
    assert_eq!(artifact(&world, "issue-7-report-2.txt"), "two");
    world.tree(&made).write("report.txt", "three");
    assert_eq!(names(&collect(&world, "one")), ["issue-7-report-2.txt"]);
    assert_eq!(artifact(&world, "issue-7-report-2.txt"), "three");
}

#[test]
fn links_and_what_is_no_file_are_left_out() {
    let world = collecting();
    let made = of_issue(&world, "one", "1");
    let outside = world.sandbox.path("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("secret.xml"), "secret").unwrap();
    let tree = world.tree(&made);
    symlink(outside.join("secret.xml"), made.worktree.join("report.txt")).unwrap();
    symlink(&outside, made.worktree.join("reports")).unwrap();
    let answer = collect(&world, "one");
    assert_eq!(names(&answer), Vec::<&str>::new());
    assert_eq!(answer["left_out"][0]["why"], "it is a link");
    fs::remove_file(made.worktree.join("reports")).unwrap();
    tree.write("reports/ok.xml", "ok");
    symlink(
        outside.join("secret.xml"),
        made.worktree.join("reports/bad.xml"),
    )
    .unwrap();
    assert_eq!(names(&collect(&world, "one")), ["issue-1-reports-ok.xml"]);
    let folder = world.repository.path("artifacts");
    fs::remove_dir_all(&folder).unwrap();
    symlink(&outside, &folder).unwrap();
    world.run(&["artifacts", "one"]).refuses(2, "it is a link");
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
}

#[test]
fn a_file_that_is_too_large_is_not_even_begun() {
    let world = collecting();
    let made = of_issue(&world, "one", "1");
    let large = fs::File::create(made.worktree.join("report.txt")).unwrap();
    large.set_len((1 << 30) + 1).unwrap();
    let answer = collect(&world, "one");
    let why = answer["left_out"][0]["why"].as_str().unwrap();
    assert!(why.contains("larger than 1 GiB"), "{why}");
    let reserved = "SELECT count(*) FROM artifacts";
    assert_eq!((names(&answer).len(), world.count(reserved)), (0, 0));
}

#[test]
fn a_folder_with_files_of_the_user_is_not_hidden() {
    let world = collecting();
    world.repository.write("artifacts/mine.txt", "mine");
    let made = of_issue(&world, "one", "1");
    world.tree(&made).write("report.txt", "one");
    world
        .run(&["artifacts", "one"])
        .refuses(2, "artifacts/mine.txt");
    let status = world.repository.git(&["status", "--porcelain"]);
    assert!(status.contains("artifacts"), "{status}");
}

#[test]
fn nothing_to_collect_is_said() {
    let world = World::new();
    world.session("one");
    world
        .run(&["artifacts", "one"])
        .refuses(2, "artifacts.paths names no files");
    world
        .run(&["artifacts", "one", "--list"])
        .ok()
        .says("nothing was collected yet");
    prepare(&world);
    world
        .run(&["artifacts", "one"])
        .ok()
        .says("matches no file");
}

#[test]
fn what_an_iteration_made_is_collected_when_its_script_passed_and_before_cleanup() {
    let world =
        World::with_scenario("[[step]]\ndo = 'write'\npath = 'report.txt'\ntext = 'made'\n");
    prepare(&world);
    world.session_with("bad", &["--issue", "1", "--script", "false"]);
    world.run(&["iterate", "bad"]).ends_with(5);
    assert!(!world.repository.path("artifacts").exists());
    let made = world.session_with("good", &["--issue", "2", "--script", "true"]);
    fs::create_dir(made.worktree.join("reports")).unwrap();
    symlink("/etc/passwd", made.worktree.join("reports/bad.xml")).unwrap();
    world
        .run(&["iterate", "good"])
        .ok()
        .says("artifacts left out: reports/bad.xml (it is a link)");
    assert_eq!(artifact(&world, "issue-2-report.txt"), "made");
    world.tree(&made).write("reports/late.xml", "late");
    world
        .run(&["cleanup", "good", "--even-unlanded"])
        .ok()
        .says("reports/bad.xml (it is a link)");
    assert_eq!(artifact(&world, "issue-2-reports-late.xml"), "late");
    let told = "SELECT count(*) FROM events WHERE type = 'artifacts_collected'";
    assert_eq!(world.count(told), 2);
}

#[test]
fn an_issue_names_branch_folder_and_artifacts() {
    let world = World::new();
    prepare(&world);
    let patterns =
        "[git]\nbranch_pattern = \"feature/issue-{issue}\"\nfolder_pattern = \"issue-{issue}\"\n";
    let settings = format!("{patterns}\n{SETTINGS}");
    world.repository.write(".orchestra/config.toml", &settings);
    let made = of_issue(&world, "login", "101");
    assert_eq!(made.branch, "feature/issue-101");
    assert_eq!(made.worktree, world.repository.path(".worktrees/issue-101"));
    world.tree(&made).write("report.txt", "x");
    assert_eq!(names(&collect(&world, "login")), ["issue-101-report.txt"]);
    world
        .run(&["new", "--name", "no issue", "--prompt", "x"])
        .refuses(2, "issue");
}

#[test]
fn they_are_collected_before_a_teardown_that_deletes_them() {
    let world = collecting();
    world.settle(&format!(
        "{SETTINGS}[commands]\nsetup = \"true\"\nteardown = \"rm -rf reports\"\n"
    ));
    let made = world.session_with("one", &["--issue", "7", "--wait-setup"]);
    let report = |text: &str| world.tree(&made).write("reports/a.xml", text);
    report("<first/>");
    world.run(&["cleanup", "one"]).ok();
    assert_eq!(artifact(&world, "issue-7-reports-a.xml"), "<first/>");
    world.run(&["undo", "one"]).ok();
    world.run(&["setup", "one", "--follow"]).ok();
    report("<again/>");
    world.run(&["redo", "one"]).ok();
    assert_eq!(artifact(&world, "issue-7-reports-a.xml"), "<again/>");
}

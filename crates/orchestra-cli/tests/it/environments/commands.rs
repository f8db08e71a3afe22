//! Commands of a repository's own settings file: none runs before its very text was allowed.

use orchestra_testkit::secrets::PlantedSecret;
use serde_json::json;

use crate::ran::ran;
use crate::world::World;

const SETTINGS: &str = "[scripts]\ntest = \"echo testing\"\nlint = \"echo linting\"\n";

fn settled() -> World {
    let world = World::new();
    world.repository.write(".orchestra/config.toml", SETTINGS);
    world
}

#[test]
fn a_script_of_the_repository_runs_once_it_was_allowed() {
    let world = settled();
    world.session("one");
    world
        .run(&["run", "one"])
        .refuses(
            3,
            "`scripts.test` comes from the repository's own settings file",
        )
        .says("orchestra commands allow scripts.test");
    let refused = world.run(&["run", "one", "lint", "--json"]).ends_with(3);
    assert_eq!(refused.json()["error"]["code"], "command.not_allowed");
    assert_eq!(world.count("SELECT count(*) FROM script_runs"), 0);
    world.run(&["run", "one", "--yes"]).ok().says("testing");
    world.run(&["run", "one"]).ok().says("testing");
    world.run(&["run", "one", "lint"]).refuses(3, "not allowed");
    let changed = SETTINGS.replace("testing", "tested");
    world.repository.write(".orchestra/config.toml", &changed);
    world.run(&["run", "one"]).refuses(3, "echo tested");
    let events = "SELECT count(*) FROM events WHERE type = 'command_allowed'";
    assert_eq!(world.count(events), 1);
}

#[test]
fn the_log_names_the_scripts_that_ran() {
    let world = settled();
    world.session_with("one", &["--script", "echo mine"]);
    world.run(&["run", "one", "lint", "--yes"]).ok();
    world.run(&["run", "one"]).ok();
    let log = world.run(&["log", "one"]).ok();
    log.says("passed (0)  script lint: echo linting")
        .says("passed (0)  script: echo mine");
}

#[test]
fn what_the_user_set_needs_no_permission() {
    let world = settled();
    world.session_with("one", &["--script", "echo mine"]);
    world.run(&["run", "one"]).ok().says("mine");
    let words = ["config", "set", "scripts.build", "echo building"];
    world.orchestra(&words).ok();
    world.run(&["run", "one", "build"]).ok().says("building");
    let flag = "scripts.test=echo from-flag";
    let words = ["run", "one", "test", "--set-config", flag];
    world.run(&words).ok().says("from-flag");
}

#[test]
fn what_follows_a_line_break_is_told_from_a_remark() {
    let world = World::new();
    let settings = "[scripts]\ntest = \"true # harmless\\ntouch pwned\"\n";
    world.repository.write(".orchestra/config.toml", settings);
    world
        .orchestra(&["commands", "list"])
        .ok()
        .says("true # harmless ⏎ touch pwned");
}

#[test]
fn commands_are_listed_allowed_and_forgotten() {
    let world = settled();
    let listed = || world.orchestra(&["commands", "list", "--json"]).ok().json();
    let words = ["config", "set", "commands.pr", "echo pr"];
    world.orchestra(&words).ok();
    let row = |setting: &str, command: &str, permission: &str| json!({ "setting": setting, "command": command, "permission": permission });
    let all = |lint: &str, test: &str| {
        json!([
            row("commands.pr", "echo pr", "own"),
            row("scripts.lint", "echo linting", lint),
            row("scripts.test", "echo testing", test),
        ])
    };
    assert_eq!(listed()["commands"], all("not_allowed", "not_allowed"));
    let words = ["commands", "allow", "scripts.test", "--json"];
    let done = world.orchestra(&words).ok().json();
    assert_eq!(done["settings"], json!(["scripts.test"]));
    assert_eq!(listed()["commands"], all("not_allowed", "allowed"));
    world
        .orchestra(&["commands", "list"])
        .ok()
        .says("not allowed")
        .says("yes, allowed");
    world
        .orchestra(&["commands", "allow", "--all"])
        .ok()
        .says("allowed  scripts.lint");
    world
        .orchestra(&["commands", "allow", "--all"])
        .ok()
        .says("nothing to change");
    world
        .orchestra(&["commands", "forget", "scripts.test"])
        .ok()
        .says("forgotten  scripts.test");
    assert_eq!(listed()["commands"], all("allowed", "not_allowed"));
    world
        .orchestra(&["commands", "allow", "scripts.nope"])
        .refuses(3, "no command is set for `scripts.nope`");
    world
        .orchestra(&["commands", "allow", "core.max_output"])
        .refuses(3, "no command is set");
    world
        .orchestra(&["commands", "allow", "nope.nope"])
        .refuses(2, "nope.nope");
    let mut elsewhere = world.sandbox.orchestra();
    elsewhere.args(["commands", "list"]);
    elsewhere.current_dir(world.sandbox.home());
    ran(elsewhere).refuses(2, "not a git repository");
}

#[test]
fn one_that_cannot_be_allowed_does_not_keep_the_others() {
    let world = settled();
    let secret = PlantedSecret::many(1, 8).remove(0).text;
    let setup = format!("[commands]\nsetup = {}\n", json!(format!("echo {secret}")));
    let settings = format!("{setup}{SETTINGS}");
    world.repository.write(".orchestra/config.toml", &settings);
    let words = ["commands", "allow", "scripts.test", "commands.setup"];
    world.orchestra(&words).refuses(3, "looks like a secret");
    let done = world.orchestra(&["commands", "allow", "--all", "--json"]);
    let done = done.ends_with(1).json();
    assert_eq!(done["settings"], json!(["scripts.lint", "scripts.test"]));
    let problem = done["problems"][0].as_str().unwrap().to_owned();
    assert!(problem.contains("`commands.setup` contains"), "{problem}");
    assert!(problem.contains("security.pass_env"), "{problem}");
    // Nothing but the one is left, and nothing was changed.
    let again = world.orchestra(&["commands", "allow", "--all"]);
    again.refuses(3, "looks like a secret");
}

#[test]
fn what_failed_after_a_merge_is_told_by_status() {
    let world = World::new();
    let key = "commands.after_merge";
    world.orchestra(&["config", "set", key, "exit 3"]).ok();
    let made = world.session("one");
    let tree = world.tree(&made);
    tree.write("new.txt", "new\n");
    tree.commit("Work");
    let run = || world.json(&["status", "one"])["after_merge"].clone();
    assert_eq!(run(), json!(null));
    world.run(&["approve", "one"]).ok();
    world.run(&["merge", "one"]).ends_with(5);
    let shown = world.run(&["status", "one"]).ok();
    shown
        .says("`commands.after_merge` failed with exit code 3")
        .says(&format!("session merge {} --after-merge", made.id));
    assert_eq!(run()["exit_code"], 3);
    world.orchestra(&["config", "set", key, "true"]).ok();
    world.run(&["merge", "one", "--after-merge"]).ok();
    let shown = world.run(&["status", "one"]).ok();
    assert!(!shown.stdout.contains("after_merge"), "{}", shown.stdout);
    assert_eq!(run()["state"], "passed");
    world.wait_until_quiet();
}

#[test]
fn what_init_wrote_was_read_before() {
    let world = World::new();
    world.repository.write("Cargo.lock", "");
    world.orchestra(&["init", "--yes"]).ok();
    let listed = world.orchestra(&["commands", "list", "--json"]).ok().json();
    let commands = listed["commands"].as_array().unwrap().clone();
    assert!(!commands.is_empty());
    assert!(
        commands.iter().all(|it| it["permission"] == "allowed"),
        "{commands:?}"
    );
}

#[test]
fn what_was_allowed_is_taken_back_after_it_left_the_file() {
    let world = settled();
    let listed = || world.orchestra(&["commands", "list", "--json"]).ok().json();
    world.orchestra(&["commands", "allow", "--all"]).ok();
    let without_test = "[scripts]\nlint = \"echo linted\"\n";
    world
        .repository
        .write(".orchestra/config.toml", without_test);
    let rows = json!([
        { "setting": "scripts.lint", "command": "echo linted", "permission": "not_allowed" },
        { "setting": "scripts.lint", "command": "echo linting", "permission": "not_set" },
        { "setting": "scripts.test", "command": "echo testing", "permission": "not_set" },
    ]);
    assert_eq!(listed()["commands"], rows);
    world
        .orchestra(&["commands", "forget", "scripts.test", "scripts.nope"])
        .refuses(3, "no command is set for `scripts.nope`");
    world
        .orchestra(&["commands", "forget", "scripts.test"])
        .ok()
        .says("forgotten  scripts.test");
    world.repository.write(".orchestra/config.toml", "");
    world
        .orchestra(&["commands", "forget", "--all"])
        .ok()
        .says("forgotten  scripts.lint");
    assert_eq!(world.count("SELECT count(*) FROM allowed_commands"), 0);
    world.repository.write(".orchestra/config.toml", SETTINGS);
    let all = listed();
    let rows = all["commands"].as_array().unwrap();
    assert!(rows.iter().all(|row| row["permission"] == "not_allowed"));
}

//! Toolboxes by themselves: what is taken, what gives way, and trying a tool.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use orchestra_testkit::write_program;
use serde_json::json;

use super::make_toolbox;
use crate::world::World;

#[test]
fn the_first_toolbox_wins_and_tools_bring_their_files_along() {
    let world = World::new();
    let (first, second) = (world.sandbox.path("first"), world.sandbox.path("second"));
    make_toolbox(&first, "Hello");
    make_toolbox(&second, "Goodbye");
    symlink("greet", second.join("salute")).unwrap();
    write_program(
        &second.join("add.py"),
        "#!/bin/sh\nif [ $TOOLBOX_ACTION = describe ]; then echo '{\"name\":\"add\",\"description\":\"Adds\",\"args\":{\"a\":[\"number\",\"one\"]}}'; else cat; echo; pwd; exit 3; fi\n",
    );
    let list = format!("[\"{}\", \"{}\"]", first.display(), second.display());
    let set = |key: &str, value: &str| world.orchestra(&["config", "set", key, value]).ok();
    set("toolboxes.both", &list);
    set("runtime.toolboxes", "both");
    let listed = world.orchestra(&["toolbox", "list", "--json"]).ok().json();
    let names: Vec<_> = listed["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["name"])
        .collect();
    assert_eq!(names, ["greet", "add"]);
    let greet = first.join("greet");
    assert_eq!(listed["tools"][0]["file"], json!(greet));
    assert_eq!(listed["tools"][1]["schema"]["required"], json!(["a"]));
    let shadowed = listed["shadowed"].as_array().unwrap();
    assert_eq!(shadowed.len(), 2, "{listed}");
    assert_eq!(
        shadowed[0],
        json!({ "path": second.join("greet"), "by": first })
    );
    // A link to a tool beside it is one, but its name is taken.
    assert_eq!(listed["refused"][0]["path"], json!(second.join("salute")));

    world
        .orchestra(&["toolbox", "run", "greet", "who=you"])
        .ok()
        .says("Hello you");
    let input = json!({ "a": 2 }).to_string();
    let added = world.orchestra(&["toolbox", "run", "add", "--input", &input]);
    added.ends_with(1).says("{\"a\":2}");
    world
        .orchestra(&["toolbox", "run", "greet"])
        .refuses(3, "`greet`")
        .says("`who`");
    world
        .orchestra(&["toolbox", "run", "greet", "who=you", "bogus=1"])
        .refuses(3, "`greet`")
        .says("`bogus`");
    world
        .orchestra(&["toolbox", "run", "fly"])
        .refuses(3, "`fly`")
        .says("greet, add");
    let root = world.sandbox.data_dir().join("toolboxes");
    assert_eq!(
        fs::read_dir(root).unwrap().count(),
        0,
        "a look leaves nothing"
    );
}

#[test]
fn wishes_are_checked_and_kept() {
    let world = World::new();
    let tools = world.sandbox.path("tools");
    make_toolbox(&tools, "Hello");
    let new = |words: &[&str]| {
        let start = ["new", "--name", "one", "--prompt", "Greet"];
        world.run(&[&start[..], words].concat())
    };
    new(&["--toolbox", "deploy"]).refuses(3, "there is no toolbox `deploy`");
    new(&["--mcp", "issues"]).refuses(3, "there is no MCP server `issues`");
    assert_eq!(world.count("SELECT count(*) FROM sessions"), 0);
    new(&["--toolbox", &tools.to_string_lossy()]).ok();
    world
        .orchestra(&["config", "set", "mcp.issues.command", "issue-server"])
        .ok();
    world.run(&["set", "one", "mcp", "issues"]).ok();
    let session = &world.json(&["status", "one"])["session"];
    assert_eq!(session["runtime"]["toolboxes"], json!([tools]));
    assert_eq!(session["runtime"]["mcp"], json!(["issues"]));
    let listed = world
        .orchestra(&["toolbox", "list", "--session", "one"])
        .ok();
    listed.says("greet");
    world.run(&["set", "one", "toolbox", "none"]).ok();
    let listed = world
        .orchestra(&["toolbox", "list", "--session", "one"])
        .ok();
    listed.says("no tools");
    for (key, value) in [("protocol", "command"), ("command", "cat")] {
        let key = format!("agents.plain.{key}");
        world.orchestra(&["config", "set", &key, value]).ok();
    }
    new(&[
        "--name",
        "two",
        "--agent",
        "plain",
        "--toolbox",
        &tools.to_string_lossy(),
    ])
    .refuses(2, "--name");
    let start = [
        "new", "--name", "two", "--prompt", "Greet", "--agent", "plain",
    ];
    world
        .run(&[&start[..], &["--mcp", "issues"]].concat())
        .refuses(3, "cannot be told");
}

#[test]
fn the_users_own_files_keep_their_permissions() {
    let world = World::new();
    let tools = world.sandbox.path("tools");
    make_toolbox(&tools, "Hello");
    let own = [tools.join("greet"), tools.join("lib/words.sh")];
    fs::set_permissions(&own[0], fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(&own[1], fs::Permissions::from_mode(0o644)).unwrap();
    let made = world.session_with("one", &["--toolbox", tools.to_str().unwrap(), "--run"]);
    let folder = world.sandbox.data_dir().join("toolboxes").join(&made.id);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert!(folder.join("tools/greet").exists());
    assert_eq!(mode(&folder.join("tools.json")), 0o600);
    let shown = world.orchestra(&["data", "show", "--json"]).ok().json();
    assert_eq!(shown["open_to_others"], json!([]));
    world.orchestra(&["doctor", "--fix"]).ok();
    assert_eq!(own.map(|file| mode(&file)), [0o755, 0o644]);
}

#[test]
fn refused_files_are_told_in_one_line_of_the_transcript() {
    let world = World::new();
    let tools = world.sandbox.path("tools");
    make_toolbox(&tools, "Hello");
    for name in ["one", "two"] {
        let file = tools.join(name);
        write_program(&file, "#!/bin/sh\n");
        fs::set_permissions(file, fs::Permissions::from_mode(0o777)).unwrap();
    }
    let made = world.session_with("x", &["--toolbox", tools.to_str().unwrap(), "--run"]);
    let said = world.run(&["transcript", "x"]).ok().stdout;
    let told: Vec<_> = said
        .lines()
        .filter(|line| line.contains("refused"))
        .collect();
    assert_eq!(told.len(), 1, "{said}");
    assert!(
        told[0].contains("2 of the toolboxes' files are refused"),
        "{told:?}"
    );
    assert!(
        told[0].contains(&format!("toolbox list --session {}", made.id)),
        "{told:?}"
    );
}

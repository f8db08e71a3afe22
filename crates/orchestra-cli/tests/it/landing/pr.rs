//! `pr`: the example for `gh`, with another program in its place.

use std::path::Path;

use orchestra_testkit::{Sandbox, write_program};

use super::work::{add_remote, change, with_commit_and};
use crate::world::World;

/// Says what it was asked, keeps the text, and knows a pull request from the second time on.
const GH: &str = r#"#!/bin/sh
case "$2" in
view) cat "$HOME/opened" 2>/dev/null ;;
create)
    echo "https://github.test/pull/1" > "$HOME/opened"
    cat "$HOME/opened"
    for word; do [ "$previous" = --body-file ] && cp "$word" "$HOME/body"; previous=$word; done
    echo "$@" > "$HOME/asked" ;;
esac
"#;

fn world_with_gh() -> World {
    let sandbox = Sandbox::new();
    let folder = sandbox.path("programs");
    std::fs::create_dir_all(&folder).unwrap();
    let program = folder.join("gh");
    write_program(&program, GH);
    let path = sandbox.env().into_iter().find(|(name, _)| name == "PATH");
    let (_, path) = path.unwrap();
    let path = format!("{}:{}", folder.display(), path.to_string_lossy());
    World::of(sandbox.with_variable("PATH", path))
}

#[test]
fn the_example_opens_one_and_shows_it_again() {
    let world = world_with_gh();
    add_remote(&world);
    let made = with_commit_and(&world, "one", "new.txt", "x\n", &["--issue", "7"]);
    world
        .run(&["pr", "one"])
        .refuses(3, "no command is set for `commands.pr`");
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/examples/pr-with-gh.sh");
    let command = format!("sh '{}'", example.display());
    world
        .orchestra(&["config", "set", "commands.pr", &command])
        .ok();
    let url = "https://github.test/pull/1";
    let ran = world.run(&["pr", "one", "--title", "Fix it"]).ok();
    assert_eq!(ran.stdout.trim(), url);
    let home = world.sandbox.home();
    let read = |name: &str| std::fs::read_to_string(home.join(name)).unwrap();
    let asked = read("asked");
    let expected = format!(
        "--head {} --base main --title Fix it --body-file",
        made.branch
    );
    assert!(asked.contains(&expected), "{asked}");
    let tracking = format!("refs/remotes/origin/{}", made.branch);
    let pushed = world.repository.git(&["rev-parse", &tracking]);
    assert_eq!(pushed, world.tree(&made).head());
    assert_eq!(read("body"), "Greet amp\n\n- Change new.txt\n\nIssue: 7\n");

    std::fs::remove_file(home.join("asked")).unwrap();
    let answer = world.json(&["pr", "one"]);
    assert_eq!(answer["script_run"]["state"], "passed");
    assert_eq!(answer["script_run"]["script"], "pr");
    assert!(!home.join("asked").exists(), "there is one already");
    change(&world, &made, "new.txt", "y\n", "More");
    world.run(&["pr", "one"]).ok();
    let pushed = world.repository.git(&["rev-parse", &tracking]);
    assert_eq!(pushed, world.tree(&made).head(), "pushed again");
    world.wait_until_quiet();
}

#[test]
fn a_command_of_the_repository_is_allowed_first() {
    let world = World::new();
    add_remote(&world);
    with_commit_and(&world, "one", "new.txt", "x\n", &[]);
    let command = "cat \"$ORCHESTRA_BODY_FILE\"; exit 9";
    world
        .orchestra(&["config", "set", "commands.pr", command, "--repo"])
        .ok();
    world
        .run(&["pr", "one"])
        .refuses(3, "is not allowed yet: cat");
    assert_eq!(world.count("SELECT count(*) FROM pushes"), 0);
    let text = world.sandbox.path("text.md");
    std::fs::write(&text, "My words\n").unwrap();
    let words = ["pr", "one", "--yes", "--body-file", text.to_str().unwrap()];
    world.run(&words).ends_with(5).says("My words");
    world.run(&["pr", "one"]).ends_with(5).says("Greet amp");
}

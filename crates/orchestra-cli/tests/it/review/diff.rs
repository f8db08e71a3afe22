//! `diff` in all its forms shows what git would.

use serde_json::{Value, json};

use crate::world::{Made, World};

const TURNS: &str = "
[[turn]]
steps = [{ do = 'write', path = 'one.txt', text = \"one\\n\" }]
[[turn]]
steps = [{ do = 'write', path = 'two.txt', text = \"two\\n\" }]
";

/// Two iterations, then a staged change, an unstaged one and a new file.
fn changed() -> (World, Made) {
    let world = World::with_scenario(TURNS);
    let made = world.session("one");
    world.run(&["iterate", "one"]).ok();
    world.run(&["iterate", "one"]).ok();
    let tree = world.tree(&made);
    tree.write("staged.txt", "staged\n");
    tree.git(&["add", "staged.txt"]);
    tree.write("one.txt", "one changed\n");
    tree.write("new dir/ünïcode name.txt", "new\n");
    (world, made)
}

fn names(world: &World, words: &[&str]) -> Vec<String> {
    let words = [&["diff", "one", "--name-only"], words].concat();
    let out = world.run(&words).ok().stdout;
    let mut names: Vec<_> = out.lines().map(str::to_owned).collect();
    names.sort();
    names
}

#[test]
fn what_is_shown() {
    let (world, made) = changed();
    let index = world.tree(&made).git(&["ls-files", "--stage"]);
    let new = "new dir/ünïcode name.txt";
    assert_eq!(
        names(&world, &[]),
        [new, "one.txt", "staged.txt", "two.txt"]
    );
    assert_eq!(names(&world, &["--staged"]), ["staged.txt"]);
    assert_eq!(names(&world, &["--unstaged"]), [new, "one.txt"]);
    assert_eq!(
        names(&world, &["--since", "2"]),
        [new, "one.txt", "staged.txt", "two.txt"]
    );
    world
        .tree(&made)
        .git(&["checkout", "--quiet", "--", "one.txt"]);
    assert_eq!(
        names(&world, &["--since", "2"]),
        [new, "staged.txt", "two.txt"]
    );
    world.run(&["diff", "one", "--since", "9"]).ends_with(2);
    world
        .run(&["diff", "one", "--staged", "--unstaged"])
        .ends_with(2);
    assert_eq!(
        world.tree(&made).git(&["ls-files", "--stage"]),
        index,
        "looking does not stage"
    );
}

#[test]
fn the_patch_is_gits_own() {
    let (world, made) = changed();
    let tree = world.tree(&made);
    let shown = world.run(&["diff", "one", "--unstaged"]).ok().stdout;
    assert!(shown.contains("-one\n+one changed\n"), "{shown}");
    assert!(
        shown.contains("+new\n") && shown.contains("new file mode"),
        "{shown}"
    );
    let staged = world.run(&["diff", "one", "--staged"]).ok().stdout;
    assert_eq!(staged.trim_end(), tree.git(&["diff", "--cached"]));
    let stat = world.run(&["diff", "one", "--stat"]).ok().stdout;
    assert!(
        stat.contains("two.txt") && stat.contains("4 files changed"),
        "{stat}"
    );

    // Applied to the base, the whole patch gives the worktree.
    let whole = world.run(&["diff", "one"]).ok().stdout;
    let patch = world.sandbox.path("whole.patch");
    std::fs::write(&patch, whole).unwrap();
    world.repository.git(&["apply", patch.to_str().unwrap()]);
    for file in [
        "one.txt",
        "two.txt",
        "staged.txt",
        "new dir/ünïcode name.txt",
    ] {
        assert_eq!(world.repository.read(file), tree.read(file));
    }
}

#[test]
fn as_json() {
    let (world, _made) = changed();
    let answer = world.json(&["diff", "one"]);
    let files: Vec<(&str, &Value)> = answer["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| (file["path"].as_str().unwrap(), &file["insertions"]))
        .collect();
    assert!(
        files.contains(&("new dir/ünïcode name.txt", &json!(1))),
        "{files:?}"
    );
    assert_eq!(files.len(), 4);
    assert!(
        answer["files"]
            .as_array()
            .unwrap()
            .iter()
            .all(|file| file["kind"] == "A")
    );
    let unstaged = world.json(&["diff", "one", "--unstaged"]);
    let kinds: Vec<_> = unstaged["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["kind"].as_str().unwrap())
        .collect();
    assert!(kinds.contains(&"M") && kinds.contains(&"A"), "{kinds:?}");
}

//! `diff` in all its forms shows what git would.

use serde_json::{Value, json};

use crate::made::Made;
use crate::world::World;

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

#[test]
fn as_json_with_the_patch_of_every_file() {
    let (world, made) = changed();
    let tree = world.tree(&made);
    tree.git(&["mv", "two.txt", "three.txt"]);
    tree.write("large.txt", &"x".repeat(1 << 20));
    std::fs::write(made.worktree.join("binary"), b"\0\xff").unwrap();
    for what in [&[][..], &["--staged"], &["--unstaged"], &["--since", "2"]] {
        let words = [&["diff", "one"], what].concat();
        let plain = world.json(&words);
        let full = world.json(&[&words[..], &["--patch"]].concat());
        let paths = |answer: &Value| -> Vec<Value> {
            let files = answer["files"].as_array().unwrap().iter();
            files.map(|file| file["path"].clone()).collect()
        };
        assert_eq!(paths(&plain), paths(&full), "{what:?}");
        assert!(plain["files"][0]["patch"].is_null(), "{what:?}");
        for file in full["files"].as_array().unwrap() {
            let (path, patch) = (file["path"].as_str().unwrap(), &file["patch"]);
            assert_eq!(file["patch_too_large"], path == "large.txt", "{file}");
            let beginning = format!(" b/{path}\n");
            match patch.as_str() {
                Some(patch) => assert!(
                    patch.starts_with("diff --git ") && patch.contains(&beginning),
                    "{patch}"
                ),
                None => assert_eq!(path, "large.txt"),
            }
        }
    }
    world
        .run(&["diff", "one", "--patch", "--stat"])
        .ends_with(2);
}

#[test]
fn a_conflict_and_a_file_that_became_a_link_have_patches_too() {
    let world = World::new();
    let made = world.session("one");
    let tree = world.tree(&made);
    tree.write("a.txt", "base\n");
    tree.write("link", "file\n");
    tree.git(&["add", "--all"]);
    tree.git(&["commit", "--quiet", "-m", "base"]);
    tree.git(&["checkout", "--quiet", "-b", "side"]);
    tree.write("a.txt", "theirs\n");
    tree.git(&["commit", "--quiet", "-am", "theirs"]);
    tree.git(&["checkout", "--quiet", &made.branch]);
    tree.write("a.txt", "ours\n");
    tree.git(&["commit", "--quiet", "-am", "ours"]);
    let merged = tree.try_git(&["merge", "--quiet", "side"]);
    assert!(!merged.status.success(), "the merge stops at a conflict");
    std::fs::remove_file(made.worktree.join("link")).unwrap();
    std::os::unix::fs::symlink("a.txt", made.worktree.join("link")).unwrap();
    for what in [&["--unstaged"][..], &[]] {
        let plain = world.json(&[&["diff", "one"], what].concat());
        assert_eq!(plain["files"].as_array().unwrap().len(), 2, "{plain}");
        let answer = world.json(&[&["diff", "one", "--patch"], what].concat());
        let find = |path: &str| -> String {
            let mut files = answer["files"].as_array().unwrap().iter();
            let file = files.find(|file| file["path"] == path);
            file.unwrap()["patch"].as_str().unwrap().to_owned()
        };
        assert!(find("a.txt").contains("<<<<<<<"), "{what:?}: {answer}");
        let link = find("link");
        assert!(link.contains("new file mode 120000"), "{what:?}: {link}");
    }
}

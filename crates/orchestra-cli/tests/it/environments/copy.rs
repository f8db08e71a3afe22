//! Ignored files that new sessions get from the main checkout.

use std::os::unix::fs::symlink;

use crate::world::World;

const SETTINGS: &str = "\
[ports]
web = 1

[worktree]
copy = [\".env\", \"data\"]

[worktree.rewrite]
PORT = \"{port.web}\"
";

fn settled() -> World {
    let world = World::new();
    world
        .repository
        .write(".gitignore", ".env\n/data/\n/.orchestra/\n");
    world.repository.commit("rules");
    world.repository.write(".orchestra/config.toml", SETTINGS);
    world
}

#[test]
fn each_session_has_its_own_copy_with_its_own_port() {
    let world = settled();
    world
        .repository
        .write(".env", "# dev\nPORT=3000\nNAME='x'\n");
    world.repository.write("data/seed", "rows");
    let mut seen = Vec::new();
    for name in ["one", "two"] {
        let tree = world.tree(&world.session_with(name, &["--wait-setup"]));
        let text = tree.read(".env");
        let port = world.json(&["status", name])["ports"][0]["first"].to_string();
        assert_eq!(text, format!("# dev\nPORT={port}\nNAME='x'\n"));
        assert_eq!(tree.read("data/seed"), "rows");
        assert_eq!(tree.git(&["status", "--porcelain"]), "");
        seen.push(text);
    }
    assert_ne!(seen[0], seen[1]);
    assert_eq!(
        world.repository.read(".env"),
        "# dev\nPORT=3000\nNAME='x'\n"
    );
}

#[test]
fn what_a_session_does_not_get_is_said() {
    let world = World::new();
    world.repository.write(".gitignore", "*.local\n");
    world
        .repository
        .write(".worktreeinclude", "*.local\n../x\n");
    world.repository.commit("rules");
    symlink("/etc/passwd", world.repository.path("out.local")).unwrap();
    world.repository.write("in.local", "x");
    let new = ["new", "--name", "one", "--prompt", "x", "--wait-setup"];
    world
        .run(&new)
        .ok()
        .says("left out out.local: it is a link that leads out of the repository")
        .says(".worktreeinclude, line 2: `../x` is not a pattern");
    let tree = world.tree(&world.made("one"));
    assert_eq!(tree.read("in.local"), "x");
    assert!(tree.path("out.local").symlink_metadata().is_err());
}

#[test]
fn a_copy_that_nobody_changed_gets_new_values_when_it_is_set_up_again() {
    let world = World::new();
    world.repository.write(".gitignore", ".env\n");
    world.repository.commit("rules");
    world.repository.write(".env", "# dev\nPORT=3000\n");
    let settle = |port: &str| {
        world.settle(&format!(
            "[worktree]\ncopy = [\".env\"]\n[worktree.rewrite]\nPORT = {port:?}\n"
        ));
    };
    settle("1");
    let tree = world.tree(&world.session_with("one", &["--wait-setup"]));
    assert_eq!(tree.read(".env"), "# dev\nPORT=1\n");
    settle("2");
    let again = world.run(&["setup", "one", "--follow"]).ok();
    again.says("copied .env, with its own PORT");
    assert_eq!(tree.read(".env"), "# dev\nPORT=2\n");
    let same = world.run(&["setup", "one", "--follow"]).ok();
    same.says("left out .env: it is there already");
    tree.write(".env", "PORT=2\nMINE=1\n");
    settle("3");
    let changed = world.run(&["setup", "one", "--follow"]).ok();
    changed.says("left out .env: it is there already");
    assert_eq!(tree.read(".env"), "PORT=2\nMINE=1\n");
}

#[test]
fn a_session_that_comes_back_has_its_new_port_in_its_copy() {
    let world = settled();
    world.repository.write(".env", "PORT=3000\n");
    let made = world.session_with("one", &["--wait-setup", "--script", "cat .env"]);
    let port = || world.json(&["status", "one"])["ports"][0]["first"].to_string();
    let before = port();
    world.run(&["archive", "one"]).ok();
    // Somebody else has it now.
    let _stranger = std::net::TcpListener::bind(format!("127.0.0.1:{before}")).unwrap();
    world.run(&["archive", "one", "--undo"]).ok();
    world.run(&["run", "one"]).ok();
    assert_ne!(port(), before);
    let text = world.tree(&made).read(".env");
    assert_eq!(text, format!("PORT={}\n", port()));
}

//! What an agent in a sandbox cannot read.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use super::shell_world;

/// Files that settings name as the places of secrets, whoever they are for and whether the session uses them.
#[test]
fn files_with_secrets_of_the_settings_are_hidden() {
    let names = ["token", "app/env", "app/header", "app/unused", "elsewhere"];
    let script = format!(
        "cat > /dev/null\ncd ~\nfor it in {} plain; do cat $it; done > $OLDPWD/read.txt 2>&1; true",
        names.join(" ")
    );
    let (world, _) = shell_world(&script);
    let home = world.sandbox.home();
    for folder in [".config/orchestra", "app"] {
        fs::create_dir_all(home.join(folder)).unwrap();
    }
    for name in names.iter().chain(&["plain"]) {
        let file = home.join(name);
        fs::write(&file, format!("what is in {name}\n")).unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
    }
    let settings = format!(
        "environments.other.token = 'file:~/token'\n\
         [mcp.one]\ncommand = ['one']\nsecret_env = ['TOKEN=file:~/app/env']\nauth = 'file:~/app/unused'\n\
         [mcp.two]\nurl = 'https://two.example'\nsecret_headers = ['X-Key: file:~/app/header']\n\
         auth = 'file:{}'\n",
        home.join("elsewhere").display()
    );
    fs::write(home.join(".config/orchestra/config.toml"), settings).unwrap();
    let made = world.session("one");
    world.run(&["iterate", "one"]).ok();
    let read = fs::read_to_string(made.worktree.join("read.txt")).unwrap();
    assert!(read.contains("what is in plain"), "{read}");
    for name in names {
        assert!(!read.contains(&format!("what is in {name}")), "{read}");
    }
    let record = world.json(&["guard", "one"])["isolation"]["sandbox"].clone();
    let secret = &record["escapes"][4];
    assert_eq!(secret["end"], "stopped", "and it was tried: {record}");
}

#[test]
fn what_settings_hide_is_hidden_and_what_is_missing_is_told() {
    let (world, _) = shell_world("cat > /dev/null; cat ~/one ~/two > read.txt 2>&1; true");
    let home = world.sandbox.home();
    for name in ["one", "two"] {
        fs::write(home.join(name), format!("what is in {name}\n")).unwrap();
    }
    let hidden = ["config", "set", "security.sandbox_hidden", "~/one,~/none"];
    world.orchestra(&hidden).ok();
    let made = world.session("one");
    world
        .run(&["iterate", "one"])
        .ok()
        .says("security.sandbox_hidden names")
        .says("home/none`, where nothing is");
    let read = fs::read_to_string(made.worktree.join("read.txt")).unwrap();
    assert!(!read.contains("what is in one"), "{read}");
    assert!(read.contains("what is in two"), "{read}");
}

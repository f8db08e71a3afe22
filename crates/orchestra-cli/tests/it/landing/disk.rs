//! Disk space: what sessions take, and a quota for all of them.

use crate::world::World;

#[test]
fn the_space_of_a_session_is_shown() {
    let world = World::new();
    let made = world.session("one");
    world.tree(&made).write("large.bin", &"x".repeat(300_000));
    assert!(world.json(&["list"])["sessions"][0]["disk"].is_null());
    world.run(&["status", "one"]).ok().says("  disk ");
    let listed = world.json(&["list", "--disk"]);
    let own = listed["sessions"][0]["disk"]["own_bytes"].as_u64().unwrap();
    assert!(own >= 300_000, "{own}");
    world.run(&["list", "--disk"]).ok().says("DISK").says("KiB");
    world.run(&["cleanup", "one", "--even-dirty"]).ok();
    let there = world.json(&["list", "--all", "--disk"]);
    let there = there["sessions"][0]["disk"]["own_bytes"].as_u64().unwrap();
    assert!(there >= 300_000, "{there}");
}

#[test]
fn a_quota_keeps_new_sessions_out() {
    let world = World::new();
    let made = world.session("one");
    world.tree(&made).write("large.bin", &"x".repeat(300_000));
    let new = |name: &str, settings: &[&str]| {
        let words = ["new", "--name", name, "--prompt", "x"];
        let settings = settings.iter().flat_map(|it| ["--set-config", it]);
        let words: Vec<&str> = words.into_iter().chain(settings).collect();
        world.run(&words)
    };
    new("two", &["core.disk_quota=100KiB"])
        .refuses(3, "that core.disk_quota allows")
        .says("orchestra gc --regenerable");
    assert_eq!(world.count("SELECT count(*) FROM sessions"), 1);
    new("two", &["core.disk_quota=100KiB", "core.over_quota=warn"])
        .ok()
        .says("that core.disk_quota allows")
        .says("orchestra gc --regenerable");
    new("three", &["core.disk_quota=10MiB"]).ok();
    world.run(&["cleanup", "one", "--even-dirty"]).ok();
    new("four", &["core.disk_quota=100KiB"]).refuses(3, "core.disk_quota");
    world.orchestra(&["trash", "empty", "--yes"]).ok();
    new("four", &["core.disk_quota=200KiB"]).ok();
}

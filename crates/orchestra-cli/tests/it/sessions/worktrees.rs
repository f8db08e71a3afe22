//! `orchestra worktree`: list, adopt and prune; and `orchestra init`.

use crate::world::World;

#[test]
fn worktrees_are_listed_with_their_sessions() {
    let world = World::new();
    let made = world.session("mine");
    let own = world.sandbox.path("own");
    world.repository.add_worktree(&own, "own");
    let listed = world.orchestra(&["worktree", "list", "--json"]).ok().json();
    let listed = listed["worktrees"].as_array().unwrap();
    assert_eq!(listed.len(), 3);
    let session_of = |path: &std::path::Path| {
        let row = listed
            .iter()
            .find(|row| row["path"] == path.to_str().unwrap());
        row.unwrap()["session_id"].as_str().map(str::to_owned)
    };
    assert_eq!(session_of(&made.worktree), Some(made.id.clone()));
    assert_eq!(session_of(&own), None);
    world.orchestra(&["worktree", "list"]).ok().says("mine");
}

#[test]
fn a_worktree_is_adopted_as_it_is() {
    let world = World::new();
    let own = world.sandbox.path("own");
    let path = own.to_str().unwrap();
    let tree = world.repository.add_worktree(&own, "topic");
    tree.write("draft.txt", "draft\n");
    let before = tree.git(&["status", "--porcelain"]);
    let slashed = format!("{path}/");
    world.orchestra(&["worktree", "adopt", &slashed]).ok();
    assert_eq!(tree.git(&["status", "--porcelain"]), before);
    let made = world.made("own");
    assert_eq!((made.branch.as_str(), &made.worktree), ("topic", &own));
    let recorded = world.value("SELECT worktree FROM sessions WHERE name = 'own'");
    assert_eq!(recorded.as_deref(), Some(path));
    world
        .orchestra(&["worktree", "adopt", path, "--name", "again"])
        .ends_with(3);
    world
        .orchestra(&[
            "worktree",
            "adopt",
            world.repository.root().to_str().unwrap(),
        ])
        .ends_with(2)
        .says("main checkout");
    world.run(&["iterate", "own"]).ok();
    let subjects = tree.git(&["log", "--format=%s", "main..topic"]);
    let subjects: Vec<_> = subjects.lines().collect();
    assert_eq!(subjects.len(), 2, "{subjects:?}");
    assert!(subjects[0].starts_with("amp: ") && subjects[1].starts_with("manual: "));
}

#[test]
fn an_adopted_worktree_has_the_settings_of_its_repository() {
    let world = World::new();
    let other = world.sandbox.repository("other");
    other.git(&["branch", "develop"]);
    other.write(
        ".orchestra/config.toml",
        "[git]\ndefault_base_branch = 'develop'\n[agents]\ndefault = 'demo'\n",
    );
    let own = world.sandbox.path("own");
    let path = own.to_str().unwrap();
    other.add_worktree(&own, "topic");
    world.orchestra(&["worktree", "adopt", path]).ok();
    let session = &world.json(&["status", &world.made("own").id])["session"];
    assert_eq!(
        (&session["base_branch"], &session["agent"]),
        (&"develop".into(), &"demo".into())
    );
}

#[test]
fn a_worktree_that_is_gone_is_forgotten_on_request() {
    let world = World::new();
    let made = world.session("gone");
    let foreign = world.sandbox.path("foreign");
    world.repository.add_worktree(&foreign, "foreign");
    world
        .orchestra(&["worktree", "prune"])
        .ok()
        .says("nothing to forget");
    std::fs::remove_dir_all(&made.worktree).unwrap();
    std::fs::remove_dir_all(&foreign).unwrap();
    world.run(&["iterate", "gone"]).ends_with(3).says("missing");
    world
        .orchestra(&["worktree", "prune"])
        .ok()
        .says(made.worktree.to_str().unwrap());
    let listed = world.repository.git(&["worktree", "list", "--porcelain"]);
    assert!(!listed.contains(&made.id), "{listed}");
    assert!(listed.contains("foreign"), "only our own: {listed}");
    assert!(world.repository.has_branch(&made.branch));
    assert_eq!(world.count("SELECT count(*) FROM sessions"), 1);
}

#[test]
fn init_proposes_what_fits() {
    let world = World::new();
    world.repository.write("Cargo.lock", "");
    let file = world.repository.path(".orchestra/config.toml");
    let proposed = world.orchestra(&["init"]).ok();
    assert!(proposed.stdout.contains("Cargo.lock") && proposed.stdout.contains("cargo test"));
    assert!(proposed.stdout.contains("amp") && proposed.stdout.contains("key in the environment"));
    assert!(!file.exists() && proposed.stderr.contains("--yes"));
    let json = world.orchestra(&["init", "--json"]).ok().json();
    assert_eq!(json["lockfiles"][0], "Cargo.lock");
    assert_eq!(json["test"]["command"], "cargo test");
    world.repository.write("yarn.lock", "");
    let one = world.orchestra(&["init"]).ok().stdout;
    assert!(!one.contains("there is yarn.lock too"), "{one}");
    let package = "{ \"scripts\": { \"test\": \"node --test\" } }";
    world.repository.write("package.json", package);
    let both = world.orchestra(&["init"]).ok().stdout;
    assert!(both.contains("there is yarn.lock too"), "{both}");
    world.orchestra(&["init", "--yes"]).ok();
    let written = world.repository.read(".orchestra/config.toml");
    assert!(written.contains("test = \"cargo test\""), "{written}");
    world
        .orchestra(&["init", "--yes"])
        .ok()
        .says("exists already");
    let script = world
        .orchestra(&["config", "get", "scripts.test", "--json"])
        .ok()
        .json();
    assert_eq!(script["value"], "cargo test");
    let mut elsewhere = world.sandbox.orchestra();
    elsewhere.arg("init").current_dir(world.sandbox.home());
    crate::ran::ran(elsewhere).ends_with(3).says("git init");
}

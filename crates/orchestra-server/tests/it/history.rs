//! The log of a session, commits by hand, and the guard.

use serde_json::json;

use crate::files::worktree;
use crate::world::World;

#[tokio::test]
async fn the_log_is_that_of_the_command_line() {
    let world = World::new();
    let id = world.session("login").await;
    world.iterate(&id).await;
    let log = world.get(&format!("/sessions/{id}/log")).await.ok();
    assert_eq!(log["commits"].as_array().unwrap().len(), 1);
    assert_eq!(log["iterations"][0]["number"], 1);
    let printed = world
        .sandbox
        .orchestra()
        .args(["session", "log", &id, "--json"])
        .output()
        .unwrap();
    let printed: serde_json::Value = serde_json::from_slice(&printed.stdout).unwrap();
    for part in ["commits", "iterations", "script_runs"] {
        assert_eq!(log[part], printed[part], "{part}");
    }
    assert_eq!(
        world.get("/sessions/none/log").await.code(404),
        "session.not_found"
    );
}

#[tokio::test]
async fn changes_are_committed_by_hand() {
    let world = World::new();
    let id = world.session("login").await;
    let path = format!("/sessions/{id}/commits");
    let folder = worktree(&world, &id).await;
    let nothing = world.post(&path, json!({"message": "Nothing"})).await;
    assert_eq!(nothing.code(409), "commit.nothing");
    std::fs::write(folder.join("one"), "1").unwrap();
    std::fs::write(folder.join("two"), "2").unwrap();
    let some = json!({"message": "One", "paths": ["one"]});
    let made = world.post(&path, some).await.ok();
    assert_eq!(
        (&made["files"][0]["path"], &made["uncommitted"]),
        (&json!("one"), &json!(["two"]))
    );
    assert_eq!(made["session"]["dirty"], true);
    for outside in ["../x", "/etc/passwd", "none"] {
        let refused = json!({"message": "Out", "paths": [outside]});
        assert_eq!(world.post(&path, refused).await.status, 400, "{outside}");
    }
    let empty = world.post(&path, json!({"message": "  "})).await;
    assert_eq!(empty.code(400), "input.invalid");
}

#[tokio::test]
async fn the_guard_tells_of_an_iteration() {
    let world = World::new();
    let id = world.session("login").await;
    let path = format!("/sessions/{id}/guard");
    assert_eq!(world.get(&path).await.ok()["iteration"], json!(null));
    world.iterate(&id).await;
    let report = world.get(&path).await.ok();
    assert_eq!(report["iteration"], 1);
    assert!(report["isolation"]["held"].is_string(), "{report:#}");
    let missing = world.get(&format!("{path}?iteration=9")).await;
    assert_eq!(missing.code(404), "iteration.missing");
}

//! The doctor: looks, and repairs in a job.

use serde_json::json;

use crate::world::World;

#[tokio::test]
async fn an_installation_is_examined_and_a_moved_repository_repaired() {
    let world = World::new();
    let id = world.session("login").await;
    let report = world.get("/doctor").await.ok();
    assert_eq!(report["healthy"], true, "{report:#}");
    let to = world.sandbox.path("repositories/elsewhere");
    std::fs::rename(world.repository.root(), &to).unwrap();
    let path = format!("/doctor?repository={}", to.display());
    let report = world.get(&path).await.ok();
    assert_eq!(report["healthy"], false, "{report:#}");
    assert_eq!(world.get(&path).await.ok()["healthy"], false);
    let started = world
        .post("/doctor/repair", json!({"repository": to}))
        .await;
    let repaired = world.finished(started).await;
    let checks = repaired["checks"].as_array().unwrap();
    assert!(
        checks.iter().any(|it| it["health"] == "fixed"),
        "{repaired:#}"
    );
    let session = world.get(&format!("/sessions/{id}")).await.ok();
    assert_eq!(session["session"]["repo_root"], json!(to));
}

#[tokio::test]
async fn a_directory_without_a_repository_is_refused() {
    let world = World::new();
    let refused = world.get("/doctor?repository=/nowhere").await;
    assert_eq!(refused.code(404), "repository.not_found");
    let order = json!({"repository": "/nowhere"});
    let refused = world.post("/doctor/repair", order).await;
    assert_eq!(refused.code(404), "repository.not_found");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_holds_agents_is_tried() {
    let world = World::new();
    let started = world.post("/sandbox/check", json!({})).await;
    let found = world.finished(started).await;
    assert_eq!(found["holds"], true, "{found:#}");
    let all = found["tried"].as_array().unwrap().last().unwrap();
    assert_eq!(
        (&all["tried"], &all["stopped"]),
        (&json!(10), &json!(10)),
        "{all:#}"
    );
    assert_eq!(all["commit_failure"], json!(null));
}

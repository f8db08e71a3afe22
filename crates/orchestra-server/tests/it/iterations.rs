//! Iterations: they run in processes of their own, and every face sees them.

use serde_json::json;

use crate::world::World;

#[tokio::test]
async fn an_iteration_commits_and_is_told() {
    let world = World::new();
    let id = world.session("login").await;
    let detail = world.iterate(&id).await;
    assert_eq!(detail["session"]["status"], "idle", "{detail:#}");
    let list = world.get(&format!("/sessions/{id}/iterations")).await.ok();
    assert_eq!(list["iterations"].as_array().unwrap().len(), 1);
    let one = world
        .get(&format!("/sessions/{id}/iterations/1"))
        .await
        .ok();
    assert_eq!(one["iteration"]["number"], 1);
    let missing = world.get(&format!("/sessions/{id}/iterations/9")).await;
    missing.code(404);
    let log = world.get("/log?after=0").await.ok();
    let types = log["events"].as_array().unwrap().iter();
    let types: Vec<_> = types
        .map(|event| event["body"]["type"].as_str().unwrap())
        .collect();
    for wanted in ["session_created", "iteration_started", "iteration_finished"] {
        assert!(types.contains(&wanted), "{types:?}");
    }
}

#[tokio::test]
async fn a_running_agent_is_stopped_and_the_work_kept() {
    let world = World::with_scenario(
        "[[step]]\ndo = \"write\"\npath = \"notes.txt\"\ntext = \"kept\"\n[[step]]\ndo = \"sleep\"\nmilliseconds = 60000\n",
    );
    let id = world.session("login").await;
    world
        .post(&format!("/sessions/{id}/iterations"), json!({}))
        .await
        .ok();
    let worktree =
        world.get(&format!("/sessions/{id}")).await.ok()["session"]["worktree_path"].clone();
    let notes = std::path::Path::new(worktree.as_str().unwrap()).join("notes.txt");
    let deadline = std::time::Instant::now() + crate::world::PATIENCE;
    while !notes.exists() {
        assert!(
            std::time::Instant::now() < deadline,
            "the agent writes nothing"
        );
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    world
        .post(&format!("/sessions/{id}/stop"), json!({}))
        .await
        .ok();
    world.at_rest(&id).await;
    assert!(notes.exists());
    let again = world.post(&format!("/sessions/{id}/stop"), json!({})).await;
    assert_eq!(again.status, 409, "{again:?}");
}

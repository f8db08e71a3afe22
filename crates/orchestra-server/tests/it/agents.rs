//! Agents and environments.

use serde_json::json;

use crate::world::World;

#[tokio::test]
async fn agents_are_listed_and_shown() {
    let world = World::new();
    let listed = world.get("/agents").await.ok();
    let amp = listed["agents"].as_array().unwrap().iter();
    let amp = amp.clone().find(|agent| agent["name"] == "amp").unwrap();
    assert_eq!(amp["is_default"], true);
    assert_eq!(amp["login"], "key");
    assert!(amp["program"].is_string());
    assert_eq!(world.get("/agents/amp").await.ok(), *amp);
    let missing = world.get("/agents/nobody").await;
    assert_eq!(missing.code(404), "agent.unknown");
}

#[tokio::test]
async fn an_agent_is_tested_in_a_job() {
    let world = World::new();
    let started = world.post("/agents/amp/test", json!({})).await;
    let trial = world.finished(started).await;
    assert_eq!(trial["agent"], "amp");
    assert_eq!(trial["passed"], true, "{trial:#}");
    let wrong = world
        .post("/agents/amp/test", json!({"timeout": "soon"}))
        .await;
    assert_eq!(wrong.code(400), "input.invalid");
    let missing = world.post("/agents/nobody/test", json!({})).await;
    assert_eq!(missing.code(404), "agent.unknown");
}

#[tokio::test]
async fn environments_are_listed_and_what_an_agent_gets_is_shown() {
    let world = World::new();
    let listed = world.get("/environments").await.ok();
    let environments = listed["environments"].as_array().unwrap();
    assert!(environments.iter().any(|it| it["is_default"] == true));
    let id = world.session("login").await;
    let shown = world
        .get(&format!("/sessions/{id}/agent-command"))
        .await
        .ok();
    let variables = shown["variables"].as_array().unwrap();
    let key = variables.iter().find(|it| it["name"] == "AMP_API_KEY");
    assert_eq!(key.unwrap()["value"], "***");
    let missing = world.get("/sessions/none/agent-command").await;
    assert_eq!(missing.code(404), "session.not_found");
}

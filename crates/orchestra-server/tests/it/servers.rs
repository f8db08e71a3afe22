//! Servers of a session: started, listed with their address, started again, stopped.

use orchestra_testkit::small_web;
use serde_json::{Value, json};

use crate::world::World;

async fn ready(world: &World, id: &str) -> Value {
    let deadline = std::time::Instant::now() + crate::world::PATIENCE;
    loop {
        let list = world.get(&format!("/sessions/{id}/servers")).await.ok();
        let run = &list["servers"][0]["script_run"];
        if run["server"]["state"] == "ready" {
            return run.clone();
        }
        assert!(std::time::Instant::now() < deadline, "{list:#}");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn a_server_runs_beside_the_session_until_it_is_stopped() {
    let world = World::new();
    let settings = small_web::settings("", "");
    world.repository.write(".orchestra/config.toml", &settings);
    let id = world.session("login").await;
    world.at_rest(&id).await;
    let path = format!("/sessions/{id}/servers");
    let before = world.get(&path).await.ok();
    let known = &before["servers"][0];
    assert_eq!(
        (&known["name"], &known["script_run"]),
        (&json!("dev"), &json!(null))
    );
    let start = format!("{path}/dev/start");
    assert_eq!(
        world.post(&start, json!({})).await.code(409),
        "command.not_allowed"
    );
    let begun = world.post(&start, json!({"allow_commands": true})).await;
    assert_eq!(begun.status, 202, "{begun:?}");
    assert_eq!(begun.ok()["was_running"], false);
    let first = ready(&world, &id).await;
    assert!(
        first["server"]["local_url"]
            .as_str()
            .unwrap()
            .starts_with("http://"),
        "{first:#}"
    );
    let again = world.post(&start, json!({})).await.ok();
    assert_eq!(
        (&again["was_running"], &again["script_run"]["id"]),
        (&json!(true), &first["id"])
    );
    let output = format!("/sessions/{id}/script-runs/{}/output", first["id"]);
    let output = world.get(&output).await.ok();
    assert!(
        output["text"]
            .as_str()
            .unwrap()
            .contains("listening on port")
    );
    let restarted = world.post(&format!("{path}/dev/restart"), json!({})).await;
    let restarted = world.finished(restarted).await;
    assert_eq!(restarted["was_running"], true);
    assert_ne!(restarted["script_run"]["id"], first["id"]);
    ready(&world, &id).await;
    let stop = format!("{path}/dev/stop");
    let stopped = world.post(&stop, json!({})).await;
    let stopped = world.finished(stopped).await;
    assert_eq!(stopped["script_run"]["server"]["state"], "stopped");
    let idle = world.post(&stop, json!({})).await;
    assert_eq!(world.finished(idle).await["was_running"], false);
}

#[tokio::test]
async fn what_is_no_server_is_not_found() {
    let world = World::new();
    let settings = small_web::settings("lint = \"true\"\n", "");
    world.repository.write(".orchestra/config.toml", &settings);
    let id = world.session("login").await;
    for name in ["lint", "none", "%2e%2e"] {
        for what in ["start", "restart", "stop"] {
            let path = format!("/sessions/{id}/servers/{name}/{what}");
            let refused = world.post(&path, json!({})).await;
            assert_eq!(refused.code(404), "server.not_found", "{path}");
        }
    }
    let as_script = json!({"script": "dev", "allow_commands": true});
    let path = format!("/sessions/{id}/script-runs");
    assert_eq!(
        world.post(&path, as_script).await.code(400),
        "input.invalid"
    );
}

//! Script runs and set-ups: started, followed, stopped.

use orchestra_testkit::{processes, wait_until};
use serde_json::{Value, json};

use crate::files::worktree;
use crate::world::World;

fn with_scripts(text: &str) -> World {
    let world = World::new();
    world.repository.write(".orchestra/config.toml", text);
    world
}

async fn over(world: &World, id: &str, run: &Value) -> Value {
    let path = format!("/sessions/{id}/script-runs/{run}");
    let deadline = std::time::Instant::now() + crate::world::PATIENCE;
    loop {
        let looked = world.get(&path).await.ok();
        if looked["script_run"]["state"] != "running" {
            return looked["script_run"].clone();
        }
        assert!(std::time::Instant::now() < deadline, "{looked:#}");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

/// What a run prints, as somebody who follows it sees it.
async fn followed(world: &World, id: &str, run: &Value) -> String {
    let (mut text, mut offset) = (String::new(), 0);
    loop {
        let path = format!(
            "/sessions/{id}/script-runs/{run}/output?offset={offset}&bytes=16&wait_ms=60000"
        );
        let part = world.get(&path).await.ok();
        assert_eq!(part["offset"], offset);
        text += part["text"].as_str().unwrap();
        offset = part["next"].as_u64().unwrap();
        if part["is_end"] == true {
            return text;
        }
    }
}

#[tokio::test]
async fn a_script_runs_once_it_is_allowed_and_is_followed() {
    let world =
        with_scripts("[scripts]\nlint = \"echo one; sleep 1; cat token; echo two; exit 3\"\n");
    let id = world.session("login").await;
    let token = worktree(&world, &id).await.join("token");
    std::fs::write(token, format!("<{}>\n", orchestra_testkit::API_KEY)).unwrap();
    let path = format!("/sessions/{id}/script-runs");
    let refused = world.post(&path, json!({"script": "lint"})).await;
    assert_eq!(refused.code(409), "command.not_allowed");
    let body = json!({"script": "lint", "allow_commands": true});
    let begun = world.post(&path, body).await;
    assert_eq!(begun.status, 202, "{begun:?}");
    let run = begun.ok()["script_run"]["id"].clone();
    let text = followed(&world, &id, &run).await;
    assert!(
        text.starts_with("one\n<") && text.ends_with(">\ntwo\n"),
        "{text}"
    );
    assert!(!text.contains(orchestra_testkit::API_KEY), "{text}");
    let ended = over(&world, &id, &run).await;
    assert_eq!(
        (&ended["state"], &ended["exit_code"]),
        (&json!("failed"), &json!(3))
    );
    let last = world
        .get(&format!("{path}/{run}/output?last=true&bytes=4"))
        .await
        .ok();
    assert_eq!(last["next"], last["total"]);
    world.post(&path, json!({"script": "lint"})).await.ok();
    world.at_rest(&id).await;
    let list = world.get(&path).await.ok();
    assert_eq!((&list["total"], &list["next"]), (&json!(2), &json!(null)));
    let newest = world.get(&format!("{path}?limit=1")).await.ok();
    assert_ne!(newest["script_runs"][0]["id"], run);
    let older = world
        .get(&format!("{path}?before={}", newest["next"]))
        .await
        .ok();
    assert_eq!(older["script_runs"][0]["id"], run);
}

#[tokio::test]
async fn a_script_is_stopped_and_what_is_not_there_is_told() {
    let world = World::new();
    let made = world
        .post(
            "/sessions",
            json!({"repository": world.repository.root(), "name": "slow", "prompt": "Do it", "script": "echo begun; sleep 60"}),
        )
        .await
        .ok();
    let id = made["session"]["id"].as_str().unwrap().to_owned();
    let other = world.session("other").await;
    let path = format!("/sessions/{id}/script-runs");
    let begun = world.post(&path, json!({})).await.ok();
    let run = begun["script_run"]["id"].clone();
    let busy = world.post(&path, json!({})).await;
    assert_eq!(busy.code(409), "session.busy");
    let waited = world
        .get(&format!("{path}/{run}/output?wait_ms=60000"))
        .await
        .ok();
    assert_eq!(
        (&waited["text"], &waited["is_end"]),
        (&json!("begun\n"), &json!(false))
    );
    let quiet = world
        .get(&format!("{path}/{run}/output?offset=6&wait_ms=150"))
        .await
        .ok();
    assert_eq!((&quiet["text"], &quiet["next"]), (&json!(""), &json!(6)));
    let stop = format!("{path}/{run}/stop");
    assert_eq!(world.post(&stop, json!({})).await.status, 202);
    assert_eq!(over(&world, &id, &run).await["state"], "stopped");
    assert_eq!(world.post(&stop, json!({})).await.code(409), "script.over");
    let foreign = format!("/sessions/{other}/script-runs/{run}");
    for (path, code) in [
        (foreign.clone(), "script_run.not_found"),
        (format!("{foreign}/output"), "script_run.not_found"),
        (format!("{path}/-5"), "script_run.not_found"),
    ] {
        assert_eq!(world.get(&path).await.code(404), code, "{path}");
    }
    let unknown = world.post(&path, json!({"script": "none"})).await;
    assert_eq!(unknown.code(404), "script.missing");
    assert_eq!(
        world.get(&format!("{path}/x")).await.code(400),
        "request.invalid"
    );
    let both = world
        .get(&format!("{path}/{run}/output?offset=1&last=true"))
        .await;
    assert_eq!(both.code(400), "input.invalid");
    let far = world
        .get(&format!("{path}/{run}/output?offset=18446744073709551615"))
        .await
        .ok();
    assert_eq!((&far["text"], &far["is_end"]), (&json!(""), &json!(true)));
}

/// A session that is set up by a command and runs its agent after that.
async fn begun_with(command: &str) -> (World, String) {
    let world = with_scripts(&format!("[commands]\nsetup = \"{command}\"\n"));
    let body = json!({
        "repository": world.repository.root(), "name": "login", "prompt": "Greet amp",
        "allow_commands": true, "run": true,
    });
    let made = world.post("/sessions", body).await.ok();
    assert_eq!(made["session"]["status"], "initializing", "{made:#}");
    let id = made["session"]["id"].as_str().unwrap().to_owned();
    (world, id)
}

async fn iterations(world: &World, id: &str) -> usize {
    let done = world.get(&format!("/sessions/{id}/iterations")).await.ok();
    done["iterations"].as_array().unwrap().len()
}

#[tokio::test]
async fn the_first_iteration_begins_once_the_set_up_is_over() {
    let (world, id) = begun_with("sleep 1; echo ready").await;
    let deadline = std::time::Instant::now() + crate::world::PATIENCE;
    while iterations(&world, &id).await == 0 {
        assert!(std::time::Instant::now() < deadline);
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    world.at_rest(&id).await;
    assert_eq!(iterations(&world, &id).await, 1);
}

#[tokio::test]
async fn no_iteration_begins_after_a_set_up_that_failed() {
    let (world, id) = begun_with("sleep 1; exit 3").await;
    world.at_rest(&id).await;
    let home = world.sandbox.data_dir();
    let home = home.to_string_lossy().into_owned();
    let gone = move || processes::with_variable("ORCHESTRA_HOME", &home).is_empty();
    let wait = move || wait_until("the runner is gone", crate::world::PATIENCE, gone);
    tokio::task::spawn_blocking(wait).await.unwrap();
    assert_eq!(iterations(&world, &id).await, 0);
}

#[tokio::test]
async fn a_set_up_is_looked_at_and_started() {
    let world = with_scripts("[commands]\nsetup = \"echo ready\"\n");
    let id = world.session("login").await;
    let path = format!("/sessions/{id}/setup");
    let before = world.get(&path).await.ok();
    assert_eq!(before["state"], "not_allowed");
    assert_eq!(before["commands"][0]["command"], "echo ready");
    assert_eq!(
        world.post(&path, json!({})).await.code(409),
        "command.not_allowed"
    );
    let begun = world
        .post(&path, json!({"allow_commands": true}))
        .await
        .ok();
    let run = begun["script_run"]["id"].clone();
    assert_eq!(begun["script_run"]["script"], "setup");
    let text = followed(&world, &id, &run).await;
    assert!(text.contains("ready\n"), "{text}");
    world.at_rest(&id).await;
    let after = world.get(&path).await.ok();
    assert_eq!(
        (&after["state"], &after["script_run"]["id"]),
        (&json!("passed"), &run)
    );
    let none = World::new();
    let id = none.session("login").await;
    let path = format!("/sessions/{id}/setup");
    assert_eq!(none.get(&path).await.ok()["state"], "none");
    let nothing = none.post(&path, json!({})).await;
    assert_eq!(nothing.code(409), "setup.nothing");
}

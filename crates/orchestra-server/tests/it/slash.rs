//! Slash commands: those that people wrote become texts, those that are built in have operations.

use serde_json::json;

use crate::world::World;

/// A world with one slash command of the repository.
fn world() -> World {
    let scenario = "[[turn]]\nsteps = [{ do = 'ask', text = 'Which?' }]\n[[turn]]\nsteps = [{ do = 'message', text = 'Done.' }]\n";
    let world = World::with_scenario(scenario);
    let file = ".orchestra/commands/review.md";
    let text = "+++\ndescription = 'Reviews'\n[[parameters]]\nname = 'place'\n+++\nReview {{place}} well.\n";
    world.repository.write(file, text);
    world
}

#[tokio::test]
async fn slash_commands_are_listed_and_shown() {
    let world = world();
    let id = world.session("login").await;
    let listed = world.get("/slash-commands").await.ok();
    let names = |listed: &serde_json::Value| {
        let rows = listed["commands"].as_array().unwrap().iter();
        rows.map(|row| row["name"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert!(names(&listed).contains(&"squash".to_owned()));
    assert!(!names(&listed).contains(&"review".to_owned()));
    for query in [
        format!("?session={id}"),
        format!("?repository={}", world.repository.root().display()),
    ] {
        let listed = world.get(&format!("/slash-commands{query}")).await.ok();
        assert_eq!(listed["damaged"], json!([]));
        assert!(names(&listed).contains(&"review".to_owned()), "{listed:#}");
        let one = world
            .get(&format!("/slash-commands/review{query}"))
            .await
            .ok();
        assert_eq!(one["command"]["origin"], "repository");
    }
    let one = world.get("/slash-commands/land").await.ok();
    assert_eq!(one["command"]["origin"], "built_in");
    let missing = world.get("/slash-commands/nothing").await;
    assert_eq!(missing.code(404), "slash.unknown");
}

#[tokio::test]
async fn a_slash_command_becomes_the_text_for_the_agent() {
    let world = world();
    let root = world.repository.root();
    let order = json!({"repository": root, "name": "login", "prompt": "/review src"});
    let made = world.post("/sessions", order).await.ok();
    assert_eq!(made["session"]["prompt"], "Review src well.");
    let id = made["session"]["id"].as_str().unwrap();
    let path = format!("/sessions/{id}/iterations");
    world
        .post(&path, json!({"text": "/review docs"}))
        .await
        .ok();
    world.at_rest(id).await;
    let answer = json!({"text": "/review tests"});
    world
        .post(&format!("/sessions/{id}/answer"), answer)
        .await
        .ok();
    world.at_rest(id).await;
    let list = world.get(&path).await.ok();
    assert_eq!(list["iterations"][0]["input"], "Review docs well.");
    assert_eq!(list["iterations"][1]["input"], "Review tests well.");
}

#[tokio::test]
async fn a_built_in_command_names_its_operation() {
    let world = world();
    let id = world.session("login").await;
    let path = format!("/sessions/{id}/iterations");
    for (text, operation) in [
        ("/squash All", "squash_session"),
        ("/land", "land_session"),
        ("/diff --stat", "list_changes"),
        ("/help", "list_slash_commands"),
    ] {
        let refused = world.post(&path, json!({"text": text})).await;
        assert_eq!(refused.code(409), "slash.not_for_agent");
        let hint = refused.body["error"]["hint"].as_str().unwrap();
        assert!(hint.contains(operation), "{hint}");
    }
    let unknown = world.post(&path, json!({"text": "/nothing"})).await;
    assert_eq!(unknown.code(400), "slash.unknown");
    let order = json!({"repository": world.repository.root(), "name": "x", "prompt": "/land"});
    let refused = world.post("/sessions", order).await;
    assert_eq!(refused.code(409), "slash.not_for_agent");
    assert_eq!(world.get("/sessions").await.ok()["total"], 1);
    let text = json!({"text": "//land is a path"});
    let started = world.post(&path, text).await.ok();
    assert_eq!(started["iteration"]["input"], "/land is a path");
    world.at_rest(&id).await;
}

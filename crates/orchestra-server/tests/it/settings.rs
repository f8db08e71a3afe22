//! Settings: in force with their origin, changed in one file or the other, refused where they could not be read.

use serde_json::json;

use crate::world::World;

#[tokio::test]
async fn a_setting_is_changed_and_taken_out_again() {
    let world = World::new();
    let path = "/settings/values/git.commit_prefix";
    let before = world.get(path).await.ok();
    assert_eq!(before["origin"], "default");
    let changed = world.put(path, json!({"value": "[x] "})).await.ok();
    assert_eq!(changed["setting"]["value"], "[x] ");
    assert_eq!(changed["warnings"], json!([]));
    assert_eq!(changed["former"], json!(null));
    let again = world.put(path, json!({"value": "[x] "})).await.ok();
    assert_eq!(again["former"], "[x] ");
    let now = world.get(path).await.ok();
    assert_ne!(now["origin"], "default");
    let listed = world.get("/settings").await.ok();
    let listed = listed["settings"].as_array().unwrap().clone();
    let row = listed.iter().find(|row| row["key"] == "git.commit_prefix");
    assert_eq!(row.unwrap()["value"], "[x] ");
    let removed = world.delete(path).await.ok();
    assert_eq!(removed["was_changed"], true);
    assert_eq!(removed["setting"], before);
    assert_eq!(world.delete(path).await.ok()["was_changed"], false);
}

#[tokio::test]
async fn a_repository_has_settings_of_its_own() {
    let world = World::new();
    let root = world.repository.root();
    let path = "/settings/values/git.commit_prefix";
    let order = json!({"value": "[repo] ", "repository": root});
    world.put(path, order).await.ok();
    let whose = format!("?repository={}", root.display());
    let there = world.get(&format!("{path}{whose}")).await.ok();
    assert_eq!(there["value"], "[repo] ");
    assert_eq!(world.get(path).await.ok()["origin"], "default");
    let files = world.get(&format!("/settings/files{whose}")).await.ok();
    let file = std::path::PathBuf::from(files["repository"].as_str().unwrap());
    assert!(std::fs::read_to_string(&file).unwrap().contains("[repo] "));
    assert!(!std::path::Path::new(files["user"].as_str().unwrap()).exists());
    // What is in force is the repository's.
    let mine = world.put(path, json!({"value": "[mine] "})).await.ok();
    assert_eq!(mine["warnings"], json!([]));
    world.delete(&format!("{path}{whose}")).await.ok();
    let there = world.get(&format!("{path}{whose}")).await.ok();
    assert_eq!(there["value"], "[mine] ");
}

#[tokio::test]
async fn what_could_not_be_read_afterwards_is_refused() {
    let world = World::new();
    let put = async |key: &str, value: &str, repository: Option<&std::path::Path>| {
        let order = json!({"value": value, "repository": repository});
        world.put(&format!("/settings/values/{key}"), order).await
    };
    let unknown = put("git.colour", "red", None).await;
    assert_eq!(unknown.code(400), "config.unknown_key");
    let invalid = put("core.max_concurrent_sessions", "many", None).await;
    assert_eq!(invalid.code(400), "config.invalid");
    let root = Some(world.repository.root());
    let refused = put("agents.amp.command", "evil", root).await;
    assert_eq!(refused.code(400), "config.not_settable");
    let missing = world.get("/settings/values/git.colour").await;
    assert_eq!(missing.code(400), "config.unknown_key");
    let missing = world.delete("/settings/values/git.colour").await;
    assert_eq!(missing.code(400), "config.unknown_key");
    let nowhere = world.get("/settings?repository=/nowhere").await;
    assert_eq!(nowhere.code(404), "repository.not_found");
}

#[tokio::test]
async fn a_value_that_others_need_stays() {
    let world = World::new();
    let root = world.repository.root();
    let text = "[ports]\nweb = 1\nweb_2 = 1\n";
    world
        .put("/settings/values/ports.web", json!({"value": "3"}))
        .await
        .ok();
    let file = world.repository.path(".orchestra/config.toml");
    world.repository.write(".orchestra/config.toml", text);
    let whose = format!("?repository={}", root.display());
    let key = format!("/settings/values/ports.web{whose}");
    let refused = world.delete(&key).await;
    assert_eq!(refused.code(400), "config.clash");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
    let other = format!("/settings/values/ports.web_2{whose}");
    world.delete(&other).await.ok();
    assert_eq!(world.delete(&key).await.ok()["setting"]["value"], "3");
}

#[tokio::test]
async fn a_mistake_in_a_file_is_told_to_whoever_looks() {
    let world = World::new();
    let root = world.repository.root();
    world
        .repository
        .write(".orchestra/config.toml", "[git]\ncommit_prefix = 7\n");
    let listed = world
        .get(&format!("/settings?repository={}", root.display()))
        .await
        .ok();
    assert_eq!(listed["warnings"].as_array().unwrap().len(), 1);
    let schema = world.get("/settings/schema").await.ok();
    assert!(schema["properties"]["git"].is_object());
}

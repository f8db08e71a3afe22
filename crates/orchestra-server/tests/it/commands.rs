//! Commands of a repository's own settings file: nothing runs before its text was allowed.

use serde_json::json;

use crate::world::World;

#[tokio::test]
async fn commands_are_allowed_and_forgotten() {
    let world = World::new();
    let root = world.repository.root();
    world.repository.write(
        ".orchestra/config.toml",
        "[scripts]\ntest = \"true\"\nlint = \"false\"\n",
    );
    let path = format!("/commands?path={}", root.display());
    let permissions = async || {
        let listed = world.get(&path).await.ok();
        let rows = listed["commands"].as_array().unwrap().clone();
        let rows = rows.iter().map(|row| {
            let text = |name: &str| row[name].as_str().unwrap().to_owned();
            (text("setting"), text("permission"))
        });
        rows.collect::<std::collections::BTreeMap<_, _>>()
    };
    assert_eq!(permissions().await["scripts.test"], "not_allowed");
    let one = json!({"repository": root, "settings": ["scripts.test"]});
    let allowed = world.post("/commands/allow", one.clone()).await.ok();
    assert_eq!(allowed["settings"], json!(["scripts.test"]));
    assert_eq!(permissions().await["scripts.test"], "allowed");
    assert_eq!(permissions().await["scripts.lint"], "not_allowed");
    let all = json!({"repository": root, "all": true});
    let allowed = world.post("/commands/allow", all.clone()).await.ok();
    assert_eq!(allowed["settings"], json!(["scripts.lint"]));
    let forgotten = world.post("/commands/forget", one).await.ok();
    assert_eq!(forgotten["settings"], json!(["scripts.test"]));
    assert_eq!(permissions().await["scripts.test"], "not_allowed");
    world.post("/commands/forget", all).await.ok();
    assert_eq!(permissions().await["scripts.lint"], "not_allowed");
}

#[tokio::test]
async fn a_choice_that_names_nothing_is_refused() {
    let world = World::new();
    let root = world.repository.root();
    for order in [
        json!({"repository": root}),
        json!({"repository": root, "all": true, "settings": ["scripts.test"]}),
    ] {
        let refused = world.post("/commands/allow", order).await;
        assert_eq!(refused.code(400), "input.invalid");
    }
    let unset = json!({"repository": root, "settings": ["scripts.test"]});
    for operation in ["allow", "forget"] {
        let path = format!("/commands/{operation}");
        let refused = world.post(&path, unset.clone()).await;
        assert_eq!(refused.code(409), "command.missing");
    }
    let wrong = json!({"repository": root, "settings": ["nothing"]});
    let refused = world.post("/commands/allow", wrong).await;
    assert_eq!(refused.code(400), "config.unknown_key");
    let nowhere = world.get("/commands?path=/nowhere").await;
    assert_eq!(nowhere.code(404), "repository.not_found");
}

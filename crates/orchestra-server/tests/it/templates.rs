//! Templates: saved from what is given or from a session, imported as they were written, deleted.

use serde_json::json;

use crate::world::World;

#[tokio::test]
async fn a_template_is_saved_shown_and_deleted() {
    let world = World::new();
    let order = json!({
        "prompt": "Fix {{component}} in {{place}}", "variables": {"place": "src"},
        "description": "Small repairs", "timeout": "30m", "agent": "amp",
    });
    let saved = world.put("/templates/fix", order.clone()).await.ok();
    let template = &saved["template"];
    assert_eq!(template["origin"], "user");
    assert_eq!(template["timeout_ms"], 1_800_000);
    assert_eq!(template["variables"][1]["default"], "src");
    assert_eq!(
        world.get("/templates/fix").await.ok()["template"],
        *template
    );
    let listed = world.get("/templates").await.ok();
    assert_eq!(listed["templates"], json!([template]));
    let again = world.put("/templates/fix", order).await;
    assert_eq!(again.code(409), "template.exists");
    let other = json!({"prompt": "Another", "replace": true});
    world.put("/templates/fix", other).await.ok();
    let text = world.get("/templates/fix/text").await.ok();
    assert!(text["text"].as_str().unwrap().contains("Another"));
    assert_eq!(world.delete("/templates/fix").await.ok()["name"], "fix");
    let gone = world.get("/templates/fix").await;
    assert_eq!(gone.code(404), "template.not_found");
    let gone = world.delete("/templates/fix").await;
    assert_eq!(gone.code(404), "template.not_found");
}

#[tokio::test]
async fn a_session_becomes_a_template_and_the_other_way_round() {
    let world = World::new();
    let id = world.session("login").await;
    let saved = world
        .put("/templates/again", json!({"from": id}))
        .await
        .ok();
    assert_eq!(saved["template"]["prompt"], "Do it");
    assert_eq!(
        saved["template"]["repository"],
        json!(world.repository.root())
    );
    let order =
        json!({"repository": world.repository.root(), "name": "second", "template": "again"});
    let made = world.post("/sessions", order).await.ok();
    assert_eq!(made["session"]["prompt"], "Do it");
    let nobody = world.put("/templates/more", json!({"from": "none"})).await;
    assert_eq!(nobody.code(404), "session.not_found");
}

#[tokio::test]
async fn a_script_is_imported_only_with_consent() {
    let world = World::new();
    let text = "prompt = \"Do it\"\nscript = \"make check\"\n";
    let path = "/templates/checked/text";
    let refused = world.put(path, json!({"text": text})).await;
    assert_eq!(refused.code(409), "template.not_confirmed");
    let order = json!({"text": text, "allow_script": true});
    let saved = world.put(path, order).await.ok();
    assert_eq!(saved["template"]["script"], "make check");
    assert_eq!(world.get(path).await.ok()["text"], text);
}

#[tokio::test]
async fn what_is_no_template_is_refused() {
    let world = World::new();
    let cases = [
        (
            "/templates/Fix!",
            json!({"prompt": "x"}),
            "template.invalid_name",
        ),
        ("/templates/fix", json!({}), "template.empty"),
        (
            "/templates/fix",
            json!({"prompt": "x", "timeout": "soon"}),
            "input.invalid",
        ),
        (
            "/templates/fix",
            json!({"prompt": "x", "base": "a..b"}),
            "branch.invalid_name",
        ),
        (
            "/templates/fix/text",
            json!({"text": "prompt = 7"}),
            "template.unreadable",
        ),
    ];
    for (path, order, code) in cases {
        assert_eq!(world.put(path, order).await.code(400), code, "{path}");
    }
    let unknown = json!({"prompt": "x", "variables": {"y": "z"}});
    assert_eq!(world.put("/templates/fix", unknown).await.status, 400);
    let nowhere = json!({"prompt": "x", "repository": "/nowhere"});
    let refused = world.put("/templates/fix", nowhere).await;
    assert_eq!(refused.code(404), "repository.not_found");
    assert_eq!(world.get("/templates").await.ok()["templates"], json!([]));
}

#[tokio::test]
async fn a_template_of_a_repository_stays() {
    let world = World::new();
    let file = ".orchestra/templates/shared.toml";
    world.repository.write(file, "prompt = \"Do it\"\n");
    let whose = format!("?repository={}", world.repository.root().display());
    let listed = world.get(&format!("/templates{whose}")).await.ok();
    assert_eq!(listed["templates"][0]["origin"], "repository");
    let refused = world.delete(&format!("/templates/shared{whose}")).await;
    assert_eq!(refused.code(409), "template.of_repository");
    assert!(world.repository.path(file).exists());
}

#[tokio::test]
async fn a_template_that_is_saved_again_keeps_what_is_said_of_its_variables() {
    let world = World::new();
    let text =
        "prompt = \"Fix {{component}}\"\n[variables.component]\ndescription = \"which part\"\n";
    let order = json!({"text": text});
    world.put("/templates/fix/text", order).await.ok();
    let order = json!({
        "prompt": "Mend {{component}} in {{place}}", "variables": {"component": "the menu"}, "replace": true,
    });
    let saved = world.put("/templates/fix", order).await.ok();
    let variables = &saved["template"]["variables"];
    assert_eq!(variables[0]["description"], "which part");
    assert_eq!(variables[0]["default"], "the menu");
    assert_eq!(variables[1]["description"], json!(null));
}

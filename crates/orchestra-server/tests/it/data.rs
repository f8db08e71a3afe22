//! What is kept: shown, copied, removed for good.

use serde_json::json;

use crate::world::World;

#[tokio::test]
async fn data_is_shown_and_exported() {
    let world = World::new();
    let id = world.session("login").await;
    world.iterate(&id).await;
    let shown = world.get("/data").await.ok();
    assert!(shown["bytes"].as_u64().unwrap() > 0, "{shown:#}");
    let target = world.sandbox.path("copy");
    let order = json!({"sessions": ["login"], "directory": target});
    let started = world.post("/data/export", order.clone()).await;
    let exported = world.finished(started).await;
    assert_eq!(exported["sessions"], json!([id]));
    let manifest = std::fs::read_to_string(target.join("manifest.json")).unwrap();
    assert!(manifest.contains(&id));
    let transcript = target.join(&id).join("transcript.jsonl");
    assert!(std::fs::metadata(transcript).unwrap().len() > 0);
    let again = world.ended(world.post("/data/export", order).await).await;
    assert_eq!(again["state"], "failed");
}

#[tokio::test]
async fn transcripts_are_planned_and_removed() {
    let world = World::new();
    let id = world.session("login").await;
    world.iterate(&id).await;
    let order = json!({"sessions": [id], "transcripts": true});
    let plan = world.post("/data/purge/plan", order.clone()).await.ok();
    assert_eq!(plan["dry_run"], true);
    assert_eq!(plan["removed"][0]["kind"], "transcripts");
    let bytes = plan["bytes"].as_u64().unwrap();
    assert!(bytes > 0);
    let again = world.post("/data/purge/plan", order.clone()).await.ok();
    assert_eq!(again["bytes"], bytes);
    let started = world.post("/data/purge", order.clone()).await;
    let removed = world.finished(started).await;
    assert_eq!(removed["dry_run"], false);
    assert_eq!(removed["problems"], json!([]));
    assert_eq!(removed["bytes"], bytes);
    let nothing = world.post("/data/purge/plan", order).await.ok();
    assert_eq!(nothing["removed"], json!([]));
    let young = json!({"older_than": "90d", "transcripts": true, "logs": true});
    let young = world.post("/data/purge/plan", young).await.ok();
    assert_eq!(young["removed"], json!([]));
}

#[tokio::test]
async fn an_order_that_does_not_say_whose_or_what_is_refused() {
    let world = World::new();
    world.session("login").await;
    let orders = [
        json!({"transcripts": true}),
        json!({"all": true}),
        json!({"all": true, "sessions": ["login"], "logs": true}),
        json!({"all": true, "older_than": "90d", "logs": true}),
        json!({"older_than": "long", "logs": true}),
    ];
    for order in orders {
        for path in ["/data/purge/plan", "/data/purge"] {
            let refused = world.post(path, order.clone()).await;
            assert_eq!(refused.code(400), "input.invalid", "{order}");
        }
    }
    let nobody = json!({"sessions": ["none"], "logs": true});
    let nobody = world.post("/data/purge", nobody).await;
    assert_eq!(nobody.code(404), "session.not_found");
    for order in [
        json!({"directory": "/nowhere"}),
        json!({"directory": "somewhere", "all": true}),
    ] {
        let refused = world.post("/data/export", order).await;
        assert_eq!(refused.code(400), "input.invalid");
    }
}

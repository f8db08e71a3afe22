//! Metrics: what iterations used, and how this server does.

use serde_json::json;

use crate::world::World;

#[tokio::test]
async fn iterations_are_summed_up_and_told_apart() {
    let world = World::new();
    let nothing = world
        .get("/metrics?by=day,agent,model,repository")
        .await
        .ok();
    assert_eq!(nothing["totals"]["iterations"], 0);
    assert_eq!(nothing["totals"]["success_rate"], json!(null));
    assert_eq!(nothing["series"][0], json!({"by": "day", "rows": []}));
    let id = world.session("login").await;
    world.iterate(&id).await;
    let one = world
        .get(&format!("/sessions/{id}/iterations/1"))
        .await
        .ok();
    let used = &one["iteration"]["usage"];
    let metrics = world
        .get("/metrics?by=day,agent,model,repository")
        .await
        .ok();
    let totals = &metrics["totals"];
    assert_eq!(totals["iterations"], 1);
    assert_eq!(totals["succeeded"], 1);
    assert_eq!(totals["success_rate"], 1.0);
    assert_eq!(totals["tokens"]["input"], used["input_tokens"], "{one:#}");
    assert_eq!(totals["tokens"]["output"], used["output_tokens"]);
    let series = metrics["series"].as_array().unwrap();
    assert_eq!(series.len(), 4);
    for part in series {
        assert_eq!(part["rows"].as_array().unwrap().len(), 1, "{part}");
        assert_eq!(part["rows"][0]["tokens"], totals["tokens"]);
    }
    assert_eq!(series[1]["rows"][0]["key"], "amp");
    assert_eq!(series[3]["rows"][0]["key"], json!(world.repository.root()));
    let started = one["iteration"]["started_at"].as_str().unwrap();
    let count = async |query: String| {
        let metrics = world.get(&format!("/metrics?{query}")).await.ok();
        metrics["totals"]["iterations"].as_u64().unwrap()
    };
    assert_eq!(count(format!("from={started}")).await, 1);
    assert_eq!(count(format!("until={started}")).await, 0);
    assert_eq!(count("from=2100-01-01T00:00:00Z".to_owned()).await, 0);
    let root = world.repository.root().display();
    assert_eq!(count(format!("repository={root}")).await, 1);
    assert_eq!(count("repository=/nowhere".to_owned()).await, 0);
}

#[tokio::test]
async fn rubbish_is_refused() {
    let world = World::new();
    for (query, code) in [
        ("by=colour", "input.invalid"),
        ("by=", "input.invalid"),
        ("utc_offset_minutes=9999", "input.invalid"),
        ("from=yesterday", "request.invalid"),
        ("more=1", "request.invalid"),
    ] {
        let refused = world.get(&format!("/metrics?{query}")).await;
        assert_eq!(refused.code(400), code, "{query}");
    }
}

#[tokio::test]
async fn a_server_tells_how_it_does() {
    let world = World::new();
    let before = world.get("/server/metrics").await.ok();
    assert_eq!(before["pid"], std::process::id());
    assert!(before["store_bytes"].as_u64().unwrap() > 0);
    assert_eq!(before["streams"], 0);
    let stream = world.request(axum::http::Method::GET, "/events", None);
    let stream = tower::ServiceExt::oneshot(world.app.router(), stream).await;
    let now = world.get("/server/metrics").await.ok();
    assert_eq!(now["streams"], 1);
    drop(stream);
    assert_eq!(now["name"], before["name"]);
    assert!(now["requests"].as_u64() > before["requests"].as_u64());
    assert!(now["uptime_ms"].as_u64() >= before["uptime_ms"].as_u64());
}

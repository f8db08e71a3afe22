//! Artifacts: collected, listed, downloaded.

use axum::http::Method;
use http_body_util::BodyExt;
use serde_json::json;
use tower::ServiceExt;

use crate::files::worktree;
use crate::world::World;

#[tokio::test]
async fn artifacts_are_collected_and_downloaded() {
    let world = World::new();
    let settings = "[artifacts]\npaths = [\"reports/*\"]\n";
    world.repository.write(".orchestra/config.toml", settings);
    let id = world.session("login").await;
    let path = format!("/sessions/{id}/artifacts");
    assert_eq!(world.get(&path).await.ok()["artifacts"], json!([]));
    let folder = worktree(&world, &id).await;
    std::fs::create_dir(folder.join("reports")).unwrap();
    let content: Vec<u8> = (0..200_000_u32).map(|number| number as u8).collect();
    std::fs::write(folder.join("reports/data.bin"), &content).unwrap();
    let done = world.post(&path, json!({})).await.ok();
    assert_eq!(done["collected"], 1);
    let listed = world.get(&path).await.ok();
    assert_eq!(
        (&listed["collected"], &listed["artifacts"]),
        (&json!(null), &done["artifacts"])
    );
    let name = listed["artifacts"][0]["name"].as_str().unwrap();
    let request = world.request(Method::GET, &format!("{path}/{name}"), None);
    let answer = world.app.router().oneshot(request).await.unwrap();
    assert_eq!(answer.headers()["content-disposition"], "attachment");
    assert_eq!(answer.headers()["content-length"], "200000");
    let body = answer.into_body().collect().await.unwrap().to_bytes();
    assert!(body == content);
    std::fs::write(world.repository.root().join("artifacts/other"), "x").unwrap();
    for wrong in ["other", "none", "..%2fREADME.md", "%2e%2e"] {
        let missing = world.get(&format!("{path}/{wrong}")).await;
        assert_eq!(missing.code(404), "artifact.not_found", "{wrong}");
    }
    std::fs::remove_file(world.repository.root().join("artifacts").join(name)).unwrap();
    assert_eq!(
        world.get(&format!("{path}/{name}")).await.code(404),
        "artifact.not_found"
    );
}

#[tokio::test]
async fn nothing_is_collected_where_nothing_is_named() {
    let world = World::new();
    let id = world.session("login").await;
    let path = format!("/sessions/{id}/artifacts");
    assert_eq!(
        world.post(&path, json!({})).await.code(400),
        "input.invalid"
    );
}

//! A write with a key is done once.

use axum::body::Body;
use axum::http::{Method, Request};
use serde_json::{Value, json};

use crate::world::World;

fn keyed(world: &World, key: &str, body: Value) -> Request<Body> {
    let mut request = world.request(Method::POST, "/sessions", Some(body));
    request
        .headers_mut()
        .insert("idempotency-key", key.parse().unwrap());
    request
}

#[tokio::test]
async fn the_same_key_answers_the_same_and_does_it_once() {
    let world = World::new();
    let body = json!({"repository": world.repository.root(), "name": "login", "prompt": "Do it"});
    let first = world.send(keyed(&world, "k", body.clone())).await;
    assert!(!first.headers.contains_key("idempotency-replayed"));
    let again = world.send(keyed(&world, "k", body.clone())).await;
    assert_eq!(again.headers["idempotency-replayed"], "true");
    assert_eq!(again.status, first.status);
    assert_eq!(again.body, first.body);
    assert_eq!(world.get("/sessions").await.ok()["total"], 1);
    let other = json!({"repository": world.repository.root(), "name": "other", "prompt": "Do it"});
    assert_eq!(
        world.send(keyed(&world, "k", other)).await.code(409),
        "request.key_used"
    );
    let second = world.send(keyed(&world, "k2", body)).await;
    assert_eq!(second.code(409), "session.name_taken");
}

#[tokio::test]
async fn what_was_refused_can_be_tried_again_with_its_key() {
    let world = World::new();
    let body = json!({"repository": "/nowhere", "name": "login", "prompt": "Do it"});
    for _ in 0..2 {
        let refused = world.send(keyed(&world, "k", body.clone())).await;
        assert_eq!(refused.code(404), "repository.not_found");
    }
}

#[tokio::test]
async fn sixteen_at_once_with_one_key_make_one_session() {
    let world = World::new();
    let body = json!({"repository": world.repository.root(), "name": "login", "prompt": "Do it"});
    let requests = (0..16).map(|_| world.send(keyed(&world, "k", body.clone())));
    let answers = futures_util::future::join_all(requests).await;
    let made = answers.iter().filter(|it| it.status.is_success()).count();
    let waiting = answers.iter().filter(|it| it.status == 409);
    for answer in waiting {
        assert_eq!(answer.code(409), "request.running");
    }
    assert!(made >= 1);
    assert_eq!(world.get("/sessions").await.ok()["total"], 1);
}

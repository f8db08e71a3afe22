//! Ports of sessions.

use serde_json::json;

use crate::world::World;

#[tokio::test]
async fn ports_are_listed_with_their_session() {
    let world = World::new();
    world
        .repository
        .write(".orchestra/config.toml", "[ports]\nweb = 2\n");
    let id = world.session("login").await;
    world.iterate(&id).await;
    let listed = world.get("/leases").await.ok();
    let [lease] = listed["ports"].as_array().unwrap().as_slice() else {
        panic!("{listed:#}");
    };
    assert_eq!(lease["session_id"], json!(id));
    assert_eq!(lease["session_name"], "login");
    assert_eq!(lease["name"], "web");
    assert_eq!(lease["count"], 2);
    assert_eq!(listed["databases"], json!([]));
    let other = world.session("other").await;
    let both = world.get("/leases").await.ok();
    assert_eq!(both["ports"].as_array().unwrap().len(), 2);
    let own = world.get(&format!("/leases?session={other}")).await.ok();
    assert_eq!(own["ports"].as_array().unwrap().len(), 1);
    assert_eq!(own["ports"][0]["session_name"], "other");
    let missing = world.get("/leases?session=none").await;
    assert_eq!(missing.code(404), "session.not_found");
}

//! Notifications: one face shows the one of an event.

use futures_util::future::join_all;
use serde_json::json;

use crate::world::World;

#[tokio::test]
async fn the_notification_of_an_event_is_claimed_once() {
    let world = World::new();
    let id = world.session("login").await;
    world.iterate(&id).await;
    let listed = world.get("/notifications").await.ok();
    assert_eq!(listed["is_wanted"], true);
    let [one] = listed["notifications"].as_array().unwrap().as_slice() else {
        panic!("{listed:#}");
    };
    assert_eq!(one["title"], "login finished");
    assert_eq!(one["session_id"], json!(id));
    assert_eq!(one["kind"], "iteration_finished");
    assert_eq!(one["is_claimed"], false);
    let event = one["event"].as_u64().unwrap();
    let path = format!("/notifications/{event}/claim");
    let claims = join_all((0..8).map(|_| world.post(&path, json!({})))).await;
    let claims = claims.into_iter().map(crate::world::Answered::ok);
    let claimed = claims.filter(|answer| answer["claimed"] == true).count();
    assert_eq!(claimed, 1);
    let listed = world.get("/notifications").await.ok();
    assert_eq!(listed["notifications"][0]["is_claimed"], true);
    let later = world.get(&format!("/notifications?after={event}")).await;
    assert_eq!(later.ok()["notifications"], json!([]));
    let page = world.get("/notifications?limit=1").await.ok();
    assert_eq!(page["next"], event);
}

#[tokio::test]
async fn a_script_is_told_by_how_it_ended() {
    let world = World::new();
    let order = json!({"repository": world.repository.root(), "name": "login", "prompt": "Do it", "script": "exit 3"});
    let made = world.post("/sessions", order).await.ok();
    let id = made["session"]["id"].as_str().unwrap();
    world.iterate(id).await;
    let listed = world.get("/notifications").await.ok();
    let titles: Vec<_> = listed["notifications"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["title"].as_str().unwrap())
        .collect();
    // The script is a part of its iteration.
    assert_eq!(titles, ["login finished, but its script failed"]);
}

#[tokio::test]
async fn events_without_a_notification_and_unwanted_ones_are_nobodys() {
    let world = World::new();
    let id = world.session("login").await;
    for event in ["1", "0", "999999"] {
        let path = format!("/notifications/{event}/claim");
        let refused = world.post(&path, json!({})).await;
        assert_eq!(refused.code(404), "notification.not_found");
    }
    let wrong = world.post("/notifications/first/claim", json!({})).await;
    assert_eq!(wrong.code(400), "request.invalid");
    let value = json!({"value": "false"});
    world
        .put("/settings/values/ui.notifications", value)
        .await
        .ok();
    world.iterate(&id).await;
    let listed = world.get("/notifications").await.ok();
    assert_eq!(listed["is_wanted"], false);
    let event = listed["notifications"][0]["event"].as_u64().unwrap();
    let path = format!("/notifications/{event}/claim");
    assert_eq!(world.post(&path, json!({})).await.ok()["claimed"], false);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_desktop_app_goes_first_for_as_long_as_it_is_open() {
    let sandbox = orchestra_testkit::Sandbox::new();
    let world =
        World::of(sandbox.with_variable("DBUS_SESSION_BUS_ADDRESS", "unix:path=/no/such/bus"));
    let app = world.app.announce_desktop().await.unwrap();
    assert!(app.is_some());
    assert!(world.app.announce_desktop().await.unwrap().is_none());
    let id = world.session("login").await;
    world.iterate(&id).await;
    let listed = world.get("/notifications").await.ok();
    // Its runner waits for the app.
    assert_eq!(listed["notifications"][0]["is_claimed"], false);
    let event = listed["notifications"][0]["event"].as_u64().unwrap();
    let claimed = world
        .post(&format!("/notifications/{event}/claim"), json!({}))
        .await;
    assert_eq!(claimed.ok()["claimed"], true);
    drop(app);
    world.iterate(&id).await;
    let claimed = || async {
        let listed = world
            .get(&format!("/notifications?after={event}"))
            .await
            .ok();
        listed["notifications"][0]["is_claimed"] == true
    };
    let deadline = std::time::Instant::now() + crate::world::PATIENCE;
    while !claimed().await {
        assert!(std::time::Instant::now() < deadline, "no runner claimed it");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

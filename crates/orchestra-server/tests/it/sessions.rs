//! Sessions: made, listed, changed, put away.

use serde_json::json;

use crate::world::World;

#[tokio::test]
async fn a_session_is_made_and_found() {
    let world = World::new();
    let id = world.session("login").await;
    let listed = world.get("/sessions").await.ok();
    assert_eq!(listed["total"], 1);
    assert_eq!(listed["sessions"][0]["id"], id);
    for name in [id.as_str(), &id[..4], "login"] {
        let detail = world.get(&format!("/sessions/{name}")).await.ok();
        assert_eq!(detail["session"]["name"], "login");
    }
    assert_eq!(
        world.get("/sessions/none").await.code(404),
        "session.not_found"
    );
}

#[tokio::test]
async fn pages_show_every_session_once() {
    let world = World::new();
    for number in 0..7 {
        world.session(&format!("s{number}")).await;
    }
    for sort in ["created", "last_run", "name", "attention"] {
        let mut seen = Vec::new();
        let mut next = String::new();
        loop {
            let page = world
                .get(&format!("/sessions?sort={sort}&limit=3{next}"))
                .await
                .ok();
            assert_eq!(page["total"], 7);
            let rows = page["sessions"].as_array().unwrap();
            seen.extend(rows.iter().map(|row| row["name"].to_string()));
            match page["next"].as_str() {
                Some(cursor) => next = format!("&cursor={cursor}"),
                None => break,
            }
        }
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), 7, "{sort}");
    }
    let gone = world.get("/sessions?cursor=zzzzzz").await;
    assert_eq!(gone.code(409), "cursor.gone");
}

#[tokio::test]
async fn lists_are_filtered() {
    let world = World::new();
    let id = world.session("login form").await;
    world.session("other").await;
    let total = async |query: &str| {
        let page = world.get(&format!("/sessions?{query}")).await.ok();
        page["total"].as_u64().unwrap()
    };
    assert_eq!(total("text=LOGIN").await, 1);
    assert_eq!(total("status=idle").await, 2);
    assert_eq!(total("status=running,queued").await, 0);
    assert_eq!(total("agent=nobody").await, 0);
    assert_eq!(total("needs_me=true").await, 0);
    let root = world.repository.root().to_string_lossy().into_owned();
    assert_eq!(total(&format!("repository={root}")).await, 2);
    assert_eq!(total("repository=/nowhere").await, 0);
    world
        .put(&format!("/sessions/{id}/archived"), json!({}))
        .await
        .ok();
    assert_eq!(total("").await, 1);
    assert_eq!(total("archived=true").await, 2);
    world.delete(&format!("/sessions/{id}/archived")).await.ok();
    assert_eq!(total("").await, 2);
    assert_eq!(
        world.get("/sessions?status=fast").await.code(400),
        "input.invalid"
    );
    assert_eq!(
        world.get("/sessions?colour=red").await.code(400),
        "request.invalid"
    );
}

#[tokio::test]
async fn fields_are_changed_as_the_command_line_does() {
    let world = World::new();
    let id = world.session("login").await;
    let path = |field: &str| format!("/sessions/{id}/fields/{field}");
    let changed = world
        .put(&path("notes"), json!({"value": "Careful"}))
        .await
        .ok();
    assert_eq!(changed["session"]["notes"], "Careful");
    let cleared = world.put(&path("notes"), json!({"value": ""})).await.ok();
    assert_eq!(cleared["session"]["notes"], json!(null));
    let budget = world
        .put(&path("budget"), json!({"value": "2.50"}))
        .await
        .ok();
    assert_eq!(budget["session"]["runtime"]["budget"], "$2.50");
    let unknown = world.put(&path("colour"), json!({"value": "red"})).await;
    assert_eq!(unknown.code(400), "input.invalid");
    let more = json!({"value": "x", "more": 1});
    assert_eq!(
        world.put(&path("notes"), more).await.code(400),
        "request.invalid"
    );
}

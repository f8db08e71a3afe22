//! Toolboxes and MCP servers.

use orchestra_testkit::{bin, write_program};
use serde_json::json;

use crate::world::World;

const GREET: &str = "#!/bin/sh\nif [ $TOOLBOX_ACTION = describe ]; then echo '{\"name\":\"greet\",\"description\":\"Greets\",\"args\":{\"who\":[\"string\",\"whom\"]}}'; else cat; pwd; fi\n";

/// A directory with one tool.
fn toolbox(world: &World) -> String {
    let directory = world.sandbox.path("tools");
    std::fs::create_dir_all(&directory).unwrap();
    write_program(&directory.join("greet"), GREET);
    directory.to_string_lossy().into_owned()
}

#[tokio::test]
async fn tools_are_listed_checked_and_run() {
    let world = World::new();
    let tools = toolbox(&world);
    assert_eq!(world.get("/tools").await.ok()["tools"], json!([]));
    let value = json!({"value": tools});
    world
        .put("/settings/values/toolboxes.mine", value)
        .await
        .ok();
    let value = json!({"value": "mine"});
    world
        .put("/settings/values/runtime.toolboxes", value)
        .await
        .ok();
    let id = world.session("login").await;
    for query in [
        String::new(),
        "?toolboxes=mine".to_owned(),
        format!("?session={id}"),
        format!("?repository={}", world.repository.root().display()),
    ] {
        let listed = world.get(&format!("/tools{query}")).await.ok();
        assert_eq!(listed["tools"][0]["name"], "greet", "{query}");
    }
    let checked = json!({"directory": tools});
    let checked = world.post("/tools/check", checked).await.ok();
    assert_eq!(checked["tools"][0]["description"], "Greets");
    let order = json!({"tool": "greet", "input": {"who": "you"}, "session": id});
    let ran = world.finished(world.post("/tools/run", order).await).await;
    assert_eq!(ran["exit_code"], 0);
    let detail = world.get(&format!("/sessions/{id}")).await.ok();
    let worktree = detail["session"]["worktree_path"].as_str().unwrap();
    let said = ran["stdout"].as_str().unwrap();
    assert!(
        said.contains("\"you\"") && said.contains(worktree),
        "{said}"
    );
}

#[tokio::test]
async fn what_is_no_tool_is_refused() {
    let world = World::new();
    let tools = toolbox(&world);
    let unknown = world.get("/tools?toolboxes=nothing").await;
    assert_eq!(unknown.status, 409, "{unknown:?}");
    for directory in ["/nowhere", "tools", ""] {
        let refused = world.post("/tools/check", json!({"directory": directory}));
        assert_eq!(refused.await.code(400), "input.invalid");
    }
    let nowhere = json!({"tool": "greet", "toolboxes": [tools]});
    let refused = world.post("/tools/run", nowhere).await;
    assert_eq!(refused.code(400), "input.invalid");
    let fly = json!({"tool": "fly", "toolboxes": [tools], "repository": world.repository.root()});
    let job = world.ended(world.post("/tools/run", fly).await).await;
    assert_eq!(job["state"], "failed");
    let missing = json!({"tool": "greet", "toolboxes": [tools], "session": "none"});
    let missing = world.post("/tools/run", missing).await;
    assert_eq!(missing.code(404), "session.not_found");
}

#[tokio::test]
async fn an_mcp_server_tells_its_tools() {
    let world = World::new();
    let set = async |key: &str, value: &str| {
        let path = format!("/settings/values/{key}");
        world.put(&path, json!({"value": value})).await.ok();
    };
    set("mcp.small.command", &bin("small-mcp").to_string_lossy()).await;
    set("mcp.small.tools", "echo").await;
    set("mcp.broken.command", "/nowhere/at/all").await;
    let listed = world.get("/mcp-servers").await.ok();
    assert_eq!(listed["servers"][1]["name"], "small");
    assert_eq!(listed["servers"][1]["tools"], json!(["echo"]));
    let started = world.post("/mcp-servers/small/check", json!({})).await;
    let checked = world.finished(started).await;
    let tools = checked["tools"].as_array().unwrap().iter();
    let allowed: Vec<_> = tools.map(|it| (&it["name"], &it["is_allowed"])).collect();
    assert!(
        allowed.contains(&(&json!("echo"), &json!(true))),
        "{checked}"
    );
    assert!(
        allowed.contains(&(&json!("erase"), &json!(false))),
        "{checked}"
    );
    let started = world.post("/mcp-servers/broken/check", json!({})).await;
    assert_eq!(world.ended(started).await["state"], "failed");
    let missing = world.post("/mcp-servers/nobody/check", json!({})).await;
    assert_eq!(missing.code(404), "mcp.not_found");
    let wrong = json!({"timeout": "soon"});
    let wrong = world.post("/mcp-servers/small/check", wrong).await;
    assert_eq!(wrong.code(400), "input.invalid");
}

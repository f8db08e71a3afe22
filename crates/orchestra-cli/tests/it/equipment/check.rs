//! `mcp list` and `mcp check`, against real servers.

use std::process::{Child, Stdio};

use orchestra_testkit::{Sandbox, bin, processes};
use serde_json::json;

use crate::ran::first_line;
use crate::world::World;

const TOKEN: &str = "token-of-the-search-server";

/// A server on this machine, ended with the test.
struct Server {
    child: Child,
    url: String,
}

impl Server {
    fn start(sandbox: &Sandbox) -> Self {
        let mut command = sandbox.command(&bin("small-mcp"));
        command.args(["http", &format!("Bearer {TOKEN}")]);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let url = first_line(&mut child).trim().to_owned();
        Self { child, url }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

fn set(world: &World, key: &str, value: &str) {
    world.orchestra(&["config", "set", key, value]).ok();
}

#[test]
fn a_program_is_asked_for_its_tools_and_leaves_nothing() {
    let world = World::new();
    set(
        &world,
        "mcp.small.command",
        &bin("small-mcp").to_string_lossy(),
    );
    set(&world, "mcp.small.tools", "echo");
    let checked = world
        .orchestra(&["mcp", "check", "small", "--json"])
        .ok()
        .json();
    let tools = checked["tools"].as_array().unwrap();
    let allowed: Vec<_> = tools
        .iter()
        .map(|it| (&it["name"], &it["is_allowed"]))
        .collect();
    assert_eq!(
        allowed,
        [
            (&json!("echo"), &json!(true)),
            (&json!("erase"), &json!(false))
        ]
    );
    world
        .orchestra(&["mcp", "check", "small"])
        .ok()
        .says("Tells a value");
    set(&world, "mcp.small.tools", "echo,nosuch");
    world
        .orchestra(&["mcp", "check", "small"])
        .ends_with(1)
        .says("mcp.small.tools allows `nosuch`, which it does not have");
    let checked = world.orchestra(&["mcp", "check", "small", "--json"]);
    assert_eq!(checked.ends_with(1).json()["missing"], json!(["nosuch"]));
    set(&world, "mcp.silent.command", "sleep 86398.75");
    world
        .orchestra(&["mcp", "check", "silent", "--timeout", "500ms"])
        .ends_with(1)
        .says("does not answer");
    assert_eq!(processes::mentioning("86398.75"), [0; 0]);
    set(
        &world,
        "mcp.rude.command",
        "sh -c 'echo no way >&2; exit 3'",
    );
    world
        .orchestra(&["mcp", "check", "rude"])
        .ends_with(1)
        .says("no way");
    set(&world, "mcp.gone.command", "server-that-is-not-there");
    world
        .orchestra(&["mcp", "check", "gone"])
        .ends_with(1)
        .says("was not found");
    world
        .orchestra(&["mcp", "check", "other"])
        .refuses(3, "there is no MCP server `other`");
    set(&world, "mcp.empty.tools", "echo");
    world
        .orchestra(&["mcp", "check", "empty"])
        .refuses(3, "neither a program nor an address");
}

#[test]
fn an_address_is_asked_with_a_secret_that_nobody_sees() {
    let sandbox = Sandbox::new().with_variable("SEARCH_TOKEN", TOKEN);
    let world = World::of(sandbox);
    let server = Server::start(&world.sandbox);
    set(&world, "mcp.search.url", &server.url);
    let stranger = world.orchestra(&["mcp", "check", "search"]).ends_with(1);
    let stranger = stranger.says("401");
    assert!(!stranger.stderr.contains("rmcp::"), "{}", stranger.stderr);
    set(&world, "mcp.search.auth", "env:SEARCH_TOKEN");
    world
        .orchestra(&["mcp", "check", "search"])
        .ok()
        .says("echo");
    set(
        &world,
        "mcp.search.secret_headers",
        "Authorization: env:OTHER_TOKEN",
    );
    let listed = world.orchestra(&["mcp", "list"]).ok();
    let listed = listed.says("env:SEARCH_TOKEN").says(&server.url);
    assert!(!listed.stdout.contains(TOKEN));
    world
        .orchestra(&["mcp", "check", "search"])
        .refuses(3, "env:OTHER_TOKEN");
    let shown = world.orchestra(&["config", "set", "mcp.search.secret_headers", TOKEN]);
    let shown = shown.ends_with(2);
    assert!(!shown.stderr.contains(TOKEN), "{}", shown.stderr);
}

//! Toolboxes and MCP servers work from inside: the agent starts them where it is itself.

use std::fs;

use orchestra_testkit::{Sandbox, bin, small_mcp, write_program};

use super::holding;
use crate::world::World;

/// Starts the servers that it was told of, calls a tool of each, and leaves the answers in its worktree.
const AGENT: &str = r#"#!/bin/sh
case "$*" in *--version*|*--help*) exit;; esac
for word in "$@"; do [ "$last" = --mcp-config ] && config=$word; last=$word; done
word() { grep -o "\"[^\"]*$1\"" "$config" | head -1 | tr -d '"'; }
program=$(word /orchestra)
call() {
  name=$1; shift
  { echo '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}'
    echo '{"jsonrpc":"2.0","method":"notifications/initialized"}'
    echo "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"$name\",\"arguments\":{\"who\":\"you\"}}}"
    sleep 5 & wait=$!; while kill -0 $wait 2>/dev/null && ! grep -q '"id":2' answers.txt; do sleep 0.05; done; kill $wait 2>/dev/null
  } | "$@" > answers.txt 2>> errors.txt
  grep '"id":2' answers.txt >> said.txt
}
call greet "$program" mcp toolbox "$(word /tools)"
call echo "$program" mcp gate "$(word gates.json)" part
"#;

const GREET: &str = "#!/bin/sh\n\
    if [ \"$TOOLBOX_ACTION\" = describe ]; then\n\
    printf 'name: greet\\ndescription: Greets somebody\\nwho: string whom to greet\\n'; exit; fi\n\
    read -r line; echo \"Hello ${line#who: }\"; echo out > \"$HOME/escaped\" 2>/dev/null; true\n";

#[test]
fn tools_work_in_the_sandbox_and_are_held_by_it() {
    let sandbox = Sandbox::new();
    let (program, tools) = (sandbox.path("agent"), sandbox.path("tools"));
    write_program(&program, AGENT);
    fs::create_dir(&tools).unwrap();
    write_program(&tools.join("greet"), GREET);
    let folder = sandbox.home().join(".config/orchestra");
    fs::create_dir_all(&folder).unwrap();
    let settings = format!(
        "runtime.toolboxes = ['mine']\nruntime.mcp = ['part']\ntoolboxes.mine = ['{}']\n\
         [mcp.part]\ncommand = ['{}']\nenv = ['{}=from the server']\ntools = ['echo']\n\
         [agents.other]\nprotocol = 'claude'\ncommand = ['{}']\n",
        tools.display(),
        bin("small-mcp").display(),
        small_mcp::VARIABLE,
        program.display()
    );
    fs::write(folder.join("config.toml"), settings).unwrap();
    let sandbox = holding(sandbox)
        .with_variable("ANTHROPIC_API_KEY", "placeholder-key-for-tests")
        .with_variable("ORCHESTRA_AGENTS_DEFAULT", "other");
    let world = World::of(sandbox);
    let made = world.session("one");
    // It says nothing that Claude Code would say, which is its failure and no matter here.
    world.run(&["iterate", "one"]).ends_with(4);
    let read = |name: &str| fs::read_to_string(made.worktree.join(name)).unwrap_or_default();
    let said = read("said.txt");
    assert!(said.contains("Hello you"), "{said}\n{}", read("errors.txt"));
    assert!(
        said.contains("echo: from the server"),
        "{said}\n{}",
        read("errors.txt")
    );
    assert!(!world.sandbox.home().join("escaped").exists());
    world.wait_until_quiet();
}

//! Rubbish, and what looks like something else: answered or passed over, and never acted on.

use serde_json::{Value, json};

use crate::dice::Dice;
use crate::thoroughness::is_long;
use crate::world::World;

/// Names that mean something to a shell, to git or to a file system.
const NAMES: &[&str] = &[
    "--force",
    "-rf",
    "--upload-pack=touch x",
    "../../etc/passwd",
    "/etc/passwd",
    "@/etc/passwd",
    "$(touch x)",
    "`touch x`",
    "a\0b",
    "a\nb",
    "\u{202e}",
    "",
    "%s%n",
    "HEAD",
    "-",
];

const TOOLS: &[&str] = &[
    "session_status",
    "session_wait",
    "session_diff",
    "session_transcript",
    "session_check",
    "session_iterate",
    "session_answer",
    "session_stop",
    "session_squash",
    "session_rebase",
    "session_merge",
    "session_land",
    "session_cleanup",
    "session_discard",
    "session_forget",
];

fn state(world: &World) -> (String, String, String) {
    let count = |sql| world.value(sql).unwrap_or_default();
    (
        count("SELECT count(*) FROM sessions"),
        count("SELECT count(*) FROM operations"),
        world.repository.git(&["for-each-ref"]),
    )
}

#[test]
fn names_that_mean_something_elsewhere_name_no_session() {
    let world = World::new();
    world.session("one");
    let before = state(&world);
    let mut client = world.serve(&["--all-sessions", "--allow-land", "--allow-delete"]);
    let mut asked = 0;
    for tool in TOOLS {
        for name in NAMES {
            let mut arguments = json!({ "session": name });
            match *tool {
                "session_land" => arguments = json!({ "sessions": [name] }),
                "session_answer" => arguments["text"] = json!("-"),
                "session_squash" => arguments["message"] = json!("--amend"),
                _ => {}
            }
            let result = client.call(tool, &arguments);
            assert_eq!(result["isError"], true, "{tool} {name:?}: {result}");
            asked += 1;
        }
    }
    for branch in ["--force", "-x", "a..b", "refs/heads/\u{7f}", "@{-1}"] {
        let base = json!({ "name": "n", "prompt": "x", "base": branch, "run": false });
        assert_eq!(
            client.call("session_create", &base)["isError"],
            true,
            "{branch}"
        );
        let onto = json!({ "session": "one", "onto": branch });
        assert_eq!(
            client.call("session_rebase", &onto)["isError"],
            true,
            "{branch}"
        );
        let into = json!({ "session": "one", "into": branch });
        assert_eq!(
            client.call("session_check", &into)["isError"],
            true,
            "{branch}"
        );
        asked += 3;
    }
    println!("asked {asked} times, all refused");
    assert_eq!(state(&world), before);
    client.close();
}

#[test]
fn a_prompt_is_text_and_never_a_file_or_standard_input() {
    let world = World::new();
    let mut client = world.serve(&["--sessions", "9"]);
    for (number, prompt) in ["@/etc/passwd", "-", "--run"].iter().enumerate() {
        let name = format!("s{number}");
        let wish = json!({ "name": name, "prompt": prompt, "run": false });
        let made = client.ok("session_create", &wish);
        assert_eq!(made["session"]["prompt"], *prompt);
    }
    client.close();
}

#[test]
fn too_much_is_refused_and_the_next_call_is_answered() {
    let world = World::new();
    let mut client = world.serve(&[]);
    let huge = "x".repeat(2 * 1024 * 1024);
    let wish = json!({ "name": "one", "prompt": huge, "run": false });
    client.refused("session_create", &wish, "input.invalid");
    // More than a line may have: nobody answers, and the next line is read.
    client.send_line(
        format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":7,\"x\":\"{}\"}}",
            "x".repeat(17 << 20)
        )
        .as_bytes(),
    );
    assert_eq!(
        client.ok("sessions_list", &json!({}))["sessions"],
        json!([])
    );
    let unknown = client.request("tools/call", &json!({ "name": "rm", "arguments": {} }));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    let odd = json!({ "name": "one", "prompt": "x", "script": "touch x" });
    client.refused("session_create", &odd, "input.invalid");
    client.close();
}

#[test]
fn rubbish_does_nothing() {
    let world = World::new();
    world.session("one");
    let before = state(&world);
    let mut client = world.serve(&["--allow-land", "--allow-delete"]);
    let rounds = if is_long() { 20_000 } else { 500 };
    let mut dice = Dice::new(20_261_117);
    let mut pings = 0;
    for round in 0..rounds {
        let line = rubbish(&mut dice);
        client.send_line(&line);
        if round % 50 == 0 {
            client.ok("sessions_list", &json!({}));
            pings += 1;
        }
    }
    println!("rubbish {rounds} lines, {pings} calls between them answered");
    client.ok("session_status", &json!({ "session": "one" }));
    assert_eq!(state(&world), before);
    client.close();
}

/// A call with something broken, or no call at all.
fn rubbish(dice: &mut Dice) -> Vec<u8> {
    let tool = TOOLS[dice.below(TOOLS.len())];
    let values: [Value; 7] = [
        Value::Null,
        json!(-1),
        json!(1e300),
        json!([[[[]]]]),
        json!({ "session": { "session": "one" } }),
        json!("\u{0}"),
        json!(true),
    ];
    let value = values[dice.below(values.len())].clone();
    let call = |arguments: Value| {
        let params = json!({ "name": tool, "arguments": arguments });
        json!({ "jsonrpc": "2.0", "id": "r", "method": "tools/call", "params": params })
    };
    let whole = match dice.below(6) {
        0 => call(value),
        1 => call(json!({ "session": value })),
        2 => call(json!({ "session": "nobody", "timeout_seconds": value, "more": value })),
        3 => json!({ "jsonrpc": "2.0", "id": value, "method": "tools/call" }),
        4 => json!({ "jsonrpc": "1.0", "method": tool, "params": value }),
        _ => json!([value, tool]),
    };
    let mut line = whole.to_string().into_bytes();
    match dice.below(4) {
        0 => line.truncate(dice.below(line.len() + 1)),
        1 => {
            let place = dice.below(line.len());
            line[place] = u8::try_from(dice.below(256)).unwrap();
        }
        _ => {}
    }
    line.retain(|byte| *byte != b'\n');
    line
}

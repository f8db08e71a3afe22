//! The fakes of model providers, asked in plain HTTP.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use orchestra_testkit::provider::{Provider, Reply};
use serde_json::{Value, json};

const MESSAGES: &str = "/api/provider/anthropic/v1/messages";
const RESPONSES: &str = "/v1/responses";
const CHAT: &str = "/v1/chat/completions";

/// An answer: its status, its headers in lower case, its body.
struct Answer {
    status: u16,
    headers: String,
    body: String,
}

impl Answer {
    /// The `data` lines of a stream that are JSON.
    fn events(&self) -> Vec<Value> {
        let lines = self.body.lines();
        let data = lines.filter_map(|line| line.strip_prefix("data: "));
        data.filter_map(|data| serde_json::from_str(data).ok())
            .collect()
    }
}

fn send(provider: &Provider, path: &str, body: &Value) -> TcpStream {
    let address = provider.url().replace("http://", "");
    let mut stream = TcpStream::connect(address).unwrap();
    let body = body.to_string();
    let length = body.len();
    write!(
        stream,
        "POST {path} HTTP/1.1\r\nHost: loopback\r\ncontent-length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    stream
}

fn ask(provider: &Provider, path: &str, body: &Value) -> Answer {
    let mut text = String::new();
    send(provider, path, body)
        .read_to_string(&mut text)
        .unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    Answer {
        status: head.split(' ').nth(1).unwrap().parse().unwrap(),
        headers: head.to_lowercase(),
        body: body.to_owned(),
    }
}

/// A conversation with one prompt, and so many results of tools, in the way of each provider.
fn conversation(path: &str, prompt: &str, results: usize) -> Value {
    let tools = json!([{ "type": "function" }]);
    match path {
        MESSAGES => {
            let result = json!([{ "type": "tool_result", "tool_use_id": "x", "content": "ok" }]);
            let prompt =
                json!([{ "type": "text", "text": "# State" }, { "type": "text", "text": prompt }]);
            let mut messages = vec![json!({ "role": "user", "content": prompt })];
            messages.extend((0..results).map(|_| json!({ "role": "user", "content": result })));
            let system = json!([{ "type": "text", "text": "You.\n\nWorking directory: /w/t\n" }]);
            json!({ "model": "m", "stream": true, "system": system, "messages": messages })
        }
        RESPONSES => {
            let text = json!([{ "type": "input_text", "text": prompt }]);
            let mut input = vec![json!({ "type": "message", "role": "user", "content": text })];
            let result = json!({ "type": "function_call_output", "call_id": "x", "output": "ok" });
            input.extend((0..results).map(|_| result.clone()));
            json!({ "model": "m", "stream": true, "input": input, "tools": tools })
        }
        _ => {
            let mut messages = vec![json!({ "role": "user", "content": prompt })];
            let result = json!({ "role": "tool", "content": "ok" });
            messages.extend((0..results).map(|_| result.clone()));
            json!({ "model": "m", "stream": true, "messages": messages, "tools": tools })
        }
    }
}

#[test]
fn one_script_speaks_to_every_provider() {
    let provider = Provider::start();
    let write = Reply::write("a.txt", "one\ntwo\n");
    provider.script("edit", [write, Reply::say("Done.")]);
    for (path, tool) in [
        (MESSAGES, "create_file"),
        (RESPONSES, "apply_patch"),
        (CHAT, "\"write\""),
    ] {
        let first = ask(&provider, path, &conversation(path, "Go.\nscript: edit", 0));
        assert!(first.body.contains(tool), "{path}: {}", first.body);
        assert!(first.body.contains("a.txt") && first.body.contains("two"));
        assert!(!first.body.contains("Done."), "{}", first.body);
        let last = ask(&provider, path, &conversation(path, "Go.\nscript: edit", 1));
        assert!(last.headers.contains("text/event-stream"));
        assert!(last.body.contains("Done."), "{path}: {}", last.body);
        assert!(!last.events().is_empty());
    }
    assert_eq!(provider.asked("edit"), 6);
    assert_eq!(provider.heard("edit"), ["Go.\nscript: edit"]);
    let unnamed = ask(&provider, CHAT, &conversation(CHAT, "Go.", 0));
    assert!(unnamed.body.contains("No script was named."));
}

#[test]
fn tools_that_want_whole_paths_get_them() {
    let provider = Provider::start();
    provider.script("edit", [Reply::write("a/b.txt", "x\n")]);
    let answer = ask(
        &provider,
        MESSAGES,
        &conversation(MESSAGES, "script: edit", 0),
    );
    let events = answer.events();
    let input = events
        .iter()
        .find_map(|event| event["delta"]["partial_json"].as_str());
    let input: Value = serde_json::from_str(input.unwrap()).unwrap();
    assert_eq!(input["path"], "/w/t/a/b.txt");
}

#[test]
fn titles_take_no_reply_away() {
    let provider = Provider::start();
    provider.script("say", [Reply::say("Hello.")]);
    let untold = json!({ "messages": [{ "role": "user", "content": "script: say" }] });
    let title = ask(&provider, MESSAGES, &untold);
    assert_eq!(
        serde_json::from_str::<Value>(&title.body).unwrap()["content"][0]["name"],
        "set_title"
    );
    assert!(
        ask(&provider, CHAT, &untold)
            .events()
            .iter()
            .any(|event| event["choices"][0]["delta"]["content"] == "Scripted")
    );
    assert_eq!(provider.asked("say"), 0);
    let user = ask(&provider, "/api/internal?getUserInfo", &json!({}));
    assert!(user.body.contains("\"ok\":true"), "{}", user.body);
    assert_eq!(ask(&provider, "/elsewhere", &json!({})).status, 404);
}

#[test]
fn an_overload_is_over_after_a_while() {
    let provider = Provider::start();
    let busy = Reply::refuse(429, Some(7)).only(2);
    provider.script("busy", [busy, Reply::say("At last.")]);
    let request = conversation(CHAT, "script: busy", 0);
    for _ in 0..2 {
        let refused = ask(&provider, CHAT, &request);
        assert_eq!(refused.status, 429);
        assert!(
            refused.headers.contains("retry-after: 7"),
            "{}",
            refused.headers
        );
        assert!(refused.body.contains("rate_limit_error"));
    }
    let answer = ask(&provider, CHAT, &request);
    assert!(answer.status == 200 && answer.body.contains("At last."));
}

#[test]
fn a_cut_answer_is_shorter_than_promised() {
    let provider = Provider::start();
    provider.script("cut", [Reply::cut()]);
    let answer = ask(
        &provider,
        RESPONSES,
        &conversation(RESPONSES, "script: cut", 0),
    );
    let promised = answer.headers.lines();
    let promised: usize = promised
        .filter_map(|line| line.strip_prefix("content-length: "))
        .map(|length| length.parse::<usize>().unwrap())
        .sum();
    assert!(!answer.body.is_empty() && promised > answer.body.len());
}

#[test]
fn silence_lasts_until_the_provider_is_gone() {
    let provider = Provider::start();
    provider.script("hang", [Reply::silence()]);
    let mut stream = send(&provider, CHAT, &conversation(CHAT, "script: hang", 0));
    stream
        .set_read_timeout(Some(Duration::from_millis(200)))
        .unwrap();
    assert!(stream.read(&mut [0]).is_err(), "nothing is said");
    drop(provider);
    stream
        .set_read_timeout(Some(Duration::from_secs(30)))
        .unwrap();
    assert_eq!(stream.read(&mut [0]).unwrap(), 0, "the connection ends");
}

//! Rubbish in every body: the server never fails, and every refusal has a code.

use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::{Method, Request};
use serde_json::{Map, Value, json};

use crate::world::World;

const LONG: &str = "ORCHESTRA_TEST_LONG";

/// Numbers that look random and can be had again.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit as u64).unwrap()
    }

    fn text(&mut self) -> String {
        let texts = [
            "",
            " ",
            "login",
            "..",
            "../../x",
            "/",
            "/etc/passwd",
            "--force",
            "-",
            "\0",
            "\u{202e}",
            "𝔘",
            "a\nb",
            "%s",
            "$(x)",
            "`x`",
            "'",
            "\"",
            "0",
            "-1",
            "1e999",
            "18446744073709551616",
            "refs/heads/main",
            "HEAD",
            "@{-1}",
            "main..",
            "null",
            "true",
            "{}",
            "@file",
        ];
        match self.below(12) {
            0 => "x".repeat(self.below(70_000)),
            1 => (0..self.below(40))
                .map(|_| char::from_u32(self.next() as u32 % 0x11_0000).unwrap_or('?'))
                .collect(),
            _ => texts[self.below(texts.len())].to_owned(),
        }
    }

    fn value(&mut self, depth: usize) -> Value {
        match self.below(if depth == 0 { 6 } else { 8 }) {
            0 => Value::Null,
            1 => json!(self.below(2) == 0),
            2 => json!(self.next() as i64),
            3 => json!(self.next() as f64 / 7.0),
            4 | 5 => json!(self.text()),
            6 => (0..self.below(4)).map(|_| self.value(depth - 1)).collect(),
            _ => {
                let pairs = (0..self.below(4)).map(|_| (self.text(), self.value(depth - 1)));
                Value::Object(pairs.collect::<Map<_, _>>())
            }
        }
    }
}

/// A write, and the names that its body may have.
struct Write {
    method: Method,
    path: String,
    names: Vec<String>,
}

fn writes(document: &Value) -> Vec<Write> {
    let mut writes = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            if matches!(method.as_str(), "post" | "put" | "patch" | "delete") {
                let schema =
                    &operation["requestBody"]["content"]["application/json"]["schema"]["$ref"];
                let name = schema
                    .as_str()
                    .and_then(|it| it.rsplit('/').next())
                    .unwrap_or_default();
                let properties = document["components"]["schemas"][name]["properties"].as_object();
                writes.push(Write {
                    method: method.to_uppercase().parse().unwrap(),
                    path: path.clone(),
                    names: properties
                        .into_iter()
                        .flat_map(|it| it.keys().cloned())
                        .collect(),
                });
            }
        }
    }
    writes
}

fn request(write: &Write, session: &str, root: &str, numbers: &mut Numbers) -> Request<Body> {
    let mut path = String::new();
    for part in write.path.split('/').skip(1) {
        path.push('/');
        match part {
            "{session}" if numbers.below(3) > 0 => path.push_str(session),
            part if part.starts_with('{') => path.push_str(&escaped(&numbers.text())),
            part => path.push_str(part),
        }
    }
    let mut body = Map::new();
    for name in &write.names {
        if numbers.below(3) > 0 {
            let value = match (name.as_str(), numbers.below(3)) {
                ("repository" | "path", 1..) => json!(root),
                _ => numbers.value(2),
            };
            body.insert(name.clone(), value);
        }
    }
    let body = match numbers.below(12) {
        0 => numbers.text(),
        1 => numbers.value(3).to_string(),
        _ => Value::Object(body).to_string(),
    };
    let request = Request::builder().method(write.method.clone()).uri(path);
    let request = request.header("content-type", "application/json");
    request.body(Body::from(body)).unwrap()
}

fn escaped(text: &str) -> String {
    text.bytes()
        .take(300)
        .map(|byte| format!("%{byte:02X}"))
        .collect()
}

#[tokio::test]
#[expect(
    clippy::disallowed_methods,
    reason = "how thorough tests are is no setting of the product"
)]
async fn rubbish_in_bodies_is_refused_and_nothing_else() {
    let world = World::new();
    let session = world.session("fuzzed").await;
    let root = world.repository.root().to_string_lossy().into_owned();
    let document = serde_json::to_value(orchestra_server::document()).unwrap();
    let writes = writes(&document);
    let longest = match std::env::var_os(LONG) {
        Some(_) => Duration::from_secs(60),
        None => Duration::from_secs(5),
    };
    let begun = Instant::now();
    let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15);
    let (mut sent, mut failed) = (0, Vec::new());
    while begun.elapsed() < longest {
        let write = &writes[numbers.below(writes.len())];
        let request = request(write, &session, &root, &mut numbers);
        let shown = format!("{} {}", request.method(), request.uri());
        let answer = world.send(request).await;
        sent += 1;
        let is_told = answer.status.is_success() || answer.body["error"]["code"].is_string();
        if answer.status.is_server_error() || !is_told {
            failed.push(format!("{shown}: {answer:?}"));
        }
    }
    println!(
        "operations {}, requests {sent}, failures {}",
        writes.len(),
        failed.len()
    );
    assert!(failed.is_empty(), "{failed:#?}");
}

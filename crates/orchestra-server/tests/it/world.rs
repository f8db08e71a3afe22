//! A sandbox with one repository, and the API over it.

use std::time::Duration;

use axum::body::Body;
use axum::http::{Method, Request, StatusCode};
use http_body_util::BodyExt;
use orchestra_config::Environment;
use orchestra_engine::{Clock, OpenOptions};
use orchestra_server::App;
use orchestra_testkit::{Sandbox, TestRepository, bin};
use serde_json::{Value, json};
use tower::ServiceExt;

/// Long enough for a loaded machine; nothing waits this long when all is well.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct World {
    pub(crate) sandbox: Sandbox,
    pub(crate) repository: TestRepository,
    pub(crate) app: App,
}

/// What was answered.
#[derive(Debug)]
pub(crate) struct Answered {
    pub(crate) status: StatusCode,
    pub(crate) headers: axum::http::HeaderMap,
    pub(crate) body: Value,
}

impl Answered {
    /// The body of an answer that went well.
    pub(crate) fn ok(self) -> Value {
        assert!(self.status.is_success(), "{self:?}");
        self.body
    }

    /// The code of a failure with this status.
    pub(crate) fn code(&self, status: u16) -> &str {
        assert_eq!(self.status.as_u16(), status, "{self:?}");
        self.body["error"]["code"].as_str().unwrap()
    }
}

impl World {
    pub(crate) fn new() -> Self {
        Self::of(Sandbox::new())
    }

    /// A world whose agent follows a scenario in every turn.
    pub(crate) fn with_scenario(text: &str) -> Self {
        let sandbox = Sandbox::new();
        let path = sandbox.scenario(text);
        Self::of(sandbox.with_knob("scenario", &path.to_string_lossy()))
    }

    pub(crate) fn of(sandbox: Sandbox) -> Self {
        let repository = sandbox.repository("sample");
        let app = App::open(options(&sandbox)).unwrap();
        Self {
            sandbox,
            repository,
            app,
        }
    }

    pub(crate) async fn get(&self, path: &str) -> Answered {
        self.send(self.request(Method::GET, path, None)).await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Answered {
        self.send(self.request(Method::POST, path, Some(body)))
            .await
    }

    pub(crate) async fn put(&self, path: &str, body: Value) -> Answered {
        self.send(self.request(Method::PUT, path, Some(body))).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Answered {
        self.send(self.request(Method::DELETE, path, None)).await
    }

    pub(crate) fn request(&self, method: Method, path: &str, body: Option<Value>) -> Request<Body> {
        let request = Request::builder()
            .method(method)
            .uri(format!("/api/v1{path}"));
        match body {
            Some(body) => request
                .header("content-type", "application/json")
                .body(Body::from(body.to_string())),
            None => request.body(Body::empty()),
        }
        .unwrap()
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> Answered {
        let answer = self.app.router().oneshot(request).await.unwrap();
        let (status, headers) = (answer.status(), answer.headers().clone());
        let body = answer.into_body().collect().await.unwrap().to_bytes();
        Answered {
            status,
            headers,
            body: serde_json::from_slice(&body).unwrap_or(Value::Null),
        }
    }

    /// A session that was just made.
    pub(crate) async fn session(&self, name: &str) -> String {
        let made = self
            .post(
                "/sessions",
                json!({"repository": self.repository.root(), "name": name, "prompt": "Do it"}),
            )
            .await
            .ok();
        made["session"]["id"].as_str().unwrap().to_owned()
    }

    /// Runs the agent once and waits until nothing runs.
    pub(crate) async fn iterate(&self, session: &str) -> Value {
        let path = format!("/sessions/{session}/iterations");
        self.post(&path, json!({})).await.ok();
        self.at_rest(session).await
    }

    /// The session once nothing runs in it.
    pub(crate) async fn at_rest(&self, session: &str) -> Value {
        let path = format!("/sessions/{session}");
        let deadline = std::time::Instant::now() + PATIENCE;
        loop {
            let detail = self.get(&path).await.ok();
            let status = detail["session"]["status"].as_str().unwrap().to_owned();
            if !matches!(
                status.as_str(),
                "running" | "queued" | "initializing" | "evaluating"
            ) {
                return detail;
            }
            assert!(std::time::Instant::now() < deadline, "still {status}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// The answer of long work, which must succeed.
    pub(crate) async fn finished(&self, started: Answered) -> Value {
        let job = self.ended(started).await;
        assert_eq!(job["state"], "succeeded", "{job:#}");
        job["answer"].clone()
    }

    /// Long work once it is over.
    pub(crate) async fn ended(&self, started: Answered) -> Value {
        assert_eq!(started.status, StatusCode::ACCEPTED, "{started:?}");
        let id = started.body["job"]["id"].as_str().unwrap();
        let path = format!("/jobs/{id}?wait_ms=60000");
        self.get(&path).await.ok()["job"].clone()
    }
}

pub(crate) fn options(sandbox: &Sandbox) -> OpenOptions {
    OpenOptions {
        environment: sandbox.env().into_iter().collect::<Environment>(),
        repository: None,
        flags: Vec::new(),
        program: bin("orchestra"),
        clock: Clock::System,
    }
}

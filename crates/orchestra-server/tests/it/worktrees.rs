//! The worktrees of sessions, as a person works in them.

use std::path::{Path, PathBuf};

use axum::body::Bytes;
use axum::http::{HeaderMap, Method};
use http_body_util::BodyExt;
use orchestra_testkit::TestRepository;
use tower::ServiceExt;

use crate::world::World;

/// A file that was sent.
pub(crate) struct Download {
    pub(crate) headers: HeaderMap,
    pub(crate) bytes: Bytes,
}

impl World {
    /// Where a session works.
    pub(crate) async fn worktree(&self, session: &str) -> PathBuf {
        let detail = self.get(&format!("/sessions/{session}")).await.ok();
        PathBuf::from(detail["session"]["worktree_path"].as_str().unwrap())
    }

    /// Commits a file in the worktree of a session.
    pub(crate) async fn commit_in(&self, session: &str, file: &str, text: &str) {
        let there = self.checkout(&self.worktree(session).await);
        there.write(file, text);
        there.commit(&format!("change {file}"));
    }

    pub(crate) async fn read_in(&self, session: &str, file: &str) -> String {
        self.checkout(&self.worktree(session).await).read(file)
    }

    /// The commit that a session is at.
    pub(crate) async fn head_of(&self, session: &str) -> String {
        self.checkout(&self.worktree(session).await).head()
    }

    /// A file that is no JSON.
    pub(crate) async fn download(&self, path: &str) -> Download {
        let request = self.request(Method::GET, path, None);
        let answer = self.app.router().oneshot(request).await.unwrap();
        assert!(answer.status().is_success(), "{answer:?}");
        let headers = answer.headers().clone();
        let bytes = answer.into_body().collect().await.unwrap().to_bytes();
        Download { headers, bytes }
    }

    fn checkout(&self, path: &Path) -> TestRepository {
        self.repository.at(path)
    }
}

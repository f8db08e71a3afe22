//! The worktrees of sessions, as a person works in them.

use std::path::{Path, PathBuf};

use orchestra_testkit::TestRepository;

use crate::world::World;

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

    fn checkout(&self, path: &Path) -> TestRepository {
        self.repository.at(path)
    }
}

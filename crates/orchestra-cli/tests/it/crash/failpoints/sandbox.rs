//! Iterations in a sandbox that are cut off: what the agent committed in its own git directory arrives.

use orchestra_testkit::Sandbox;

use super::{WRITTEN, scenario};
use crate::concurrency::world::{World, shown};
use crate::sandboxed::holding;

/// Places before the agent ran.
pub(super) const HOLD: &[&str] = &["runner.workspace_made"];
/// Places after it.
pub(super) const FETCH: &[&str] = &["runner.fetch_due", "fetch.fetched", "fetch.moved"];

const SUBJECT: &str = "by the agent";

/// It commits what it wrote, and leaves one more line.
fn world() -> World {
    let sandbox = Sandbox::new();
    let commit = "[[step]]\ndo = 'git'\nargs = ['add', '--all']\n\
        [[step]]\ndo = 'git'\nargs = ['commit', '--quiet', '-m', 'by the agent']\n\
        [[step]]\ndo = 'append'\npath = 'journal.txt'\ntext = \"not committed\\n\"\n";
    let path = sandbox.scenario(&(scenario() + commit));
    let sandbox = holding(sandbox.with_knob("scenario", &path.to_string_lossy()));
    let repository = sandbox.repository("sample").with_files(60);
    World {
        sandbox,
        repository,
    }
}

#[test]
fn what_was_committed_in_a_sandbox_arrives() {
    for place in [HOLD, FETCH].concat() {
        let world = world();
        let session = world.create("victim", &[]);
        let output = world.abort_at(place, &["iterate", "victim", "--detach"]);
        assert!(output.status.success(), "{place}: {}", shown(&output));
        world.wait_until_nobody_works();
        for place in FETCH {
            let mut doctor = world.sandbox.orchestra();
            doctor.args(["doctor", "--fix"]);
            doctor.env("ORCHESTRA_FAILPOINT", place).output().unwrap();
        }
        world.recover_twice_killed(place);
        assert_eq!(world.outcomes(), ["interrupted"], "{place}");
        let tree = world.repository.at(&session.worktree);
        if HOLD.contains(&place) {
            assert_eq!(world.commits(&session), 0, "{place}");
        } else {
            assert_eq!(world.commits(&session), 1, "{place}");
            assert_eq!(tree.git(&["log", "-1", "--format=%s"]), SUBJECT, "{place}");
            let (path, content) = WRITTEN[0];
            let committed = tree.git(&["show", &format!("HEAD:{path}")]);
            assert_eq!(committed, content.trim_end(), "{place}");
            let left = tree.git(&["status", "--porcelain"]);
            assert_eq!(left, " M journal.txt", "{place}: what it left is there");
            let recorded = "SELECT json_array_length(commits) FROM iterations";
            assert_eq!(world.count(recorded), 1, "{place}: recorded commits");
        }
        world.goes_on(&session, place);
    }
    let places = HOLD.len() + FETCH.len();
    println!("failpoints of a sandbox {places}, lost 0");
}

//! Copies of ignored files that are cut off: the same set-up again makes them whole.

use std::os::unix::fs::PermissionsExt;

use super::scenario;
use crate::concurrency::world::{World, shown};

/// Places in copying, which is a step of the set-up.
pub(super) const COPY: &[&str] = &[
    "copy.begun",
    "copy.directory_made",
    "copy.unfinished",
    "copy.done",
];

const SETTINGS: &str = "A=1\nB=2\n";

#[test]
fn a_copy_that_was_cut_off_is_made_whole() {
    for place in COPY {
        let world = World::new(&scenario());
        world.repository.write(".gitignore", ".env\n/data/\n");
        world.repository.write(".worktreeinclude", ".env\ndata\n");
        world.repository.commit("rules");
        world.repository.write(".env", SETTINGS);
        world.repository.write("data/a", "a");
        let readable = PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(world.repository.path("data"), readable).unwrap();
        let new = ["new", "--name", "victim", "--prompt", "Do it"];
        let output = world.abort_at(place, &new);
        assert!(output.status.success(), "{place}: {}", shown(&output));
        world.wait_until_nobody_works();
        world.recover_twice_killed(place);
        let session = world.sessions().remove(0);
        world.succeed(&["setup", "victim", "--follow"]);
        let tree = world.repository.at(&session.worktree);
        assert_eq!(tree.read(".env"), SETTINGS, "{place}");
        assert_eq!(tree.read("data/a"), "a", "{place}");
        let directory = std::fs::metadata(tree.path("data")).unwrap();
        let mode = directory.permissions().mode() & 0o7777;
        assert_eq!(mode, 0o755, "{place}: it does not look finished");
        let again = world.succeed(&["setup", "victim", "--follow"]);
        assert!(
            again.contains(".env: it is there already"),
            "{place}: {again}"
        );
        world.goes_on(&session, place);
    }
    println!("failpoints in copying {}, lost 0", COPY.len());
}

//! Making, finding, removing and repairing worktrees.

mod finding;
mod making;
mod removing;
mod repairing;

use orchestra_git::StartingPoint;

use crate::world::{World, branch};

fn new_branch(world: &World, name: &str) -> StartingPoint {
    StartingPoint::NewBranch {
        name: branch(name),
        at: world.head(),
    }
}

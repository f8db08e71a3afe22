//! What may happen next.

use crate::dice::Dice;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    ByHand(ByHand),
    Command(Command),
}

/// What people do with an editor and plain git.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ByHand {
    Write,
    Append,
    MakeTool,
    Link,
    Stage,
    Commit,
    Amend,
    Reset,
    ResetHard,
    /// Away from the session's branch, or back to it.
    Switch,
    /// The branch of a session whose worktree is in the trash.
    DeleteBranch,
    CommitOnBase,
    /// The session and the base commit changes of the same line.
    Clash,
    /// Changes in the checkout of the base that nobody committed.
    DirtyBase,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Command {
    Commit,
    Squash,
    KeepManual,
    Rebase,
    Continue,
    Skip,
    Abort,
    Resolve(Side),
    Merge(Manner),
    Land,
    Push,
    Iterate,
    /// A turn of the agent whose runner is killed.
    Interrupt,
    Discard,
    Cleanup,
    Restore,
    Undo,
    Redo,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Ours,
    Theirs,
    Edited,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    AsItFits,
    NoFastForward,
    Squash,
    CherryPick,
    Into,
}

const fn hand(by_hand: ByHand) -> Step {
    Step::ByHand(by_hand)
}

const fn run(command: Command) -> Step {
    Step::Command(command)
}

/// A session at rest; the first ones more often.
const AT_REST: &[Step] = &[
    hand(ByHand::Write),
    hand(ByHand::Write),
    hand(ByHand::Append),
    hand(ByHand::Append),
    hand(ByHand::Append),
    hand(ByHand::Append),
    hand(ByHand::MakeTool),
    hand(ByHand::Link),
    hand(ByHand::Stage),
    hand(ByHand::Commit),
    hand(ByHand::Commit),
    hand(ByHand::Commit),
    hand(ByHand::Commit),
    hand(ByHand::Amend),
    hand(ByHand::Reset),
    hand(ByHand::ResetHard),
    hand(ByHand::Switch),
    hand(ByHand::CommitOnBase),
    hand(ByHand::CommitOnBase),
    hand(ByHand::CommitOnBase),
    hand(ByHand::Clash),
    hand(ByHand::Clash),
    hand(ByHand::DirtyBase),
    run(Command::Commit),
    run(Command::Commit),
    run(Command::Commit),
    run(Command::Squash),
    run(Command::Squash),
    run(Command::Squash),
    run(Command::KeepManual),
    run(Command::KeepManual),
    run(Command::Rebase),
    run(Command::Rebase),
    run(Command::Rebase),
    run(Command::Rebase),
    run(Command::Merge(Manner::AsItFits)),
    run(Command::Merge(Manner::NoFastForward)),
    run(Command::Merge(Manner::Squash)),
    run(Command::Merge(Manner::CherryPick)),
    run(Command::Merge(Manner::Into)),
    run(Command::Land),
    run(Command::Push),
    run(Command::Iterate),
    run(Command::Interrupt),
    run(Command::Interrupt),
    run(Command::Cleanup),
    run(Command::Undo),
    run(Command::Undo),
    run(Command::Redo),
];
/// A rebase waits for somebody.
pub(super) const STOPPED: &[Step] = &[
    run(Command::Resolve(Side::Ours)),
    run(Command::Resolve(Side::Theirs)),
    run(Command::Resolve(Side::Theirs)),
    run(Command::Resolve(Side::Edited)),
    run(Command::Resolve(Side::Edited)),
    run(Command::Continue),
    run(Command::Continue),
    run(Command::Iterate),
    run(Command::Abort),
    run(Command::Skip),
    run(Command::Undo),
    run(Command::Redo),
];
/// A turn of the agent was cut off.
pub(super) const INTERRUPTED: &[Step] = &[
    hand(ByHand::Append),
    run(Command::Discard),
    run(Command::Discard),
    run(Command::Discard),
    run(Command::Commit),
    run(Command::Iterate),
];
/// The worktree is in the trash.
pub(super) const IN_TRASH: &[Step] = &[
    hand(ByHand::DeleteBranch),
    hand(ByHand::CommitOnBase),
    run(Command::Restore),
    run(Command::Restore),
    run(Command::Restore),
    run(Command::Restore),
    run(Command::Undo),
    run(Command::Undo),
    run(Command::Undo),
];

/// Steps come in any order, but each of them comes.
#[derive(Debug, Default)]
pub(super) struct Deck {
    left: Vec<Step>,
}

impl Deck {
    pub(super) fn draw(&mut self, dice: &mut Dice) -> Step {
        if self.left.is_empty() {
            self.left = AT_REST.to_vec();
        }
        self.left.swap_remove(dice.below(self.left.len()))
    }
}

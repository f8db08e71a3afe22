//! What is done to a session on its way back to its base, as every face tells it.

mod history;

pub use history::{conflict_list, conflict_sides, rebase_outcome, rebased, resolved, squashed};

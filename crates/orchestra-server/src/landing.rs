//! What is done to a session on its way back to its base, as every face tells it.

mod check;
mod history;
mod land;
mod merge;
mod operations;

pub use check::{approval_answer, check_answer, conflict_matrix, push_answer};
pub use history::{conflict_list, conflict_sides, rebase_outcome, rebased, resolved, squashed};
pub use land::{dependencies, land_answer};
pub use merge::{MergeOutcome, landed_answer, merge, merge_answer, step_in_words};
pub use operations::{is_next_undo_kept, operation_answer, operation_list};

//! Cleanups, the trash and housekeeping, as every face does and tells them.

mod cleanup;
mod databases;
mod gc;
mod regenerable;
mod trash;

pub(crate) use cleanup::{CleanupConsent, cleanup_plan};
pub use cleanup::{cleaned, foretold_cleanup};
pub use databases::{Agreed, DatabasesLeft};
pub use gc::{HouseOrder, Housekeeper, Housekeeping, keep_house};
pub use regenerable::Offer;
pub use trash::{emptied, foretold_emptying, older, restored, trash_list};

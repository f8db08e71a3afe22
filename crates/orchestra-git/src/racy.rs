//! Times of files are coarse: what was changed just now can be changed again without another time.

use std::time::{SystemTime, UNIX_EPOCH};

/// Times of files are no coarser than this anywhere.
const SETTLED: u64 = 2;

/// Whether nothing that happens after `now` can have the time of a change, both in seconds.
pub(crate) fn is_settled(changed: u64, now: u64) -> bool {
    changed.saturating_add(SETTLED) < now
}

#[expect(
    clippy::disallowed_methods,
    reason = "compared with the times of files, which no test can set"
)]
pub(crate) fn seconds_now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.unwrap_or_default().as_secs()
}

//! Waiting for the world without guessing how long it takes.

use std::time::{Duration, Instant};

/// Polls until something is so.
///
/// # Panics
/// When it is not so by the deadline; the message says what was awaited.
pub fn wait_until(what: &str, deadline: Duration, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(
            start.elapsed() < deadline,
            "waited {deadline:?} in vain until {what}"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}

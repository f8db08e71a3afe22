//! Work on bytes that somebody else wrote, through libraries that may panic on them: a panic ends the attempt and not the
//! process, and nobody is bothered with it.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    static CONTAINED: Cell<bool> = const { Cell::new(false) };
}

/// Does the work on this thread; `None` if it panicked. What it had borrowed must not be used after that.
pub(crate) fn contained<T>(work: impl FnOnce() -> T) -> Option<T> {
    keep_silent();
    let before = CONTAINED.replace(true);
    let done = panic::catch_unwind(AssertUnwindSafe(work));
    CONTAINED.set(before);
    done.ok()
}

/// Panics elsewhere are told as before. Checking first what could panic would mean to parse everything twice.
fn keep_silent() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let tell = panic::take_hook();
        panic::set_hook(Box::new(move |what| {
            if CONTAINED.get() {
                tracing::debug!(%what, "damaged bytes");
            } else {
                tell(what);
            }
        }));
    });
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use orchestra_process::{CommandSpec, Limits, capture};

    use super::*;

    #[test]
    fn a_panic_ends_the_attempt() {
        assert_eq!(contained(|| 1), Some(1));
        assert_eq!(contained(|| -> u32 { panic!("no") }), None);
        assert_eq!(
            contained(|| contained(|| -> u32 { panic!("no") })),
            Some(None)
        );
        assert!(!CONTAINED.get());
    }

    #[test]
    fn nobody_is_told() {
        let test = "contained::tests::a_panic_ends_the_attempt";
        let program = std::env::current_exe().unwrap();
        let spec =
            CommandSpec::new(program, std::env::temp_dir()).args(["--exact", test, "--nocapture"]);
        let limits = Limits {
            timeout: Duration::from_secs(60),
            max_output: 1 << 20,
        };
        let told = capture(&spec, limits).unwrap();
        let (stdout, stderr) = (
            String::from_utf8_lossy(&told.stdout),
            String::from_utf8_lossy(&told.stderr),
        );
        assert!(stdout.contains("1 passed"), "{stdout}{stderr}");
        assert!(!stderr.contains("panicked"), "{stderr}");
    }
}

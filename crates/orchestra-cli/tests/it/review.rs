//! Reviewing and keeping work: diff, commit, log, scripts, and the choices after an interruption.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod commit;
mod diff;
mod interrupted;
mod run;
mod work;

//! The readers of every agent: fixtures made from the documented shapes, and what must hold for any input.
#![expect(clippy::print_stdout, reason = "what was counted is told")]

mod fixtures;
mod hostile;

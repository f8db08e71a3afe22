//! How much the tests that count do.

/// Whether the tests that count much should count as much as the product promises.
#[expect(
    clippy::disallowed_methods,
    reason = "a test asks its own environment how long it may take"
)]
pub(crate) fn is_long() -> bool {
    std::env::var_os("ORCHESTRA_TEST_LONG").is_some()
}

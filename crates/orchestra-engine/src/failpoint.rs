//! Named places where a test ends the process as hard as a power cut would. Release builds have none.

/// Which place is armed. `ORCHESTRA_FAILPOINT` names it; only builds with debug assertions look.
#[derive(Debug, Clone, Default)]
pub(crate) struct Failpoints {
    #[cfg(debug_assertions)]
    armed: Option<String>,
}

#[cfg(debug_assertions)]
impl Failpoints {
    pub(crate) fn armed_at(name: Option<String>) -> Self {
        Self { armed: name }
    }

    /// Ends the process here if this place is armed: no destructor runs, nothing is flushed.
    pub(crate) fn pass(&self, name: &str) {
        if self.armed.as_deref() == Some(name) {
            std::process::abort();
        }
    }
}

#[cfg(not(debug_assertions))]
impl Failpoints {
    pub(crate) fn armed_at(_name: Option<String>) -> Self {
        Self {}
    }

    pub(crate) fn pass(&self, _name: &str) {}
}

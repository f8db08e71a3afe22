//! What is not done unless a person agreed to it.

/// Whether a person agreed to something that is not done otherwise.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Consent {
    /// They are asked if they can be, else it is refused.
    #[default]
    Missing,
    /// It is done, and that they agreed is recorded if it passes over something.
    Given,
}

impl Consent {
    /// Given if somebody asked for it.
    #[must_use]
    pub const fn given_if(asked: bool) -> Self {
        match asked {
            true => Self::Given,
            false => Self::Missing,
        }
    }
}

//! The variable in a child's environment by which its leftovers are recognised.

/// A name and a value that no other tree has, such as `ORCHESTRA_RUN=<unique>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marker {
    pub name: String,
    pub value: String,
}

impl Marker {
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            value: value.into(),
        }
    }
}

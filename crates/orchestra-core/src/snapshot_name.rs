//! What a snapshot is called in the folder of its session.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The name of a snapshot, such as `20260801-101500-123`: part of a path, so it can lead nowhere else.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, ToSchema, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[schema(value_type = String)]
pub struct SnapshotName(String);

/// The text is not the name of a snapshot.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not the name of a snapshot: digits and dashes")]
pub struct InvalidSnapshotName(String);

impl SnapshotName {
    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for SnapshotName {
    type Err = InvalidSnapshotName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_plain = |letter: char| letter.is_ascii_digit() || letter == '-';
        match !text.is_empty() && text.chars().all(is_plain) {
            true => Ok(Self(text.to_owned())),
            false => Err(InvalidSnapshotName(text.to_owned())),
        }
    }
}

impl TryFrom<String> for SnapshotName {
    type Error = InvalidSnapshotName;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<SnapshotName> for String {
    fn from(name: SnapshotName) -> Self {
        name.0
    }
}

impl fmt::Display for SnapshotName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_leads_nowhere_else() {
        for good in ["20260801-101500-123", "20260801-101500-123-2"] {
            let name: SnapshotName = good.parse().unwrap();
            let written = serde_json::to_string(&name).unwrap();
            assert_eq!(
                serde_json::from_str::<SnapshotName>(&written).unwrap(),
                name
            );
            assert_eq!(name.to_string(), good);
        }
        for bad in ["", ".", "..", "a/b", "1/2", "1 ", "x.unfinished"] {
            assert!(bad.parse::<SnapshotName>().is_err(), "{bad}");
        }
    }
}

//! Why data cannot be kept, exported or removed.

use std::path::PathBuf;

use crate::ErrorClass;

/// Data cannot be kept, exported or removed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DataError {
    /// The data directory is somebody else's.
    #[error("{} belongs to another user", directory.display())]
    ForeignOwner {
        /// The data directory.
        directory: PathBuf,
    },
    /// Something is where an export should go.
    #[error("{} exists already", target.display())]
    ExportExists {
        /// Where it should go.
        target: PathBuf,
    },
    /// A purge would not find the copy.
    #[error("{} is in the data directory, where a copy would outlive a purge", target.display())]
    ExportInside {
        /// Where it should go.
        target: PathBuf,
    },
}

impl DataError {
    /// A stable code for programs.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::ForeignOwner { .. } => "data.foreign_owner",
            Self::ExportExists { .. } => "export.exists",
            Self::ExportInside { .. } => "export.inside",
        }
    }

    /// What the user can do next.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::ForeignOwner { .. } => {
                "run it as that user, or name a directory of your own in ORCHESTRA_HOME".to_owned()
            }
            Self::ExportExists { .. } => "choose another place, or remove it".to_owned(),
            Self::ExportInside { .. } => "choose a place outside of it".to_owned(),
        }
    }

    pub(crate) const fn class(&self) -> ErrorClass {
        ErrorClass::Refused
    }
}

//! From checked values by key to plain typed fields.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use orchestra_core::{
    AgentProtocol, BranchGlob, BranchName, BranchPattern, Budget, CheckName, DatabaseKind,
    EnvironmentKind, FileGlob, Isolation, PermissionPolicy, PermissionRule, PortRange,
    SecretSource,
};

use crate::choices::{ColorChoice, HumanChanges, OverQuota, Theme};
use crate::error::ConfigError;
use crate::typed::Typed;

/// Reads typed fields out of checked values.
pub(crate) struct Reader<'a> {
    pub(crate) values: BTreeMap<&'a str, &'a Typed>,
    /// Tables with chosen names, also those without any key.
    pub(crate) tables: BTreeSet<&'a str>,
}

/// A type that a field of the settings can have.
pub(crate) trait FromTyped: Sized {
    fn from_typed(value: &Typed) -> Option<Self>;
}

impl Reader<'_> {
    pub(crate) fn require<Field: FromTyped>(&self, key: &str) -> Result<Field, ConfigError> {
        self.find(key)?
            .ok_or_else(|| ConfigError::Inconsistent { key: key.into() })
    }

    pub(crate) fn find<Field: FromTyped>(&self, key: &str) -> Result<Option<Field>, ConfigError> {
        let convert = |value: &&Typed| {
            Field::from_typed(value).ok_or_else(|| ConfigError::Inconsistent { key: key.into() })
        };
        self.values.get(key).map(convert).transpose()
    }

    /// A duration of which zero means none.
    pub(crate) fn timeout(&self, key: &str) -> Result<Option<Duration>, ConfigError> {
        let duration: Duration = self.require(key)?;
        Ok(Some(duration).filter(|duration| !duration.is_zero()))
    }

    /// The names the user chose in a section.
    pub(crate) fn chosen_names(&self, section: &str) -> BTreeSet<&str> {
        let of_key = |key: &'_ &str| key.split('.').count() > 2;
        let keys = self.values.keys().copied().filter(of_key);
        keys.chain(self.tables.iter().copied())
            .filter_map(|name| name.strip_prefix(section)?.strip_prefix('.'))
            .filter_map(|rest| rest.split('.').next())
            .collect()
    }

    /// All values of a section whose keys the user chooses.
    pub(crate) fn chosen<Field: FromTyped>(
        &self,
        section: &str,
    ) -> Result<BTreeMap<String, Field>, ConfigError> {
        let mut values = BTreeMap::new();
        for key in self.values.keys() {
            if let Some((head, name)) = key.rsplit_once('.')
                && head == section
            {
                values.insert(name.to_owned(), self.require(key)?);
            }
        }
        Ok(values)
    }
}

/// Fields that are held as they are.
macro_rules! held_as {
    ($($variant:ident => $field:ty,)+) => {$(
        impl FromTyped for $field {
            fn from_typed(value: &Typed) -> Option<Self> {
                if let Typed::$variant(value) = value { Some(value.clone()) } else { None }
            }
        }
    )+};
}

held_as! {
    Text => String,
    Count => u32,
    Switch => bool,
    Duration => Duration,
    Size => u64,
    Path => PathBuf,
    Paths => Vec<PathBuf>,
}

impl FromTyped for Vec<String> {
    fn from_typed(value: &Typed) -> Option<Self> {
        if let Typed::Words(list) | Typed::List(list) = value {
            Some(list.clone())
        } else {
            None
        }
    }
}

/// Fields that are read from their text.
macro_rules! parsed_from_text {
    ($($field:ty,)+) => {$(
        impl FromTyped for $field {
            fn from_typed(value: &Typed) -> Option<Self> {
                String::from_typed(value)?.parse().ok()
            }
        }
    )+};
}

parsed_from_text! {
    AgentProtocol,
    BranchName,
    Budget,
    DatabaseKind,
    Isolation,
    PermissionPolicy,
    PortRange,
    SecretSource,
}

impl FromTyped for EnvironmentKind {
    fn from_typed(value: &Typed) -> Option<Self> {
        Self::from_word(&String::from_typed(value)?)
    }
}

impl FromTyped for Vec<BranchGlob> {
    fn from_typed(value: &Typed) -> Option<Self> {
        parsed(value)
    }
}

impl FromTyped for Vec<FileGlob> {
    fn from_typed(value: &Typed) -> Option<Self> {
        parsed(value)
    }
}

impl FromTyped for Vec<PermissionRule> {
    fn from_typed(value: &Typed) -> Option<Self> {
        parsed(value)
    }
}

impl FromTyped for Vec<CheckName> {
    fn from_typed(value: &Typed) -> Option<Self> {
        parsed(value)
    }
}

fn parsed<Item: FromStr>(value: &Typed) -> Option<Vec<Item>> {
    let words = Vec::<String>::from_typed(value)?;
    words.iter().map(|word| word.parse().ok()).collect()
}

impl FromTyped for BranchPattern {
    fn from_typed(value: &Typed) -> Option<Self> {
        String::from_typed(value).map(Self)
    }
}

impl FromTyped for HumanChanges {
    fn from_typed(value: &Typed) -> Option<Self> {
        Self::from_word(&String::from_typed(value)?)
    }
}

impl FromTyped for ColorChoice {
    fn from_typed(value: &Typed) -> Option<Self> {
        Self::from_word(&String::from_typed(value)?)
    }
}

impl FromTyped for OverQuota {
    fn from_typed(value: &Typed) -> Option<Self> {
        Self::from_word(&String::from_typed(value)?)
    }
}

impl FromTyped for Theme {
    fn from_typed(value: &Typed) -> Option<Self> {
        Self::from_word(&String::from_typed(value)?)
    }
}

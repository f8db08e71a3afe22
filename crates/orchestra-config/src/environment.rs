//! A snapshot of environment variables: the only place that reads those of the process.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};

use crate::variables;

/// The environment variables the product was started with, read once.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Environment(BTreeMap<OsString, OsString>);

impl Environment {
    /// Reads the variables of this process. Without a home variable, the system's answer for the user is used.
    #[must_use]
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one place that reads the process environment"
    )]
    pub fn of_process() -> Self {
        let mut environment: Self = std::env::vars_os().collect();
        if environment.home().is_none()
            && let Some(home) = std::env::home_dir().filter(|home| home.is_absolute())
        {
            environment.0.insert(platform::HOME.into(), home.into());
        }
        environment
    }

    /// The value of a variable. An empty value counts as not set.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&OsStr> {
        let value = self.0.get(&platform::normalized(name.into()))?;
        Some(value.as_os_str()).filter(|value| !value.is_empty())
    }

    /// The value of a variable as an absolute path. A relative one counts as not set.
    #[must_use]
    pub fn find_absolute_path(&self, name: &str) -> Option<PathBuf> {
        self.find(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    }

    /// The user's home directory.
    #[must_use]
    pub fn home(&self) -> Option<&Path> {
        self.find(platform::HOME)
            .map(Path::new)
            .filter(|home| home.is_absolute())
    }

    /// All variables, in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.0
            .iter()
            .map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }
}

impl<Name: Into<OsString>, Text: Into<OsString>> FromIterator<(Name, Text)> for Environment {
    fn from_iter<Variables: IntoIterator<Item = (Name, Text)>>(variables: Variables) -> Self {
        let pairs = variables.into_iter();
        Self(
            pairs
                .map(|(name, value)| (platform::normalized(name.into()), value.into()))
                .collect(),
        )
    }
}

/// Shows names only: values may be secrets.
impl fmt::Debug for Environment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.0.keys()).finish()
    }
}

#[cfg(not(windows))]
mod platform {
    use std::ffi::OsString;

    pub(super) const HOME: &str = super::variables::HOME;

    pub(super) fn normalized(name: OsString) -> OsString {
        name
    }
}

#[cfg(windows)]
mod platform {
    use std::ffi::OsString;

    pub(super) const HOME: &str = super::variables::USERPROFILE;

    /// Names are compared without regard to case there.
    pub(super) fn normalized(name: OsString) -> OsString {
        name.to_ascii_uppercase()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_value_counts_as_not_set() {
        let environment: Environment = [("A", ""), ("B", "b")].into_iter().collect();
        assert_eq!(environment.find("A"), None);
        assert_eq!(environment.find("B"), Some(OsStr::new("b")));
        assert_eq!(environment.find("C"), None);
    }

    #[test]
    fn debug_output_has_no_values() {
        let environment: Environment = [("API_KEY", "hunter2hunter2")].into_iter().collect();
        assert_eq!(format!("{environment:?}"), r#"{"API_KEY"}"#);
    }

    #[test]
    fn the_process_environment_has_a_home() {
        assert!(Environment::of_process().home().is_some());
    }
}

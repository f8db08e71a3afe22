//! A value that has passed the check of its setting.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use toml_edit::{Array, Value};

use crate::quantity::{format_duration, format_size};

/// A checked value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Typed {
    Text(String),
    Count(u32),
    Switch(bool),
    Duration(Duration),
    Size(u64),
    Path(PathBuf),
    Paths(Vec<PathBuf>),
    /// A command and its arguments.
    Words(Vec<String>),
    List(Vec<String>),
}

impl Typed {
    /// How the value is written into a settings file.
    pub(crate) fn to_toml(&self) -> Value {
        match self {
            Self::Count(count) => i64::from(*count).into(),
            Self::Switch(on) => (*on).into(),
            Self::Paths(paths) => {
                let texts = paths.iter().map(|path| path.display().to_string());
                texts.collect::<Array>().into()
            }
            Self::Words(words) | Self::List(words) => words.iter().collect::<Array>().into(),
            Self::Text(_) | Self::Duration(_) | Self::Size(_) | Self::Path(_) => {
                self.to_string().into()
            }
        }
    }

    /// Replaces a leading `~` of a path. `None` if there is no home to put there.
    pub(crate) fn with_home(self, home: Option<&Path>) -> Option<Self> {
        match self {
            Self::Path(path) => at_home(path, home).map(Self::Path),
            Self::Paths(paths) => {
                let paths = paths.into_iter().map(|path| at_home(path, home));
                paths.collect::<Option<_>>().map(Self::Paths)
            }
            other => Some(other),
        }
    }
}

fn at_home(path: PathBuf, home: Option<&Path>) -> Option<PathBuf> {
    match path.strip_prefix("~") {
        Ok(rest) => Some(home?.join(rest)),
        Err(_) => Some(path),
    }
}

/// The text that gives the same value when it is typed on a command line.
impl fmt::Display for Typed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => formatter.write_str(text),
            Self::Count(count) => write!(formatter, "{count}"),
            Self::Switch(on) => write!(formatter, "{on}"),
            Self::Duration(duration) => formatter.write_str(&format_duration(*duration)),
            Self::Size(bytes) => formatter.write_str(&format_size(*bytes)),
            Self::Path(path) => write!(formatter, "{}", path.display()),
            Self::Words(words) => formatter.write_str(&shell_words::join(words)),
            Self::List(_) | Self::Paths(_) => write!(formatter, "{}", self.to_toml()),
        }
    }
}

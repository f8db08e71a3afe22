//! Where a secret is, instead of the secret itself: settings and records name the place only.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Where a secret is found when it is needed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SecretSource {
    /// A variable of the environment that Orchestra was started in.
    Environment(String),
    /// The first line of a file that nobody else can read.
    File(PathBuf),
    /// The keyring of the user's desktop.
    Keyring {
        /// What it is for.
        service: String,
        /// Whose it is.
        account: String,
    },
}

impl fmt::Display for SecretSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Environment(name) => write!(formatter, "env:{name}"),
            Self::File(path) => write!(formatter, "file:{}", path.display()),
            Self::Keyring { service, account } => write!(formatter, "keyring:{service}/{account}"),
        }
    }
}

/// A text that names no place. It is not shown: it may be the secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "this names no place of a secret; write `env:NAME`, `file:/path` or `keyring:service/account`"
)]
pub struct InvalidSecretSource;

impl FromStr for SecretSource {
    type Err = InvalidSecretSource;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (kind, place) = text.split_once(':').ok_or(InvalidSecretSource)?;
        let source = match kind {
            "env" => is_variable(place).then(|| Self::Environment(place.to_owned())),
            "file" => is_anchored(place).then(|| Self::File(place.into())),
            "keyring" => keyring(place),
            _ => None,
        };
        source.ok_or(InvalidSecretSource)
    }
}

fn is_variable(name: &str) -> bool {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    !name.is_empty()
        && name.chars().all(is_part)
        && !name.starts_with(|it: char| it.is_ascii_digit())
}

fn is_anchored(path: &str) -> bool {
    let is_one_line = !path.contains(['\n', '\r', '\0']);
    is_one_line && (Path::new(path).is_absolute() || path.starts_with("~/"))
}

fn keyring(place: &str) -> Option<SecretSource> {
    let (service, account) = place.split_once('/')?;
    let is_word = |text: &str| {
        !text.is_empty() && !text.starts_with('-') && !text.contains(char::is_whitespace)
    };
    (is_word(service) && is_word(account)).then(|| SecretSource::Keyring {
        service: service.to_owned(),
        account: account.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_and_written_back() {
        for text in [
            "env:AMP_API_KEY",
            "file:/run/amp",
            "file:~/.amp",
            "keyring:amp/me@home",
        ] {
            assert_eq!(text.parse::<SecretSource>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn a_secret_given_instead_is_refused_and_not_shown() {
        let secret = "the-token-itself";
        let error = secret.parse::<SecretSource>().unwrap_err();
        assert!(!error.to_string().contains(secret));
        for text in [
            "env:",
            "env:A B",
            "env:1A",
            "file:relative",
            "file:/a\nb",
            "keyring:amp",
            "keyring:-x/y",
            "url:x",
        ] {
            assert!(text.parse::<SecretSource>().is_err(), "{text}");
        }
    }
}

//! Addresses of remotes. They come from a repository's configuration, so only what cannot run a program or leak a password
//! is accepted.

use std::path::Path;

/// An address that git may be given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RemoteUrl {
    address: String,
    /// Who asks, where an address for https says so. People put tokens there, and every user of a machine sees the
    /// arguments of programs, so it is not left in the address.
    user: Option<String>,
}

/// Why an address is refused. The address itself is not repeated: it may contain a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidUrl {
    /// `ext::` and the like start programs.
    #[error("the address of the remote names a helper program")]
    Helper,
    /// Not https, ssh, or a path.
    #[error("the address of the remote is neither https, ssh nor a path")]
    Scheme,
    /// It could be read as an option.
    #[error("a part of the remote's address starts with a dash")]
    OptionLike,
    /// `https://user:password@host`
    #[error("the address of the remote contains a password")]
    Password,
    /// Empty or with control characters.
    #[error("the address of the remote is not readable")]
    Unreadable,
}

impl RemoteUrl {
    /// Checks an address. A path may be relative to `root`.
    pub(crate) fn parse(text: &str, root: &Path) -> Result<Self, InvalidUrl> {
        if text.is_empty() || text.chars().any(char::is_control) {
            return Err(InvalidUrl::Unreadable);
        }
        if text.starts_with('-') {
            return Err(InvalidUrl::OptionLike);
        }
        if names_helper(text) {
            return Err(InvalidUrl::Helper);
        }
        match text.split_once("://") {
            Some((scheme, rest)) => from_url(scheme, rest),
            None => from_short_form(text, root),
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.address
    }

    /// Whether another repository on this machine is meant.
    pub(crate) fn is_local(&self) -> bool {
        Path::new(&self.address).is_absolute() || self.address.starts_with("file://")
    }

    /// What git asks the user's credential helpers for.
    pub(crate) fn credential_values(&self) -> impl Iterator<Item = (String, String)> + use<> {
        let host = self.address.strip_prefix("https://").unwrap_or_default();
        let host = host.split('/').next().unwrap_or_default();
        let key = format!("credential.https://{host}.username");
        self.user
            .clone()
            .into_iter()
            .map(move |user| (key.clone(), user))
    }

    fn plain(address: impl Into<String>) -> Self {
        Self {
            address: address.into(),
            user: None,
        }
    }
}

/// `name::address` hands the address to the program `git-remote-name`.
fn names_helper(text: &str) -> bool {
    let is_name = |name: &str| {
        name.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+-._".contains(&byte))
    };
    text.split_once("::").is_some_and(|(name, _)| is_name(name))
}

fn from_url(scheme: &str, rest: &str) -> Result<RemoteUrl, InvalidUrl> {
    let whole = format!("{scheme}://{rest}");
    if scheme == "file" {
        return Ok(RemoteUrl::plain(whole));
    }
    if !matches!(scheme, "https" | "ssh") {
        return Err(InvalidUrl::Scheme);
    }
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
    if user.contains(':') {
        return Err(InvalidUrl::Password);
    }
    check_parts(&[user, host, path])?;
    if scheme == "ssh" || user.is_empty() {
        return Ok(RemoteUrl::plain(whole));
    }
    let from_host = &rest[user.len() + 1..];
    Ok(RemoteUrl {
        address: format!("{scheme}://{from_host}"),
        user: Some(user.to_owned()),
    })
}

/// `user@host:path`, or a path. As git does: a colon before the first slash makes it a host.
fn from_short_form(text: &str, root: &Path) -> Result<RemoteUrl, InvalidUrl> {
    let colon = text.find(':').filter(|colon| !text[..*colon].contains('/'));
    let Some(colon) = colon.filter(|_| !Path::new(text).is_absolute()) else {
        return Ok(RemoteUrl::plain(root.join(text).to_string_lossy()));
    };
    let (user, host) = text[..colon]
        .rsplit_once('@')
        .unwrap_or(("", &text[..colon]));
    check_parts(&[user, host, &text[colon + 1..]])?;
    Ok(RemoteUrl::plain(text))
}

fn check_parts(parts: &[&str]) -> Result<(), InvalidUrl> {
    if parts.iter().any(|part| part.starts_with('-')) {
        Err(InvalidUrl::OptionLike)
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<String, InvalidUrl> {
        RemoteUrl::parse(text, Path::new("/r")).map(|url| url.as_str().to_owned())
    }

    #[test]
    fn usual_addresses_pass() {
        let same = [
            "https://github.com/o/r.git",
            "ssh://git@host:22/o/r",
            "git@github.com:o/r.git",
            "host:r",
            "/srv/git/r.git",
            "file:///srv/r",
        ];
        for text in same {
            assert_eq!(parse(text).as_deref(), Ok(text));
        }
        assert_eq!(parse("../other").as_deref(), Ok("/r/../other"));
        assert_eq!(parse("./a:b").as_deref(), Ok("/r/./a:b"));
    }

    #[test]
    fn who_asks_is_not_part_of_an_address_for_https() {
        let parse = |text| RemoteUrl::parse(text, Path::new("/r")).unwrap();
        let url = parse("https://me@host:8443/o/r.git");
        assert_eq!(url.as_str(), "https://host:8443/o/r.git");
        let values: Vec<_> = url.credential_values().collect();
        let key = "credential.https://host:8443.username";
        assert_eq!(values, [(key.to_owned(), "me".to_owned())]);
        for text in ["https://host/r", "ssh://git@host/r", "git@host:r", "/r"] {
            assert_eq!(parse(text).credential_values().count(), 0, "{text}");
        }
        assert_eq!(parse("https://me@host").as_str(), "https://host");
    }

    #[test]
    fn repositories_on_this_machine_are_known() {
        let is_local = |text| RemoteUrl::parse(text, Path::new("/r")).unwrap().is_local();
        assert!(is_local("/srv/r") && is_local("../r") && is_local("file:///srv/r"));
        assert!(!is_local("host:r") && !is_local("https://host/r") && !is_local("ssh://host/r"));
    }

    #[test]
    fn dangerous_addresses_are_refused() {
        let cases = [
            ("ext::sh -c id", InvalidUrl::Helper),
            ("fd::3", InvalidUrl::Helper),
            ("http://host/r", InvalidUrl::Scheme),
            ("git://host/r", InvalidUrl::Scheme),
            ("-oProxyCommand=id", InvalidUrl::OptionLike),
            ("ssh://-oProxyCommand=id/x", InvalidUrl::OptionLike),
            ("-x@host:r", InvalidUrl::OptionLike),
            ("host:-r", InvalidUrl::OptionLike),
            ("https://u:p@host/r", InvalidUrl::Password),
            ("", InvalidUrl::Unreadable),
            ("https://a\nb", InvalidUrl::Unreadable),
        ];
        for (text, reason) in cases {
            assert_eq!(parse(text), Err(reason), "{text}");
        }
    }
}

//! The hosts that a program may reach.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::sandbox::SandboxError;

/// Ports below need a capability, which no program in a sandbox has.
const FIRST_FREE_PORT: u16 = 1024;

/// Names, domains and addresses, each with a port or with any.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostList(Vec<Rule>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Rule {
    host: Host,
    port: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Host {
    Name(String),
    /// Every name that ends with this, which begins with a dot.
    Below(String),
    Address(IpAddr),
}

impl HostList {
    /// Reads `example.com`, `*.example.com`, `example.com:443`, `127.0.0.1:8080` and `[::1]:8080`. `localhost` is this machine, by
    /// its addresses too.
    ///
    /// # Errors
    /// If one is none of these.
    pub fn parse<I>(hosts: I) -> Result<Self, SandboxError>
    where
        I: IntoIterator,
        I::Item: AsRef<str>,
    {
        let rules = hosts.into_iter().map(|host| {
            let host = host.as_ref();
            rule(host).ok_or_else(|| SandboxError::Host {
                host: host.to_owned(),
            })
        });
        let mut rules = rules.collect::<Result<Vec<_>, _>>()?;
        let own = rules.iter().filter(|rule| rule.host == Host::own());
        let own: Vec<_> = own.flat_map(|rule| addresses(rule.port)).collect();
        rules.extend(own);
        Ok(Self(rules))
    }

    /// Makes sure that every port of this machine in the list can be listened at in namespaces of a program's own.
    ///
    /// # Errors
    /// If one is below 1024.
    pub fn require_reachable(&self) -> Result<(), SandboxError> {
        match self.local_ports().first() {
            Some(port) if *port < FIRST_FREE_PORT => Err(SandboxError::LowPort { port: *port }),
            _ => Ok(()),
        }
    }

    /// Whether a program may ask for this host.
    pub(super) fn allows(&self, host: &str, port: u16) -> bool {
        let host = plain(host);
        if let Ok(address) = host.parse() {
            return self.names(address, port);
        }
        self.at(port).any(|rule| match rule {
            Host::Name(name) => *name == host,
            Host::Below(domain) => host.ends_with(domain),
            Host::Address(_) => false,
        })
    }

    /// The ports of this machine that are named one by one.
    pub(super) fn local_ports(&self) -> Vec<u16> {
        let is_local = |rule: &&Rule| rule.host == Host::Address(Ipv4Addr::LOCALHOST.into());
        let mut ports: Vec<u16> = self
            .0
            .iter()
            .filter(is_local)
            .filter_map(|it| it.port)
            .collect();
        ports.sort_unstable();
        ports.dedup();
        ports
    }

    /// Whether exactly this address is in the list.
    pub(super) fn names(&self, address: IpAddr, port: u16) -> bool {
        self.at(port)
            .any(|rule| *rule == Host::Address(address.to_canonical()))
    }

    fn at(&self, port: u16) -> impl Iterator<Item = &Host> {
        let fits = move |rule: &&Rule| rule.port.is_none_or(|it| it == port);
        self.0.iter().filter(fits).map(|rule| &rule.host)
    }
}

impl Host {
    fn own() -> Self {
        Self::Name("localhost".to_owned())
    }
}

/// The addresses of this machine's own name.
fn addresses(port: Option<u16>) -> [Rule; 2] {
    let addresses = [Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()];
    addresses.map(|address| Rule {
        host: Host::Address(address),
        port,
    })
}

fn plain(host: &str) -> String {
    host.trim_end_matches('.').to_ascii_lowercase()
}

fn rule(text: &str) -> Option<Rule> {
    let (host, port) = split_port(text)?;
    let host = if let Ok(address) = host.parse::<IpAddr>() {
        Host::Address(address.to_canonical())
    } else if let Some(domain) = host.strip_prefix("*.") {
        Host::Below(format!(".{}", name(domain)?))
    } else {
        Host::Name(name(host)?)
    };
    Some(Rule { host, port })
}

/// A host and its port; an IPv6 address with a port is in brackets.
pub(super) fn split_port(text: &str) -> Option<(&str, Option<u16>)> {
    if let Some(rest) = text.strip_prefix('[') {
        let (address, rest) = rest.split_once(']')?;
        return match rest {
            "" => Some((address, None)),
            _ => Some((address, Some(rest.strip_prefix(':')?.parse().ok()?))),
        };
    }
    match text.split_once(':') {
        None => Some((text, None)),
        Some((_, rest)) if rest.contains(':') => Some((text, None)),
        Some((host, port)) => Some((host, Some(port.parse().ok()?))),
    }
}

/// A name of letters, digits and hyphens; anything else could mean something else to somebody.
fn name(text: &str) -> Option<String> {
    let is_label = |label: &str| {
        let known = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        !label.is_empty() && label.bytes().all(known)
    };
    let text = plain(text);
    text.split('.').all(is_label).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_domains_and_addresses_are_told_apart() {
        let list = [
            "Example.com:443",
            "*.crates.io",
            "127.0.0.1:8080",
            "[::1]:9",
        ];
        let list = HostList::parse(list).unwrap();
        let allowed = [
            ("example.COM.", 443),
            ("index.crates.io", 80),
            ("127.0.0.1", 8080),
            ("::1", 9),
            ("::ffff:127.0.0.1", 8080),
        ];
        for (host, port) in allowed {
            assert!(list.allows(host, port), "{host}:{port}");
        }
        let refused = [
            ("example.com", 80),
            ("notexample.com", 443),
            ("example.com.evil.net", 443),
            ("crates.io", 443),
            ("evilcrates.io", 443),
            ("127.0.0.1", 80),
            ("127.0.0.2", 8080),
        ];
        for (host, port) in refused {
            assert!(!list.allows(host, port), "{host}:{port}");
        }
        assert!(!HostList::default().allows("example.com", 443));
        let own = HostList::parse(["localhost:3000"]).unwrap();
        assert!(own.allows("localhost", 3000) && own.names(Ipv4Addr::LOCALHOST.into(), 3000));
        assert!(!own.names(Ipv4Addr::LOCALHOST.into(), 3001));
    }

    #[test]
    fn ports_that_nobody_can_listen_at_are_refused() {
        let required = |host: &str| HostList::parse([host]).unwrap().require_reachable();
        for host in [
            "127.0.0.1:1024",
            "example.com:80",
            "127.0.0.1",
            "10.0.0.1:80",
        ] {
            assert!(required(host).is_ok(), "{host}");
        }
        for host in ["127.0.0.1:80", "localhost:1023"] {
            assert_eq!(required(host).unwrap_err().code(), "sandbox.low_port");
        }
    }

    #[test]
    fn what_is_no_host_is_refused() {
        for text in [
            "", "*", "*.", "a b", "http://a", "a:b", "a:99999", "a..b", "[::1", "*.*.com", "a/b",
        ] {
            let error = HostList::parse([text]).unwrap_err();
            assert_eq!(error.code(), "sandbox.host", "{text}");
        }
    }
}

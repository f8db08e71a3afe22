//! How the sandbox is told to the process that builds the last part of it: as words, since paths need not be text. None of
//! them is a secret.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use super::access::{Access, Plan};

pub(super) const ENTER: &str = "enter";
const LANDLOCK: &str = "--landlock";
const HIDE: &str = "--hide";
const READ: &str = "--read";
const WRITE: &str = "--write";
const NO_TCP: &str = "--no-tcp";
const PROXY_PORT: &str = "--proxy-port";
const PROXY_SOCKET: &str = "--proxy-socket";
const LOCAL_PORT: &str = "--local-port";
const COMMAND: &str = "--";

/// What a process does to itself before it becomes the program.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Entry {
    /// The interface of Landlock to use.
    pub(super) landlock: Option<u32>,
    pub(super) plan: Plan,
    pub(super) network: Inside,
    pub(super) command: Vec<OsString>,
}

/// What is left to do for the network.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum Inside {
    #[default]
    Nothing,
    NoTcp,
    /// A proxy on this machine is the only thing to connect to.
    ProxyPort(u16),
    /// A proxy is behind this socket; connections on loopback have to be carried there, those to these ports to the same port
    /// outside.
    ProxySocket {
        socket: PathBuf,
        local_ports: Vec<u16>,
    },
}

impl Entry {
    pub(super) fn into_words(self) -> Vec<OsString> {
        let mut words = vec![ENTER.into()];
        let mut say = |name: &str, value: OsString| words.extend([name.into(), value]);
        if let Some(number) = self.landlock {
            say(LANDLOCK, number.to_string().into());
        }
        for (path, access) in self.plan.rules {
            let name = match access {
                Access::Hidden => HIDE,
                Access::Readable => READ,
                Access::Private | Access::Writable => WRITE,
            };
            say(name, path.into());
        }
        match self.network {
            Inside::Nothing => {}
            Inside::NoTcp => words.push(NO_TCP.into()),
            Inside::ProxyPort(port) => say(PROXY_PORT, port.to_string().into()),
            Inside::ProxySocket {
                socket,
                local_ports,
            } => {
                say(PROXY_SOCKET, socket.into());
                for port in local_ports {
                    say(LOCAL_PORT, port.to_string().into());
                }
            }
        }
        words.push(COMMAND.into());
        words.extend(self.command);
        words
    }

    /// The words after [`ENTER`]; `None` when they are not understood.
    pub(super) fn from_words(words: &[OsString]) -> Option<Self> {
        let mut entry = Self::default();
        let mut words = words.iter();
        loop {
            let name = words.next()?.to_str()?;
            if name == COMMAND {
                entry.command = words.cloned().collect();
                return (!entry.command.is_empty()).then_some(entry);
            }
            if name == NO_TCP {
                entry.network = Inside::NoTcp;
                continue;
            }
            entry.hear(name, words.next()?)?;
        }
    }

    fn hear(&mut self, name: &str, value: &OsStr) -> Option<()> {
        let number = || value.to_str()?.parse().ok();
        match name {
            LANDLOCK => self.landlock = Some(number()?),
            HIDE => self.plan.add(value.into(), Access::Hidden),
            READ => self.plan.add(value.into(), Access::Readable),
            WRITE => self.plan.add(value.into(), Access::Writable),
            PROXY_PORT => self.network = Inside::ProxyPort(u16::try_from(number()?).ok()?),
            PROXY_SOCKET => {
                self.network = Inside::ProxySocket {
                    socket: value.into(),
                    local_ports: Vec::new(),
                }
            }
            LOCAL_PORT => match &mut self.network {
                Inside::ProxySocket { local_ports, .. } => {
                    local_ports.push(u16::try_from(number()?).ok()?);
                }
                _ => return None,
            },
            _ => return None,
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_tell_the_whole_entry() {
        let mut plan = Plan::default();
        plan.add("/home/u/.ssh".into(), Access::Hidden);
        plan.add("/w".into(), Access::Writable);
        for network in [
            Inside::Nothing,
            Inside::NoTcp,
            Inside::ProxyPort(3128),
            Inside::ProxySocket {
                socket: "/s".into(),
                local_ports: vec![80, 5432],
            },
        ] {
            let entry = |network| Entry {
                landlock: Some(6),
                plan: plan.clone(),
                network,
                command: vec!["agent".into(), "--".into(), "--hide".into()],
            };
            let words = entry(network.clone()).into_words();
            assert_eq!(Entry::from_words(&words[1..]), Some(entry(network)));
        }
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        let heard = |words: &[&str]| {
            let words: Vec<OsString> = words.iter().map(Into::into).collect();
            Entry::from_words(&words)
        };
        assert_eq!(heard(&[]), None);
        assert_eq!(heard(&["--"]), None);
        assert_eq!(heard(&["--landlock", "many", "--", "agent"]), None);
        assert_eq!(heard(&["--local-port", "80", "--", "agent"]), None);
        assert_eq!(heard(&["--shut", "x", "--", "agent"]), None);
        assert!(heard(&["--", "agent"]).is_some());
    }
}

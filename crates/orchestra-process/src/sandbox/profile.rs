//! The profile that macOS holds a program to. It is text, so it is made and tested everywhere.
#![cfg_attr(
    not(target_os = "macos"),
    expect(dead_code, reason = "only macOS uses it; its tests run everywhere")
)]

use std::ffi::OsStr;
use std::ffi::OsString;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::access::{Access, Plan};
use super::{Network, ProxyAddress, SandboxError};
use crate::program::find_program;

/// Everything is allowed but what follows; the last rule that fits decides.
const BEGINNING: &str = "(version 1)
(allow default)
(deny file-write*)
(allow file-write* (literal \"/dev/null\") (literal \"/dev/zero\") (literal \"/dev/tty\") (regex #\"^/dev/ttys[0-9]+$\") (literal \"/dev/ptmx\") (subpath \"/dev/fd\"))
(deny signal)
(allow signal (target same-sandbox))
(deny process-info* (target others))
(allow process-info* (target same-sandbox))
(deny mach-priv-task-port)
";

pub(super) fn find(search_path: Option<&OsStr>) -> Option<PathBuf> {
    find_program(Path::new("sandbox-exec"), search_path)
}

pub(super) fn text(plan: &Plan, network: &Network) -> Result<OsString, SandboxError> {
    let mut text = BEGINNING.to_owned();
    for (path, access) in &plan.rules {
        let path = quoted(path)?;
        let rule = match access {
            Access::Hidden => format!("(deny file-read* file-write* (subpath {path}))"),
            Access::Readable => {
                format!("(allow file-read* (subpath {path}))\n(deny file-write* (subpath {path}))")
            }
            Access::Private | Access::Writable => {
                format!("(allow file-read* file-write* (subpath {path}))")
            }
        };
        text.push_str(&rule);
        text.push('\n');
    }
    match network {
        Network::Open => {}
        Network::Off | Network::Hosts(ProxyAddress::Socket { .. }) => {
            text.push_str("(deny network*)\n");
        }
        Network::Hosts(ProxyAddress::Loopback(port)) => {
            text.push_str("(deny network*)\n");
            // Writing into a string cannot fail.
            writeln!(
                text,
                "(allow network-outbound (remote ip \"localhost:{port}\"))"
            )
            .ok();
        }
    }
    Ok(text.into())
}

/// A path as the profile's language writes it. One that is not text cannot be named there.
fn quoted(path: &Path) -> Result<String, SandboxError> {
    let text = path.to_str().ok_or_else(|| SandboxError::NotText {
        path: path.to_path_buf(),
    })?;
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    Ok(format!("\"{escaped}\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_rules_are_more_specific() {
        let mut plan = Plan::default();
        plan.add("/Users/u/data/work".into(), Access::Writable);
        plan.add("/Users/u/data".into(), Access::Hidden);
        plan.add("/Users/u/a \"b\"".into(), Access::Readable);
        let network = Network::Hosts(ProxyAddress::Loopback(3128));
        let text = text(&plan, &network).unwrap().into_string().unwrap();
        let rules: Vec<&str> = text.strip_prefix(BEGINNING).unwrap().lines().collect();
        assert_eq!(
            rules,
            [
                "(allow file-read* (subpath \"/Users/u/a \\\"b\\\"\"))",
                "(deny file-write* (subpath \"/Users/u/a \\\"b\\\"\"))",
                "(deny file-read* file-write* (subpath \"/Users/u/data\"))",
                "(allow file-read* file-write* (subpath \"/Users/u/data/work\"))",
                "(deny network*)",
                "(allow network-outbound (remote ip \"localhost:3128\"))",
            ]
        );
    }

    #[test]
    fn the_network_is_off_or_open() {
        let plan = Plan::default();
        let is_off = |network| {
            text(&plan, &network)
                .unwrap()
                .to_str()
                .unwrap()
                .contains("network")
        };
        assert!(is_off(Network::Off));
        assert!(!is_off(Network::Open));
    }
}

//! Who listens on a port: asked when a port that should be free is not.

#[cfg(target_os = "linux")]
use std::collections::BTreeSet;
#[cfg(target_os = "linux")]
use std::io;
#[cfg(target_os = "linux")]
use std::path::Path;

use crate::error::ProcessError;
use crate::marker::Marker;

const LISTING: &str = "listing the processes that listen on a port";

/// Who listens on a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listener {
    /// A process with the marker, or one below it.
    Marked,
    /// Only others.
    Stranger,
    /// The system does not tell, or shows nobody: processes of other users are not seen.
    Untold,
}

/// A process that listens on a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessListening {
    pub pid: u32,
    pub command: String,
}

/// Whether what listens on a TCP port belongs to what was started with this marker.
#[cfg(target_os = "linux")]
pub fn listener(port: u16, marker: &Marker) -> Listener {
    let listening = match processes_listening(port) {
        Ok(listening) if !listening.is_empty() => listening,
        Ok(_) | Err(_) => return Listener::Untold,
    };
    let marked = crate::sweep::marked(marker);
    let mut own: BTreeSet<u32> = marked.iter().map(|entry| entry.pid).collect();
    // A server that renames itself writes over its environment; what started it still has the marker.
    let below = crate::tree::descendants(&crate::table::snapshot(), &own);
    own.extend(below.iter().map(|entry| entry.pid));
    match listening.iter().any(|process| own.contains(&process.pid)) {
        true => Listener::Marked,
        false => Listener::Stranger,
    }
}

#[cfg(not(target_os = "linux"))]
pub fn listener(_port: u16, _marker: &Marker) -> Listener {
    Listener::Untold
}

/// The processes that listen on a TCP port, as far as this user may see them.
#[cfg(target_os = "linux")]
pub fn processes_listening(port: u16) -> Result<Vec<ProcessListening>, ProcessError> {
    let tables = Path::new("/proc/net");
    let sockets: Vec<String> = [
        read_table(&tables.join("tcp"), Missing::Unreadable)?,
        read_table(&tables.join("tcp6"), Missing::Empty)?,
    ]
    .iter()
    .flat_map(|table| listening_sockets(table, port))
    .collect();
    if sockets.is_empty() {
        return Ok(Vec::new());
    }
    let listening = crate::table::numbers().filter(|pid| has_one_of(*pid, &sockets));
    Ok(listening
        .map(|pid| ProcessListening {
            pid,
            command: crate::sweep::command_line(pid),
        })
        .collect())
}

#[cfg(not(target_os = "linux"))]
pub fn processes_listening(_port: u16) -> Result<Vec<ProcessListening>, ProcessError> {
    Err(ProcessError::Unsupported { what: LISTING })
}

/// What it means that a table is not there.
#[cfg(target_os = "linux")]
#[derive(Clone, Copy, PartialEq, Eq)]
enum Missing {
    /// The system shows none.
    Unreadable,
    /// The protocol is off.
    Empty,
}

/// A table that cannot be read does not say that nobody listens.
#[cfg(target_os = "linux")]
fn read_table(path: &Path, missing: Missing) -> Result<String, ProcessError> {
    match std::fs::read_to_string(path) {
        Err(error) if missing == Missing::Empty && error.kind() == io::ErrorKind::NotFound => {
            Ok(String::new())
        }
        read => read.map_err(|_| ProcessError::Unsupported { what: LISTING }),
    }
}

/// The sockets that listen on a port, called as links to open files call them.
#[cfg(target_os = "linux")]
fn listening_sockets(table: &str, port: u16) -> impl Iterator<Item = String> {
    const LISTENS: &str = "0A";
    let ending = format!(":{port:04X}");
    table.lines().skip(1).filter_map(move |line| {
        let mut fields = line.split_ascii_whitespace();
        let (local, state) = (fields.nth(1)?, fields.nth(1)?);
        let inode = fields.nth(5)?;
        (local.ends_with(&ending) && state == LISTENS).then(|| format!("socket:[{inode}]"))
    })
}

#[cfg(target_os = "linux")]
fn has_one_of(pid: u32, sockets: &[String]) -> bool {
    let open = std::fs::read_dir(format!("/proc/{pid}/fd"));
    let links = open.into_iter().flatten().flatten();
    links
        .filter_map(|link| std::fs::read_link(link.path()).ok())
        .any(|target| sockets.iter().any(|socket| target.as_os_str() == &**socket))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::net::{Ipv4Addr, Ipv6Addr, TcpListener};

    use super::*;

    fn listens(port: u16) -> bool {
        let found = processes_listening(port).expect("Linux tells");
        found
            .iter()
            .any(|process| process.pid == std::process::id())
    }

    #[test]
    fn this_process_is_found_while_it_listens() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        assert!(listens(port));
        drop(listener);
        assert!(!listens(port));
        if let Ok(listener) = TcpListener::bind((Ipv6Addr::LOCALHOST, 0)) {
            assert!(listens(listener.local_addr().unwrap().port()));
        }
    }

    #[test]
    fn a_table_that_cannot_be_read_does_not_say_that_nobody_listens() {
        let nowhere = Path::new("/proc/net/no-such-table");
        let refused = read_table(nowhere, Missing::Unreadable);
        assert!(matches!(refused, Err(ProcessError::Unsupported { .. })));
        assert_eq!(read_table(nowhere, Missing::Empty).unwrap(), "");
        // It is there, and no file.
        let refused = read_table(Path::new("/proc/self"), Missing::Empty);
        assert!(matches!(refused, Err(ProcessError::Unsupported { .. })));
    }

    #[test]
    fn a_process_without_the_marker_is_a_stranger() {
        let marker = Marker::new("ORCHESTRA_TEST_LISTENER", "nobody");
        let socket = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = socket.local_addr().unwrap().port();
        assert_eq!(listener(port, &marker), Listener::Stranger);
        drop(socket);
        assert_eq!(listener(port, &marker), Listener::Untold);
    }

    #[test]
    fn only_sockets_that_listen_on_the_port_count() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:4E20 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 11 1 0
   1: 0100007F:4E20 0100007F:9999 01 00000000:00000000 00:00000000 00000000     0        0 12 1 0
   2: 0100007F:4E21 0100007F:4E20 0A 00000000:00000000 00:00000000 00000000     0        0 13 1 0
";
        let found: Vec<String> = listening_sockets(table, 20_000).collect();
        assert_eq!(found, ["socket:[11]"]);
    }
}

//! Who listens on a port: asked when a port that should be free is not.

use crate::error::ProcessError;

/// A process that listens on a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessListening {
    pub pid: u32,
    pub command: String,
}

/// The processes that listen on a TCP port, as far as this user may see them.
#[cfg(target_os = "linux")]
pub fn processes_listening(port: u16) -> Result<Vec<ProcessListening>, ProcessError> {
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"];
    let tables = tables.map(|path| std::fs::read_to_string(path).unwrap_or_default());
    let sockets: Vec<String> = tables
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
    let what = "listing the processes that listen on a port";
    Err(ProcessError::Unsupported { what })
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

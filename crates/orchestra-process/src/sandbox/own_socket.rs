//! Sockets that a probe makes for a moment where a program in a sandbox could see them.

use std::path::Path;

const BEGIN: &str = ".orchestra-probe-";

/// The name of one of this process.
pub(super) fn name(which: &str) -> String {
    format!("{}{which}.sock", own_start())
}

/// Whether another process made it: it may be gone the next moment, and nobody else listens there.
#[cfg(target_os = "linux")]
pub(super) fn is_of_another(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.starts_with(BEGIN) && !name.starts_with(&own_start()))
}

fn own_start() -> String {
    format!("{BEGIN}{}-", std::process::id())
}

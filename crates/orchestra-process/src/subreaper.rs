//! Becoming the parent of every orphan below this process.

use std::io;

/// Whether orphans below us become our children, so that having no children means that nothing
/// below us is left.
pub(crate) const ADOPTS_ORPHANS: bool = cfg!(target_os = "linux");

#[cfg(target_os = "linux")]
pub(crate) fn adopt_orphans() -> io::Result<()> {
    let ourselves = rustix::process::getpid();
    Ok(rustix::process::set_child_subreaper(Some(ourselves))?)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn adopt_orphans() -> io::Result<()> {
    Ok(())
}

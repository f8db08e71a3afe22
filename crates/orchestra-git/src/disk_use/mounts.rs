//! Directories at which something else is mounted, of the same file system too.

use std::path::Path;

/// Whether something is mounted there. Kernels that do not tell leave only the device to compare.
#[cfg(target_os = "linux")]
pub(super) fn is_mount_point(directory: &Path) -> bool {
    use rustix::fs::{AtFlags, CWD, StatxAttributes, StatxFlags, statx};
    let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT;
    statx(CWD, directory, flags, StatxFlags::empty())
        .is_ok_and(|facts| facts.stx_attributes.contains(StatxAttributes::MOUNT_ROOT))
}

/// Elsewhere a mount has a device of its own.
#[cfg(not(target_os = "linux"))]
pub(super) const fn is_mount_point(_directory: &Path) -> bool {
    false
}

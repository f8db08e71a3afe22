//! Sockets whose places have long names.

use std::io;
use std::path::Path;

/// The address of a socket has room for about a hundred letters; a directory that is open has a
/// short name of its own.
#[cfg(target_os = "linux")]
pub(crate) fn near<T>(place: &Path, act: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
    use std::fs::File;
    use std::os::fd::AsRawFd;
    let (Some(directory), Some(name)) = (place.parent(), place.file_name()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let directory = File::open(directory)?;
    let open = Path::new("/proc/self/fd").join(directory.as_raw_fd().to_string());
    act(&open.join(name))
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn near<T>(place: &Path, act: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
    act(place)
}

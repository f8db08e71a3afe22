//! Waiting for several file descriptors at once.

use std::io;
use std::time::Duration;

use rustix::event::{PollFd, Timespec};
use rustix::io::Errno;

/// Waits until one of `fds` is ready or `wait` is over (`None`: for ever); an interruption by a
/// signal counts as nothing being ready.
pub(crate) fn wait(fds: &mut [PollFd<'_>], wait: Option<Duration>) -> io::Result<()> {
    let timeout = wait.and_then(|wait| Timespec::try_from(wait).ok());
    match rustix::event::poll(fds, timeout.as_ref()) {
        Ok(_) => Ok(()),
        Err(Errno::INTR) => {
            fds.iter_mut().for_each(PollFd::clear_revents);
            Ok(())
        }
        Err(error) => Err(error.into()),
    }
}

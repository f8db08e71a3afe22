//! Being woken by another process, see [`crate::ProcessIdentity::wake`].

use std::io;
use std::time::Duration;

/// Wake-ups sent to this process. Any number of them before a wait count as one.
#[derive(Debug)]
pub struct WakeUps {
    source: system::Source,
}

impl WakeUps {
    /// Listens from now on, for the life of the process.
    ///
    /// Where the system has no such signal nothing ever wakes, and a wait is only a pause.
    pub fn listen() -> io::Result<Self> {
        let source = system::Source::open()?;
        Ok(Self { source })
    }

    /// Waits until woken (`true`) or until the time is over (`false`).
    pub fn wait(&mut self, longest: Duration) -> io::Result<bool> {
        self.source.wait(longest)
    }
}

#[cfg(unix)]
mod system {
    use std::io::{self, ErrorKind, Read};
    use std::os::unix::net::UnixStream;
    use std::time::Duration;

    #[derive(Debug)]
    pub(super) struct Source(UnixStream);

    impl Source {
        pub(super) fn open() -> io::Result<Self> {
            let (stream, signalled) = UnixStream::pair()?;
            signal_hook::low_level::pipe::register(signal_hook::consts::SIGURG, signalled)?;
            Ok(Self(stream))
        }

        pub(super) fn wait(&mut self, longest: Duration) -> io::Result<bool> {
            // A timeout of zero would mean none.
            let longest = longest.max(Duration::from_millis(1));
            self.0.set_read_timeout(Some(longest))?;
            match self.0.read(&mut [0; 512]) {
                Ok(_) => Ok(true),
                Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(false),
                Err(error) if error.kind() == ErrorKind::Interrupted => Ok(true),
                Err(error) => Err(error),
            }
        }
    }
}

#[cfg(not(unix))]
mod system {
    use std::io;
    use std::time::Duration;

    #[derive(Debug)]
    pub(super) struct Source;

    impl Source {
        pub(super) fn open() -> io::Result<Self> {
            Ok(Self)
        }

        pub(super) fn wait(&mut self, longest: Duration) -> io::Result<bool> {
            std::thread::sleep(longest);
            Ok(false)
        }
    }
}

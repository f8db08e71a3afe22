//! The socket at which a guardian that was left alone is met.

use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::follow::{Streams, Supervised};
use super::guarding::Guarding;
use super::protocol::{self, Introduction};
use crate::error::ProcessError;
use crate::marker::Marker;
use crate::near::near;

/// How long a guardian may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a guardian may take to notice that the one before us is gone.
const UNNOTICED: Duration = Duration::from_secs(2);

/// Beside the place of a guardian that only waits to tell how its agent ended.
pub(super) fn sign_of_end(place: &Path) -> PathBuf {
    place.with_extension("ended")
}

/// Removes what a guardian leaves at its place.
pub(super) fn forget(place: &Path) -> io::Result<()> {
    for file in [place, &sign_of_end(place)] {
        match fs::remove_file(file) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// Listens at a place; what an earlier guardian left there is in nobody's use.
pub(super) fn listen(place: &Path) -> io::Result<UnixListener> {
    forget(place)?;
    let listener = near(place, |place| UnixListener::bind(place))?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

pub(super) fn take_over(place: &Path, marker: &Marker) -> Result<Option<Supervised>, ProcessError> {
    let failed = |source| ProcessError::TakeOver {
        meeting: place.to_path_buf(),
        source,
    };
    let deadline = Instant::now() + UNNOTICED;
    loop {
        match meet(place) {
            Ok(Answer::Nobody) => return Ok(None),
            Ok(Answer::Taken) if Instant::now() < deadline => {
                thread::sleep(Duration::from_millis(10));
            }
            Ok(Answer::Taken) => {
                let meeting = place.to_path_buf();
                return Err(ProcessError::AlreadyFollowed { meeting });
            }
            Ok(Answer::Foreign) => {
                let meeting = place.to_path_buf();
                return Err(ProcessError::OtherVersion { meeting });
            }
            Ok(Answer::Handed(handed)) => return Ok(Some(handed.follow(marker))),
            Err(error) => return Err(failed(error)),
        }
    }
}

enum Answer {
    Nobody,
    /// Somebody else follows the agent.
    Taken,
    /// The guardian speaks the language of another version.
    Foreign,
    Handed(Handed),
}

struct Handed {
    introduction: Introduction,
    control: UnixStream,
    streams: Streams,
}

impl Handed {
    fn follow(self, marker: &Marker) -> Supervised {
        let agent = self.introduction.pid;
        let (guarding, marker) = (Guarding::Elsewhere, marker.clone());
        Supervised::new(agent, marker, guarding, self.control, self.streams, None)
            .started_with(self.introduction.into_environment())
    }
}

fn meet(place: &Path) -> io::Result<Answer> {
    let control = match near(place, |place| UnixStream::connect(place)) {
        Ok(control) => control,
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::NotFound | ErrorKind::ConnectionRefused
            ) =>
        {
            return Ok(Answer::Nobody);
        }
        Err(error) => return Err(error),
    };
    control.set_read_timeout(Some(PATIENCE))?;
    let files = match protocol::receive_files(&control) {
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset
            ) =>
        {
            return Ok(Answer::Taken);
        }
        files => files?,
    };
    let [stdout, stderr] = <[_; 2]>::try_from(files).map_err(|_| ErrorKind::InvalidData)?;
    let introduction: Introduction =
        protocol::receive(&control)?.ok_or(ErrorKind::UnexpectedEof)?;
    if !introduction.is_understood() {
        return Ok(Answer::Foreign);
    }
    control.set_read_timeout(None)?;
    Ok(Answer::Handed(Handed {
        introduction,
        control,
        streams: Streams::new(stdout, stderr)?,
    }))
}

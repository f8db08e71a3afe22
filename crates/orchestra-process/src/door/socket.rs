//! Doors of systems that have sockets with a path.

use std::fs;
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::near::near;

/// A longer question is not heard.
const LONGEST: u64 = 9 * 1024 * 1024;
/// How long whoever asks may take to say it, or to take the answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long an answer may take.
const ANSWER_PATIENCE: Duration = Duration::from_secs(10);

/// A place to ask at, which is gone with this value.
#[derive(Debug)]
pub struct Door {
    path: PathBuf,
    listener: UnixListener,
    is_over: AtomicBool,
}

/// Tells whoever serves that it is over, however the work ends.
struct Closing<'a>(&'a Door);

impl Door {
    /// Makes the socket; one that was left there is in nobody's use.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn open(path: &Path) -> io::Result<Self> {
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        Ok(Self {
            path: path.to_owned(),
            listener: near(path, |path| UnixListener::bind(path))?,
            is_over: AtomicBool::new(false),
        })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Answers questions for as long as `work` goes on.
    pub fn while_open<T>(
        &self,
        answer: impl Fn(&[u8]) -> Vec<u8> + Sync,
        work: impl FnOnce() -> T,
    ) -> T {
        thread::scope(|scope| {
            let _closing = Closing(self);
            scope.spawn(|| self.serve(&answer));
            work()
        })
    }

    /// One after the other: whoever keeps others waiting here is the program itself.
    fn serve(&self, answer: &(dyn Fn(&[u8]) -> Vec<u8> + Sync)) {
        loop {
            let accepted = self.listener.accept();
            if self.is_over.load(Ordering::SeqCst) {
                return;
            }
            let answered = accepted.and_then(|(client, _)| reply(client, answer));
            if let Err(error) = answered {
                tracing::debug!(%error, "a question from a sandbox was lost");
                // Too many open files do not pass by trying at once.
                thread::sleep(Duration::from_millis(20));
            }
        }
    }
}

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.is_over.store(true, Ordering::SeqCst);
        // Whoever waits for a connection sees that it is over with the next one.
        if let Err(error) = near(&self.0.path, |path| UnixStream::connect(path)) {
            tracing::warn!(%error, "a door cannot be closed");
        }
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.path) {
            tracing::debug!(%error, "the socket of a door is gone already");
        }
    }
}

fn reply(mut client: UnixStream, answer: &dyn Fn(&[u8]) -> Vec<u8>) -> io::Result<()> {
    client.set_read_timeout(Some(PATIENCE))?;
    client.set_write_timeout(Some(PATIENCE))?;
    let mut question = Vec::new();
    (&mut client).take(LONGEST).read_to_end(&mut question)?;
    client.write_all(&answer(&question))
}

/// Asks at a door.
///
/// # Errors
/// If nobody answers there.
pub fn ask_at(door: &Path, question: &[u8]) -> io::Result<Vec<u8>> {
    let mut stream = near(door, |path| UnixStream::connect(path))?;
    stream.set_read_timeout(Some(ANSWER_PATIENCE))?;
    stream.write_all(question)?;
    stream.shutdown(Shutdown::Write)?;
    let mut answer = Vec::new();
    stream.take(LONGEST).read_to_end(&mut answer)?;
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_answered_while_the_work_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("a".repeat(90));
        fs::create_dir(&deep).unwrap();
        let path = deep.join("ask.sock");
        drop(UnixListener::bind(folder.path().join("stale")).unwrap());
        fs::rename(folder.path().join("stale"), &path).unwrap();
        let door = Door::open(&path).unwrap();
        let twice = |question: &[u8]| [question, question].concat();
        let answers = door.while_open(twice, || {
            // One that says nothing keeps nobody.
            drop(near(&path, |path| UnixStream::connect(path)).unwrap());
            [
                ask_at(&path, b"one").unwrap(),
                ask_at(&path, b"two").unwrap(),
            ]
        });
        assert_eq!(answers, [b"oneone".to_vec(), b"twotwo".to_vec()]);
        drop(door);
        assert!(!path.exists());
        assert!(ask_at(&path, b"late").is_err());
    }
}

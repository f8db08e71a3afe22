//! Between a program under its guardian, which is followed by a thread, and the protocol, which is not.

use std::sync::{Mutex, mpsc};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use orchestra_process::{
    CommandSpec, Guardian, Marker, OnLoss, ProcessError, ProcessEvent, ResourceLimits, Stop,
    Stopper, Supervised, supervise,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::sync::mpsc as queue;

use super::Said;

const ROOM: usize = 64 * 1024;
const LOOK: Duration = Duration::from_millis(5);
/// How long a program that was killed is waited for.
const AFTER_KILL: Duration = Duration::from_secs(10);

/// Keeps a program for as long as it is talked with.
pub(super) struct Bridge(Stopper);

impl Drop for Bridge {
    fn drop(&mut self) {
        self.0.stop(Stop::Kill);
    }
}

/// The threads that follow programs.
#[derive(Debug, Default)]
pub(in crate::mcp) struct Followers(Mutex<Vec<JoinHandle<()>>>);

impl Followers {
    fn add(&self, follower: JoinHandle<()>) {
        if let Ok(mut followers) = self.0.lock() {
            followers.push(follower);
        }
    }

    /// Waits until every program has ended. Only once nobody can talk with them any more.
    pub(in crate::mcp) fn wait(&self) {
        let followers = self.0.lock().map(|mut it| std::mem::take(&mut *it));
        for follower in followers.unwrap_or_default() {
            if follower.join().is_err() {
                tracing::warn!("a program was not followed to its end");
            }
        }
    }
}

impl Bridge {
    /// Starts a program; the other end of the stream is its standard input and output.
    pub(super) fn start(
        guardian: &Guardian,
        spec: &CommandSpec,
        marker: &Marker,
        said: Said,
        followers: &Followers,
    ) -> Result<(Self, DuplexStream), ProcessError> {
        let limits = ResourceLimits::default();
        let program = supervise(guardian, spec, &limits, marker, OnLoss::End)?;
        let stopper = program.stopper();
        let (ours, theirs) = tokio::io::duplex(ROOM);
        let (heard, hearing) = queue::channel(16);
        let (tell, told) = mpsc::channel();
        followers.add(thread::spawn(move || follow(program, &told, &heard, &said)));
        tokio::spawn(carry(ours, hearing, tell));
        Ok((Self(stopper), theirs))
    }
}

/// Follows the program until it has ended, which it must once nobody listens.
fn follow(
    mut program: Supervised,
    told: &mpsc::Receiver<Vec<u8>>,
    heard: &queue::Sender<Vec<u8>>,
    said: &Said,
) {
    while pass_on(&mut program, told) {
        let goes_on = match program.next(LOOK) {
            Some(ProcessEvent::Stdout(chunk)) => heard.blocking_send(chunk).is_ok(),
            Some(ProcessEvent::Stderr(chunk)) => {
                said.add(&chunk);
                true
            }
            Some(ProcessEvent::Exited(_)) => return,
            None => true,
        };
        if !goes_on {
            break;
        }
    }
    program.stop(Stop::Kill);
    let until = Instant::now() + AFTER_KILL;
    while Instant::now() < until {
        if let Some(ProcessEvent::Exited(_)) = program.next(LOOK) {
            return;
        }
    }
}

/// Gives the program what it was told; false once nobody can tell it more.
fn pass_on(program: &mut Supervised, told: &mpsc::Receiver<Vec<u8>>) -> bool {
    loop {
        match told.try_recv() {
            Ok(bytes) => program.send(&bytes),
            Err(mpsc::TryRecvError::Empty) => return true,
            Err(mpsc::TryRecvError::Disconnected) => return false,
        }
    }
}

/// Carries bytes both ways until one side ends.
async fn carry(
    mut stream: DuplexStream,
    mut heard: queue::Receiver<Vec<u8>>,
    tell: mpsc::Sender<Vec<u8>>,
) {
    let mut buffer = vec![0; ROOM];
    loop {
        tokio::select! {
            chunk = heard.recv() => match chunk {
                Some(chunk) if stream.write_all(&chunk).await.is_ok() => {}
                _ => return,
            },
            read = stream.read(&mut buffer) => match read {
                Ok(length) if length > 0 => {
                    let bytes = buffer.get(..length).unwrap_or_default().to_vec();
                    if tell.send(bytes).is_err() {
                        return;
                    }
                }
                _ => return,
            },
        }
    }
}

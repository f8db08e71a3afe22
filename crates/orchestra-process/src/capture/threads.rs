//! The portable way to drive a child: a thread for each pipe.

use std::io::{self, Read, Write};
use std::process::Child;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::{Outcome, Output};
use crate::spec::{CommandSpec, Stdin};

const CHUNK: usize = 64 * 1024;
const ASK_AGAIN: Duration = Duration::from_millis(10);
const DRAIN: Duration = Duration::from_millis(250);

enum Piece {
    Stdout(Vec<u8>),
    Stderr(Vec<u8>),
}

pub(super) fn drive(
    child: &mut Child,
    spec: &CommandSpec,
    deadline: Option<Instant>,
    output: &mut Output<'_>,
) -> io::Result<Outcome> {
    let pieces = start_threads(child, spec);
    let outcome = collect(child, &pieces, deadline, output)?;
    if outcome != Outcome::Ended {
        child.kill()?;
    }
    Ok(outcome)
}

fn collect(
    child: &mut Child,
    pieces: &Receiver<Piece>,
    deadline: Option<Instant>,
    output: &mut Output<'_>,
) -> io::Result<Outcome> {
    let mut drained_by: Option<Instant> = None;
    loop {
        match pieces.recv_timeout(ASK_AGAIN) {
            Ok(Piece::Stdout(bytes)) if !output.push_stdout(&bytes) => {
                return Ok(Outcome::TooLarge);
            }
            Ok(Piece::Stderr(bytes)) if !output.push_stderr(&bytes) => {
                return Ok(Outcome::TooLarge);
            }
            Ok(_) | Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) if drained_by.is_some() => {
                return Ok(Outcome::Ended);
            }
            Err(RecvTimeoutError::Disconnected) => thread::sleep(ASK_AGAIN),
        }
        if drained_by.is_none() && child.try_wait()?.is_some() {
            drained_by = Some(Instant::now() + DRAIN);
        }
        if drained_by.is_some_and(|drained_by| Instant::now() >= drained_by) {
            return Ok(Outcome::Ended);
        }
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Ok(Outcome::TimedOut);
        }
    }
}

fn start_threads(child: &mut Child, spec: &CommandSpec) -> Receiver<Piece> {
    let (sender, receiver) = sync_channel(4);
    if let Some(pipe) = child.stdout.take() {
        forward(pipe, sender.clone(), Piece::Stdout);
    }
    if let Some(pipe) = child.stderr.take() {
        forward(pipe, sender, Piece::Stderr);
    }
    if let (Some(mut pipe), Stdin::Bytes(bytes) | Stdin::Open(bytes)) =
        (child.stdin.take(), spec.stdin.clone())
    {
        thread::spawn(move || {
            if let Err(error) = pipe.write_all(&bytes) {
                tracing::debug!(%error, "the program did not read all of its input");
            }
        });
    }
    receiver
}

fn forward(
    mut pipe: impl Read + Send + 'static,
    to: SyncSender<Piece>,
    wrap: fn(Vec<u8>) -> Piece,
) {
    thread::spawn(move || {
        let mut buffer = vec![0; CHUNK];
        while let Ok(count @ 1..) = pipe.read(&mut buffer) {
            if to.send(wrap(buffer[..count].to_vec())).is_err() {
                return;
            }
        }
    });
}

//! A child that is talked with line by line, such as a transaction of git that stays open between two lines.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::children;
use crate::error::ProcessError;
use crate::exit::Exit;
use crate::spec::CommandSpec;

/// How long a child may take to end once its input is closed.
const GRACE: Duration = Duration::from_secs(2);
const DRAIN: Duration = Duration::from_millis(250);
const ASK_AGAIN: Duration = Duration::from_millis(2);
#[cfg(unix)]
const KILL_PATIENCE: Duration = Duration::from_secs(5);
const LONGEST_COMPLAINT: u64 = 64 * 1024;

/// What the child did when it was asked for a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// A line, without its end.
    Line(Vec<u8>),
    /// It will write no more.
    End,
}

/// How a dialogue ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Farewell {
    pub exit: Exit,
    pub stderr: Vec<u8>,
}

/// A running child with both ends of the conversation.
///
/// When it is dropped, the input of the child is closed, and what does not end by that is killed with everything below it.
/// When this process is killed, the system closes the input.
#[derive(Debug)]
pub struct Dialogue {
    spec: CommandSpec,
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<io::Result<Vec<u8>>>,
    complaint: Receiver<Vec<u8>>,
    is_over: bool,
}

impl Dialogue {
    /// Starts `spec` in a process group of its own. Its `stdin` is not used: the caller says what the child reads.
    pub fn start(spec: &CommandSpec) -> Result<Self, ProcessError> {
        let mut command = children::command(spec)?;
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = children::spawn(&mut command, spec)?;
        let (line_sender, lines) = channel();
        let (complaint_sender, complaint) = channel();
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        thread::spawn(move || forward_lines(stdout, &line_sender));
        thread::spawn(move || complaint_sender.send(read_complaint(stderr)));
        Ok(Self {
            spec: spec.clone(),
            stdin: child.stdin.take(),
            child,
            lines,
            complaint,
            is_over: false,
        })
    }

    /// The number of the child.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Gives the child a line to read. A child that reads no more says why in its [`Farewell`].
    pub fn say(&mut self, line: &str) -> Result<(), ProcessError> {
        let Some(stdin) = &mut self.stdin else {
            return Ok(());
        };
        match writeln!(stdin, "{line}").and_then(|()| stdin.flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.stdin = None;
                Ok(())
            }
            written => written.map_err(failed("write to the program")),
        }
    }

    /// Waits for the next line of the child.
    pub fn hear(&mut self, patience: Duration) -> Result<Reply, ProcessError> {
        match self.lines.recv_timeout(patience) {
            Ok(Ok(line)) => Ok(Reply::Line(line)),
            Ok(Err(source)) => Err(failed("read the output of the program")(source)),
            Err(RecvTimeoutError::Disconnected) => Ok(Reply::End),
            Err(RecvTimeoutError::Timeout) => Err(ProcessError::TimedOut {
                program: self.spec.program.clone(),
                after: patience,
            }),
        }
    }

    /// Closes the input of the child and waits for its end; what does not end is killed.
    pub fn end(mut self) -> Result<Farewell, ProcessError> {
        let exit = self.conclude().map_err(failed("wait for the program"))?;
        // Something that the child left behind may hold the pipe open for ever.
        let stderr = self.complaint.recv_timeout(DRAIN).unwrap_or_default();
        Ok(Farewell { exit, stderr })
    }

    fn conclude(&mut self) -> io::Result<Exit> {
        self.stdin = None;
        self.is_over = true;
        let started = Instant::now();
        while self.child.try_wait()?.is_none() {
            if started.elapsed() > GRACE {
                kill(&mut self.child)?;
                break;
            }
            thread::sleep(ASK_AGAIN);
        }
        children::wait(&mut self.child).map(Exit::from)
    }
}

impl Drop for Dialogue {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        if let Err(error) = self.conclude() {
            tracing::debug!(%error, program = ?self.spec.program, "a dialogue could not be ended");
        }
    }
}

#[cfg(unix)]
fn kill(child: &mut Child) -> io::Result<()> {
    crate::tree::kill_group_and_descendants(child.id(), KILL_PATIENCE);
    Ok(())
}

#[cfg(not(unix))]
fn kill(child: &mut Child) -> io::Result<()> {
    child.kill()
}

fn failed(action: &'static str) -> impl FnOnce(io::Error) -> ProcessError {
    move |source| ProcessError::Io { action, source }
}

fn forward_lines(stdout: Option<impl Read>, to: &Sender<io::Result<Vec<u8>>>) {
    let Some(stdout) = stdout else { return };
    for line in BufReader::new(stdout).split(b'\n') {
        if to.send(line).is_err() {
            return;
        }
    }
}

fn read_complaint(stderr: Option<impl Read>) -> Vec<u8> {
    let mut text = Vec::new();
    let Some(mut stderr) = stderr else {
        return text;
    };
    let kept = stderr.by_ref().take(LONGEST_COMPLAINT);
    let all = { kept }.read_to_end(&mut text);
    // A child that says more must not be held up by a full pipe.
    if let Err(error) = all.and_then(|_| io::copy(&mut stderr, &mut io::sink()).map(drop)) {
        tracing::debug!(%error, "what a program complained about is cut");
    }
    text
}

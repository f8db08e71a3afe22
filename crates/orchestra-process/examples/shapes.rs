//! A program that misbehaves in a named way: what agents and their tools really do.
//!
//! `shapes <name> <directory>`; every process of a shape leaves a file named by its number in the
//! directory, and ends by itself after a minute whatever happens.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, io, process, thread};

use rustix::process::{Signal, getpid, kill_process, set_child_subreaper, setpgid, setsid};

const LIFE: Duration = Duration::from_secs(60);
const MOST_FORKS: usize = 150;

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn main() -> Outcome {
    let mut args = env::args_os().skip(1);
    let name = args.next().ok_or("the shape is missing")?;
    let directory = PathBuf::from(args.next().ok_or("the directory is missing")?);
    let shape = Shape { directory };
    shape.register(process::id())?;
    match name.to_str().ok_or("the shape is unknown")? {
        "leaf" => shape.leaf(),
        "plain" => shape.with(&["leaf"]),
        "session" => shape.with(&["session-leaf"]),
        "session-leaf" => setsid().map_err(Into::into).and_then(|_| shape.leaf()),
        "group" => shape.with(&["group-leaf"]),
        "group-leaf" => setpgid(None, None).map_err(Into::into).and_then(|()| shape.leaf()),
        "double-fork" => shape.with(&["orphan-leaf"]),
        "orphan-leaf" => shape.leave("leaf"),
        "ignores-signals" => shape.shell("trap '' HUP INT QUIT TERM; \"$0\" leaf \"$1\" & wait"),
        "nohup" => shape.shell("nohup \"$0\" leaf \"$1\" >/dev/null & wait"),
        "closed-stdio" => shape.shell("exec <&- >&- 2>&-; \"$0\" leaf \"$1\" & wait"),
        "ends-first" => shape.end_first(),
        "fork-loop" => shape.fork_loop(),
        "respawns" => shape.with(&["watcher", "watcher"]),
        "watcher" => shape.watch("leaf"),
        "background" => shape.shell(
            "sleep 60 & echo > \"$1/$!\"; sleep 60 & echo > \"$1/$!\"; sleep 60",
        ),
        "stopped" => shape.with(&["stopped-leaf"]),
        "stopped-leaf" => {
            kill_process(getpid(), Signal::STOP)?;
            shape.leaf()
        }
        "no-environment" => shape.shell("env -i setsid \"$0\" orphan-leaf \"$1\"; sleep 60"),
        "own-subreaper" => {
            set_child_subreaper(Some(getpid()))?;
            shape.with(&["orphan-leaf", "orphan-leaf"])
        }
        "daemon" => shape.with(&["daemon-first"]),
        "daemon-first" => setsid().map_err(Into::into).and_then(|_| shape.leave("daemon-second")),
        "daemon-second" => shape.shell(
            "trap '' HUP INT QUIT TERM; cd /; exec env -i setsid \"$0\" leaf \"$1\" </dev/null >/dev/null 2>&1",
        ),
        "hops" => shape.with(&["hopper"]),
        "hopper" => shape.hop(),
        _ => Err("the shape is unknown".into()),
    }
}

struct Shape {
    directory: PathBuf,
}

impl Shape {
    fn register(&self, pid: u32) -> io::Result<()> {
        fs::write(self.directory.join(pid.to_string()), "")
    }

    fn leaf(&self) -> Outcome {
        thread::sleep(LIFE);
        Ok(())
    }

    /// Starts the named shapes and stays.
    fn with(&self, names: &[&str]) -> Outcome {
        for name in names {
            self.start(name)?;
        }
        self.leaf()
    }

    /// Starts the named shape and ends at once.
    fn leave(&self, name: &str) -> Outcome {
        self.start(name)?;
        Ok(())
    }

    /// Leaves a child behind that holds our output open, and ends well.
    fn end_first(&self) -> Outcome {
        let child = self.directory.join(self.start("leaf")?.id().to_string());
        while !child.exists() {
            thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    /// Starts the named shape again whenever it ends.
    fn watch(&self, name: &str) -> Outcome {
        let started = Instant::now();
        while started.elapsed() < LIFE {
            self.start(name)?.wait()?;
        }
        Ok(())
    }

    /// Every process starts two more, up to a bound.
    fn fork_loop(&self) -> Outcome {
        for _ in 0..2 {
            if fs::read_dir(&self.directory)?.count() < MOST_FORKS {
                self.start("fork-loop")?;
            }
        }
        self.leaf()
    }

    /// Changes its number as fast as it can; its files are taken away again, there are too many.
    fn hop(&self) -> Outcome {
        let birth = self.directory.join("birth");
        if !birth.exists() {
            fs::write(&birth, "")?;
        }
        if fs::metadata(&birth)?.modified()?.elapsed()? < LIFE {
            self.start("hopper")?;
        }
        fs::write(self.directory.join("heartbeat"), process::id().to_string())?;
        Ok(fs::remove_file(
            self.directory.join(process::id().to_string()),
        )?)
    }

    fn shell(&self, script: &str) -> Outcome {
        let program = env::current_exe()?;
        let mut shell = command(Path::new("/bin/sh"));
        shell.args(["-c", script]).arg(program).arg(&self.directory);
        self.register(shell.spawn()?.id())?;
        self.leaf()
    }

    fn start(&self, name: &str) -> io::Result<Child> {
        let mut command = command(&env::current_exe()?);
        command
            .arg(name)
            .arg(&self.directory)
            .stdin(Stdio::null())
            .spawn()
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a program that misbehaves on purpose"
)]
fn command(program: &Path) -> Command {
    Command::new(program)
}

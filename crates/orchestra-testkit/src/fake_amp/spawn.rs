//! Processes that try to outlive the agent. The program starts itself again in a hidden mode for each of them.

use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use super::scenario::SpawnShape;

/// The first argument of the hidden mode.
pub(crate) const CHILD: &str = "__child";

/// The role that only waits.
const SLEEP: &str = "sleep";
const FORK_PAUSE: Duration = Duration::from_millis(50);

/// Starts a process of this shape and waits until it has written its id.
pub(crate) fn start(shape: SpawnShape, seconds: u64, pid_file: &Path) -> Result<(), String> {
    let before = recorded(pid_file);
    let role = Role {
        name: shape.name().to_owned(),
        seconds,
        pid_file,
    };
    let holds = shape == SpawnShape::HoldsStdout;
    role.launch(holds, false)
        .map_err(|error| format!("cannot spawn: {error}"))?;
    let end = Instant::now() + Duration::from_secs(20);
    while recorded(pid_file) <= before {
        if Instant::now() > end {
            return Err(format!("the {} process did not start", shape.name()));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}

/// The hidden mode: `<role> <seconds> <pid file>`.
pub(crate) fn child_main(arguments: &[String]) -> ExitCode {
    let [name, seconds, pid_file] = arguments else {
        return ExitCode::FAILURE;
    };
    let role = Role {
        name: name.clone(),
        seconds: seconds.parse().unwrap_or(0),
        pid_file: Path::new(pid_file),
    };
    match role.act() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_nobody_listens) => ExitCode::FAILURE,
    }
}

struct Role<'a> {
    name: String,
    seconds: u64,
    pid_file: &'a Path,
}

impl Role<'_> {
    fn act(&self) -> std::io::Result<()> {
        match self.name.as_str() {
            "setsid" => system::new_session()?,
            "nohup" => system::ignore(&[system::HANGUP])?,
            "ignore_signals" => system::ignore(system::IGNORABLE)?,
            "double_fork" => return self.leave_behind(SLEEP, false, false),
            "holds_stdout" => return self.leave_behind(SLEEP, true, false),
            "clean_env" => return self.leave_behind(SLEEP, false, true),
            "daemon" => {
                system::new_session()?;
                return self.leave_behind("daemon_child", false, false);
            }
            "daemon_child" => {
                system::new_session()?;
                std::env::set_current_dir("/")?;
            }
            "subreaper" => return self.collect_orphans(),
            "fork_loop" => return self.fork_on(),
            "respawn" => return self.respawn(),
            _ => {}
        }
        self.record()?;
        if self.name == "stopped" {
            system::stop()?;
        }
        std::thread::sleep(Duration::from_secs(self.seconds));
        Ok(())
    }

    /// Starts another process and ends, so that the other one is an orphan.
    fn leave_behind(&self, name: &str, holds_stdout: bool, clean: bool) -> std::io::Result<()> {
        self.become_role(name).launch(holds_stdout, clean).map(drop)
    }

    fn collect_orphans(&self) -> std::io::Result<()> {
        system::collect_orphans()?;
        self.record()?;
        self.become_role("double_fork")
            .launch(false, false)?
            .wait()?;
        std::thread::sleep(Duration::from_secs(self.seconds));
        Ok(())
    }

    /// Each generation starts the next with a little less time, and leaves.
    fn fork_on(&self) -> std::io::Result<()> {
        self.record()?;
        let left = Duration::from_secs(self.seconds);
        let generation = self.pid_file.with_extension("generation");
        let born = self.generation(&generation)?;
        if FORK_PAUSE * born >= left {
            return Ok(());
        }
        std::thread::sleep(FORK_PAUSE);
        self.leave_behind("fork_loop", false, false)
    }

    fn generation(&self, file: &Path) -> std::io::Result<u32> {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        let number = text.parse().unwrap_or(0) + 1;
        std::fs::write(file, format!("{number}"))?;
        Ok(number)
    }

    fn respawn(&self) -> std::io::Result<()> {
        self.record()?;
        let end = Instant::now() + Duration::from_secs(self.seconds);
        while let Some(left) = end.checked_duration_since(Instant::now()) {
            let mut sleeper = self.become_role(SLEEP);
            sleeper.seconds = left.as_secs().max(1);
            sleeper.launch(false, false)?.wait()?;
        }
        Ok(())
    }

    fn become_role(&self, name: &str) -> Role<'_> {
        Role {
            name: name.to_owned(),
            seconds: self.seconds,
            pid_file: self.pid_file,
        }
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "processes out of control are what this program is for"
    )]
    fn launch(&self, holds_stdout: bool, clean: bool) -> std::io::Result<Child> {
        let mut command = Command::new(std::env::current_exe()?);
        command
            .arg(CHILD)
            .arg(&self.name)
            .arg(self.seconds.to_string())
            .arg(self.pid_file)
            .stdin(Stdio::null());
        if !holds_stdout {
            command.stdout(Stdio::null()).stderr(Stdio::null());
        }
        if clean {
            command.env_clear();
        }
        command.spawn()
    }

    fn record(&self) -> std::io::Result<()> {
        let mut file = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(self.pid_file)?;
        file.write_all(format!("{}\n", std::process::id()).as_bytes())
    }
}

fn recorded(pid_file: &Path) -> usize {
    std::fs::read_to_string(pid_file).map_or(0, |text| text.lines().count())
}

#[cfg(unix)]
mod system {
    //! What only Unix can do.

    use std::io;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};

    pub(super) const HANGUP: i32 = SIGHUP;
    pub(super) const IGNORABLE: &[i32] = &[SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2];

    pub(super) fn new_session() -> io::Result<()> {
        // A process that leads its group already leads a session of its own or cannot make one.
        match rustix::process::setsid() {
            Ok(_) | Err(rustix::io::Errno::PERM) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    pub(super) fn ignore(signals: &[i32]) -> io::Result<()> {
        for signal in signals {
            signal_hook::flag::register(*signal, Arc::new(AtomicBool::new(false)))?;
        }
        Ok(())
    }

    pub(super) fn stop() -> io::Result<()> {
        use rustix::process::{Signal, getpid, kill_process};
        Ok(kill_process(getpid(), Signal::STOP)?)
    }

    #[cfg(target_os = "linux")]
    pub(super) fn collect_orphans() -> io::Result<()> {
        Ok(rustix::process::set_child_subreaper(Some(
            rustix::process::getpid(),
        ))?)
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn collect_orphans() -> io::Result<()> {
        Ok(())
    }
}

#[cfg(not(unix))]
mod system {
    //! Elsewhere every shape is a plain process.

    use std::io;

    pub(super) const HANGUP: i32 = 1;
    pub(super) const IGNORABLE: &[i32] = &[];

    pub(super) fn new_session() -> io::Result<()> {
        Ok(())
    }

    pub(super) fn ignore(_signals: &[i32]) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn stop() -> io::Result<()> {
        Ok(())
    }

    pub(super) fn collect_orphans() -> io::Result<()> {
        Ok(())
    }
}

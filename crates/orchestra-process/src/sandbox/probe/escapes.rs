//! The side of the probe that is in the sandbox.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rustix::io::Errno;

use super::{Answer, Attempt, Escape, Outcome, Task, commit};
use crate::near::near;
use crate::sandbox::SandboxLayer;
use crate::tree;

const CONNECT_PATIENCE: Duration = Duration::from_secs(2);
const LATE_PATIENCE: Duration = Duration::from_secs(1);

/// Reads what to do, does it and tells what became of it.
pub(in crate::sandbox) fn run_inside() -> io::Result<()> {
    let task: Task = serde_json::from_reader(io::stdin().lock())?;
    say_that_it_runs()?;
    // The last escape changes what this process is.
    let commit_failure = commit::make(&task.targets).err();
    let late_socket = task.late_socket.as_ref();
    let reaches_late_sockets = late_socket.is_some_and(|socket| reaches_late(socket));
    let attempts = Escape::ALL.map(|escape| Attempt {
        escape,
        outcome: outcome(&task, escape),
    });
    let answer = Answer {
        attempts: attempts.into(),
        commit_failure,
        reaches_late_sockets,
    };
    let mut stdout = io::stdout().lock();
    serde_json::to_writer(&mut stdout, &answer)?;
    stdout.flush()
}

/// An empty line before the answer.
fn say_that_it_runs() -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    writeln!(stdout)?;
    stdout.flush()
}

/// Several ways to do the same, in the order they are tried.
type Ways<'a> = Vec<(&'a str, Box<dyn Fn() -> io::Result<()> + 'a>)>;

fn outcome(task: &Task, escape: Escape) -> Outcome {
    let mut refused = None;
    for (how, way) in ways(task, escape) {
        match way() {
            Ok(()) => {
                let how = how.to_owned();
                return Outcome::Succeeded { how };
            }
            Err(error) => refused = refused.or(Some(error)),
        }
    }
    match refused {
        Some(error) => stopped(&task.layers, &error),
        None => Outcome::NothingToTry,
    }
}

/// Landlock says that it is not permitted; with bubblewrap it is not there, or cannot be written.
fn stopped(layers: &[SandboxLayer], error: &io::Error) -> Outcome {
    let is_not_permitted = error.kind() == io::ErrorKind::PermissionDenied;
    let by = match layers {
        [only] => *only,
        _ if is_not_permitted => SandboxLayer::Landlock,
        _ => SandboxLayer::Bubblewrap,
    };
    Outcome::Stopped { by }
}

fn ways(task: &Task, escape: Escape) -> Ways<'_> {
    let targets = &task.targets;
    match escape {
        Escape::MainCheckout => vec![("a file in it", writes_into(&targets.main_checkout))],
        Escape::GitConfiguration => vec![
            ("config", appends_to(targets.git_directory.join("config"))),
            ("a file in it", writes_into(&targets.git_directory)),
            (
                "a hook",
                Box::new(|| write_into(&targets.git_directory.join("hooks"))),
            ),
        ],
        Escape::OtherWorktree => targets
            .other_worktree
            .iter()
            .map(|worktree| ("a file in it", writes_into(worktree)))
            .collect(),
        Escape::Home => vec![
            ("a file in it", writes_into(&targets.home)),
            (".bashrc", appends_to(targets.home.join(".bashrc"))),
        ],
        Escape::HomeSecret => task
            .secret_files
            .iter()
            .map(|file| ("a file that was to be hidden", reads(file)))
            .collect(),
        Escape::Store => vec![
            ("the file", reads(&targets.store)),
            ("a file beside it", writes_into(&targets.outside)),
        ],
        Escape::Signal => vec![("a signal that does nothing", Box::new(|| signal(task)))],
        // Elsewhere processes show neither.
        Escape::ProcessMemory if !cfg!(target_os = "linux") => Vec::new(),
        Escape::ProcessMemory => vec![
            ("its environment", Box::new(|| read_of(task, "environ"))),
            ("its memory", Box::new(|| read_of(task, "mem"))),
            ("its working directory", Box::new(|| read_of(task, "cwd/."))),
        ],
        Escape::Connection => connections(task),
        Escape::Namespaces => links(task),
    }
}

fn writes_into(directory: &Path) -> Box<dyn Fn() -> io::Result<()> + '_> {
    Box::new(move || write_into(directory))
}

fn appends_to(file: PathBuf) -> Box<dyn Fn() -> io::Result<()>> {
    Box::new(move || OpenOptions::new().append(true).open(&file).map(drop))
}

fn reads(file: &Path) -> Box<dyn Fn() -> io::Result<()> + '_> {
    Box::new(move || read(file))
}

/// A file of ours, which is removed again.
fn write_into(directory: &Path) -> io::Result<()> {
    let file = directory.join(own_name());
    File::create_new(&file)?;
    fs::remove_file(file)
}

pub(super) fn own_name() -> String {
    format!(".orchestra-probe-{}", std::process::id())
}

fn read(file: &Path) -> io::Result<()> {
    File::open(file)?.read(&mut [0; 1]).map(drop)
}

/// The number alone may be that of another process in here.
fn visible(task: &Task) -> io::Result<u32> {
    match task.process.is_alive() {
        true => Ok(task.process.pid),
        false => Err(Errno::SRCH.into()),
    }
}

fn signal(task: &Task) -> io::Result<()> {
    let pid = tree::pid(visible(task)?).ok_or(Errno::SRCH)?;
    Ok(rustix::process::test_kill_process(pid)?)
}

fn read_of(task: &Task, what: &str) -> io::Result<()> {
    let path = PathBuf::from(format!("/proc/{}/{what}", visible(task)?));
    match what {
        "environ" => read(&path),
        "mem" => File::open(&path).map(drop),
        _ => fs::read_dir(&path).map(drop),
    }
}

fn connections(task: &Task) -> Ways<'_> {
    let mut ways: Ways<'_> = vec![("a port", Box::new(|| connect(task.port)))];
    for (how, socket) in &task.sockets {
        ways.push((how, Box::new(|| connect_to(socket))));
    }
    ways
}

fn connect_to(socket: &Path) -> io::Result<()> {
    near(socket, |socket| UnixStream::connect(socket)).map(drop)
}

/// It is waited for, unless it is plain that it may not be connected to.
fn reaches_late(socket: &Path) -> bool {
    let deadline = Instant::now() + LATE_PATIENCE;
    loop {
        match connect_to(socket) {
            Ok(()) => return true,
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return false,
            Err(_) if Instant::now() > deadline => return false,
            Err(_) => thread::sleep(Duration::from_millis(5)),
        }
    }
}

fn connect(port: u16) -> io::Result<()> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    TcpStream::connect_timeout(&address, CONNECT_PATIENCE).map(drop)
}

/// Through a name in the workspace, then by changing what is mounted where.
fn links(task: &Task) -> Ways<'_> {
    let targets = &task.targets;
    let here = targets.workspace.join(own_name());
    let hard = here.clone();
    let mut ways: Ways<'_> = vec![
        (
            "a symbolic link",
            Box::new(move || {
                std::os::unix::fs::symlink(&targets.main_checkout, &here)?;
                let written = write_into(&here);
                fs::remove_file(&here).and(written)
            }),
        ),
        (
            "a hard link",
            Box::new(move || {
                fs::hard_link(targets.git_directory.join("config"), &hard)?;
                let opened = OpenOptions::new().append(true).open(&hard);
                fs::remove_file(&hard).and(opened).map(drop)
            }),
        ),
    ];
    ways.extend(mounts(task));
    ways
}

#[cfg(target_os = "linux")]
fn mounts(task: &Task) -> Ways<'_> {
    use rustix::mount::{MountFlags, UnmountFlags, mount_bind, mount_remount, unmount};
    let checkout = &task.targets.main_checkout;
    let remount = move || {
        mount_remount(checkout, MountFlags::BIND, "")?;
        write_into(checkout)
    };
    let remount_in_another = move || {
        leave_namespaces()?;
        // A mount of our own could be changed, if what it shows could be written.
        mount_bind(checkout, checkout)?;
        remount()
    };
    let uncover = move || {
        let file = task.secret_files.first().ok_or(Errno::NOENT)?;
        let covered = file
            .ancestors()
            .find(|it| task.targets.secrets.iter().any(|at| at == it));
        unmount(covered.unwrap_or(file), UnmountFlags::DETACH)?;
        read(file)
    };
    vec![
        ("a mount that becomes writable", Box::new(remount)),
        (
            "a namespace with other mounts",
            Box::new(remount_in_another),
        ),
        ("a mount that is taken away", Box::new(uncover)),
    ]
}

#[cfg(not(target_os = "linux"))]
fn mounts(_task: &Task) -> Ways<'_> {
    Vec::new()
}

#[cfg(target_os = "linux")]
fn leave_namespaces() -> io::Result<()> {
    use rustix::thread::UnshareFlags;
    #[expect(
        deprecated,
        reason = "open files are not unshared, which is what makes the call unsafe"
    )]
    let done = rustix::thread::unshare(UnshareFlags::NEWUSER | UnshareFlags::NEWNS);
    Ok(done?)
}

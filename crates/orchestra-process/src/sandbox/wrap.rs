//! Turning a command into one that holds itself.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::access::{Access, Plan};
use super::words::{Entry, Inside};
use super::{Network, ProxyAddress, Replaced, SANDBOX_MODE, Sandbox, SandboxError, SandboxLayer};
use crate::error::ProcessError;
use crate::program::find_program;
use crate::spec::CommandSpec;

/// A command to start in place of another one.
pub(crate) struct Wrapped {
    pub(crate) spec: CommandSpec,
    pub(crate) around: Around,
}

/// What stands between the process that is started and the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Around {
    /// Nothing: the process becomes the program.
    Nothing,
    /// Processes that must not be asked to end: the program would be killed at once.
    Namespaces,
}

/// A program's own with bubblewrap.
const PRIVATE: [&str; 3] = ["/tmp", "/var/tmp", "/run"];
/// What some systems have programs and names in.
const STAYS: [&str; 4] = [
    "/etc/resolv.conf",
    "/run/current-system",
    "/run/opengl-driver",
    "/run/wrappers",
];
/// What can be written to without leaving a trace.
const DEVICES: [&str; 8] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
    "/dev/ptmx",
    "/dev/pts",
];

impl Sandbox {
    pub(crate) fn wrap(&self, spec: &CommandSpec) -> Result<Wrapped, ProcessError> {
        let program = program(spec)?;
        if !self.replaced.is_empty() && self.layers.bubblewrap.is_none() {
            let layer = SandboxLayer::Bubblewrap;
            return Err(SandboxError::MissingLayer { layer }.into());
        }
        let mut plan = Plan::of(self)?;
        if self.layers.bubblewrap.is_some() {
            keep_apart(&mut plan);
        }
        let replaced = self.replaced.iter().map(real_place).collect::<Vec<_>>();
        let around = around(&self.layers.names())?;
        let network = self.inside(&mut plan)?;
        for needed in [&self.helper, &program] {
            show(&mut plan, needed);
        }
        let mut command = vec![program.into()];
        command.extend(spec.args.iter().cloned());
        let entry = Entry {
            landlock: self.layers.landlock,
            plan: self.held_by_landlock(&plan),
            network,
            command,
        };
        let mut words = vec![self.helper.clone().into(), SANDBOX_MODE.into()];
        words.extend(entry.into_words());
        let words = self.outer(&plan, &replaced, &spec.cwd, words)?;
        let mut wrapped = spec.clone();
        let mut words = words.into_iter();
        wrapped.program = words.next().unwrap_or_default().into();
        wrapped.args = words.collect();
        Ok(Wrapped {
            spec: wrapped,
            around,
        })
    }

    /// The command line of the layer that starts the others.
    #[cfg(target_os = "linux")]
    fn outer(
        &self,
        plan: &Plan,
        replaced: &[Replaced],
        cwd: &Path,
        inner: Vec<OsString>,
    ) -> Result<Vec<OsString>, SandboxError> {
        match &self.layers.bubblewrap {
            Some(bubblewrap) => {
                let shares_network = self.network == Network::Open;
                let replaced = [replaced, &super::sockets::covered(plan)].concat();
                let mut words = bubblewrap.words(plan, &replaced, cwd, shares_network);
                words.extend(inner);
                Ok(words)
            }
            None => Ok(inner),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn outer(
        &self,
        plan: &Plan,
        _replaced: &[Replaced],
        _cwd: &Path,
        inner: Vec<OsString>,
    ) -> Result<Vec<OsString>, SandboxError> {
        match &self.layers.profile {
            Some(program) => {
                let text = super::profile::text(plan, &self.network)?;
                let mut words = vec![program.clone().into(), "-p".into(), text];
                words.extend(inner);
                Ok(words)
            }
            None => Ok(inner),
        }
    }

    /// What is left to do for the network from inside.
    fn inside(&self, plan: &mut Plan) -> Result<Inside, SandboxError> {
        let out_of_reach = |layer, place| Err(SandboxError::ProxyOutOfReach { layer, place });
        if self.layers.bubblewrap.is_some() {
            let layer = SandboxLayer::Bubblewrap;
            return match &self.network {
                Network::Off | Network::Open => Ok(Inside::Nothing),
                Network::Hosts(ProxyAddress::Loopback(_)) => out_of_reach(layer, "a port"),
                Network::Hosts(ProxyAddress::Socket { path, local_ports }) => {
                    let real = fs::canonicalize(path);
                    let socket = real.map_err(|source| SandboxError::Proxy { source })?;
                    plan.add(socket.clone(), Access::Readable);
                    Ok(Inside::ProxySocket {
                        socket,
                        local_ports: local_ports.clone(),
                    })
                }
            };
        }
        let layer = match self.layers.profile {
            Some(_) => SandboxLayer::Profile,
            None => SandboxLayer::Landlock,
        };
        if self.network != Network::Open && self.layers.landlock.is_some_and(|abi| abi < 4) {
            return Err(SandboxError::NetworkNotHeld { layer });
        }
        match &self.network {
            Network::Off => Ok(Inside::NoTcp),
            Network::Open => Ok(Inside::Nothing),
            Network::Hosts(ProxyAddress::Loopback(port)) => Ok(Inside::ProxyPort(*port)),
            Network::Hosts(ProxyAddress::Socket { .. }) => out_of_reach(layer, "a socket"),
        }
    }

    /// Devices are the system's own unless bubblewrap made new ones. What lies in a directory of the program's own is held by
    /// how it is mounted there; a rule for it would keep the program from making anything beside it.
    fn held_by_landlock(&self, plan: &Plan) -> Plan {
        let mut plan = plan.clone();
        match self.layers.bubblewrap {
            Some(_) => {
                let whole = plan.clone();
                plan.rules.retain(|path, access| {
                    *access >= Access::Private || !whole.is_in_private(path)
                });
                plan.add("/dev".into(), Access::Private);
            }
            None => DEVICES
                .iter()
                .for_each(|device| plan.add(device.into(), Access::Writable)),
        }
        plan
    }
}

/// Directories on the way may be links; the file itself is what is replaced.
fn real_place(replaced: &Replaced) -> Replaced {
    let Replaced { path, by } = replaced;
    let folder = path.parent().and_then(|it| fs::canonicalize(it).ok());
    let real = folder.zip(path.file_name());
    Replaced {
        path: real.map_or_else(|| path.clone(), |(folder, name)| folder.join(name)),
        by: by.clone(),
    }
}

/// The file to run, so that one that is missing is told before anything starts.
fn program(spec: &CommandSpec) -> Result<PathBuf, ProcessError> {
    if spec.program.components().count() == 1 {
        return find_program(&spec.program, spec.search_path()).ok_or_else(|| {
            let program = spec.program.clone();
            ProcessError::ProgramNotFound { program }
        });
    }
    let program = spec.cwd.join(&spec.program);
    #[cfg(unix)]
    rustix::fs::access(&program, rustix::fs::Access::EXEC_OK)
        .map_err(|errno| ProcessError::from_spawn(&spec.program, &spec.cwd, errno.into()))?;
    Ok(program)
}

fn around(layers: &[SandboxLayer]) -> Result<Around, SandboxError> {
    match layers {
        [] => Err(SandboxError::NoLayer),
        layers if layers.contains(&SandboxLayer::Bubblewrap) => Ok(Around::Namespaces),
        _ => Ok(Around::Nothing),
    }
}

fn keep_apart(plan: &mut Plan) {
    let real = PRIVATE
        .iter()
        .filter_map(|path| fs::canonicalize(path).ok());
    real.for_each(|path| plan.add(path, Access::Private));
    for path in STAYS {
        show(plan, Path::new(path));
    }
}

/// Makes one path readable that otherwise would not be there.
fn show(plan: &mut Plan, path: &Path) {
    if let Ok(real) = fs::canonicalize(path)
        && matches!(plan.access(&real), Access::Hidden | Access::Private)
    {
        plan.add(real, Access::Readable);
    }
}

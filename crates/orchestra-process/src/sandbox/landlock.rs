//! Rules that a process gives itself and everything it starts, and can never take back.

use std::fs;
use std::io;
use std::path::Path;

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, NetPort, PathBeneath,
    PathFd, Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, RulesetStatus,
    Scope,
};

use super::access::{Access, Plan};
use super::words::Inside;

/// The newest interface with something that is used here.
const NEWEST: u32 = 6;
/// The first that knows TCP.
const TCP: u32 = 4;
/// The first that knows signals.
const SCOPES: u32 = 6;

/// The newest interface of the running kernel that is used; `None` without Landlock.
pub(super) fn newest() -> Option<u32> {
    (1..=NEWEST).rev().find(|number| {
        let is_tcp_held = *number >= TCP;
        ruleset(*number, is_tcp_held).is_ok_and(|ruleset| ruleset.create().is_ok())
    })
}

/// Holds this process from now on.
pub(super) fn restrict(number: u32, plan: &Plan, network: &Inside) -> io::Result<()> {
    let is_tcp_held = matches!(network, Inside::NoTcp | Inside::ProxyPort(_));
    let created = ruleset(number, is_tcp_held).and_then(Ruleset::create);
    let mut rules = Rules {
        abi: abi(number),
        plan,
        ruleset: created.map_err(io::Error::other)?,
    };
    rules.grant(Path::new("/"), Access::Readable)?;
    for (path, access) in &plan.rules {
        rules.grant(path, *access)?;
    }
    let mut ruleset = rules.ruleset;
    if let Inside::ProxyPort(port) = network {
        let port = NetPort::new(*port, AccessNet::ConnectTcp);
        ruleset = ruleset.add_rule(port).map_err(io::Error::other)?;
    }
    let status = ruleset.restrict_self().map_err(io::Error::other)?;
    match status.ruleset {
        RulesetStatus::FullyEnforced => Ok(()),
        _ => Err(io::Error::other("Landlock holds only a part")),
    }
}

fn abi(number: u32) -> ABI {
    ABI::from(i32::try_from(number).unwrap_or_default())
}

/// Everything that is asked for is there, or it fails.
fn ruleset(number: u32, is_tcp_held: bool) -> Result<Ruleset, RulesetError> {
    let abi = abi(number);
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(abi))?;
    if is_tcp_held {
        ruleset = ruleset.handle_access(AccessNet::ConnectTcp)?;
    }
    if number >= SCOPES {
        ruleset = ruleset.scope(Scope::from_all(abi))?;
    }
    Ok(ruleset)
}

struct Rules<'a> {
    abi: ABI,
    plan: &'a Plan,
    ruleset: RulesetCreated,
}

impl Rules<'_> {
    /// A rule gives and never takes away, so a directory with something stricter inside is given entry by entry. What is made
    /// there later is not given. Its names can be listed, those of hidden directories inside too.
    fn grant(&mut self, path: &Path, access: Access) -> io::Result<()> {
        if access == Access::Hidden {
            return Ok(());
        }
        if !self.plan.is_stricter_inside(path, access) {
            return self.add(path, self.rights(access));
        }
        self.add(path, AccessFs::ReadDir.into())?;
        // One that may not be listed may not be used either.
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            let path = entry.path();
            let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
            if !is_link && !self.plan.rules.contains_key(&path) {
                self.grant(&path, access)?;
            }
        }
        Ok(())
    }

    fn rights(&self, access: Access) -> BitFlags<AccessFs> {
        match access {
            Access::Hidden => BitFlags::EMPTY,
            Access::Readable => AccessFs::from_read(self.abi),
            Access::Private | Access::Writable => AccessFs::from_all(self.abi),
        }
    }

    /// What is gone, or cannot be reached by this user, needs no rule.
    fn add(&mut self, path: &Path, rights: BitFlags<AccessFs>) -> io::Result<()> {
        let Ok(metadata) = fs::metadata(path) else {
            return Ok(());
        };
        let rights = match metadata.is_dir() {
            true => rights,
            false => rights & AccessFs::from_file(self.abi),
        };
        let Ok(file) = PathFd::new(path) else {
            return Ok(());
        };
        (&mut self.ruleset)
            .add_rule(PathBeneath::new(file, rights))
            .map(drop)
            .map_err(io::Error::other)
    }
}

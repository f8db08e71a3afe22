//! What this machine has to hold a program.

use std::ffi::OsStr;
use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::SandboxError;

/// One thing that holds a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SandboxLayer {
    /// The Linux kernel, by rules that a process gives itself.
    Landlock,
    /// Namespaces of the Linux kernel, made by the program `bwrap`.
    Bubblewrap,
    /// The profile that macOS holds a program to.
    Profile,
}

impl SandboxLayer {
    /// What a user does to have it.
    pub fn how_to_get(self) -> &'static str {
        match self {
            Self::Landlock => "use Linux 5.13 or newer with Landlock among its security modules",
            Self::Bubblewrap => {
                "install bubblewrap, and allow user namespaces (`sysctl user.max_user_namespaces`)"
            }
            Self::Profile => "macOS alone has it",
        }
    }
}

impl fmt::Display for SandboxLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Landlock => "Landlock",
            Self::Bubblewrap => "bubblewrap",
            Self::Profile => "sandbox profile",
        })
    }
}

/// The layers that a machine has, or that a sandbox is made of. Windows has none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SandboxLayers {
    /// The newest interface of Landlock that is used, from 1 to 6; the network needs 4, signals need 6.
    pub landlock: Option<u32>,
    pub bubblewrap: Option<Bubblewrap>,
    /// The program `sandbox-exec`.
    pub profile: Option<PathBuf>,
}

/// A bubblewrap that was seen to work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bubblewrap {
    pub program: PathBuf,
    pub nested: NestedNamespaces,
}

/// Whether a program in a sandbox can make namespaces of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NestedNamespaces {
    Forbidden,
    /// bubblewrap is older than 0.8, or runs as another user.
    Possible,
}

impl SandboxLayers {
    /// What works here. bubblewrap is searched in `search_path` and tried once.
    pub fn present(search_path: Option<&OsStr>) -> Self {
        #[cfg(target_os = "linux")]
        return Self {
            landlock: super::landlock::newest(),
            bubblewrap: super::bubblewrap::find(search_path),
            profile: None,
        };
        #[cfg(target_os = "macos")]
        return Self {
            profile: super::profile::find(search_path),
            ..Self::default()
        };
        #[cfg(not(any(target_os = "linux", target_os = "macos")))]
        {
            let _ = search_path;
            Self::default()
        }
    }

    /// Exactly the layers that are asked for.
    ///
    /// # Errors
    /// If one of them is not there, or none is asked for.
    pub fn require(&self, wanted: &[SandboxLayer]) -> Result<Self, SandboxError> {
        let names = self.names();
        if let Some(layer) = wanted.iter().find(|layer| !names.contains(layer)) {
            return Err(SandboxError::MissingLayer { layer: *layer });
        }
        let is_wanted = |layer| wanted.contains(&layer);
        let chosen = Self {
            landlock: self.landlock.filter(|_| is_wanted(SandboxLayer::Landlock)),
            bubblewrap: self
                .bubblewrap
                .clone()
                .filter(|_| is_wanted(SandboxLayer::Bubblewrap)),
            profile: self
                .profile
                .clone()
                .filter(|_| is_wanted(SandboxLayer::Profile)),
        };
        match chosen.names().is_empty() {
            true => Err(SandboxError::NoLayer),
            false => Ok(chosen),
        }
    }

    /// The layers by name.
    pub fn names(&self) -> Vec<SandboxLayer> {
        let named = [
            (SandboxLayer::Landlock, self.landlock.is_some()),
            (SandboxLayer::Bubblewrap, self.bubblewrap.is_some()),
            (SandboxLayer::Profile, self.profile.is_some()),
        ];
        let present = named.into_iter().filter(|(_, is_present)| *is_present);
        present.map(|(layer, _)| layer).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layer_that_is_missing_is_named_and_never_dropped() {
        let present = SandboxLayers {
            landlock: Some(3),
            ..SandboxLayers::default()
        };
        let both = [SandboxLayer::Landlock, SandboxLayer::Bubblewrap];
        let error = present.require(&both).unwrap_err();
        assert_eq!(error.code(), "sandbox.missing_layer");
        assert_eq!(
            error.to_string(),
            "this machine has no working bubblewrap to hold a program"
        );
        assert!(error.hint().unwrap().starts_with("install bubblewrap"));
        assert_eq!(present.require(&[SandboxLayer::Landlock]).unwrap(), present);
        let nothing = present.require(&[]).unwrap_err();
        assert_eq!(nothing.code(), "sandbox.no_layer");
    }

    #[test]
    fn without_landlock_the_kernel_to_use_is_told() {
        let error = SandboxLayers::default()
            .require(&[SandboxLayer::Landlock])
            .unwrap_err();
        assert!(error.hint().unwrap().contains("5.13"));
    }
}

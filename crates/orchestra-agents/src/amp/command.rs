//! The command of one Amp turn.
//!
//! One process per turn with the prompt on standard input: no argument limit, no prompt in the process list, and no
//! prompt that starts with a dash can be taken for an option.

use orchestra_core::PermissionPolicy;
use orchestra_process::{CommandSpec, Stdin};

use crate::TurnRequest;
use crate::toolbox::AMP_TOOLBOX;

/// The command of one turn.
pub(super) fn command(request: &TurnRequest<'_>) -> CommandSpec {
    let mut spec = request
        .command()
        .args(request.leading_arguments())
        .args(["--no-ide", "--no-notifications"])
        .arg("--log-file")
        .arg(request.log_file);
    if let Some(file) = request.settings_file {
        spec = spec.arg("--settings-file").arg(file);
    }
    if let Some(file) = request.equipment.mcp_file {
        spec = spec.arg("--mcp-config").arg(file);
    }
    if let Some(directory) = request.equipment.toolbox {
        spec = spec.env(AMP_TOOLBOX, directory);
    }
    if request.permissions == PermissionPolicy::Allow {
        // Left off, older builds wait for an approval nobody can give; newer ones run without asking anyway.
        spec = spec.arg("--dangerously-allow-all");
    }
    if let Some(mode) = request.mode.or(request.model) {
        // No build has a flag for the model: the mode chooses it.
        spec = spec.arg("--mode").arg(mode);
    }
    if request.features.has("--no-archive-after-execute") {
        // Newer builds archive every thread after `-x`, and an archived thread cannot be continued.
        spec = spec.arg("--no-archive-after-execute");
    }
    if let Some(thread) = request.thread {
        spec = spec.args(["threads", "continue", thread]);
    }
    spec.args(["-x", "--stream-json"])
        .env("AMP_SKIP_UPDATE_CHECK", "1")
        // The flag for it makes builds of January 2026 warn in every first turn.
        .env("NO_COLOR", "1")
        .stdin(Stdin::Bytes(request.prompt.as_bytes().to_vec()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::ffi::{OsStr, OsString};
    use std::path::Path;

    use super::*;
    use crate::{Equipment, Features};

    fn arguments(features: &Features, thread: Option<&str>, model: Option<&str>) -> Vec<String> {
        let spec = command(&TurnRequest {
            program: &[OsString::from("/bin/node"), OsString::from("/opt/amp.js")],
            features,
            worktree: Path::new("/w"),
            prompt: "--help",
            thread,
            model,
            mode: None,
            environment: &BTreeMap::new(),
            log_file: Path::new("/l/amp.log"),
            permissions: PermissionPolicy::Allow,
            settings_file: None,
            spent: None,
            equipment: Equipment::default(),
        });
        assert_eq!(spec.program, Path::new("/bin/node"));
        assert_eq!(spec.stdin, Stdin::Bytes(b"--help".to_vec()));
        assert_eq!(spec.cwd, Path::new("/w"));
        spec.args
            .into_iter()
            .map(|arg| arg.into_string().unwrap())
            .collect()
    }

    #[test]
    fn a_first_turn() {
        let expected = "/opt/amp.js --no-ide --no-notifications --log-file /l/amp.log --dangerously-allow-all -x --stream-json";
        assert_eq!(
            arguments(&Features::default(), None, None).join(" "),
            expected
        );
    }

    #[test]
    fn an_agent_that_is_to_ask_is_not_allowed_all() {
        let request = TurnRequest {
            program: &[OsString::from("/bin/amp")],
            features: &Features::default(),
            worktree: Path::new("/w"),
            prompt: "p",
            thread: None,
            model: None,
            mode: None,
            environment: &BTreeMap::new(),
            log_file: Path::new("/l/amp.log"),
            permissions: PermissionPolicy::Ask,
            settings_file: Some(Path::new("/l/1.settings.json")),
            spent: None,
            equipment: Equipment::default(),
        };
        let line = |request| command(request).args.join(OsStr::new(" "));
        let without = TurnRequest {
            settings_file: None,
            ..request.clone()
        };
        let log = "--no-ide --no-notifications --log-file /l/amp.log";
        let asking = format!("{log} --settings-file /l/1.settings.json -x --stream-json");
        assert_eq!(line(&request), OsStr::new(&asking));
        let silent = format!("{log} -x --stream-json");
        assert_eq!(line(&without), OsStr::new(&silent));
    }

    #[test]
    fn equipment_is_named_by_its_places() {
        let request = TurnRequest {
            program: &[OsString::from("/bin/amp")],
            features: &Features::default(),
            worktree: Path::new("/w"),
            prompt: "p",
            thread: None,
            model: None,
            mode: None,
            environment: &BTreeMap::new(),
            log_file: Path::new("/l/amp.log"),
            permissions: PermissionPolicy::Allow,
            settings_file: None,
            spent: None,
            equipment: Equipment {
                servers: &[],
                mcp_file: Some(Path::new("/l/1.mcp.json")),
                toolbox: Some(Path::new("/t/tools")),
            },
        };
        let spec = command(&request);
        let line = spec.args.join(OsStr::new(" "));
        let line = line.to_str().unwrap();
        assert!(line.contains("--mcp-config /l/1.mcp.json"), "{line}");
        let toolbox = spec.env.get(OsStr::new(AMP_TOOLBOX));
        assert_eq!(
            toolbox.map(OsString::as_os_str),
            Some(OsStr::new("/t/tools"))
        );
    }

    #[test]
    fn a_later_turn_of_a_new_build() {
        let features = Features::from_texts("1", "--no-archive-after-execute");
        let line = arguments(&features, Some("T-1"), Some("high")).join(" ");
        assert!(
            line.ends_with(
                "--mode high --no-archive-after-execute threads continue T-1 -x --stream-json"
            ),
            "{line}"
        );
    }
}

//! Codex: `codex exec --json`.

mod decode;
mod item;

use decode::CodexDecoder;
use orchestra_core::{CostSource, PermissionPolicy};
use orchestra_process::{CommandSpec, Stdin};

use crate::adapter::{Adapter, Decoder};
use crate::agent::{Abilities, Features, Login, Surroundings, Turn, TurnRequest};
use crate::mcp::{McpServer, codex_arguments};

/// OpenAI's Codex.
pub(crate) struct Codex;

impl Adapter for Codex {
    fn turn(&self, request: &TurnRequest<'_>) -> Turn {
        Turn {
            command: command(request),
            decoder: self.reader(),
        }
    }

    fn reader(&self) -> Box<dyn Decoder> {
        Box::new(CodexDecoder::default())
    }

    /// All that it is told stands on its command line.
    fn takes_server(&self, server: &McpServer) -> bool {
        !server.has_secrets()
    }

    fn abilities(&self, _features: &Features) -> Abilities {
        Abilities {
            resume: true,
            approvals: false,
            cost: Some(CostSource::Estimated),
            input: false,
        }
    }

    /// Settings may name a provider that needs no login, or a key in another variable: only the agent knows.
    fn login(&self, surroundings: &Surroundings<'_>) -> Login {
        if surroundings.value("CODEX_API_KEY").is_some() {
            return Login::Key;
        }
        let folder = surroundings.folder("CODEX_HOME", ".codex");
        let has = |name: &str| {
            let file = folder.as_ref().map(|folder| folder.join(name));
            file.is_some_and(|file| (surroundings.exists)(&file))
        };
        if has("auth.json") {
            return Login::Stored;
        }
        match has("config.toml") || surroundings.value("OPENAI_API_KEY").is_some() {
            true => Login::Unknown,
            false => Login::Missing,
        }
    }

    fn login_hint(&self) -> &'static str {
        "run `codex login` in a terminal, or set CODEX_API_KEY"
    }
}

/// One process per turn with the prompt on standard input, where none can be taken for an option. The options stand before
/// `resume`, which knows fewer of them.
fn command(request: &TurnRequest<'_>) -> CommandSpec {
    let mut spec = request
        .command()
        .args(request.leading_arguments())
        .args(["exec", "--json"]);
    spec = match request.permissions {
        PermissionPolicy::Allow => spec.arg("--dangerously-bypass-approvals-and-sandbox"),
        PermissionPolicy::Rules | PermissionPolicy::Ask => {
            spec.args(["--sandbox", "workspace-write"])
        }
    };
    spec = spec.args(codex_arguments(request.equipment.servers));
    if let Some(model) = request.model {
        spec = spec.arg("--model").arg(model);
    }
    if let Some(thread) = request.thread {
        spec = spec.arg("resume").arg(thread);
    }
    spec.arg("-")
        .stdin(Stdin::Bytes(request.prompt.as_bytes().to_vec()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use super::*;

    fn turn(permissions: PermissionPolicy, thread: Option<&str>) -> Turn {
        Codex.turn(&TurnRequest {
            program: &["/bin/codex".into()],
            features: &Features::default(),
            worktree: Path::new("/w"),
            prompt: "--help",
            thread,
            model: Some("m"),
            mode: None,
            environment: &BTreeMap::new(),
            log_file: Path::new("/l"),
            permissions,
            settings_file: None,
            spent: None,
            equipment: crate::Equipment::default(),
        })
    }

    #[test]
    fn the_command_follows_the_policy() {
        let first = turn(PermissionPolicy::Allow, None);
        assert_eq!(first.command.stdin, Stdin::Bytes(b"--help".to_vec()));
        let words = |turn: &Turn| turn.command.args.join(" ".as_ref()).into_string().unwrap();
        assert_eq!(
            words(&first),
            "exec --json --dangerously-bypass-approvals-and-sandbox --model m -"
        );
        let later = turn(PermissionPolicy::Ask, Some("01a1"));
        assert_eq!(
            words(&later),
            "exec --json --sandbox workspace-write --model m resume 01a1 -"
        );
    }

    #[test]
    fn login_is_judged_without_reading_a_secret() {
        let login = |pairs: &[(&str, &str)], there: &'static str| {
            let pairs = pairs.iter();
            let environment: BTreeMap<_, _> = pairs
                .map(|(name, value)| (name.into(), value.into()))
                .collect();
            Codex.login(&Surroundings {
                environment: &environment,
                exists: &|path| path == Path::new(there),
            })
        };
        let home = [("HOME", "/h")];
        assert_eq!(login(&[("CODEX_API_KEY", "x")], ""), Login::Key);
        assert_eq!(login(&home, "/h/.codex/auth.json"), Login::Stored);
        assert_eq!(login(&home, "/h/.codex/config.toml"), Login::Unknown);
        assert_eq!(login(&[("OPENAI_API_KEY", "x")], ""), Login::Unknown);
        assert_eq!(login(&home, ""), Login::Missing);
        let own = [("HOME", "/h"), ("CODEX_HOME", "/c")];
        assert_eq!(login(&own, "/h/.codex/auth.json"), Login::Missing);
    }
}

//! Amp: its command line and its stream-json output.

mod command;
mod record;

use std::path::{Path, PathBuf};

use orchestra_core::CostSource;
use serde_json::json;

use crate::adapter::{Adapter, Decoder};
use crate::agent::{Abilities, Features, Login, Surroundings, Turn, TurnRequest};
use crate::mcp::{McpServer, server_map};
use crate::stream_json::StreamDecoder;

/// When the last build was made that is known to look for toolboxes; a build of September 2026 does not.
const LAST_WITH_TOOLBOXES: u64 = 1_777_897_475;

/// Sourcegraph's Amp, of every build since the end of 2025.
pub(crate) struct Amp;

impl Adapter for Amp {
    fn turn(&self, request: &TurnRequest<'_>) -> Turn {
        Turn {
            command: command::command(request),
            decoder: self.reader(),
        }
    }

    fn reader(&self) -> Box<dyn Decoder> {
        Box::new(StreamDecoder::default())
    }

    /// Every tool is delegated: `ask` would wait for somebody at a terminal, and newer builds ask nobody without a rule.
    fn asking_settings(&self, hook: &Path) -> Option<String> {
        let rule = json!({ "tool": "*", "action": "delegate", "to": hook.to_string_lossy() });
        let settings = json!({ "amp.dangerouslyAllowAll": false, "amp.permissions": [rule] });
        Some(settings.to_string())
    }

    fn refusing_settings(&self) -> Option<String> {
        let rule = json!({ "tool": "*", "action": "reject" });
        let settings = json!({ "amp.dangerouslyAllowAll": false, "amp.permissions": [rule] });
        Some(settings.to_string())
    }

    fn mcp_file(&self, servers: &[McpServer]) -> Option<String> {
        Some(server_map(servers, false).to_string())
    }

    fn takes_server(&self, _server: &McpServer) -> bool {
        true
    }

    /// The last part of a version is the time of the build.
    fn reads_toolboxes(&self, features: &Features) -> bool {
        let version = features.version.as_deref().unwrap_or_default();
        let build = version.split(['.', '-']).nth(2);
        let made: Option<u64> = build.and_then(|build| build.parse().ok());
        made.is_some_and(|made| made <= LAST_WITH_TOOLBOXES)
    }

    fn abilities(&self, features: &Features) -> Abilities {
        Abilities {
            resume: true,
            // A build whose help could not be read is taken to be like the others.
            approvals: features.flags.is_empty() || features.has("--settings-file"),
            cost: Some(CostSource::Estimated),
            input: false,
        }
    }

    fn login(&self, surroundings: &Surroundings<'_>) -> Login {
        if surroundings.value("AMP_API_KEY").is_some() {
            return Login::Key;
        }
        match data_directory(surroundings) {
            Some(data) if (surroundings.exists)(&data.join("secrets.json")) => Login::Stored,
            _ => Login::Missing,
        }
    }

    fn login_hint(&self) -> &'static str {
        "run `amp login` in a terminal, or set AMP_API_KEY"
    }

    /// Builds up to February 2026 keep conversations on this machine.
    fn record_of(&self, thread: &str, surroundings: &Surroundings<'_>) -> Option<PathBuf> {
        let is_plain = |char: char| char.is_ascii_alphanumeric() || char == '-';
        let is_thread = thread.starts_with("T-") && thread.chars().all(is_plain);
        let threads = data_directory(surroundings)?.join("threads");
        is_thread.then(|| threads.join(format!("{thread}.json")))
    }

    fn model_in(&self, record: &[u8]) -> Option<String> {
        record::model(record)
    }
}

fn data_directory(surroundings: &Surroundings<'_>) -> Option<PathBuf> {
    let data = surroundings.folder("XDG_DATA_HOME", ".local/share");
    data.map(|data| data.join("amp"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn a_build_without_settings_for_one_run_asks_nobody() {
        let asks = |help: &str| {
            let features = Features::from_texts("1", help);
            Amp.abilities(&features).approvals
        };
        assert!(asks("--execute --settings-file <value>"));
        assert!(!asks("--execute --log-file <value>"));
        assert!(asks(""), "what nobody knows is tried");
    }

    #[test]
    fn only_known_builds_look_for_toolboxes() {
        let reads = |version: &str| Amp.reads_toolboxes(&Features::from_texts(version, ""));
        assert!(reads("0.0.1777897475-g0c41aa (released 2026-05-04)"));
        assert!(!reads("0.0.1790142911-g7618fb (released 2026-09-23)"));
        assert!(!reads("") && !reads("1.2") && !reads("nightly"));
    }

    #[test]
    fn every_tool_is_delegated() {
        let settings = Amp.asking_settings(Path::new("/o/1.permission")).unwrap();
        let settings: serde_json::Value = serde_json::from_str(&settings).unwrap();
        let rule = json!({"tool": "*", "action": "delegate", "to": "/o/1.permission"});
        assert_eq!(settings["amp.permissions"], json!([rule]));
    }

    #[test]
    fn every_tool_can_be_refused() {
        let settings = Amp.refusing_settings().unwrap();
        let settings: serde_json::Value = serde_json::from_str(&settings).unwrap();
        let rule = json!({"tool": "*", "action": "reject"});
        assert_eq!(settings["amp.permissions"], json!([rule]));
    }

    #[test]
    fn login_is_judged_without_reading_a_secret() {
        let login = |pairs: &[(&str, &str)], exists: &dyn Fn(&Path) -> bool| {
            let pairs = pairs.iter();
            let environment: BTreeMap<_, _> = pairs
                .map(|(name, value)| (name.into(), value.into()))
                .collect();
            Amp.login(&Surroundings {
                environment: &environment,
                exists,
            })
        };
        assert_eq!(login(&[("AMP_API_KEY", "x")], &|_| false), Login::Key);
        let empty = [("AMP_API_KEY", ""), ("HOME", "/h")];
        assert_eq!(login(&empty, &|_| false), Login::Missing);
        let stored = |path: &Path| path == Path::new("/h/.local/share/amp/secrets.json");
        assert_eq!(login(&[("HOME", "/h")], &stored), Login::Stored);
        assert_eq!(login(&[], &|_| true), Login::Missing);
    }

    #[test]
    fn only_a_thread_has_a_record() {
        let environment = BTreeMap::from([("HOME".into(), "/h".into())]);
        let record = |thread: &str| {
            let surroundings = Surroundings {
                environment: &environment,
                exists: &|_| true,
            };
            Amp.record_of(thread, &surroundings)
        };
        let file = Path::new("/h/.local/share/amp/threads/T-01.json");
        assert_eq!(record("T-01").as_deref(), Some(file));
        for name in ["../secrets", "T-../../secrets", "01"] {
            assert_eq!(record(name), None, "{name}");
        }
    }
}

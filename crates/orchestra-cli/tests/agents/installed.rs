//! The agents, where they are installed, and how each is pointed at a provider.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

/// Names the folder that the agents are installed in.
const FOLDER: &str = "ORCHESTRA_TEST_AGENTS";

/// An agent from npm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Installed {
    Amp,
    Codex,
    Opencode,
}

impl Installed {
    /// Its name in the product's settings.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Amp => "amp",
            Self::Codex => "codex",
            Self::Opencode => "opencode",
        }
    }

    /// How its provider says that it is overloaded.
    pub(crate) const fn overloaded(self) -> u16 {
        match self {
            Self::Amp => 529,
            Self::Codex | Self::Opencode => 503,
        }
    }

    /// What it tells of a turn with two requests of 40 tokens each; opencode tells those of the last request alone.
    pub(crate) const fn output_tokens_of_two(self) -> u64 {
        match self {
            Self::Amp | Self::Codex => 80,
            Self::Opencode => 40,
        }
    }

    /// What it is told to use. Amp is told a mode, which chooses the model.
    pub(crate) const fn model(self) -> &'static str {
        match self {
            Self::Amp => "smart",
            Self::Codex => "gpt-5.5",
            Self::Opencode => "scripted/claude-opus-4-5",
        }
    }

    /// What it says it used.
    pub(crate) const fn told_model(self) -> &'static str {
        match self {
            Self::Amp => "claude-opus-4-5-20251101",
            Self::Codex | Self::Opencode => self.model(),
        }
    }

    /// What a turn of two requests costs.
    pub(crate) fn cost(self) -> Value {
        let (micro_usd, source) = match self {
            Self::Amp => (13_470, "estimated"),
            Self::Codex => (11_620, "estimated"),
            Self::Opencode => (2_184, "reported"),
        };
        json!({ "micro_usd": micro_usd, "source": source })
    }

    /// Where it keeps conversations, in its home.
    pub(crate) const fn threads(self) -> &'static str {
        match self {
            Self::Amp => ".local/share/amp/threads",
            Self::Codex => ".codex/sessions",
            Self::Opencode => ".local/share/opencode",
        }
    }

    /// The setting `agents.<name>.command`.
    pub(crate) fn command(self) -> String {
        let program = folder().join("node_modules/.bin").join(self.name());
        assert!(
            program.exists(),
            "{} is not installed; `cargo xtask test-agents` does it",
            program.display()
        );
        match self {
            Self::Opencode => format!("{} acp", program.display()),
            Self::Amp | Self::Codex => program.display().to_string(),
        }
    }

    /// Points it at a provider, in a home of its own. Amp is told by a variable.
    pub(crate) fn configure(self, home: &Path, url: &str) {
        match self {
            Self::Amp => {}
            Self::Codex => write(&home.join(".codex/config.toml"), &codex(url)),
            Self::Opencode => write(&home.join(".config/opencode/opencode.json"), &opencode(url)),
        }
    }
}

/// A model that this build knows; fewer retries than it makes by itself, so that tests are short.
fn codex(url: &str) -> String {
    format!(
        "model = \"gpt-5.5\"\nmodel_provider = \"scripted\"\n\n[model_providers.scripted]\nname = \"Scripted\"\n\
         base_url = \"{url}/v1\"\nwire_api = \"responses\"\nrequest_max_retries = 2\nstream_max_retries = 2\n"
    )
}

fn opencode(url: &str) -> String {
    let options = json!({ "baseURL": format!("{url}/v1"), "apiKey": "placeholder" });
    // Dollars for a million tokens.
    let cost = json!({ "input": 1, "output": 2 });
    let limit = json!({ "context": 100_000, "output": 10_000 });
    let model = json!({ "name": "scripted", "cost": cost, "limit": limit });
    let provider = json!({
        "npm": "@ai-sdk/openai-compatible", "name": "Scripted", "options": options,
        "models": { "scripted": model, "claude-opus-4-5": model },
    });
    json!({
        "model": "scripted/scripted", "small_model": "scripted/scripted", "autoupdate": false, "share": "disabled",
        "provider": { "scripted": provider },
    })
    .to_string()
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[expect(
    clippy::disallowed_methods,
    reason = "a test asks its own environment where the agents are"
)]
fn folder() -> PathBuf {
    let folder = std::env::var_os(FOLDER);
    folder
        .unwrap_or_else(|| panic!("{FOLDER} is not set; run `cargo xtask test-agents`"))
        .into()
}

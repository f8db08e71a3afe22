//! The ways agents are talked with. Several agents may share one.

use std::fmt;
use std::str::FromStr;

/// How an agent is started and what it prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentProtocol {
    /// Amp's command line and stream of JSON lines.
    Amp,
    /// `codex exec --json`.
    Codex,
    /// Claude Code's command line and stream of JSON lines.
    Claude,
    /// The Agent Client Protocol, on standard input and output.
    Acp,
    /// Any command: what it prints is its answer.
    Command,
}

/// A word that stands for no protocol.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a way to talk with an agent")]
pub struct UnknownProtocol(String);

impl AgentProtocol {
    /// The words, in the order of the variants.
    pub const WORDS: &'static [&'static str] = &["amp", "codex", "claude", "acp", "command"];

    /// The word for it in settings.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Amp => "amp",
            Self::Codex => "codex",
            Self::Claude => "claude",
            Self::Acp => "acp",
            Self::Command => "command",
        }
    }
}

impl fmt::Display for AgentProtocol {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl FromStr for AgentProtocol {
    type Err = UnknownProtocol;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        let all = [
            Self::Amp,
            Self::Codex,
            Self::Claude,
            Self::Acp,
            Self::Command,
        ];
        let found = all.into_iter().find(|protocol| protocol.as_str() == word);
        found.ok_or_else(|| UnknownProtocol(word.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_read_back() {
        for word in AgentProtocol::WORDS {
            assert_eq!(word.parse::<AgentProtocol>().unwrap().as_str(), *word);
        }
        assert!("smoke-signals".parse::<AgentProtocol>().is_err());
    }
}

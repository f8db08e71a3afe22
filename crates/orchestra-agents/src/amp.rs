//! Amp: its command line and its stream-json output.

mod command;
mod decode;
mod tool_text;

use std::path::{Path, PathBuf};

use decode::AmpDecoder;

use crate::adapter::{Adapter, Decoder};
use crate::agent::{Abilities, Features, Login, Surroundings, Turn, TurnRequest};

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
        Box::new(AmpDecoder::default())
    }

    fn abilities(&self, _features: &Features) -> Abilities {
        Abilities {
            resume: true,
            approvals: true,
            cost: false,
            input: false,
        }
    }

    fn login(&self, surroundings: &Surroundings<'_>) -> Login {
        if surroundings.value("AMP_API_KEY").is_some() {
            return Login::Key;
        }
        let home = surroundings.value("HOME");
        let data = surroundings
            .value("XDG_DATA_HOME")
            .map(PathBuf::from)
            .or_else(|| home.map(|home| Path::new(home).join(".local/share")));
        match data {
            Some(data) if (surroundings.exists)(&data.join("amp/secrets.json")) => Login::Stored,
            _ => Login::Missing,
        }
    }

    fn login_hint(&self) -> &'static str {
        "run `amp login` in a terminal, or set AMP_API_KEY"
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

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
}

//! Why a run did not come to an end of its own: kept with it, and said in its log, where whoever looks later finds it.

use std::time::Duration;

use orchestra_config::Origin;
use orchestra_config::quantity::format_duration;
use orchestra_core::{RunProblem, ScriptRun};

use crate::{Engine, EngineError, chain};

/// How long a run may take, and which setting says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TimeLimit {
    pub(crate) time: Duration,
    setting: &'static str,
    /// Who says so; `None` if that cannot be told.
    origin: Option<Origin>,
}

impl TimeLimit {
    pub(super) fn passed(&self) -> RunProblem {
        let (time, setting) = (format_duration(self.time), self.setting);
        let change = self.change();
        RunProblem {
            code: "script.timed_out".to_owned(),
            message: format!("it took longer than {time}"),
            hint: Some(format!(
                "`{setting}` says how long it may take, 0 for no limit: {change}"
            )),
        }
    }

    /// What changes it where it is decided: the user's own file decides nothing if another place does.
    fn change(&self) -> String {
        let set = format!("orchestra config set {} <time>", self.setting);
        match &self.origin {
            None | Some(Origin::Default | Origin::User(_)) => format!("`{set}`"),
            Some(Origin::Repository(file)) => format!(
                "it is set in {}, which can shorten the time of your own settings: `{set} --repo`",
                file.display()
            ),
            Some(Origin::Environment(name)) => {
                format!("it is set by the environment variable {name}")
            }
            Some(Origin::Flag) => "it was set on the command line".to_owned(),
        }
    }
}

impl Engine {
    /// How long a command of the settings may take.
    pub(crate) fn command_limit(&self) -> Option<TimeLimit> {
        let time = self.config().commands.timeout?;
        Some(self.limit_of("commands.timeout", time))
    }

    /// How long the script after an iteration may take.
    pub(crate) fn evaluation_limit(&self) -> Option<TimeLimit> {
        let time = self.config().evaluation.timeout?;
        Some(self.limit_of("evaluation.timeout", time))
    }

    fn limit_of(&self, setting: &'static str, time: Duration) -> TimeLimit {
        let value = self.resolved.require(setting).ok();
        TimeLimit {
            time,
            setting,
            origin: value.map(|value| value.origin),
        }
    }

    /// What an error says of a run that it kept from being run.
    pub(crate) fn problem_of(&self, error: &EngineError) -> RunProblem {
        RunProblem {
            code: error.code().to_owned(),
            message: self.redact(&chain::text(error)),
            hint: error.hint().map(|hint| self.redact(&hint)),
        }
    }

    /// Keeps why a run could not be run, or was ended, before its end is recorded. The end is recorded without it too.
    pub(crate) fn keep_problem(&self, run: &ScriptRun, what: &str, problem: &RunProblem) {
        self.say_in_log(run, &format!("{what}: {}", problem.message));
        if let Some(hint) = &problem.hint {
            self.say_in_log(run, &format!("hint: {hint}"));
        }
        let kept = self.write_stream(|tx| Ok(tx.set_script_problem(run.key, problem)?));
        if let Err(error) = kept {
            tracing::warn!(code = error.code(), %error, "cannot keep why a run failed");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn the_hint_leads_to_where_the_limit_is_decided() {
        let hint = |origin: Origin| {
            let limit = TimeLimit {
                time: Duration::from_secs(60),
                setting: "commands.timeout",
                origin: Some(origin),
            };
            limit.passed().hint.unwrap_or_default()
        };
        let file = || PathBuf::from("/shop/.orchestra/config.toml");
        let set = "`orchestra config set commands.timeout <time>`";
        for (origin, told) in [
            (Origin::Default, set),
            (Origin::User(file()), set),
            (
                Origin::Repository(file()),
                "in /shop/.orchestra/config.toml",
            ),
            (Origin::Repository(file()), "<time> --repo`"),
            (Origin::Environment("ORCHESTRA_X".to_owned()), "ORCHESTRA_X"),
            (Origin::Flag, "on the command line"),
        ] {
            let hint = hint(origin);
            assert!(hint.contains(told), "{hint}");
        }
    }
}

//! Why a run did not come to an end of its own: kept with it, and said in its log, where whoever looks later finds it.

use std::time::Duration;

use orchestra_config::quantity::format_duration;
use orchestra_core::{RunProblem, ScriptRun};

use crate::{Engine, EngineError, chain};

/// How long a run may take, and which setting says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TimeLimit {
    pub(crate) time: Duration,
    pub(crate) setting: &'static str,
}

impl TimeLimit {
    pub(super) fn passed(self) -> RunProblem {
        let (time, setting) = (format_duration(self.time), self.setting);
        RunProblem {
            code: "script.timed_out".to_owned(),
            message: format!("it took longer than {time}"),
            hint: Some(format!(
                "`{setting}` says how long it may take, 0 for no limit: `orchestra config set {setting} <time>`"
            )),
        }
    }
}

impl Engine {
    /// How long a command of the settings may take.
    pub(crate) fn command_limit(&self) -> Option<TimeLimit> {
        let time = self.config().commands.timeout?;
        let setting = "commands.timeout";
        Some(TimeLimit { time, setting })
    }

    /// How long the script after an iteration may take.
    pub(crate) fn evaluation_limit(&self) -> Option<TimeLimit> {
        let time = self.config().evaluation.timeout?;
        let setting = "evaluation.timeout";
        Some(TimeLimit { time, setting })
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

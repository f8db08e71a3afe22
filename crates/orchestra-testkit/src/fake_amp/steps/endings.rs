//! Steps that end a turn, or the program.

use super::super::cancel::Halt;
use super::super::scenario::Step;
use super::super::turn::Ending;
use super::Performer;

impl Performer<'_> {
    pub(super) fn end(&mut self, step: &Step) -> Result<Ending, Halt> {
        match step {
            Step::Ask { text } => {
                self.transcript.say(&as_question(text))?;
                self.transcript.end_turn()?;
                Ok(Ending::Success)
            }
            Step::Exit { code } => {
                self.transcript.end_turn()?;
                Ok(Ending::SuccessThenExit(*code))
            }
            Step::HangAfterResult => {
                self.transcript.end_turn()?;
                Ok(Ending::SuccessThenHang)
            }
            Step::Error { text, subtype } => Ok(Ending::Failure {
                subtype: subtype.clone(),
                text: text.clone(),
            }),
            Step::ExitWithoutResult { code } => Ok(Ending::Nothing(*code)),
            Step::DieBySignal { signal } => Err(die(*signal)),
            Step::MaxTokens => {
                self.transcript.say("This answer was cut off because")?;
                self.transcript.flush()?;
                Err(self.cancel.hang())
            }
            _ => Err(self.cancel.hang()),
        }
    }
}

/// Amp has no other sign of a question than its text.
fn as_question(text: &str) -> String {
    match text.contains('?') {
        true => text.to_owned(),
        false => format!("{}?", text.trim_end().trim_end_matches('.')),
    }
}

#[cfg(unix)]
fn die(signal: i32) -> Halt {
    use rustix::process::{Signal, getpid, kill_process};
    // Some signals are watched or ignored by the program or its runtime: each gets back its meaning first.
    if signal_hook::low_level::emulate_default_handler(signal).is_ok() {
        return Halt::Failed(format!("the signal {signal} does not end a program"));
    }
    let Some(named) = Signal::from_named_raw(signal) else {
        return Halt::Failed(format!("unknown signal {signal}"));
    };
    let sent = kill_process(getpid(), named);
    std::thread::sleep(std::time::Duration::from_secs(1));
    Halt::Failed(format!("did not die of the signal {signal}: {sent:?}"))
}

#[cfg(not(unix))]
fn die(_signal: i32) -> Halt {
    std::process::abort()
}

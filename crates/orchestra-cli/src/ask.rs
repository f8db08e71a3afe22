//! Questions to the person at the terminal.

use crate::error::CliError;
use crate::printer::Printer;

/// What an empty line means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Preset {
    Yes,
    No,
}

/// Asks a question that is answered with yes or no. `None`: nobody can be asked.
pub(crate) fn yes_or_no(
    printer: &Printer,
    question: &str,
    preset: Preset,
) -> Result<Option<bool>, CliError> {
    if !printer.can_ask() {
        return Ok(None);
    }
    let choices = match preset {
        Preset::Yes => "[Y/n]",
        Preset::No => "[y/N]",
    };
    printer.note(format!("{question} {choices}"));
    Ok(Some(is_yes(&line()?, preset)))
}

/// One line of what somebody types.
pub(crate) fn line() -> Result<String, CliError> {
    let mut line = String::new();
    std::io::stdin()
        .read_line(&mut line)
        .map_err(|source| CliError::io("read the answer", &source))?;
    Ok(line.trim().to_owned())
}

fn is_yes(answer: &str, preset: Preset) -> bool {
    match answer.to_lowercase().as_str() {
        "" => preset == Preset::Yes,
        answer => matches!(answer, "y" | "yes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_yes_means_yes() {
        for preset in [Preset::Yes, Preset::No] {
            assert!(is_yes("Yes", preset) && is_yes("y", preset));
            assert!(!is_yes("n", preset) && !is_yes("yeah", preset));
        }
        assert!(is_yes("", Preset::Yes) && !is_yes("", Preset::No));
    }
}

//! Whether a turn ended with a question. Agents say nothing about it but the text, so the last paragraph has to tell.

/// What may stand around a question mark.
const DECORATION: [char; 8] = ['*', '_', '`', ' ', ')', '"', '\'', ':'];

/// The last paragraph, without a list of choices after it, ends with a question, or has one for the user.
pub(crate) fn asks_something(text: &str) -> bool {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let end = before_choices(&lines);
    let paragraph = last_paragraph(&lines[..end]);
    let Some(last) = paragraph.last() else {
        return false;
    };
    ends_with_question(last) || has_question_for_user(&paragraph.join(" "))
}

/// Where the list at the end begins; the end of the text if something else stands there.
fn before_choices(lines: &[&str]) -> usize {
    let mut end = lines.len();
    for (index, line) in lines.iter().enumerate().rev() {
        let is_part = line.is_empty() || line.starts_with("  ");
        if is_choice(line) {
            end = index;
        } else if !is_part {
            break;
        }
    }
    // A text that is nothing but a list is no answer to anything.
    if end == 0 { lines.len() } else { end }
}

/// `- this`, `* this`, `1. this`, `2) this`, `a) this`.
fn is_choice(line: &str) -> bool {
    let line = line.trim_start();
    let Some((mark, rest)) = line.split_once(' ') else {
        return false;
    };
    let number = mark.trim_start_matches('(').strip_suffix(['.', ')']);
    let is_numbered = number.is_some_and(|number| {
        let is_digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        is_digits || number.len() == 1 && number.bytes().all(|byte| byte.is_ascii_alphabetic())
    });
    !rest.trim().is_empty() && (["-", "*", "+", "\u{2022}"].contains(&mark) || is_numbered)
}

fn last_paragraph<'a>(lines: &'a [&'a str]) -> &'a [&'a str] {
    let end = lines
        .iter()
        .rposition(|line| !line.is_empty())
        .map_or(0, |index| index + 1);
    let start = lines[..end].iter().rposition(|line| line.is_empty());
    &lines[start.map_or(0, |index| index + 1)..end]
}

fn ends_with_question(line: &str) -> bool {
    line.trim_end_matches(DECORATION).ends_with('?')
}

/// A question that speaks of the user or the agent, such as "Shall I go on? Let me know."
fn has_question_for_user(paragraph: &str) -> bool {
    sentences(paragraph).any(|sentence| {
        let mut words = sentence.split(|char: char| !char.is_alphabetic());
        ends_with_question(sentence)
            && words.any(|word| {
                ["i", "you", "your", "we"].contains(&word.to_ascii_lowercase().as_str())
            })
    })
}

/// Pieces that end with a full stop, a question mark or an exclamation mark before white space.
fn sentences(paragraph: &str) -> impl Iterator<Item = &str> {
    let mut is_end = false;
    paragraph.split_inclusive(move |char: char| {
        let is_over = is_end && char.is_whitespace();
        is_end = ['.', '?', '!'].contains(&char) || is_end && DECORATION.contains(&char);
        is_over
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_told_from_reports() {
        for text in [
            "Which one?",
            "Two ways.\n\n**Which do you prefer?**\n",
            "Which of these?\n\n1. The first\n2. The second\n",
            "Which of these?\n- the first\n  with more words\n\n- the second",
            "I can do both.\nShall I use `a` or `b`? Tell me which.",
            "Which file do you mean (a or b)?:\n\na) README.md\nb) LICENSE",
            "Done. Shall I add tests?",
            "- Which one?",
        ] {
            assert!(asks_something(text), "{text}");
        }
        for text in [
            "",
            "Done.",
            "Why? Because.",
            "Which one do you want?\n\nI took the first, as you said.",
            "See https://example.com/?you=1 for more.",
            "I changed:\n\n- what `is_open?` does\n- the tests",
        ] {
            assert!(!asks_something(text), "{text}");
        }
    }
}

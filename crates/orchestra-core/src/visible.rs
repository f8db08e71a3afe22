//! Text of others on a screen: an agent, a branch or a file name must not be able to move the cursor, clear the screen or
//! show its letters in another order than they are read in.

/// Stands where a character was that a screen would obey instead of showing.
const REPLACEMENT: char = '\u{fffd}';

/// The text with every character replaced that a screen obeys, except line breaks and tabs.
#[must_use]
pub fn visible(text: &str) -> String {
    text.replace("\r\n", "\n")
        .chars()
        .map(|char| match char {
            '\n' | '\t' => char,
            char if is_obeyed(char) => REPLACEMENT,
            char => char,
        })
        .collect()
}

/// The same for what must stay on one line: line breaks and tabs become spaces.
#[must_use]
pub fn visible_line(text: &str) -> String {
    visible(text.trim_end_matches(['\r', '\n']))
        .chars()
        .map(|char| if char.is_control() { ' ' } else { char })
        .collect()
}

/// The same for what must be seen whole: a line break stays visible, since what follows it may be another command.
#[must_use]
pub fn visible_whole(text: &str) -> String {
    let lines = visible(text.trim());
    visible_line(&lines.replace('\n', " \u{23ce} "))
}

/// Whether a screen obeys the character: control characters, and those that turn the direction of what follows.
#[must_use]
pub fn is_obeyed(char: char) -> bool {
    char.is_control()
        || matches!(char, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_line_breaks_and_tabs_are_obeyed() {
        let cases = [
            ("plain text, \u{e9}\u{1f600}", "plain text, \u{e9}\u{1f600}"),
            ("a\n\tb", "a\n\tb"),
            ("a\r\nb", "a\nb"),
            ("a\u{1b}[2Jb\rc", "a\u{fffd}[2Jb\u{fffd}c"),
            ("\u{1b}]52;c;eA==\u{7}", "\u{fffd}]52;c;eA==\u{fffd}"),
            ("\u{9b}31m\u{8}\u{7f}", "\u{fffd}31m\u{fffd}\u{fffd}"),
            ("a\u{202e}b\u{2066}c", "a\u{fffd}b\u{fffd}c"),
        ];
        for (text, expected) in cases {
            assert_eq!(visible(text), expected, "{text:?}");
        }
    }

    #[test]
    fn one_line_stays_one() {
        assert_eq!(visible_line("a\tb\nc\r\nd\u{1b}\n"), "a b c d\u{fffd}");
    }

    #[test]
    fn a_line_break_is_seen() {
        assert_eq!(
            visible_whole("a\n\tb\u{1b}[2K\r\n"),
            "a \u{23ce}  b\u{fffd}[2K"
        );
    }
}

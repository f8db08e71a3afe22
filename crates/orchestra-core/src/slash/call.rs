//! A text that may be a slash command, and the words after its name.

use std::iter::Peekable;
use std::str::Chars;

use super::CallError;
use crate::template::is_variable_name;

/// What somebody said to a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spoken<'a> {
    /// Something for the agent.
    Text(&'a str),
    /// A slash command.
    Call {
        /// Its name, without the slash.
        name: &'a str,
        /// Everything after the name.
        rest: &'a str,
    },
}

/// One word after the name of a slash command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// What stands before the `=`, unless it is part of a quote.
    pub name: Option<String>,
    /// The word, or what stands after the `=`, without its quotes.
    pub value: String,
}

impl Word {
    /// The word as a whole, without quotes.
    #[must_use]
    pub fn text(&self) -> String {
        match &self.name {
            Some(name) => format!("{name}={}", self.value),
            None => self.value.clone(),
        }
    }
}

/// Tells a slash command from a text for the agent. `//` begins a text with one slash. A first word that cannot be a name is
/// text: a path such as `/usr/bin/env` has a second slash, a pattern such as `/*` has other characters. A slash alone is a
/// command without a name.
#[must_use]
pub fn read_spoken(text: &str) -> Spoken<'_> {
    let Some(after) = text.strip_prefix('/') else {
        return Spoken::Text(text);
    };
    if after.starts_with('/') {
        return Spoken::Text(after);
    }
    let end = after.find(char::is_whitespace).unwrap_or(after.len());
    let (name, rest) = after.split_at(end);
    // A slash alone is a slip, and no agent should be paid for it.
    match name.is_empty() || is_variable_name(name) {
        true => Spoken::Call { name, rest },
        false => Spoken::Text(text),
    }
}

/// The words of a text. A quote counts only where a value begins, so that `don't` is a word like any other; within double
/// quotes, `\` stands before a quote or another `\` that is meant.
///
/// # Errors
/// If a quote has no end.
pub fn split_words(text: &str) -> Result<Vec<Word>, CallError> {
    let mut chars = text.chars().peekable();
    let mut words = Vec::new();
    loop {
        while chars.next_if(|char| char.is_whitespace()).is_some() {}
        if chars.peek().is_none() {
            return Ok(words);
        }
        words.push(next_word(&mut chars)?);
    }
}

fn next_word(chars: &mut Peekable<Chars<'_>>) -> Result<Word, CallError> {
    let (mut name, mut value) = (None, String::new());
    let mut had_quote = take_quote(chars, &mut value)?;
    while let Some(char) = chars.next_if(|char| !char.is_whitespace()) {
        if char == '=' && name.is_none() && !had_quote && is_variable_name(&value) {
            name = Some(std::mem::take(&mut value));
            had_quote = take_quote(chars, &mut value)?;
        } else {
            value.push(char);
        }
    }
    Ok(Word { name, value })
}

/// Takes a quoted value, if one begins here.
fn take_quote(chars: &mut Peekable<Chars<'_>>, value: &mut String) -> Result<bool, CallError> {
    let Some(quote) = chars.next_if(|char| matches!(char, '"' | '\'')) else {
        return Ok(false);
    };
    while let Some(char) = chars.next() {
        match char {
            _ if char == quote => return Ok(true),
            '\\' if quote == '"' => {
                let meant = chars.next_if(|next| matches!(next, '"' | '\\'));
                value.push(meant.unwrap_or('\\'));
            }
            _ => value.push(char),
        }
    }
    Err(CallError::Unclosed(quote))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_name_after_a_slash_is_a_call_and_everything_else_is_text() {
        let call = |name, rest| Spoken::Call { name, rest };
        let table = [
            ("/diff", call("diff", "")),
            ("/diff --stat", call("diff", " --stat")),
            ("/Diff\nx", call("Diff", "\nx")),
            ("/tmp is full", call("tmp", " is full")),
            ("//tmp is full", Spoken::Text("/tmp is full")),
            ("///", Spoken::Text("//")),
            (
                "/usr/bin/foo is broken",
                Spoken::Text("/usr/bin/foo is broken"),
            ),
            ("/tmp/", Spoken::Text("/tmp/")),
            ("/", call("", "")),
            ("/ diff", call("", " diff")),
            ("/*.rs", Spoken::Text("/*.rs")),
            ("/é", Spoken::Text("/é")),
            (" /diff", Spoken::Text(" /diff")),
            ("a/b", Spoken::Text("a/b")),
            ("", Spoken::Text("")),
        ];
        for (text, expected) in table {
            assert_eq!(read_spoken(text), expected, "{text:?}");
        }
    }

    #[test]
    fn words_have_names_and_quotes() {
        let plain = |value: &str| (None, value.to_owned());
        let named = |name: &str, value: &str| (Some(name.to_owned()), value.to_owned());
        let table = [
            ("", vec![]),
            ("  a\t b\nc ", vec![plain("a"), plain("b"), plain("c")]),
            (
                "don't #1 a\\b",
                vec![plain("don't"), plain("#1"), plain("a\\b")],
            ),
            (r#""a b" 'c "d"'"#, vec![plain("a b"), plain("c \"d\"")]),
            (r#""\"\\\n""#, vec![plain("\"\\\\n")]),
            ("x=1 y=\"2 3\"z", vec![named("x", "1"), named("y", "2 3z")]),
            (
                "\"x=1\" x= =1",
                vec![plain("x=1"), named("x", ""), plain("=1")],
            ),
            ("a=b=c \"\"", vec![named("a", "b=c"), plain("")]),
            ("é=1", vec![plain("é=1")]),
        ];
        for (text, expected) in table {
            let words = split_words(text).unwrap().into_iter();
            let words: Vec<_> = words.map(|word| (word.name, word.value)).collect();
            assert_eq!(words, expected, "{text:?}");
        }
        assert_eq!(split_words("a 'b"), Err(CallError::Unclosed('\'')));
        assert_eq!(split_words("x=\"\\\""), Err(CallError::Unclosed('"')));
    }

    proptest! {
        #[test]
        fn rubbish_is_text_a_call_or_a_clear_mistake(text in "\\PC*|[/a-z\"' =\\\\\\n-]{0,40}") {
            match read_spoken(&text) {
                Spoken::Text(kept) => prop_assert!(text.ends_with(kept)),
                Spoken::Call { name, rest } => {
                    prop_assert!(name.is_empty() || is_variable_name(name));
                    prop_assert_eq!(format!("/{name}{rest}"), text.clone());
                }
            }
            // Whatever it is, an escaped one is the text itself.
            if text.starts_with('/') {
                let escaped = format!("/{text}");
                prop_assert_eq!(read_spoken(&escaped), Spoken::Text(&text));
            }
            let words = split_words(&text);
            prop_assert!(words.is_ok() || text.contains(['"', '\'']));
        }

        #[test]
        fn quoted_values_come_back_as_they_were(values in prop::collection::vec("\\PC*", 0..5)) {
            let quote = |value: &String| format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""));
            let text = values.iter().map(quote).collect::<Vec<_>>().join(" ");
            let words: Vec<_> = split_words(&text).unwrap().into_iter().map(|word| word.value).collect();
            prop_assert_eq!(words, values);
        }
    }
}

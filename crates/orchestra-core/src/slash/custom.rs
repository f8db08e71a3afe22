//! Slash commands that people write: a prompt with parameters.

use std::collections::BTreeMap;

use super::{CallError, SlashName, Word};
use crate::template::fill_variables;

/// A prompt with parameters, by a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomCommand {
    /// What it is called.
    pub name: SlashName,
    /// What it is for.
    pub description: Option<String>,
    /// What it takes, in the order of words without a name.
    pub parameters: Vec<Parameter>,
    /// What the agent is told, with placeholders such as `{{file}}`.
    pub body: String,
}

/// Something that a custom command takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// What it stands for.
    pub description: Option<String>,
    /// Whether it must be given.
    pub need: Need,
}

/// Whether a parameter must be given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Need {
    /// It must.
    Required,
    /// It need not, and has this value then.
    Optional(String),
}

impl Parameter {
    fn usage(&self) -> String {
        let name = &self.name;
        match &self.need {
            Need::Required => format!("<{name}>"),
            Need::Optional(value) if value.is_empty() => format!("[{name}]"),
            Need::Optional(value) => format!("[{name}={value}]"),
        }
    }
}

impl CustomCommand {
    /// How it is written.
    #[must_use]
    pub fn usage(&self) -> String {
        let parameters = self.parameters.iter().map(Parameter::usage);
        let words: Vec<_> = [format!("/{}", self.name)]
            .into_iter()
            .chain(parameters)
            .collect();
        words.join(" ")
    }

    /// What the agent is told. Words with a name go to that parameter, the others to those that are left, in order; the last
    /// one takes all that remain. Values are not looked into.
    ///
    /// # Errors
    /// If the words do not fit the parameters.
    pub fn fill(&self, words: &[Word]) -> Result<String, CallError> {
        let mut given = self.named_values(words)?;
        self.take_plain(words, &mut given)?;
        let missing = self.missing(&given);
        if !missing.is_empty() {
            return Err(CallError::Missing {
                command: self.name.to_string(),
                missing,
                usage: self.usage(),
            });
        }
        fill_variables(&self.body, |name| self.value_of(name, &given)).map_err(|missing| {
            CallError::Missing {
                command: self.name.to_string(),
                missing,
                usage: self.usage(),
            }
        })
    }

    fn named_values(&self, words: &[Word]) -> Result<BTreeMap<String, String>, CallError> {
        let mut given = BTreeMap::new();
        for word in words {
            let Some(name) = &word.name else { continue };
            if !self.parameters.iter().any(|known| &known.name == name) {
                return Err(CallError::Unknown {
                    command: self.name.to_string(),
                    name: name.clone(),
                    usage: self.usage(),
                });
            }
            if given.insert(name.clone(), word.value.clone()).is_some() {
                return Err(CallError::Twice {
                    command: self.name.to_string(),
                    name: name.clone(),
                    usage: self.usage(),
                });
            }
        }
        Ok(given)
    }

    fn take_plain(
        &self,
        words: &[Word],
        given: &mut BTreeMap<String, String>,
    ) -> Result<(), CallError> {
        let parameters = self.parameters.iter().map(|known| known.name.clone());
        let free: Vec<_> = parameters
            .filter(|name| !given.contains_key(name))
            .collect();
        let plain = words.iter().filter(|word| word.name.is_none());
        for (index, word) in plain.enumerate() {
            let Some(name) = free.get(index).or(free.last()) else {
                return Err(CallError::TooMany {
                    command: self.name.to_string(),
                    word: word.value.clone(),
                    usage: self.usage(),
                });
            };
            let value = given.entry(name.clone());
            value
                .and_modify(|value| {
                    value.push(' ');
                    value.push_str(&word.value);
                })
                .or_insert_with(|| word.value.clone());
        }
        Ok(())
    }

    fn missing(&self, given: &BTreeMap<String, String>) -> Vec<String> {
        let required = self.parameters.iter();
        let required = required.filter(|known| known.need == Need::Required);
        required
            .map(|known| known.name.clone())
            .filter(|name| !given.contains_key(name))
            .collect()
    }

    fn value_of<'a>(&'a self, name: &str, given: &'a BTreeMap<String, String>) -> Option<&'a str> {
        let known = self.parameters.iter().find(|known| known.name == name);
        let default = known.and_then(|known| match &known.need {
            Need::Required => None,
            Need::Optional(value) => Some(value.as_str()),
        });
        given.get(name).map(String::as_str).or(default)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::slash::split_words;

    fn parameter(name: &str, need: Need) -> Parameter {
        Parameter {
            name: name.to_owned(),
            description: None,
            need,
        }
    }

    fn review() -> CustomCommand {
        CustomCommand {
            name: "review".parse().unwrap(),
            description: None,
            parameters: vec![
                parameter("file", Need::Required),
                parameter("style", Need::Optional("short".to_owned())),
                parameter("focus", Need::Optional(String::new())),
            ],
            body: "Look at {{file}}, {{ style }}: {{focus}}. {{ not it }}".to_owned(),
        }
    }

    fn filled(text: &str) -> Result<String, CallError> {
        review().fill(&split_words(text)?)
    }

    #[test]
    fn words_find_their_parameters() {
        let table = [
            ("a.rs", "Look at a.rs, short: . {{ not it }}"),
            (
                "a.rs long the loop in it",
                "Look at a.rs, long: the loop in it. {{ not it }}",
            ),
            (
                "style=long a.rs \"x=1  fails\"",
                "Look at a.rs, long: x=1  fails. {{ not it }}",
            ),
            (
                "focus=y file={{style}}",
                "Look at {{style}}, short: y. {{ not it }}",
            ),
        ];
        for (text, expected) in table {
            assert_eq!(filled(text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn what_does_not_fit_is_refused_with_the_usage() {
        let usage = "/review <file> [style=short] [focus]";
        assert_eq!(review().usage(), usage);
        let table = [
            ("", "/review needs `file`", "slash.parameter_missing"),
            (
                "a.rs stile=x",
                "/review has no parameter `stile`",
                "slash.parameter_unknown",
            ),
            (
                "file=a file=b",
                "/review got `file` twice",
                "slash.parameter_twice",
            ),
            (
                "file=a style=b focus=c d",
                "/review has no place for `d`",
                "slash.too_many",
            ),
        ];
        for (text, message, code) in table {
            let error = filled(text).unwrap_err();
            assert_eq!((error.to_string().as_str(), error.code()), (message, code));
            assert!(error.hint().starts_with(&format!("usage: {usage}")));
        }
    }

    proptest! {
        #[test]
        fn a_value_is_told_word_for_word(value in "\\PC+") {
            let words = [Word { name: Some("file".to_owned()), value: value.clone() }];
            let told = review().fill(&words).unwrap();
            prop_assert_eq!(told, format!("Look at {value}, short: . {{{{ not it }}}}"));
        }
    }
}

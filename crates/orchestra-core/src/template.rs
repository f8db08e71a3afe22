//! Templates: what new sessions begin with, and the variables of their prompts.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{BranchName, RuntimeWishes};

const LONGEST: usize = 60;

/// What a template is called: also the name of its file, so it is plain.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[schema(value_type = String)]
pub struct TemplateName(String);

/// A name that cannot be one of a template.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a name for a template: lower-case letters, digits, `-` and `_`, at most {LONGEST}, the first a letter or digit"
)]
pub struct InvalidTemplateName(String);

/// What new sessions begin with. Whatever is absent is as it is without a template.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Template {
    /// What it is for.
    pub description: Option<String>,
    /// What the agent is asked to do, with variables such as `{{component}}`.
    pub prompt: Option<String>,
    /// The repository.
    pub repository: Option<PathBuf>,
    /// The branch to start from and land on.
    pub base: Option<BranchName>,
    /// The command that runs after each iteration.
    pub script: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// The agent.
    pub agent: Option<String>,
    /// How the agent is run.
    pub runtime: RuntimeWishes,
    /// How long one iteration may take.
    pub timeout: Option<Duration>,
    /// What is known about variables; one of the prompt need not be here.
    pub variables: BTreeMap<String, TemplateVariable>,
}

/// A variable of a template's prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, ToSchema, Deserialize)]
pub struct TemplateVariable {
    /// What it stands for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its value if nobody gives one; without it, one must be given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
}

/// Why the variables of a prompt cannot be filled in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FillError {
    /// Variables that have neither a value nor a default.
    #[error("there is no value for {}", quoted(missing))]
    Missing {
        /// Which ones.
        missing: Vec<String>,
    },
    /// Values for variables that the template does not have.
    #[error("there is no variable {}", quoted(unknown))]
    Unknown {
        /// Which ones.
        unknown: Vec<String>,
        /// Those there are.
        known: Vec<String>,
    },
}

impl TemplateName {
    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Template {
    /// Every variable: those of the prompt, and those that are only described.
    #[must_use]
    pub fn all_variables(&self) -> BTreeMap<String, TemplateVariable> {
        let mut all = self.variables.clone();
        for name in variables_of(self.prompt.as_deref().unwrap_or_default()) {
            all.entry(name.to_owned()).or_default();
        }
        all
    }

    /// Finds values for variables that the template does not have.
    ///
    /// # Errors
    /// If there are any.
    pub fn require_known(&self, given: &BTreeMap<String, String>) -> Result<(), FillError> {
        let known = self.all_variables();
        let unknown: Vec<_> = given
            .keys()
            .filter(|name| !known.contains_key(*name))
            .cloned()
            .collect();
        match unknown.is_empty() {
            true => Ok(()),
            false => Err(FillError::Unknown {
                unknown,
                known: known.into_keys().collect(),
            }),
        }
    }

    /// The prompt with every variable replaced by what was given, or else by its default. Values are not looked into, and
    /// braces around anything but a name stay as they are.
    ///
    /// # Errors
    /// If a variable of the prompt has neither.
    pub fn fill_prompt(
        &self,
        given: &BTreeMap<String, String>,
    ) -> Result<Option<String>, FillError> {
        let Some(prompt) = &self.prompt else {
            return Ok(None);
        };
        match fill_variables(prompt, |name| self.value_of(name, given)) {
            Ok(filled) => Ok(Some(filled)),
            Err(missing) => Err(FillError::Missing { missing }),
        }
    }

    fn value_of<'a>(&'a self, name: &str, given: &'a BTreeMap<String, String>) -> Option<&'a str> {
        let default = || self.variables.get(name)?.default.as_ref();
        given.get(name).or_else(default).map(String::as_str)
    }
}

impl FillError {
    /// A stable code for programs.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Missing { .. } => "template.variable_missing",
            Self::Unknown { .. } => "template.variable_unknown",
        }
    }

    /// What the user can do next.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::Missing { missing } => {
                let options = missing.iter().map(|name| format!("--var {name}=..."));
                format!("give them: {}", options.collect::<Vec<_>>().join(" "))
            }
            Self::Unknown { known, .. } if known.is_empty() => {
                "the template has no variables".to_owned()
            }
            Self::Unknown { known, .. } => format!("it has {}", quoted(known)),
        }
    }
}

/// A text with every `{{name}}` replaced by its value, or the names that have none, each once. Values are not looked into.
///
/// # Errors
/// The names without a value.
pub fn fill_variables<'a>(
    text: &str,
    value_of: impl Fn(&str) -> Option<&'a str>,
) -> Result<String, Vec<String>> {
    let mut filled = String::new();
    let mut missing = Vec::new();
    for part in parts(text) {
        match part {
            Part::Text(text) => filled.push_str(text),
            Part::Variable(name) => match value_of(name) {
                Some(value) => filled.push_str(value),
                None if missing.iter().any(|known| known == name) => {}
                None => missing.push(name.to_owned()),
            },
        }
    }
    match missing.is_empty() {
        true => Ok(filled),
        false => Err(missing),
    }
}

/// The names in a text that stand for values, in order.
pub fn variables_of(text: &str) -> impl Iterator<Item = &str> {
    parts(text).into_iter().filter_map(|part| match part {
        Part::Variable(name) => Some(name),
        Part::Text(_) => None,
    })
}

/// A piece of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part<'a> {
    Text(&'a str),
    Variable(&'a str),
}

/// The pieces of a prompt, in order.
fn parts(prompt: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let (mut rest, mut looked_at) = (prompt, 0);
    while let Some(start) = rest[looked_at..].find("{{").map(|at| at + looked_at) {
        match variable_at(&rest[start..]) {
            Some((name, length)) => {
                parts.push(Part::Text(&rest[..start]));
                parts.push(Part::Variable(name));
                rest = &rest[start + length..];
                looked_at = 0;
            }
            None => looked_at = start + 1,
        }
    }
    parts.push(Part::Text(rest));
    parts
}

/// The name in `{{ name }}` and how long all of it is.
fn variable_at(text: &str) -> Option<(&str, usize)> {
    let end = text.find("}}")?;
    let name = text.get(2..end)?.trim_matches(' ');
    is_variable_name(name).then_some((name, end + 2))
}

/// Whether this can be the name of a variable: letters and digits of ASCII, `_` and `-`.
#[must_use]
pub fn is_variable_name(name: &str) -> bool {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || char == '_' || char == '-';
    !name.is_empty() && name.len() <= LONGEST && name.chars().all(is_plain)
}

fn quoted(names: &[String]) -> String {
    let quoted = names.iter().map(|name| format!("`{name}`"));
    quoted.collect::<Vec<_>>().join(", ")
}

impl FromStr for TemplateName {
    type Err = InvalidTemplateName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_plain = |char: char| char.is_ascii_lowercase() || char.is_ascii_digit();
        let is_good = text.len() <= LONGEST
            && text.starts_with(is_plain)
            && text
                .chars()
                .all(|char| is_plain(char) || char == '-' || char == '_');
        match is_good {
            true => Ok(Self(text.to_owned())),
            false => Err(InvalidTemplateName(text.to_owned())),
        }
    }
}

impl TryFrom<String> for TemplateName {
    type Error = InvalidTemplateName;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<TemplateName> for String {
    fn from(name: TemplateName) -> Self {
        name.0
    }
}

impl fmt::Display for TemplateName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn template(prompt: &str) -> Template {
        let colour = TemplateVariable {
            description: Some("any colour".to_owned()),
            default: Some("blue".to_owned()),
        };
        Template {
            prompt: Some(prompt.to_owned()),
            variables: BTreeMap::from([("colour".to_owned(), colour)]),
            ..Template::default()
        }
    }

    fn given(values: &[(&str, &str)]) -> BTreeMap<String, String> {
        let values = values.iter();
        values
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
    }

    #[test]
    fn variables_are_replaced_and_other_braces_stay() {
        let table = [
            ("Paint {{door}} {{ colour }}", "Paint {{x}} blue"),
            ("{{door}}{{door}}", "{{x}}{{x}}"),
            ("{{{door}}}", "{{{x}}}"),
            ("{{ not a name }} {{}} {{", "{{ not a name }} {{}} {{"),
            ("${{ github.ref }}, é{{door}}", "${{ github.ref }}, é{{x}}"),
            ("{door} }}", "{door} }}"),
        ];
        for (prompt, expected) in table {
            let filled = template(prompt).fill_prompt(&given(&[("door", "{{x}}")]));
            assert_eq!(filled.unwrap().as_deref(), Some(expected), "{prompt}");
        }
        assert_eq!(Template::default().fill_prompt(&given(&[])), Ok(None));
    }

    #[test]
    fn what_is_given_beats_the_default_and_what_is_missing_is_named_once() {
        let template = template("{{colour}} {{a}} {{b}} {{a}}");
        let values = [("colour", "red"), ("a", "1"), ("b", "2")];
        let filled = template.fill_prompt(&given(&values));
        assert_eq!(filled.unwrap().as_deref(), Some("red 1 2 1"));
        let error = template.fill_prompt(&given(&[])).unwrap_err();
        assert_eq!(error.to_string(), "there is no value for `a`, `b`");
        assert_eq!(error.hint(), "give them: --var a=... --var b=...");
        let error = template.require_known(&given(&[("c", "3")])).unwrap_err();
        assert_eq!(error.to_string(), "there is no variable `c`");
        assert_eq!(error.hint(), "it has `a`, `b`, `colour`");
        assert_eq!(template.require_known(&given(&values)), Ok(()));
    }

    #[test]
    fn names_are_names_of_files() {
        for good in ["fix", "fix-login_2", "0"] {
            assert_eq!(good.parse::<TemplateName>().unwrap().as_str(), good);
        }
        for bad in [
            "",
            "-x",
            "Fix",
            "a b",
            "../x",
            "a/b",
            ".x",
            "x.toml",
            &"x".repeat(61),
        ] {
            assert!(bad.parse::<TemplateName>().is_err(), "{bad}");
        }
    }
}

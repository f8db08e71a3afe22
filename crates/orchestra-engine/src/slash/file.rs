//! A slash command as a file: front matter in TOML between two lines of `+++`, then the prompt.

use std::ops::Range;

use orchestra_core::slash::{CustomCommand, Need, Parameter, SlashName};
use orchestra_core::template::{is_variable_name, variables_of};
use serde::Deserialize;
use toml::Spanned;

const FENCE: &str = "+++";
const MOST_PARAMETERS: usize = 20;

/// What is wrong with a file, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BadFile {
    pub(super) line: usize,
    pub(super) problem: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct FrontMatter {
    description: Option<String>,
    #[serde(default)]
    parameters: Vec<WrittenParameter>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenParameter {
    name: Spanned<String>,
    description: Option<String>,
    required: Option<bool>,
    default: Option<String>,
}

/// The two parts of a file, and the number of the line the second one begins at.
struct Parts<'a> {
    front: &'a str,
    body: &'a str,
    body_line: usize,
}

pub(super) fn parse(name: &SlashName, text: &str) -> Result<CustomCommand, BadFile> {
    let parts = split(text)?;
    let front: FrontMatter = toml::from_str(parts.front).map_err(|error| BadFile {
        line: line_in_front(parts.front, error.span()),
        problem: error.message().replace('\n', ", "),
    })?;
    let parameters = parameters(front.parameters, parts.front)?;
    require_body(&parts, &parameters)?;
    Ok(CustomCommand {
        name: name.clone(),
        description: front.description,
        parameters,
        body: parts.body.trim().to_owned(),
    })
}

fn split(text: &str) -> Result<Parts<'_>, BadFile> {
    let first = text.lines().next().unwrap_or_default().trim_end();
    if first == "---" {
        return Err(BadFile {
            line: 1,
            problem: format!("its front matter must be TOML between two lines of `{FENCE}`"),
        });
    }
    if first != FENCE {
        return Ok(Parts {
            front: "",
            body: text,
            body_line: 1,
        });
    }
    let start = text.find('\n').map_or(text.len(), |end| end + 1);
    let mut end = start;
    for (index, line) in text[start..].split_inclusive('\n').enumerate() {
        if line.trim_end() == FENCE {
            return Ok(Parts {
                front: &text[start..end],
                body: &text[end + line.len()..],
                body_line: index + 3,
            });
        }
        end += line.len();
    }
    Err(BadFile {
        line: 1,
        problem: format!("its front matter has no second line of `{FENCE}`"),
    })
}

fn parameters(written: Vec<WrittenParameter>, front: &str) -> Result<Vec<Parameter>, BadFile> {
    let mut parameters: Vec<Parameter> = Vec::new();
    for one in written {
        let line = line_in_front(front, Some(one.name.span()));
        let bad = |problem: String| BadFile { line, problem };
        let parameter = one.meaning().map_err(bad)?;
        let name = &parameter.name;
        if parameters.iter().any(|known| &known.name == name) {
            return Err(bad(format!("there are two parameters `{name}`")));
        }
        if parameters.len() == MOST_PARAMETERS {
            return Err(bad(format!(
                "it has more than {MOST_PARAMETERS} parameters"
            )));
        }
        parameters.push(parameter);
    }
    Ok(parameters)
}

impl WrittenParameter {
    /// One that has a default or says so need not be given.
    fn meaning(self) -> Result<Parameter, String> {
        let name = self.name.into_inner();
        if !is_variable_name(&name) {
            return Err(format!(
                "`{name}` is not a name for a parameter: letters, digits, `_` and `-`"
            ));
        }
        let need = match (self.required, self.default) {
            (Some(true), Some(_)) => {
                return Err(format!("`{name}` is required, so it cannot have a default"));
            }
            (_, Some(default)) => Need::Optional(default),
            (Some(false), None) => Need::Optional(String::new()),
            (Some(true) | None, None) => Need::Required,
        };
        Ok(Parameter {
            name,
            description: self.description,
            need,
        })
    }
}

/// There is a prompt, and every placeholder in it is a parameter.
fn require_body(parts: &Parts<'_>, parameters: &[Parameter]) -> Result<(), BadFile> {
    if parts.body.trim().is_empty() {
        return Err(BadFile {
            line: parts.body_line,
            problem: "it has no prompt".to_owned(),
        });
    }
    let is_known = |name: &str| parameters.iter().any(|known| known.name == name);
    for (index, line) in parts.body.lines().enumerate() {
        if let Some(name) = variables_of(line).find(|name| !is_known(name)) {
            return Err(BadFile {
                line: parts.body_line + index,
                problem: format!("`{name}` is not one of its parameters"),
            });
        }
    }
    Ok(())
}

/// The line in the file; the front matter begins in the second one.
fn line_in_front(front: &str, span: Option<Range<usize>>) -> usize {
    let start = span.map_or(0, |span| span.start);
    let before = front.as_bytes().iter().take(start);
    before.filter(|byte| **byte == b'\n').count() + 2
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const GOOD: &str = "+++\ndescription = \"Look at a file\"\n[[parameters]]\nname = \"file\"\ndescription = \"which one\"\n\n\
        [[parameters]]\nname = \"focus\"\ndefault = \"bugs\"\n[[parameters]]\nname = 'more'\nrequired = false\n+++\n\nLook at {{file}} for {{focus}}. {{more}}\n";

    fn name() -> SlashName {
        "review".parse().unwrap()
    }

    #[test]
    fn a_file_says_what_it_takes_and_what_the_agent_is_told() {
        for text in [GOOD.to_owned(), GOOD.replace('\n', "\r\n")] {
            let command = parse(&name(), &text).unwrap();
            assert_eq!(command.usage(), "/review <file> [focus=bugs] [more]");
            assert_eq!(command.description.as_deref(), Some("Look at a file"));
            let first = &command.parameters[0];
            assert_eq!(first.description.as_deref(), Some("which one"));
            assert_eq!(command.body, "Look at {{file}} for {{focus}}. {{more}}");
        }
        let plain = parse(&name(), "Just do it\n+++\n").unwrap();
        assert_eq!(plain.body, "Just do it\n+++");
        assert!(plain.parameters.is_empty() && plain.description.is_none());
    }

    #[test]
    fn mistakes_are_told_with_their_line() {
        let parameter =
            |more: &str| format!("+++\n[[parameters]]\nname = 'a'\n{more}\n+++\n{{{{a}}}}");
        let table = [
            ("---\ndescription: x\n---\nx".to_owned(), 1, "must be TOML"),
            ("+++\ndescription = 'x'\n".to_owned(), 1, "no second line"),
            ("+++\n\ndescription = \n+++\nx".to_owned(), 3, ""),
            ("+++\ndescription = 1\n+++\nx".to_owned(), 2, "string"),
            (
                "+++\n\ndescripton = 'x'\n+++\nx".to_owned(),
                3,
                "descripton",
            ),
            ("+++\n+++\n\n".to_owned(), 3, "no prompt"),
            (String::new(), 1, "no prompt"),
            (
                "one\ntwo {{a}}".to_owned(),
                2,
                "`a` is not one of its parameters",
            ),
            ("+++\n+++\n\n{{a}}".to_owned(), 4, "`a` is not one"),
            (parameter("requird = true"), 4, "requird"),
            (
                parameter("required = true\ndefault = 'x'"),
                3,
                "cannot have a default",
            ),
            (parameter("[[parameters]]\nname = 'a'"), 5, "two parameters"),
            (parameter("[[parameters]]\nname = 'a b'"), 5, "not a name"),
        ];
        for (text, line, problem) in table {
            let bad = parse(&name(), &text).unwrap_err();
            assert_eq!(bad.line, line, "{text}: {}", bad.problem);
            assert!(bad.problem.contains(problem), "{text}: {}", bad.problem);
        }
    }

    proptest! {
        #[test]
        fn rubbish_is_a_command_or_a_mistake_in_a_line_that_is_there(text in "(\\+\\+\\+\\n)?[\\PC\\n]{0,80}(\\n\\+\\+\\+\\n)?\\PC{0,20}") {
            match parse(&name(), &text) {
                Ok(command) => prop_assert!(!command.body.is_empty()),
                Err(bad) => prop_assert!(bad.line >= 1 && bad.line <= text.lines().count() + 1, "{bad:?}"),
            }
        }
    }
}

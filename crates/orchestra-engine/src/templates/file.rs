//! A template as a file in TOML.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use orchestra_config::quantity::{format_duration, parse_duration};
use orchestra_core::template::is_variable_name;
use orchestra_core::{BranchName, Budget, Isolation, RuntimeWishes, Template, TemplateVariable};
use serde::{Deserialize, Serialize};

use super::TemplateError;

/// What can stand in the file; tables come last, as TOML wants it.
#[derive(Debug, Default, Serialize, Deserialize)]
struct TemplateFile {
    description: Option<String>,
    prompt: Option<String>,
    repository: Option<PathBuf>,
    base: Option<BranchName>,
    script: Option<String>,
    model: Option<String>,
    agent: Option<String>,
    env: Option<String>,
    mode: Option<String>,
    budget: Option<Budget>,
    isolation: Option<Isolation>,
    #[serde(default, skip_serializing_if = "Names::is_empty")]
    toolbox: Names,
    #[serde(default, skip_serializing_if = "Names::is_empty")]
    mcp: Names,
    limits: Option<Limits>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    variables: BTreeMap<String, TemplateVariable>,
}

/// One name, or several.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Names {
    One(String),
    Several(Vec<String>),
}

impl Default for Names {
    fn default() -> Self {
        Self::Several(Vec::new())
    }
}

impl Names {
    fn is_empty(&self) -> bool {
        matches!(self, Self::Several(names) if names.is_empty())
    }

    fn list(self) -> Vec<String> {
        match self {
            Self::One(name) => vec![name],
            Self::Several(names) => names,
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct Limits {
    timeout: Option<String>,
}

const KEYS: &[&str] = &[
    "description",
    "prompt",
    "repository",
    "base",
    "script",
    "model",
    "agent",
    "env",
    "mode",
    "budget",
    "isolation",
    "toolbox",
    "mcp",
    "limits",
    "limits.timeout",
    "variables",
    "variables.*",
    "variables.*.description",
    "variables.*.default",
];

/// What a file says, and its keys that mean nothing.
pub(super) fn parse(file: &Path, text: &str) -> Result<(Template, Vec<String>), TemplateError> {
    let unreadable = |error: toml::de::Error| TemplateError::Unreadable {
        file: file.to_owned(),
        line: error.span().map(|span| line_of(text, span.start)),
        problem: error.message().replace('\n', ", "),
    };
    let table: toml::Table = toml::from_str(text).map_err(unreadable)?;
    let content: TemplateFile = toml::from_str(text).map_err(unreadable)?;
    let template = content
        .meaning()
        .map_err(|problem| TemplateError::Unreadable {
            file: file.to_owned(),
            line: None,
            problem,
        })?;
    let mut unknown = Vec::new();
    find_unknown(&table, &[], &mut unknown);
    Ok((template, unknown))
}

/// The file for a template.
pub(super) fn write(template: &Template) -> Result<String, TemplateError> {
    let content = TemplateFile::of(template);
    toml::to_string_pretty(&content).map_err(|error| TemplateError::Unreadable {
        file: PathBuf::from("the new file"),
        line: None,
        problem: error.to_string(),
    })
}

impl TemplateFile {
    fn of(template: &Template) -> Self {
        let template = template.clone();
        Self {
            description: template.description,
            prompt: template.prompt,
            repository: template.repository,
            base: template.base,
            script: template.script,
            model: template.model,
            agent: template.agent,
            env: template.runtime.environment,
            mode: template.runtime.mode,
            budget: template.runtime.budget,
            isolation: template.runtime.isolation,
            toolbox: Names::Several(template.runtime.toolboxes),
            mcp: Names::Several(template.runtime.mcp),
            limits: template.timeout.map(|timeout| Limits {
                timeout: Some(format_duration(timeout)),
            }),
            variables: template.variables,
        }
    }

    fn meaning(self) -> Result<Template, String> {
        if let Some(bad) = self.variables.keys().find(|name| !is_variable_name(name)) {
            return Err(format!(
                "`{bad}` is not a name for a variable: letters, digits, `_` and `-`"
            ));
        }
        if let Some(relative) = self.repository.as_ref().filter(|path| path.is_relative()) {
            return Err(format!(
                "`repository` must be an absolute path, not `{}`",
                relative.display()
            ));
        }
        let timeout = self.limits.and_then(|limits| limits.timeout);
        let timeout = timeout.map(|text| {
            parse_duration(&text).ok_or_else(|| {
                format!("`limits.timeout` must be a time such as 30m or 2h, not `{text}`")
            })
        });
        Ok(Template {
            description: self.description,
            prompt: self.prompt,
            repository: self.repository,
            base: self.base,
            script: self.script,
            model: self.model,
            agent: self.agent,
            runtime: RuntimeWishes {
                environment: self.env,
                mode: self.mode,
                budget: self.budget,
                isolation: self.isolation,
                toolboxes: self.toolbox.list(),
                mcp: self.mcp.list(),
            },
            timeout: timeout.transpose()?,
            variables: self.variables,
        })
    }
}

/// Walks through the tables; below an unknown one, nothing is known.
fn find_unknown(table: &toml::Table, above: &[&str], unknown: &mut Vec<String>) {
    for (key, value) in table {
        let path = [above, &[key.as_str()]].concat();
        match value {
            _ if !is_known(&path) => unknown.push(path.join(".")),
            toml::Value::Table(below) => find_unknown(below, &path, unknown),
            _ => {}
        }
    }
}

fn is_known(path: &[&str]) -> bool {
    let alike = |key: &&str| {
        let parts: Vec<_> = key.split('.').collect();
        let same = |(part, name): (&&str, &&str)| *part == "*" || part == name;
        parts.len() == path.len() && parts.iter().zip(path).all(same)
    };
    KEYS.iter().any(alike)
}

fn line_of(text: &str, offset: usize) -> usize {
    let before = text.as_bytes().iter().take(offset);
    before.filter(|byte| **byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const FILE: &str = "/t/fix.toml";

    fn problem(text: &str) -> String {
        parse(Path::new(FILE), text).unwrap_err().to_string()
    }

    #[test]
    fn what_is_written_is_read_again() {
        let described = TemplateVariable {
            description: Some("which one".to_owned()),
            default: None,
        };
        let template = Template {
            description: Some("Fix a component".to_owned()),
            prompt: Some("Fix {{component}}.\n\nKeep \"it\" '''small'''.\n".to_owned()),
            repository: Some(PathBuf::from("/home/me/shop")),
            base: Some("main".parse().unwrap()),
            script: Some("npm test".to_owned()),
            model: Some("m".to_owned()),
            agent: Some("amp".to_owned()),
            runtime: RuntimeWishes {
                environment: Some("staging".to_owned()),
                mode: Some("smart".to_owned()),
                budget: Some("2.50".parse().unwrap()),
                isolation: Some(Isolation::Sandbox),
                toolboxes: vec!["web".to_owned(), "/opt/tools".to_owned()],
                mcp: vec!["browser".to_owned()],
            },
            timeout: Some(Duration::from_secs(1800)),
            variables: BTreeMap::from([("component".to_owned(), described)]),
        };
        let text = write(&template).unwrap();
        assert!(text.contains("timeout = \"30m\""), "{text}");
        let read = parse(Path::new(FILE), &text).unwrap();
        assert_eq!(read, (template, Vec::new()));
        assert_eq!(write(&Template::default()).unwrap(), "");
    }

    #[test]
    fn one_toolbox_needs_no_brackets() {
        let (template, _) = parse(Path::new(FILE), "toolbox = 'web'\nmcp = 'a'\n").unwrap();
        assert_eq!(template.runtime.toolboxes, ["web"]);
        assert_eq!(template.runtime.mcp, ["a"]);
        let problem = problem("isolation = 'cage'\n");
        assert!(problem.contains("line 1"), "{problem}");
    }

    #[test]
    fn keys_that_mean_nothing_are_named() {
        let text =
            "promt = 'x'\n[limits]\nturns = 3\n[variables.a]\ndefalt = 'x'\n[other.b]\nc = 1\n";
        let (template, unknown) = parse(Path::new(FILE), text).unwrap();
        assert_eq!(
            unknown,
            ["limits.turns", "other", "promt", "variables.a.defalt"]
        );
        assert!(template.variables.contains_key("a"));
    }

    #[test]
    fn what_cannot_be_meant_is_refused_with_its_line() {
        for (text, expected) in [
            (
                "prompt = 'x'\nbase = 3\n",
                "/t/fix.toml, line 2, is not a template",
            ),
            ("base = '--force'\n", "starts with a dash"),
            ("prompt = \n", "line 1"),
            ("repository = 'shop'\n", "must be an absolute path"),
            ("[limits]\ntimeout = 'long'\n", "must be a time such as 30m"),
            ("[variables.'a b']\n", "`a b` is not a name for a variable"),
        ] {
            let problem = problem(text);
            assert!(problem.contains(expected), "{text}: {problem}");
        }
    }
}

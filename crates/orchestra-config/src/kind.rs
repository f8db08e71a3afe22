//! What a setting can hold: the check, the words for it and its JSON Schema.

use std::path::{Path, PathBuf};

use orchestra_core::redact::Redactor;
use orchestra_core::{BranchGlob, Budget, FileGlob, PermissionRule, PortRange, SecretSource};
use serde_json::{Value, json};

use crate::child_env;
use crate::names;
use crate::quantity::{parse_duration, parse_size};
use crate::raw::Raw;
use crate::typed::Typed;

const MOST: u32 = 1000;
/// No host, and all of them.
const WHOLE_NETWORKS: [&str; 2] = ["off", "open"];
const LARGEST: u32 = 1_000_000;

/// What a setting can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// One line of text.
    Text,
    /// One line of text that says something.
    FilledText,
    /// One word that cannot be taken for an option.
    Word,
    /// The name of an agent.
    Name,
    /// A branch name.
    Branch,
    /// A pattern for branch names.
    BranchPattern,
    /// A pattern for folder names.
    FolderPattern,
    /// A host name with placeholders, or nothing.
    HostName,
    /// An absolute path, or one that starts with `~/`.
    Path,
    /// A path that may be relative to the repository.
    RepositoryPath,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Yes or no.
    Switch,
    /// A number from 1 to 1000.
    Count,
    /// A number from 0 to 1000; zero means none.
    CountOrNone,
    /// A duration; zero means at once.
    Duration,
    /// A duration; zero means never.
    Timeout,
    /// A number of bytes, at least one.
    Size,
    /// A shell command line.
    CommandLine,
    /// A program and its arguments.
    Words,
    /// Names of environment variables that a child may have.
    PassedVariables,
    /// Names of environment variables.
    Variables,
    /// Regular expressions.
    Patterns,
    /// Any of these words.
    SomeOf(&'static [&'static str]),
    /// Branch names in which `*` stands for any letters.
    BranchGlobs,
    /// A regular expression.
    Pattern,
    /// Patterns for files of the repository.
    FileGlobs,
    /// The ports from one to another.
    PortRange,
    /// What agents may do.
    Rules,
    /// A number from 1 to a million.
    Number,
    /// A share, from 1 to 100.
    Percent,
    /// What may be used: money, tokens or both.
    Budget,
    /// Where a secret is.
    SecretSource,
    /// Absolute paths, or such that start with `~/`.
    Paths,
    /// Words that cannot be taken for options.
    WordList,
    /// Hosts, or one word for none or all of them.
    Hosts,
    /// An address that begins with `http://` or `https://` and names nobody.
    WebAddress,
    /// Variables with their values, `NAME=value` each.
    Assignments,
    /// Variables with the places of their values.
    SecretAssignments,
    /// Headers of a request, `Name: value` each.
    Headers,
    /// Headers of a request with the places of their values.
    SecretHeaders,
    /// Endings of file names, without the dot.
    Extensions,
}

impl Kind {
    /// What is expected, to follow "must be".
    #[must_use]
    pub fn expected(self) -> String {
        match self {
            Self::Text => "one line of text",
            Self::FilledText => "one line of text that is not empty",
            Self::Word => "one word without white space that does not start with a dash",
            Self::Name => "a name of letters, digits, `-`, `_` and `:`",
            Self::Branch => "a branch name",
            Self::BranchPattern => "a branch name with at least one of {slug}, {timestamp}, {id}, {issue}",
            Self::FolderPattern => "a folder name, not a path, with at least one of {slug}, {timestamp}, {id}, {issue}",
            Self::HostName => "a host name of letters, digits and `-`, with `.` between its parts and any of {slug}, {id}, {issue}, {compose_project}",
            Self::Path => "an absolute path or one that starts with `~/`",
            Self::RepositoryPath => "a path, absolute or relative to the repository",
            Self::Choice(words) => return format!("one of {}", words.join(", ")),
            Self::Switch => "true or false",
            Self::Count => return format!("a whole number from 1 to {MOST}"),
            Self::CountOrNone => return format!("a whole number from 0 to {MOST}"),
            Self::Duration => "a duration such as 500ms, 30s, 15m, 2h or 14d",
            Self::Timeout => "a duration such as 500ms, 30s, 15m, 2h or 14d, or 0 for none",
            Self::Size => "a size such as 64KiB, 10MiB or 1GB",
            Self::CommandLine => "a command",
            Self::Words => "a command: a list of words, or text with shell quoting",
            Self::PassedVariables => "a list of variable names, none of which could redirect git or inject code (GIT_*, GITHUB_*, LD_*, DYLD_*, SSH_AUTH_SOCK, ORCHESTRA_*, or an agent's own marks)",
            Self::Variables => "a list of variable names",
            Self::Patterns => "a list of regular expressions that do not match the empty text",
            Self::SomeOf(words) => return format!("a list of any of {}", words.join(", ")),
            Self::BranchGlobs => "a list of branch names, with `*` for any letters",
            Self::Pattern => "a regular expression that does not match the empty text",
            Self::FileGlobs => "a list of patterns for files below the top of the repository, such as `.env` or `config/*.local.toml`",
            Self::Rules => "a list of rules such as `allow execute git status*` or `reject fetch`",
            Self::Number => return format!("a whole number from 1 to {LARGEST}"),
            Self::Percent => "a whole number from 1 to 100",
            Self::Budget => "dollars, tokens, or both with a comma between, such as `$5,2Mtokens`",
            Self::SecretSource => "the place of a secret: `env:NAME`, `file:/path` or `keyring:service/account`",
            Self::Paths => "a list of absolute paths or such that start with `~/`",
            Self::WordList => "a list of words without white space that do not start with a dash",
            Self::Hosts => "a list of hosts such as `*.example.com`, `example.com:443` or `127.0.0.1:5432`, or `off` or `open` alone",
            Self::WebAddress => "an address that begins with http:// or https:// and has no user name in it",
            Self::Assignments => "a list of variables with their values, such as `LOG=debug`",
            Self::SecretAssignments => "a list of variables with the places of their values, such as `TOKEN=env:MY_TOKEN` or `TOKEN=keyring:service/account`",
            Self::Headers => "a list of headers, such as `X-Team: core`",
            Self::SecretHeaders => "a list of headers with the places of their values, such as `X-Api-Key: file:~/.api-key`",
            Self::Extensions => "a list of endings of file names, such as `sh` or `py`",
            Self::PortRange => "two port numbers from 1024 on, such as 20000-29999",
        }
        .to_owned()
    }

    /// One or two words for the reference page.
    #[must_use]
    pub fn label(self) -> String {
        match self {
            Self::Text | Self::FilledText | Self::Word => "text",
            Self::Name => "name",
            Self::Branch => "branch",
            Self::BranchPattern | Self::FolderPattern => "pattern",
            Self::HostName => "host name",
            Self::Path | Self::RepositoryPath => "path",
            Self::Choice(words) => {
                return words
                    .iter()
                    .map(|word| format!("`{word}`"))
                    .collect::<Vec<_>>()
                    .join(", ");
            }
            Self::Switch => "true or false",
            Self::Count | Self::CountOrNone | Self::Number | Self::Percent => "number",
            Self::Budget => "budget",
            Self::SecretSource => "place of a secret",
            Self::Paths => "paths",
            Self::WebAddress => "address",
            Self::Duration | Self::Timeout => "duration",
            Self::Size => "size",
            Self::CommandLine | Self::Words => "command",
            Self::PassedVariables | Self::Variables => "variable names",
            Self::Patterns => "regular expressions",
            Self::Pattern => "regular expression",
            Self::FileGlobs => "file patterns",
            Self::PortRange => "ports",
            Self::Rules => "rules",
            Self::SomeOf(_) | Self::WordList | Self::Hosts | Self::Extensions => "list",
            Self::Assignments | Self::SecretAssignments => "variables",
            Self::Headers | Self::SecretHeaders => "headers",
            Self::BranchGlobs => "branches",
        }
        .to_owned()
    }

    pub(crate) fn parse(self, raw: &Raw) -> Option<Typed> {
        match self {
            Self::Switch => raw.boolean().map(Typed::Switch),
            Self::Count => count(raw).filter(|count| *count > 0).map(Typed::Count),
            Self::CountOrNone => count(raw).map(Typed::Count),
            Self::Number => number(raw, LARGEST),
            Self::Percent => number(raw, 100),
            Self::Paths => paths(raw).map(Typed::Paths),
            Self::Duration | Self::Timeout => duration(raw),
            Self::Size => size(raw),
            Self::Words => words(raw),
            Self::PassedVariables
            | Self::Variables
            | Self::SomeOf(_)
            | Self::BranchGlobs
            | Self::FileGlobs
            | Self::WordList
            | Self::Extensions => {
                let entries = entries(raw)?;
                let is_right = entries.iter().all(|entry| self.takes_entry(entry));
                is_right.then_some(Typed::List(entries))
            }
            Self::Hosts => hosts(raw),
            Self::Patterns => patterns(raw),
            Self::Rules
            | Self::Assignments
            | Self::SecretAssignments
            | Self::Headers
            | Self::SecretHeaders => self.whole_list(raw),
            Self::Path => path(raw).filter(|path| is_anchored(path)).map(Typed::Path),
            Self::RepositoryPath => path(raw).map(Typed::Path),
            _ => raw
                .text()
                .filter(|text| self.takes_text(text))
                .map(|text| Typed::Text(text.into())),
        }
    }

    /// What a message shows of a value that is wrong: of a list, the first entry that is.
    pub(crate) fn shown_wrong(self, raw: &Raw) -> String {
        let may_be_secret = matches!(
            self,
            Self::SecretSource
                | Self::WebAddress
                | Self::Assignments
                | Self::SecretAssignments
                | Self::Headers
                | Self::SecretHeaders
        );
        if may_be_secret {
            return "what is there now, which is not shown because it may be a secret".to_owned();
        }
        let entries = entries(raw).unwrap_or_default();
        match entries.into_iter().find(|entry| !self.takes_entry(entry)) {
            Some(wrong) => format!("one with {}", Raw::Text(wrong).shown()),
            None => raw.shown(),
        }
    }

    pub(crate) fn schema(self) -> Value {
        match self {
            Self::Choice(words) => json!({ "enum": words, "type": "string" }),
            Self::Switch => json!({ "type": "boolean" }),
            Self::Count => json!({ "maximum": MOST, "minimum": 1, "type": "integer" }),
            Self::CountOrNone => json!({ "maximum": MOST, "minimum": 0, "type": "integer" }),
            Self::Number => json!({ "maximum": LARGEST, "minimum": 1, "type": "integer" }),
            Self::Percent => json!({ "maximum": 100, "minimum": 1, "type": "integer" }),
            Self::Duration | Self::Timeout => {
                json!({ "maximum": 0, "minimum": 0, "pattern": "^(0|[0-9]+ *(ms|s|m|h|d))$", "type": ["integer", "string"] })
            }
            Self::Size => {
                json!({ "minimum": 1, "pattern": "^[0-9]+ *(B|[KMGT]i?B)?$", "type": ["integer", "string"] })
            }
            Self::Words => json!({ "items": { "type": "string" }, "type": ["array", "string"] }),
            Self::PassedVariables | Self::Variables => {
                json!({ "items": { "pattern": "^[A-Za-z_][A-Za-z0-9_]*$", "type": "string" }, "type": "array" })
            }
            Self::SomeOf(words) => {
                json!({ "items": { "enum": words, "type": "string" }, "type": "array" })
            }
            Self::Patterns
            | Self::BranchGlobs
            | Self::FileGlobs
            | Self::Rules
            | Self::Paths
            | Self::WordList
            | Self::Hosts
            | Self::Assignments
            | Self::SecretAssignments
            | Self::Headers
            | Self::SecretHeaders
            | Self::Extensions => {
                json!({ "items": { "type": "string" }, "type": "array" })
            }
            Self::FilledText => json!({ "pattern": "\\S", "type": "string" }),
            _ => json!({ "type": "string" }),
        }
    }

    /// Whether one value of a setting allows more than another. Every word of a list demands something.
    pub(crate) fn loosens(self, value: &Typed, current: &Typed) -> bool {
        match (value, current) {
            (Typed::List(words), Typed::List(demanded)) => {
                !demanded.iter().all(|word| words.contains(word))
            }
            _ => self.allowance(value) > self.allowance(current),
        }
    }

    /// How much a limit allows, for comparing two values of one setting.
    fn allowance(self, value: &Typed) -> u128 {
        match value {
            Typed::Duration(duration) if self == Self::Timeout && duration.is_zero() => u128::MAX,
            Typed::Duration(duration) => duration.as_millis(),
            Typed::Count(count) => u128::from(*count),
            Typed::Size(bytes) => u128::from(*bytes),
            Typed::Text(_)
            | Typed::Switch(_)
            | Typed::Path(_)
            | Typed::Paths(_)
            | Typed::Words(_)
            | Typed::List(_) => 0,
        }
    }

    /// A list whose entries may have commas.
    fn whole_list(self, raw: &Raw) -> Option<Typed> {
        let entries = whole_entries(raw)?;
        let is_right = entries.iter().all(|entry| self.takes_entry(entry));
        is_right.then_some(Typed::List(entries))
    }

    /// Whether a list may have this entry. What is no list takes any.
    fn takes_entry(self, entry: &str) -> bool {
        match self {
            Self::PassedVariables => child_env::may_be_passed(entry),
            Self::Variables => names::is_variable(entry),
            Self::SomeOf(words) => words.contains(&entry),
            Self::BranchGlobs => entry.parse::<BranchGlob>().is_ok(),
            Self::FileGlobs => entry.parse::<FileGlob>().is_ok(),
            Self::Rules => entry.parse::<PermissionRule>().is_ok(),
            Self::WordList => names::is_word(entry),
            Self::Hosts => WHOLE_NETWORKS.contains(&entry) || names::is_host(entry),
            Self::Assignments => names::assignment(entry).is_some(),
            Self::SecretAssignments => {
                names::assignment(entry).is_some_and(|(_, place)| is_place(place))
            }
            Self::Headers => names::header(entry).is_some(),
            Self::SecretHeaders => names::header(entry).is_some_and(|(_, place)| is_place(place)),
            Self::Extensions => entry.chars().all(char::is_alphanumeric) && !entry.is_empty(),
            Self::Paths => is_anchored(Path::new(entry)) && names::is_one_line(entry),
            _ => true,
        }
    }

    /// Whether this text could be its value, for what is also given elsewhere than in settings.
    #[must_use]
    pub fn takes_text(self, text: &str) -> bool {
        match self {
            Self::Text => names::is_one_line(text),
            Self::FilledText => names::is_one_line(text) && !text.trim().is_empty(),
            Self::Word => names::is_word(text),
            Self::Name => names::is_chosen_name(text),
            Self::Branch => names::is_branch(text),
            Self::BranchPattern => names::is_branch_pattern(text),
            Self::FolderPattern => names::is_folder_pattern(text),
            Self::HostName => names::is_host_name_pattern(text),
            Self::Choice(words) => words.contains(&text),
            Self::Pattern => Redactor::new([], [text]).is_ok(),
            Self::PortRange => text.parse::<PortRange>().is_ok(),
            Self::CommandLine => !text.trim().is_empty() && !text.contains('\0'),
            Self::Budget => text.parse::<Budget>().is_ok(),
            Self::SecretSource => text.parse::<SecretSource>().is_ok(),
            Self::WebAddress => names::is_web_address(text),
            _ => false,
        }
    }
}

fn count(raw: &Raw) -> Option<u32> {
    let count = u32::try_from(raw.integer()?).ok()?;
    (count <= MOST).then_some(count)
}

fn number(raw: &Raw, largest: u32) -> Option<Typed> {
    let number = u32::try_from(raw.integer()?).ok()?;
    (1..=largest)
        .contains(&number)
        .then_some(Typed::Count(number))
}

fn paths(raw: &Raw) -> Option<Vec<PathBuf>> {
    let paths = raw.strings().or_else(|| match raw {
        Raw::Argument(text) => Some(split_before_paths(text)),
        _ => None,
    })?;
    let is_right = paths.iter().all(|path| Kind::Paths.takes_entry(path));
    is_right.then(|| paths.into_iter().map(PathBuf::from).collect())
}

fn hosts(raw: &Raw) -> Option<Typed> {
    let hosts = entries(raw)?;
    let is_whole = |host: &String| WHOLE_NETWORKS.contains(&host.as_str());
    let is_right = hosts.iter().all(|host| Kind::Hosts.takes_entry(host));
    let is_alone = hosts.len() == 1 || !hosts.iter().any(is_whole);
    (is_right && is_alone).then_some(Typed::List(hosts))
}

fn duration(raw: &Raw) -> Option<Typed> {
    match raw {
        Raw::Integer(0) => Some(Typed::Duration(std::time::Duration::ZERO)),
        _ => parse_duration(raw.text()?).map(Typed::Duration),
    }
}

fn size(raw: &Raw) -> Option<Typed> {
    let bytes = raw.integer().or_else(|| parse_size(raw.text()?))?;
    (bytes > 0).then_some(Typed::Size(bytes))
}

fn words(raw: &Raw) -> Option<Typed> {
    match raw.strings() {
        Some(words) => usable(words),
        None => command_words(raw.text()?),
    }
    .map(Typed::Words)
}

/// A program and its arguments, from text with shell quoting.
#[must_use]
pub fn command_words(text: &str) -> Option<Vec<String>> {
    usable(shell_words::split(text).ok()?)
}

fn usable(words: Vec<String>) -> Option<Vec<String>> {
    let is_usable = words.first().is_some_and(|program| !program.is_empty())
        && !words.iter().any(|word| word.contains('\0'));
    is_usable.then_some(words)
}

/// The entries of a list. An argument may also be written with commas.
fn entries(raw: &Raw) -> Option<Vec<String>> {
    raw.strings().or_else(|| match raw {
        Raw::Argument(text) => Some(split_at_commas(text)),
        _ => None,
    })
}

fn split_at_commas(text: &str) -> Vec<String> {
    text.split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect()
}

/// A comma ends a path if another one begins after it; otherwise it belongs to the name.
fn split_before_paths(text: &str) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    for part in text.split(',') {
        match paths.last_mut() {
            Some(last) if !is_anchored(Path::new(part.trim_start())) => {
                last.push(',');
                last.push_str(part);
            }
            _ => paths.push(part.trim_start().to_owned()),
        }
    }
    paths.retain(|path| !path.is_empty());
    paths
}

/// An argument that is no TOML array is one entry: commas belong to it.
fn whole_entries(raw: &Raw) -> Option<Vec<String>> {
    raw.strings().or_else(|| match raw {
        Raw::Argument(text) if text.is_empty() => Some(Vec::new()),
        Raw::Argument(text) => Some(vec![text.clone()]),
        _ => None,
    })
}

fn is_place(text: &str) -> bool {
    text.parse::<SecretSource>().is_ok()
}

fn patterns(raw: &Raw) -> Option<Typed> {
    let patterns = whole_entries(raw)?;
    Redactor::new([], &patterns)
        .is_ok()
        .then_some(Typed::List(patterns))
}

fn path(raw: &Raw) -> Option<PathBuf> {
    let text = raw.text()?;
    (!text.is_empty() && names::is_one_line(text)).then(|| text.into())
}

fn is_anchored(path: &Path) -> bool {
    path.is_absolute() || path.starts_with("~")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(kind: Kind, text: &str) -> Option<String> {
        kind.parse(&Raw::Argument(text.into()))
            .map(|typed| typed.to_string())
    }

    #[test]
    fn hosts_are_hosts() {
        let right = "a,*.a.example:443,1.2.3.4:80,[::1]:8080,[::1],::1,my_host.";
        assert!(shown(Kind::Hosts, right).is_some());
        for whole in ["off", "open", ""] {
            assert!(shown(Kind::Hosts, whole).is_some(), "{whole}");
        }
        for wrong in [
            "http://a/",
            "a/b",
            "a:x",
            "a:70000",
            "u@a",
            "a..b",
            "*",
            "off,a",
        ] {
            assert_eq!(shown(Kind::Hosts, wrong), None, "{wrong}");
        }
    }

    #[test]
    fn paths_are_set_apart_by_commas_before_another_path() {
        let paths = |text: &str| {
            let paths = paths(&Raw::Argument(text.into())).unwrap_or_default();
            let paths = paths.iter().map(|path| path.display().to_string());
            paths.collect::<Vec<_>>()
        };
        assert_eq!(paths("~/a.txt,~/b"), ["~/a.txt", "~/b"]);
        assert_eq!(paths("/a, b, /c"), ["/a, b", "/c"]);
        assert_eq!(paths("[\"/a,/b\"]"), ["/a,/b"]);
        assert_eq!(paths(""), [""; 0]);
        assert_eq!(paths("a,/b"), [""; 0], "the first one is not right");
    }

    #[test]
    fn arguments_become_values_or_are_refused() {
        type Row<'a> = (Kind, &'a [(&'a str, &'a str)], &'a [&'a str]);
        let table: &[Row<'_>] = &[
            (
                Kind::Count,
                &[("1", "1"), ("1000", "1000")],
                &["0", "1001", "-1", "x", "", "1.5"],
            ),
            (
                Kind::Switch,
                &[("true", "true"), ("0", "false")],
                &["yes", "", "TRUE"],
            ),
            (
                Kind::Size,
                &[("1024", "1KiB"), ("1GB", "1GB")],
                &["0", "1XB", ""],
            ),
            (
                Kind::Timeout,
                &[("0", "0"), ("60s", "1m")],
                &["5", "-1s", ""],
            ),
            (
                Kind::Words,
                &[
                    ("amp --x 'a b'", "amp --x 'a b'"),
                    (r"['C:\amp.exe', '']", r"'C:\amp.exe' ''"),
                ],
                &["", "'open", "''", "[]"],
            ),
            (
                Kind::PassedVariables,
                &[("A, B_TOKEN", r#"["A", "B_TOKEN"]"#), ("", "[]")],
                &["GIT_DIR", "LD_PRELOAD", "A B", "ssh_auth_sock"],
            ),
            (
                Kind::Patterns,
                &[
                    ("a{1,3}", r#"["a{1,3}"]"#),
                    (r#"["a", "b"]"#, r#"["a", "b"]"#),
                    ("[a-z]x", r#"["[a-z]x"]"#),
                ],
                &["(", ".*", "x?"],
            ),
            (
                Kind::Rules,
                &[
                    ("allow bash a,b", r#"["allow bash a,b"]"#),
                    (r#"["allow read", "ask *"]"#, r#"["allow read", "ask *"]"#),
                    ("", "[]"),
                ],
                &["permit read", "allow"],
            ),
            (
                Kind::Path,
                &[("/a", "/a"), ("~/a", "~/a")],
                &["a", "", "./a", "/a\nb"],
            ),
            (
                Kind::FilledText,
                &[("app_{id}", "app_{id}")],
                &["", "  ", "a\nb"],
            ),
            (
                Kind::CommandLine,
                &[("make && ./x", "make && ./x")],
                &["", "  "],
            ),
        ];
        for (kind, good, bad) in table {
            for (text, expected) in *good {
                assert_eq!(
                    shown(*kind, text).as_deref(),
                    Some(*expected),
                    "{kind:?} {text}"
                );
            }
            for text in *bad {
                assert_eq!(shown(*kind, text), None, "{kind:?} {text:?}");
            }
        }
    }

    #[test]
    fn a_file_must_use_the_right_type() {
        let text = |text: &str| Raw::Text(text.into());
        assert_eq!(Kind::Count.parse(&text("8")), None);
        assert_eq!(Kind::Switch.parse(&text("true")), None);
        assert_eq!(Kind::PassedVariables.parse(&text("A,B")), None);
        assert_eq!(Kind::Patterns.parse(&text("a")), None);
        assert_eq!(Kind::Text.parse(&Raw::Integer(1)), None);
        assert_eq!(Kind::Timeout.parse(&Raw::Integer(5)), None);
        assert!(Kind::Timeout.parse(&Raw::Integer(0)).is_some());
        assert!(Kind::Words.parse(&text("amp -x")).is_some());
    }

    #[test]
    fn a_list_may_only_grow() {
        let kind = Kind::SomeOf(&["a", "b"]);
        let value = |text: &str| kind.parse(&Raw::Argument(text.into())).unwrap();
        assert!(kind.loosens(&value("a"), &value("a,b")));
        assert!(!kind.loosens(&value("b,a"), &value("a")));
        assert_eq!(kind.parse(&Raw::Argument("c".into())), None);
        assert!(shown(Kind::BranchGlobs, "main, release/*").is_some());
        assert_eq!(shown(Kind::BranchGlobs, "a b"), None);
    }

    #[test]
    fn no_timeout_allows_more_than_any_timeout() {
        let allowance = |kind: Kind, text: &str| {
            kind.allowance(&kind.parse(&Raw::Argument(text.into())).unwrap())
        };
        assert!(allowance(Kind::Timeout, "0") > allowance(Kind::Timeout, "3650d"));
        assert!(allowance(Kind::Duration, "0") < allowance(Kind::Duration, "1ms"));
        assert!(allowance(Kind::Size, "1MiB") < allowance(Kind::Size, "2MiB"));
    }
}

//! What an agent may do: a policy, rules, and what they say about one use of a tool. One mechanism for every agent.

mod place;

use std::borrow::Cow;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

use globset::{GlobBuilder, GlobMatcher};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::visible_whole;
use place::Place;

/// What happens when an agent wants to use a tool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, ToSchema, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PermissionPolicy {
    /// It may.
    #[default]
    Allow,
    /// The rules decide; what no rule speaks of is rejected.
    Rules,
    /// The rules decide; what no rule speaks of is asked of the user.
    Ask,
}

impl PermissionPolicy {
    /// The words, in the order of the variants.
    pub const WORDS: &'static [&'static str] = &["allow", "rules", "ask"];

    /// The word for it in settings and commands.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Rules => "rules",
            Self::Ask => "ask",
        }
    }
}

impl fmt::Display for PermissionPolicy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A word that stands for no policy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a policy; they are allow, rules and ask")]
pub struct UnknownPolicy(String);

impl FromStr for PermissionPolicy {
    type Err = UnknownPolicy;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        match word {
            "allow" => Ok(Self::Allow),
            "rules" => Ok(Self::Rules),
            "ask" => Ok(Self::Ask),
            other => Err(UnknownPolicy(other.to_owned())),
        }
    }
}

/// What a tool does, as far as it can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolKind {
    /// Reads files.
    Read,
    /// Changes files.
    Edit,
    /// Removes files.
    Delete,
    /// Moves files.
    Move,
    /// Looks for something.
    Search,
    /// Runs a command.
    Execute,
    /// Plans or thinks.
    Think,
    /// Gets something from the network.
    Fetch,
    /// Anything else.
    Other,
}

impl ToolKind {
    /// The word for it in rules.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Edit => "edit",
            Self::Delete => "delete",
            Self::Move => "move",
            Self::Search => "search",
            Self::Execute => "execute",
            Self::Think => "think",
            Self::Fetch => "fetch",
            Self::Other => "other",
        }
    }

    /// The arguments that say what such a tool is used on, the most telling first.
    const fn telling_arguments(self) -> &'static [&'static str] {
        match self {
            Self::Execute => &["cmd", "command"],
            Self::Read | Self::Edit | Self::Delete | Self::Move => {
                &["path", "file_path", "filePath"]
            }
            Self::Fetch => &["url"],
            Self::Search => &["pattern", "query", "path"],
            Self::Think | Self::Other => &[
                "cmd",
                "command",
                "path",
                "file_path",
                "filePath",
                "url",
                "pattern",
                "query",
            ],
        }
    }

    /// Of a tool that only has a name. One that nobody knows is of another kind.
    #[must_use]
    pub fn of_tool(name: &str) -> Self {
        match name.to_ascii_lowercase().as_str() {
            "read" | "read_file" | "view" | "ls" | "list_directory" | "look_at" => Self::Read,
            "edit" | "edit_file" | "create_file" | "apply_patch" | "write" | "multiedit"
            | "notebookedit" | "undo_edit" | "format_file" => Self::Edit,
            "grep" | "glob" | "finder" | "search" | "codebase_search_agent" => Self::Search,
            "bash" | "shell_command" | "shell" | "run_command" => Self::Execute,
            "todo_write" | "todo_read" | "todowrite" | "oracle" | "task" | "think" => Self::Think,
            "web_search" | "read_web_page" | "webfetch" | "websearch" => Self::Fetch,
            _ => Self::Other,
        }
    }
}

/// What the user allows once and for all, or never: `allow execute git status*`.
///
/// The second word names a tool or a kind of tool, `*` any; the rest, if there is one, is a pattern for the command, path or
/// address. What allows one command does not allow another behind it: `allow execute git status*` says nothing of
/// `git status; make`.
#[derive(Debug, Clone)]
pub struct PermissionRule {
    text: String,
    action: RuleAction,
    tool: GlobMatcher,
    subject: Option<Subject>,
}

/// The pattern for the command, path or address.
#[derive(Debug, Clone)]
struct Subject {
    text: String,
    pattern: GlobMatcher,
}

/// What a rule says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleAction {
    /// It may.
    Allow,
    /// It may not.
    Reject,
    /// The user is asked.
    Ask,
}

/// A line that is no rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a rule such as `allow execute git status*` or `reject fetch`")]
pub struct InvalidRule(String);

impl FromStr for PermissionRule {
    type Err = InvalidRule;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let invalid = || InvalidRule(text.to_owned());
        let mut words = text.trim().splitn(3, char::is_whitespace);
        let action = match words.next() {
            Some("allow") => RuleAction::Allow,
            Some("reject") => RuleAction::Reject,
            Some("ask") => RuleAction::Ask,
            _ => return Err(invalid()),
        };
        let glob = |pattern: &str| {
            let mut builder = GlobBuilder::new(pattern);
            let built = builder.literal_separator(false).backslash_escape(true);
            let glob = built.build().map_err(|_| invalid())?;
            Ok(glob.compile_matcher())
        };
        let tool = words.next().filter(|word| !word.is_empty());
        let tool = glob(&tool.ok_or_else(invalid)?.to_ascii_lowercase())?;
        let subject = words.next().map(str::trim).filter(|rest| !rest.is_empty());
        Ok(Self {
            text: text.trim().to_owned(),
            action,
            tool,
            subject: subject
                .map(|text| {
                    let pattern = glob(text)?;
                    let text = text.to_owned();
                    Ok(Subject { text, pattern })
                })
                .transpose()?,
        })
    }
}

impl fmt::Display for PermissionRule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl PartialEq for PermissionRule {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for PermissionRule {}

/// One use of a tool that an agent asks about.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema, Deserialize)]
pub struct ToolUse {
    /// The tool's name.
    pub tool: String,
    /// What it does.
    pub kind: ToolKind,
    /// Its arguments.
    pub input: Value,
}

impl ToolUse {
    /// The argument that says most: the command, the path or the address. None if that cannot be told for certain, as with
    /// two commands of which the tool reads one.
    #[must_use]
    pub fn subject(&self) -> Option<Cow<'_, str>> {
        self.telling().map(|(_, text)| text)
    }

    /// That argument with its name.
    fn telling(&self) -> Option<(&'static str, Cow<'_, str>)> {
        let present = self.kind.telling_arguments().iter();
        let mut present = present.filter_map(|name| Some((*name, self.input.get(*name)?)));
        let (name, value) = present.next()?;
        let has_rival = self.kind != ToolKind::Search && present.any(|(_, other)| other != value);
        match value {
            _ if has_rival => None,
            Value::String(text) => Some((name, Cow::Borrowed(text))),
            Value::Array(words) if is_command(name) => {
                let words: Option<Vec<&str>> = words.iter().map(Value::as_str).collect();
                Some((name, Cow::Owned(words?.join(" "))))
            }
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Array(_)
            | Value::Object(_) => None,
        }
    }

    /// What it is, to follow "wants to".
    #[must_use]
    pub fn in_words(&self) -> String {
        let verb = match self.kind {
            ToolKind::Read => "read",
            ToolKind::Edit => "change",
            ToolKind::Delete => "delete",
            ToolKind::Move => "move",
            ToolKind::Search => "search for",
            ToolKind::Execute => "run",
            ToolKind::Fetch => "get",
            ToolKind::Think | ToolKind::Other => "",
        };
        match self.subject_in_full() {
            Some(subject) if !verb.is_empty() && self.subject().is_some() => {
                format!("{verb} `{subject}`")
            }
            Some(subject) => format!("use {} with `{subject}`", self.tool),
            None => format!("use {}", self.tool),
        }
    }

    /// What it is used on, to its end, for whoever decides: all arguments where none says most.
    #[must_use]
    pub fn subject_in_full(&self) -> Option<String> {
        let has_arguments = |input: &Value| match input {
            Value::Null => false,
            Value::Object(fields) => !fields.is_empty(),
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => true,
        };
        let arguments = || has_arguments(&self.input).then(|| self.input.to_string().into());
        let whole = self.subject().or_else(arguments);
        whole.map(|text| visible_whole(&text))
    }

    /// The rule that says this of the same use from now on. None where the arguments do not tell which use it is.
    #[must_use]
    pub fn rule(&self, decision: Decision) -> Option<PermissionRule> {
        let tool = escaped(&self.tool.to_ascii_lowercase());
        // A rule is words with blanks between them.
        let tool = tool.replace(char::is_whitespace, "?");
        let subject = escaped(&self.subject()?);
        let text = format!("{} {tool} {subject}", decision.name());
        text.parse().ok()
    }
}

/// Whether the argument of this name is a command.
fn is_command(name: &str) -> bool {
    matches!(name, "cmd" | "command")
}

/// Whether the argument of this name is a path.
fn is_path(name: &str) -> bool {
    matches!(name, "path" | "file_path" | "filePath")
}

/// A text that a pattern takes for itself.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        if matches!(char, '*' | '?' | '[' | ']' | '{' | '}' | '\\' | ',') {
            escaped.push('\\');
        }
        escaped.push(char);
    }
    escaped
}

/// What policy and rules say about one use of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It may.
    Allow,
    /// It may not; the agent is told why.
    Reject(String),
    /// The user decides.
    Ask,
}

impl PermissionRule {
    /// What it says.
    #[must_use]
    pub const fn action(&self) -> RuleAction {
        self.action
    }

    /// Whether it speaks of this use. One that allows speaks of files outside the worktree only if it names them, and so
    /// with the folders that decide what the agent may do.
    #[must_use]
    pub fn applies_to(&self, tool_use: &ToolUse, worktree: &Path) -> bool {
        let name = tool_use.tool.to_ascii_lowercase();
        let is_meant = self.tool.is_match(name) || self.tool.is_match(tool_use.kind.as_str());
        let reaches = || match tool_use.places(worktree).as_slice() {
            [only] => self.names(only),
            several => several.iter().all(|place| *place == Place::Worktree),
        };
        is_meant && self.fits(tool_use, worktree) && (self.action != RuleAction::Allow || reaches())
    }

    fn fits(&self, tool_use: &ToolUse, worktree: &Path) -> bool {
        let Some(subject) = &self.subject else {
            return true;
        };
        let Some((name, text)) = tool_use.telling() else {
            return false;
        };
        let allows = self.action == RuleAction::Allow;
        let mut ways = match is_path(name) {
            true => place::spellings(&text, worktree),
            false => Vec::new(),
        };
        if !is_path(name) || !allows {
            ways.push(text.clone().into_owned());
        }
        let is_limited = allows && is_command(name);
        ways.iter().any(|way| subject.pattern.is_match(way))
            && !(is_limited && subject.lets_in(&text))
    }

    fn names(&self, place: &Place) -> bool {
        let pattern = self.subject.as_ref().map(|subject| subject.text.as_str());
        match place {
            Place::Worktree => true,
            Place::Guarded(folder) => pattern.is_some_and(|pattern| pattern.contains(folder)),
            Place::Outside => pattern.is_some_and(|pattern| pattern.starts_with('/')),
        }
    }
}

impl Subject {
    /// Whether a wildcard would let in what makes another command of a command line: the text has more of it than the rule.
    fn lets_in(&self, text: &str) -> bool {
        const OPERATORS: [char; 8] = [';', '&', '|', '<', '>', '`', '$', '\n'];
        let written = always_meant(&self.text);
        let count = |text: &str, operator| text.matches(operator).count();
        let is_more = |operator: char| count(text, operator) > count(&written, operator);
        OPERATORS.into_iter().any(is_more)
    }
}

/// The part of a pattern that every match has: not what it leaves open in `[...]` and `{...}`.
fn always_meant(pattern: &str) -> String {
    let mut meant = String::new();
    let (mut depth, mut chars) = (0_usize, pattern.chars());
    while let Some(char) = chars.next() {
        match char {
            '[' | '{' => depth += 1,
            ']' | '}' => depth = depth.saturating_sub(1),
            '\\' if depth == 0 => meant.extend(chars.next()),
            char if depth == 0 => meant.push(char),
            _ => {}
        }
    }
    meant
}

/// What policy and rules say; the first rule that speaks of the use counts.
#[must_use]
pub fn judge(
    policy: PermissionPolicy,
    rules: &[PermissionRule],
    tool_use: &ToolUse,
    worktree: &Path,
) -> Verdict {
    if policy == PermissionPolicy::Allow {
        return Verdict::Allow;
    }
    let speaks = |rule: &&PermissionRule| rule.applies_to(tool_use, worktree);
    let rule = rules.iter().find(speaks);
    match (rule, policy) {
        (Some(rule), _) => match rule.action {
            RuleAction::Allow => Verdict::Allow,
            RuleAction::Reject => Verdict::Reject(format!("rejected by the rule `{rule}`")),
            RuleAction::Ask => Verdict::Ask,
        },
        (None, PermissionPolicy::Ask) => Verdict::Ask,
        (None, _) => Verdict::Reject("no rule of this session allows it".to_owned()),
    }
}

/// What the user decided about one use of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// It may, this time.
    Allow,
    /// It may not.
    Reject,
}

impl Decision {
    /// The word for it in the store, in `--json` and on screen.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Reject => "reject",
        }
    }
}

#[cfg(test)]
mod tests;

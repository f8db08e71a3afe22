//! The reference page of settings and environment variables.

use crate::keys::{KEYS, Key, Preset, Scope};
use crate::variables::{VARIABLES, Variable};

const INTRODUCTION: &str = "\
# Settings

A value is taken from the last of these places that has it:

1. the default
2. the user file: `~/.config/orchestra/config.toml` (or below `XDG_CONFIG_HOME`; `%APPDATA%\\orchestra\\config.toml` on \
Windows; `ORCHESTRA_CONFIG` names another)
3. the repository file: `.orchestra/config.toml` in the repository
4. an environment variable; an empty one counts as not set
5. an option of the command line

`orchestra config list` shows every value with its origin. Durations are written `500ms`, `30s`, `15m`, `2h`, `14d`; sizes \
`64KiB`, `10MiB`, `1GB`; lists in variables and on the command line with commas, or as a TOML array; commands with shell quoting, or as a \
list of words.

A repository file is written by others, so it has no say over what names programs or loosens safety. In the column \
*repository file*, **yes** means that it may set the value, **tighten** that it may only allow less than you do, **no** that it is \
ignored there with a warning.
";

const HEADER: &str =
    "| setting | holds | default | repository file | what it does |\n|---|---|---|---|---|\n";

/// The reference page as Markdown.
#[must_use]
pub fn reference_markdown() -> String {
    let mut page = String::from(INTRODUCTION);
    let mut section = "";
    for key in KEYS {
        if key.section() != section {
            section = key.section();
            page.push_str(&format!("\n## {section}\n\n{HEADER}"));
        }
        page.push_str(&row(key));
    }
    page.push_str("\n## Other environment variables\n\n| variable | what it does |\n|---|---|\n");
    let variable =
        |variable: &Variable| format!("| `{}` | {} |\n", variable.name, variable.description);
    page.extend(VARIABLES.iter().map(variable));
    page
}

fn row(key: &Key) -> String {
    let name = key.name.replace('*', "<name>");
    let default = match key.default {
        Preset::Fixed("") | Preset::Unset => "none".to_owned(),
        Preset::Fixed(text) => format!("`{text}`"),
        Preset::Derived(text) => text.to_owned(),
    };
    let scope = match key.scope {
        Scope::Anywhere => "yes",
        Scope::TightenOnly => "tighten",
        Scope::UserOnly => "no",
    };
    let (kind, description, variable) = (key.kind.label(), key.description, key.variable());
    format!("| `{name}`<br>`{variable}` | {kind} | {default} | {scope} | {description} |\n")
}

//! Other agents' command lines.

use super::Dialect;

const CODEX_SWITCHES: &[&str] = &[
    "--json",
    "--dangerously-bypass-approvals-and-sandbox",
    "--skip-git-repo-check",
    "--ephemeral",
];
const CODEX_OPTIONS: &[&str] = &[
    "--sandbox",
    "-s",
    "--model",
    "-m",
    "--cd",
    "-C",
    "--color",
    "--config",
    "-c",
];
const CLAUDE_SWITCHES: &[&str] = &[
    "-p",
    "--print",
    "--verbose",
    "--dangerously-skip-permissions",
];
const CLAUDE_OPTIONS: &[&str] = &[
    "--output-format",
    "--model",
    "--resume",
    "-r",
    "--permission-mode",
    "--settings",
    "--mcp-config",
];

/// The dialect that the arguments are of, and what Amp would be told instead.
pub(crate) fn as_amp(arguments: Vec<String>) -> Result<(Dialect, Vec<String>), String> {
    let dialect = match arguments.first().map(String::as_str) {
        Some("exec") => Dialect::Codex,
        Some("-p" | "--print") => Dialect::Claude,
        _ => return Ok((Dialect::Amp, arguments)),
    };
    let (asked, thread) = match dialect {
        Dialect::Codex => codex(&arguments[1..])?,
        _ => claude(&arguments)?,
    };
    let mut words = vec!["--no-archive-after-execute".to_owned()];
    if let Some(thread) = thread {
        words.extend(["threads".to_owned(), "continue".to_owned()]);
        words.push(format!("T-{thread}"));
    }
    words.push("-x".to_owned());
    words.extend(asked);
    words.push("--stream-json-thinking".to_owned());
    Ok((dialect, words))
}

type Parts = (Option<String>, Option<String>);

fn codex(arguments: &[String]) -> Result<Parts, String> {
    let given = Given::read(arguments, CODEX_SWITCHES, CODEX_OPTIONS)?;
    if !given.has("--json") {
        return Err("only `exec --json` is spoken here".to_owned());
    }
    let words: Vec<&str> = given.words.iter().map(String::as_str).collect();
    let (thread, prompt) = match &words[..] {
        ["resume", thread, rest @ ..] => (Some(*thread), rest.first()),
        rest => (None, rest.first()),
    };
    let prompt = prompt.filter(|prompt| **prompt != "-");
    Ok((
        prompt.map(|prompt| (*prompt).to_owned()),
        thread.map(str::to_owned),
    ))
}

fn claude(arguments: &[String]) -> Result<Parts, String> {
    let given = Given::read(arguments, CLAUDE_SWITCHES, CLAUDE_OPTIONS)?;
    if given.value("--output-format") != Some("stream-json") {
        return Err("only `--output-format stream-json` is spoken here".to_owned());
    }
    if !given.has("--verbose") {
        let text = "When using --print, --output-format=stream-json requires --verbose";
        return Err(text.to_owned());
    }
    let thread = given.value("--resume").or_else(|| given.value("-r"));
    let thread = thread.map(str::to_owned);
    Ok((given.words.first().cloned(), thread))
}

/// Arguments, told apart.
#[derive(Default)]
struct Given {
    options: Vec<(String, Option<String>)>,
    words: Vec<String>,
}

impl Given {
    fn read(arguments: &[String], switches: &[&str], options: &[&str]) -> Result<Self, String> {
        let mut given = Self::default();
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let name = argument.as_str();
            if !name.starts_with('-') || name == "-" {
                given.words.push(argument.clone());
            } else if switches.contains(&name) {
                given.options.push((argument.clone(), None));
            } else if options.contains(&name) {
                given
                    .options
                    .push((argument.clone(), arguments.next().cloned()));
            } else {
                return Err(format!("unexpected argument '{name}' found"));
            }
        }
        Ok(given)
    }

    fn has(&self, name: &str) -> bool {
        self.options.iter().any(|(known, _)| known == name)
    }

    fn value(&self, name: &str) -> Option<&str> {
        let found = self.options.iter().rfind(|(known, _)| known == name)?;
        found.1.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn amp(line: &str) -> Result<(Dialect, String), String> {
        let words = line.split_whitespace().map(str::to_owned).collect();
        as_amp(words).map(|(dialect, words)| (dialect, words.join(" ")))
    }

    #[test]
    fn other_command_lines_become_amps() {
        let expected = |dialect, words: &str| {
            let words = words.replace('<', "--no-archive-after-execute");
            Ok((dialect, words.replace('>', "--stream-json-thinking")))
        };
        assert_eq!(
            amp("exec --json --sandbox workspace-write -m x -"),
            expected(Dialect::Codex, "< -x >")
        );
        assert_eq!(
            amp("exec --json resume 01a1 -"),
            expected(Dialect::Codex, "< threads continue T-01a1 -x >")
        );
        assert_eq!(
            amp("-p --output-format stream-json --verbose --resume 5f0c hi"),
            expected(Dialect::Claude, "< threads continue T-5f0c -x hi >")
        );
        let own = "-x --stream-json";
        assert_eq!(amp(own), Ok((Dialect::Amp, own.to_owned())));
        assert!(amp("exec --json --nope").is_err());
        assert!(amp("exec -").is_err() && amp("-p hi").is_err());
    }
}

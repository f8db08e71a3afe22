//! Grammars of the names that stand in settings: agents, scripts, models, variables, branches, folders.

use std::net::IpAddr;

use orchestra_core::branch::PatternValues;
use orchestra_core::{
    BranchName, BranchPattern, SessionId, SessionName, Timestamp, fill_placeholders,
};

const LONGEST: usize = 40;
/// What DNS has room for.
const LONGEST_HOST_NAME: usize = 253;
const LONGEST_PART: usize = 63;

/// The part of a key that the user chooses, as in `scripts.<name>`.
pub(crate) fn is_chosen_name(name: &str) -> bool {
    let rest = |char: char| char.is_ascii_alphanumeric() || "-_:".contains(char);
    name.starts_with(|char: char| char.is_ascii_alphanumeric())
        && name.len() <= LONGEST
        && name.chars().all(rest)
        && name != "default"
}

/// One word that no program can take for an option.
pub(crate) fn is_word(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with('-')
        && !text.contains(|char: char| char.is_whitespace() || char.is_control())
}

/// An address of a server, without a name or password in it.
pub(crate) fn is_web_address(text: &str) -> bool {
    let rest = ["http://", "https://"]
        .iter()
        .find_map(|scheme| text.strip_prefix(scheme));
    let authority = rest.and_then(|rest| rest.split(['/', '?', '#']).next());
    is_word(text) && authority.is_some_and(|host| !host.is_empty() && !host.contains('@'))
}

/// A name, `*.` and a domain, or an address, each with a port or for any.
pub(crate) fn is_host(text: &str) -> bool {
    let is_address = |text: &str| text.parse::<IpAddr>().is_ok();
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) if !is_address(text) && !text.ends_with(']') => (host, Some(port)),
        _ => (text, None),
    };
    let bare = host.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
    let name = host.strip_prefix("*.").unwrap_or(host);
    let name = name.strip_suffix('.').unwrap_or(name);
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
    let is_label = |label: &str| !label.is_empty() && label.chars().all(is_letter);
    port.is_none_or(|port| port.parse::<u16>().is_ok())
        && (is_address(bare.unwrap_or(host)) || name.split('.').all(is_label))
}

pub(crate) fn is_one_line(text: &str) -> bool {
    !text.contains(char::is_control)
}

pub(crate) fn is_variable(name: &str) -> bool {
    let letter = |char: char| char.is_ascii_alphabetic() || char == '_';
    name.starts_with(letter)
        && name
            .chars()
            .all(|char| letter(char) || char.is_ascii_digit())
}

/// A variable and its value, from `NAME=value`.
pub(crate) fn assignment(text: &str) -> Option<(&str, &str)> {
    let (name, value) = text.split_once('=')?;
    (is_variable(name) && is_one_line(value)).then_some((name, value))
}

/// A header of a request and its value, from `Name: value`.
pub(crate) fn header(text: &str) -> Option<(&str, &str)> {
    let (name, value) = text.split_once(':')?;
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
    let value = value.trim();
    let is_right = !name.is_empty() && name.chars().all(is_letter) && !value.is_empty();
    (is_right && is_one_line(value)).then_some((name, value))
}

pub(crate) fn is_branch(name: &str) -> bool {
    name.parse::<BranchName>().is_ok()
}

/// A pattern that gives another branch name for each session.
pub(crate) fn is_branch_pattern(pattern: &str) -> bool {
    sample(pattern).is_some_and(|name| is_branch(&name))
}

/// A pattern that gives another folder name for each session, never a path.
pub(crate) fn is_folder_pattern(pattern: &str) -> bool {
    sample(pattern).is_some_and(|name| is_branch(&name) && !name.contains('/'))
}

/// A pattern that gives a host name, the same one for all sessions too. An empty one stands for this machine.
pub(crate) fn is_host_name_pattern(pattern: &str) -> bool {
    let value = |placeholder: &str| match placeholder {
        "{slug}" | "{id}" | "{issue}" | "{compose_project}" => Ok("x".to_owned()),
        _ => Err(()),
    };
    let filled = fill_placeholders(pattern, value);
    filled.is_ok_and(|name| name.is_empty() || is_host_name(&name))
}

fn is_host_name(name: &str) -> bool {
    let is_part = |part: &str| {
        let is_plain = |char: char| char.is_ascii_alphanumeric() || char == '-';
        !part.is_empty()
            && part.len() <= LONGEST_PART
            && !part.starts_with('-')
            && !part.ends_with('-')
            && part.chars().all(is_plain)
    };
    name.len() <= LONGEST_HOST_NAME && name.split('.').all(is_part)
}

/// The pattern filled with plain values, if it has known placeholders, and at least one.
fn sample(pattern: &str) -> Option<String> {
    let id = SessionId::from_random([0; 8]);
    let name: SessionName = "name".parse().ok()?;
    let created_at = Timestamp::UNIX_EPOCH;
    let values = PatternValues {
        id: &id,
        name: &name,
        issue: Some("1"),
        created_at,
    };
    let filled = BranchPattern(pattern.to_owned()).fill(values).ok()?;
    Some(filled).filter(|filled| filled != pattern)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_patterns_and_words_that_could_bite_are_refused() {
        type Check = fn(&str) -> bool;
        let table: [(Check, &[&str], &[&str]); 7] = [
            (
                is_chosen_name,
                &["amp", "claude-code", "test:unit", "a_b"],
                &["", "-a", "a b", "a.b", "default"],
            ),
            (
                is_word,
                &["gpt-5", "a/b:c"],
                &["", "-x", "--yolo", "a b", "a\nb"],
            ),
            (
                is_variable,
                &["PATH", "_x1"],
                &["", "1A", "A=B", "A-B", "Ä"],
            ),
            (
                is_branch,
                &["main", "release/1"],
                &["", "-x", "a..b", "a b"],
            ),
            (
                is_branch_pattern,
                &["amp/{slug}/{timestamp}", "x-{issue}"],
                &["", "main", "{nope}", "{slug", "-{id}", "a b{id}"],
            ),
            (
                is_folder_pattern,
                &["{id}", "issue-{issue}"],
                &[
                    "", "fixed", "../{id}", "a/{id}", ".{id}", "-{id}", "{id}\\x",
                ],
            ),
            (
                is_host_name_pattern,
                &["", "{slug}-{id}.localhost", "127.0.0.1", "i{issue}.My-host"],
                &[
                    " ",
                    "a b",
                    "a_b",
                    "http://a",
                    "a:80",
                    "a/b",
                    "-a",
                    "a-.b",
                    "a..b",
                    "a.",
                    "{branch}.localhost",
                    "{id",
                    "ä",
                ],
            ),
        ];
        for (check, good, bad) in table {
            assert!(good.iter().all(|text| check(text)), "{good:?}");
            assert!(!bad.iter().any(|text| check(text)), "{bad:?}");
        }
    }
}

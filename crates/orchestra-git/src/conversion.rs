//! Whether git would convert contents, or write something else than files and links, when it writes files of a worktree.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::configuration::Configuration;
use crate::declined::Declined;
use crate::program::Git;
use crate::repository::Repository;
use crate::worktree::Worktree;

/// Settings that must be off, and settings that must not be.
const OFF: &[&str] = &[
    "core.autocrlf",
    "core.ignorecase",
    "core.precomposeunicode",
    "core.sparsecheckout",
];
const ON: &[&str] = &["core.filemode", "core.symlinks"];

/// No setting asks for more than writing stored bytes.
pub(crate) fn require_plain_settings(worktree: &Worktree) -> Result<(), Declined> {
    let configuration = worktree.repository().configuration();
    let own = worktree.admin_dir().join("config.worktree");
    if !is_plain(configuration) || own.exists() {
        return Err(Declined::Unsuited("a setting asks for more"));
    }
    Ok(())
}

/// No attribute file outside the tree asks for a conversion.
pub(crate) fn require_plain_attributes(repository: &Repository) -> Result<(), Declined> {
    let mut files = systems_files(repository.git());
    files.extend(users_file(repository));
    files.push(repository.common_dir().join("info/attributes"));
    files.iter().try_for_each(|file| require_plain_file(file))
}

/// An attribute file does not ask for a conversion.
pub(crate) fn require_none(attributes: &[u8]) -> Result<(), Declined> {
    if may_convert(attributes) {
        return Err(Declined::Unsuited("an attribute asks for a conversion"));
    }
    Ok(())
}

fn is_plain(configuration: &Configuration) -> bool {
    let is_off = |key: &&str| !configuration.is_on(key).unwrap_or(false);
    let is_on = |key: &&str| configuration.is_on(key).unwrap_or(true);
    let keeps_lines = matches!(
        configuration.value("core.eol"),
        None | Some("lf" | "native")
    );
    let has_all_objects = !configuration.is_partial_clone();
    OFF.iter().all(is_off) && ON.iter().all(is_on) && keeps_lines && has_all_objects
}

/// The file for all users: where git was built to look for it, which is one of these.
fn systems_files(git: &Git) -> Vec<PathBuf> {
    let found = git.located();
    let real = found.as_ref().and_then(|path| path.canonicalize().ok());
    let prefixes = [found, real].into_iter().flatten();
    let prefixes = prefixes.filter_map(|path| path.ancestors().nth(2).map(Path::to_owned));
    prefixes
        .chain([PathBuf::from("/")])
        .map(|prefix| prefix.join("etc/gitattributes"))
        .collect()
}

fn users_file(repository: &Repository) -> Option<PathBuf> {
    match repository.configuration().value("core.attributesfile") {
        Some(path) => Some(path.into()),
        None => Some(
            repository
                .git()
                .environment()
                .config_home()?
                .join("git/attributes"),
        ),
    }
}

fn require_plain_file(path: &Path) -> Result<(), Declined> {
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => require_none(&std::fs::read(path)?),
        Ok(_) => Err(Declined::Unsuited("an attribute file is not a file")),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(())
        }
        Err(error) => Err(error.into()),
    }
}

/// Every word is looked at, whichever files the line is about: too many hits only cost time.
fn may_convert(attributes: &[u8]) -> bool {
    let lines = attributes.split(|byte| *byte == b'\n');
    let mut rules = lines
        .map(<[u8]>::trim_ascii_start)
        .filter(|line| !line.starts_with(b"#"));
    rules.any(|rule| rule.split(u8::is_ascii_whitespace).any(converts))
}

/// `text` and `eol=lf` change what is stored and not what is written; `-name` and `!name` only take away.
fn converts(word: &[u8]) -> bool {
    let mut parts = word.splitn(2, |byte| *byte == b'=');
    let (name, value) = (parts.next().unwrap_or_default(), parts.next());
    match name {
        b"filter" | b"ident" | b"working-tree-encoding" | b"crlf" => true,
        b"eol" => value != Some(b"lf"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_are_seen_wherever_they_are() {
        for text in [
            "*.bin filter=lfs diff=lfs -text",
            "\t*.bat text eol=crlf\r\n",
            "a\n[attr]mine working-tree-encoding=UTF-16\n",
            "\"a b\" ident",
            "* crlf=input",
            "* eol",
        ] {
            assert!(may_convert(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn rules_without_a_conversion_are_plain() {
        for text in [
            "",
            "  # *.bin filter=lfs",
            "* text=auto\n*.sh text eol=lf\r\n*.png binary -filter !ident -eol",
            "*.html linguist-language=django diff=html merge=union export-ignore",
        ] {
            assert!(!may_convert(text.as_bytes()), "{text}");
        }
    }
}

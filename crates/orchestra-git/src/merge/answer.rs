//! Reads what `merge-tree -z` prints, for one merge or for many.

use std::path::PathBuf;

use super::aside::{put_aside, with_real_names};
use super::{MergeMessage, MergeResult, gather_versions};
use crate::byte_path::from_bytes;
use crate::index_entry::Indexed;

/// The kind that git gives to messages about bytes that are no text.
const BINARY: &str = "CONFLICT (binary)";

/// One merge: the tree, then, if there are conflicts, the versions and the messages.
pub(super) fn parse_one(bytes: &[u8], is_clean: bool) -> Option<MergeResult> {
    let mut tokens = bytes.split(|byte| *byte == 0);
    let result = read_merge(&mut tokens, is_clean)?;
    tokens.all(<[u8]>::is_empty).then_some(result)
}

/// Many merges, each with its own verdict in front.
pub(super) fn parse_many(bytes: &[u8]) -> Option<Vec<MergeResult>> {
    let mut results = Vec::new();
    let mut tokens = bytes.split(|byte| *byte == 0);
    while let Some(verdict) = tokens.next().filter(|verdict| !verdict.is_empty()) {
        let is_clean = match verdict {
            b"1" => true,
            b"0" => false,
            _ => return None,
        };
        results.push(read_merge(&mut tokens, is_clean)?);
        if is_clean {
            tokens.next()?;
        }
    }
    Some(results)
}

fn read_merge<'a>(
    tokens: &mut impl Iterator<Item = &'a [u8]>,
    is_clean: bool,
) -> Option<MergeResult> {
    let tree = text(tokens.next()?)?.parse().ok()?;
    let mut result = MergeResult {
        tree,
        conflicts: Vec::new(),
        aside: Vec::new(),
        messages: Vec::new(),
    };
    if is_clean {
        return Some(result);
    }
    let mut versions = Vec::new();
    while let Some(token) = Some(tokens.next()?).filter(|token| !token.is_empty()) {
        versions.push(Indexed::parse(token)?);
    }
    result.conflicts = gather_versions(versions)?;
    while let Some(count) = tokens.next().and_then(number) {
        result.messages.push(read_message(count, tokens)?);
    }
    mark_binary(&mut result);
    result.aside = put_aside(&result.messages);
    result.conflicts = with_real_names(result.conflicts, &result.aside);
    (!result.messages.is_empty()).then_some(result)
}

/// The number of paths, the paths, the kind, the text.
fn read_message<'a>(
    count: usize,
    tokens: &mut impl Iterator<Item = &'a [u8]>,
) -> Option<MergeMessage> {
    let paths: Vec<PathBuf> = tokens.by_ref().take(count).map(from_bytes).collect();
    let lossy = |token| String::from_utf8_lossy(token).trim_end().to_owned();
    let (kind, text) = (lossy(tokens.next()?), lossy(tokens.next()?));
    Some(MergeMessage { paths, kind, text })
}

fn mark_binary(result: &mut MergeResult) {
    let said = |message: &&MergeMessage| message.kind == BINARY;
    let paths = || {
        result
            .messages
            .iter()
            .filter(said)
            .flat_map(|one| &one.paths)
    };
    for file in &mut result.conflicts {
        file.is_binary = paths().any(|path| *path == file.path);
    }
}

/// The end of the messages is empty, or, before git 2.42 and for submodules, advice for people.
fn number(token: &[u8]) -> Option<usize> {
    text(token)?.parse().ok()
}

fn text(token: &[u8]) -> Option<&str> {
    std::str::from_utf8(token).ok()
}

#[cfg(test)]
mod tests {
    use orchestra_core::{ConflictContent, ConflictKind};

    use super::*;

    fn conflict() -> String {
        let (tree, one, two) = ("a".repeat(40), "1".repeat(40), "2".repeat(40));
        format!(
            "{tree}\0100644 {one} 1\tbin\0100644 {two} 2\tbin\0100644 {one} 3\tbin\0100755 {one} 2\tb c\n\0\
             \x001\0bin\0CONFLICT (binary)\0warning: Cannot merge\n\x002\0x\0y\0CONFLICT (rename/delete)\0said\n\0"
        )
    }

    #[test]
    fn versions_are_gathered_by_path() {
        let result = parse_one(conflict().as_bytes(), false).unwrap();
        let [binary, added] = result.conflicts.as_slice() else {
            panic!("{result:?}")
        };
        assert_eq!(binary.content(), ConflictContent::Binary);
        assert_eq!(binary.kind(), ConflictKind::BothModified);
        assert_eq!(added.kind(), ConflictKind::AddedByUs);
        assert_eq!(added.path, PathBuf::from("b c\n"));
        assert_eq!(result.messages[1].paths.len(), 2);
        assert_eq!(result.messages[1].text, "said");
        assert!(!result.is_clean());
    }

    #[test]
    fn what_git_put_aside_has_its_real_name() {
        let (tree, one) = ("a".repeat(40), "1".repeat(40));
        let answer = format!(
            "{tree}\0100644 {one} 2\ta~main\x00120000 {one} 3\tb\x00100644 {one} 1\tb~main\x00100644 {one} 2\tb~main\0\
             \x002\0a~main\0a\0CONFLICT (file/directory)\0said\n\x002\0b\0b~main\0CONFLICT (distinct modes)\0said\n\0"
        );
        let result = parse_one(answer.as_bytes(), false).unwrap();
        let shown: Vec<_> = result
            .conflicts
            .iter()
            .map(|file| format!("{} {}", file.path.display(), file.kind()))
            .collect();
        assert_eq!(shown, ["a file/directory", "b distinct types"]);
        assert!(result.conflicts[1].base.is_some());
        let aside: Vec<_> = result.aside.iter().map(|one| one.name.clone()).collect();
        assert_eq!(aside, [PathBuf::from("a~main"), PathBuf::from("b~main")]);
    }

    #[test]
    fn many_answers_follow_each_other() {
        let tree = "b".repeat(40);
        let text = format!("0\0{}\x001\0{tree}\0\x001\0{tree}\0\0", conflict());
        let results = parse_many(text.as_bytes()).unwrap();
        assert_eq!(results.len(), 3);
        assert_eq!(results[0].messages.len(), 2);
        assert!(results[1].is_clean() && results[2].is_clean());
        assert_eq!(parse_many(b""), Some(Vec::new()));
    }

    #[test]
    fn advice_may_stand_at_the_end() {
        let advised = format!("{}Recursive merging\nwith submodules\n", conflict());
        let result = parse_one(advised.as_bytes(), false).unwrap();
        assert_eq!(result.messages.len(), 2);
        let tree = "b".repeat(40);
        let many = format!("0\0{advised}\x001\0{tree}\0\0");
        assert_eq!(parse_many(many.as_bytes()).unwrap().len(), 2);
    }

    #[test]
    fn a_cut_answer_is_refused() {
        let whole = conflict();
        let messages = whole.find("CONFLICT (binary)").unwrap();
        for length in 0..=messages {
            assert_eq!(parse_one(&whole.as_bytes()[..length], false), None);
        }
        let tree = "b".repeat(40);
        assert_eq!(parse_many(format!("7\0{tree}\0\0").as_bytes()), None);
        assert_eq!(parse_one(format!("{tree}\0x\0").as_bytes(), true), None);
        let odd = format!("{tree}\x00100644 {tree} 4\ta\0\0");
        assert_eq!(parse_one(odd.as_bytes(), false), None);
        let folder = format!("{tree}\x00040000 {tree} 1\ta\0\0");
        assert_eq!(parse_one(folder.as_bytes(), false), None);
    }
}

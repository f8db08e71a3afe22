//! What `git push --porcelain` reports: `flag TAB from:to TAB summary`, one line per branch.

use orchestra_core::PushedAs;

/// What became of one branch.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Report {
    Done(PushedAs),
    /// git did not even ask: commits would be lost.
    RefusedHere,
    /// The remote said no.
    RefusedThere(String),
}

/// The report on one branch.
pub(super) fn find(stdout: &[u8], full_name: &str) -> Option<Report> {
    let text = String::from_utf8_lossy(stdout);
    text.lines().find_map(|line| read(line, full_name))
}

fn read(line: &str, full_name: &str) -> Option<Report> {
    let mut fields = line.splitn(3, '\t');
    let (flag, names, summary) = (fields.next()?, fields.next()?, fields.next()?);
    let (_, to) = names.rsplit_once(':')?;
    if to != full_name {
        return None;
    }
    let report = match flag {
        "*" => Report::Done(PushedAs::NewBranch),
        " " => Report::Done(PushedAs::FastForward),
        "+" => Report::Done(PushedAs::Forced),
        "=" => Report::Done(PushedAs::UpToDate),
        "!" if summary.starts_with("[rejected]") => Report::RefusedHere,
        "!" => Report::RefusedThere(reason(summary)),
        _ => return None,
    };
    Some(report)
}

/// What is in the brackets at the end, in one line without control characters: it comes from the remote.
fn reason(summary: &str) -> String {
    let inner = summary
        .split_once('(')
        .map_or(summary, |(_, rest)| rest.trim_end_matches(')'));
    orchestra_core::visible_line(inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: &str = "refs/heads/x";

    fn report(line: &str) -> Option<Report> {
        find(format!("To /r\n{line}\nDone\n").as_bytes(), NAME)
    }

    #[test]
    fn every_flag_is_known() {
        let cases = [
            ("*\tabc:refs/heads/x\t[new branch]", PushedAs::NewBranch),
            (" \tabc:refs/heads/x\t1..2", PushedAs::FastForward),
            (
                "+\tabc:refs/heads/x\t1...2 (forced update)",
                PushedAs::Forced,
            ),
            ("=\tabc:refs/heads/x\t[up to date]", PushedAs::UpToDate),
        ];
        for (line, how) in cases {
            assert_eq!(report(line), Some(Report::Done(how)), "{line}");
        }
        let stale = "!\tabc:refs/heads/x\t[rejected] (stale info)";
        assert_eq!(report(stale), Some(Report::RefusedHere));
        let declined = "!\tabc:refs/heads/x\t[remote rejected] (hook declined)";
        let reason = "hook declined".to_owned();
        assert_eq!(report(declined), Some(Report::RefusedThere(reason)));
        let bare = "!\tabc:refs/heads/x\t[remote failure]";
        let reason = "[remote failure]".to_owned();
        assert_eq!(report(bare), Some(Report::RefusedThere(reason)));
    }

    #[test]
    fn other_lines_are_not_a_report() {
        assert_eq!(report("-\t:refs/heads/x\t[deleted]"), None);
        assert_eq!(report("*\tabc:refs/heads/y\t[new branch]"), None);
        assert_eq!(report("*\tabc\t[new branch]"), None);
        assert_eq!(report("nothing"), None);
    }
}

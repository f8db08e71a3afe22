//! What `session list --json` says, as far as the demo shows it.

use serde::Deserialize;

use crate::failure::Failure;

#[derive(Debug, Deserialize)]
pub(super) struct Listing {
    sessions: Vec<Session>,
}

#[derive(Debug, Deserialize)]
struct Session {
    name: String,
    status: String,
    ahead: Option<u32>,
    last_iteration: Option<Iteration>,
}

#[derive(Debug, Deserialize)]
struct Iteration {
    number: u32,
    files_changed: Option<u32>,
    script_passed: Option<bool>,
}

impl Listing {
    pub(super) fn parse(text: &str) -> Result<Self, Failure> {
        let mut listing: Self = serde_json::from_str(text).map_err(|error| {
            Failure::new("cannot read what `session list --json` printed").because(error)
        })?;
        listing
            .sessions
            .sort_by(|left, right| left.name.cmp(&right.name));
        Ok(listing)
    }

    /// One line a session.
    pub(super) fn lines(&self) -> Vec<String> {
        self.sessions.iter().map(Session::line).collect()
    }

    /// Fails when one of the named sessions has nothing to show.
    pub(super) fn require_work(&self, names: &[&str]) -> Result<(), Failure> {
        let done = |name: &str| {
            let session = self.sessions.iter().find(|session| session.name == name);
            session.is_some_and(Session::has_work)
        };
        match names.iter().find(|name| !done(name)) {
            Some(name) => Err(Failure::new(format!(
                "session `{name}` ended without a commit"
            ))),
            None => Ok(()),
        }
    }
}

impl Session {
    fn has_work(&self) -> bool {
        let files = self.last_iteration.as_ref().and_then(|it| it.files_changed);
        files.max(self.ahead).is_some_and(|count| count > 0)
    }

    fn line(&self) -> String {
        let work = self.last_iteration.as_ref().map(Iteration::text);
        let line = format!(
            "  {:<14} {:<14} {}",
            self.name,
            self.status,
            work.unwrap_or_default()
        );
        line.trim_end().to_owned()
    }
}

impl Iteration {
    fn text(&self) -> String {
        let mut parts = vec![format!("iteration {}", self.number)];
        match self.files_changed {
            Some(1) => parts.push("1 file changed".to_owned()),
            Some(count) => parts.push(format!("{count} files changed")),
            None => {}
        }
        match self.script_passed {
            Some(true) => parts.push("tests passed".to_owned()),
            Some(false) => parts.push("tests failed".to_owned()),
            None => {}
        }
        parts.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{"seq": 7, "sessions": [
        {"name": "b", "status": "running", "ahead": null, "last_iteration": {"number": 1}},
        {"name": "a", "status": "idle", "ahead": 1,
         "last_iteration": {"number": 2, "files_changed": 3, "script_passed": false}},
        {"name": "c", "status": "idle", "ahead": 0, "last_iteration": null}]}"#;

    #[test]
    fn each_session_has_a_line() {
        let lines = Listing::parse(TEXT).unwrap().lines();
        assert_eq!(
            lines,
            [
                "  a              idle           iteration 2, 3 files changed, tests failed",
                "  b              running        iteration 1",
                "  c              idle",
            ]
        );
    }

    #[test]
    fn a_session_without_a_commit_is_named() {
        let listing = Listing::parse(TEXT).unwrap();
        assert!(listing.require_work(&["a"]).is_ok());
        assert!(listing.require_work(&["b"]).is_err());
        let failure = listing.require_work(&["a", "c"]).unwrap_err();
        assert_eq!(failure.to_string(), "session `c` ended without a commit");
        assert!(listing.require_work(&["absent"]).is_err());
    }
}

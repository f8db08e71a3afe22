//! Finding sessions and repositories by what people type.

use std::path::Path;

use orchestra_core::{Repository, RepositoryId, Session, SessionName};
use orchestra_store::Tx;

use crate::view::SessionView;
use crate::{Engine, EngineError};

/// How much of an id must be given for a session of another repository: fewer letters are a slip too easily.
const FAR_PREFIX: usize = 4;

impl Engine {
    /// The session that an id, a unique prefix of one, or a name means. Whoever stands in a repository means one of its
    /// sessions, unless enough of another one's id is given.
    ///
    /// # Errors
    /// If none or several fit.
    pub fn find_session(
        &self,
        text: &str,
        repository: Option<&Repository>,
    ) -> Result<SessionView, EngineError> {
        self.store.read(|tx| {
            let matches = tx.sessions_matching(text)?;
            let repositories = tx.repositories()?;
            let chosen = choose(text, &matches, repository, &repositories)?;
            self.view_in(tx, &chosen.id)
        })
    }

    /// All repositories in which a session was ever made.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn repositories(&self) -> Result<Vec<Repository>, EngineError> {
        self.store.read(|tx| Ok(tx.repositories()?))
    }

    /// The repository with this main checkout, if any session was ever made in it.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn known_repository(&self, root: &Path) -> Result<Option<Repository>, EngineError> {
        let mut known = self.repositories()?.into_iter();
        Ok(known.find(|repository| repository.root == root))
    }
}

/// Refuses a name that is the id of another session: commands could not tell the two apart.
pub(crate) fn require_no_id(tx: &Tx<'_>, session: &Session) -> Result<(), EngineError> {
    let (id, name) = (&session.id, session.name.as_str());
    let holds = |other: &Session| other.id.as_str() == name && &other.id != id;
    match tx.sessions_matching(name)?.into_iter().find(holds) {
        Some(holder) => Err(EngineError::NameIsId {
            holder: holder.id,
            holder_name: holder.name,
        }),
        None => Ok(()),
    }
}

/// The refusal of a name that another session of the repository has.
pub(crate) fn name_taken(
    tx: &Tx<'_>,
    repository: RepositoryId,
    name: &SessionName,
) -> Result<EngineError, EngineError> {
    let same = |session: &Session| session.repository == repository && &session.name == name;
    let holder = tx.sessions_matching(name.as_str())?.into_iter().find(same);
    Ok(match holder {
        Some(holder) => EngineError::NameTaken {
            name: name.to_string(),
            holder: holder.id,
        },
        None => EngineError::Reserved {
            what: "the name".to_owned(),
        },
    })
}

/// An exact id wins unless it is somebody's name too, then a name in the current repository, then a prefix there, then a name
/// if there is no current repository, then a prefix elsewhere.
fn choose<'a>(
    text: &str,
    matches: &'a [Session],
    repository: Option<&Repository>,
    repositories: &[Repository],
) -> Result<&'a Session, EngineError> {
    let is_id = matches.iter().any(|session| session.id.as_str() == text);
    let is_named = |session: &Session| session.name.as_str() == text;
    let is_here = |session: &Session| repository.is_some_and(|here| here.id == session.repository);
    let is_prefix = |session: &Session| session.id.as_str().starts_with(text);
    let having = |wanted: &dyn Fn(&Session) -> bool| -> Vec<&'a Session> {
        matches.iter().filter(|session| wanted(session)).collect()
    };
    let candidates = [
        having(&|it| is_id && (it.id.as_str() == text || is_named(it))),
        having(&|it| is_here(it) && is_named(it)),
        having(&|it| is_here(it) && is_prefix(it)),
        having(&|it| repository.is_none() && is_named(it)),
        having(&|it| text.len() >= FAR_PREFIX && is_prefix(it)),
    ]
    .into_iter()
    .find(|group| !group.is_empty())
    .unwrap_or_default();
    match candidates.as_slice() {
        [only] => Ok(only),
        [] => Err(EngineError::SessionNotFound {
            text: text.to_owned(),
        }),
        several => Err(EngineError::SessionAmbiguous {
            text: text.to_owned(),
            matches: several
                .iter()
                .map(|session| labelled(session, several, repositories))
                .collect(),
        }),
    }
}

/// Id and name, and where it is if the others are elsewhere.
fn labelled(session: &Session, others: &[&Session], repositories: &[Repository]) -> String {
    let (id, name) = (&session.id, &session.name);
    let is_alone = others.iter().all(|it| it.repository == session.repository);
    let mut known = repositories.iter();
    match known.find(|it| it.id == session.repository && !is_alone) {
        Some(repository) => format!("{id} ({name} in {})", repository.root.display()),
        None => format!("{id} ({name})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::session_named;

    fn session(id: &str, repository: i64, name: &str) -> Session {
        Session {
            id: id.parse().unwrap(),
            repository: RepositoryId(repository),
            ..session_named(name)
        }
    }

    fn repository(id: i64) -> Repository {
        Repository {
            id: RepositoryId(id),
            root: "/r".into(),
            common_dir: "/r/.git".into(),
        }
    }

    #[test]
    fn the_closest_meaning_wins() {
        let sessions = [
            session("bcdfgh", 1, "fix"),
            session("bcdxyz", 2, "fix"),
            session("22bcdf", 1, "bcdfgh"),
        ];
        let find = |text: &str, matches: &[usize], here: Option<i64>| {
            let matches: Vec<Session> = matches
                .iter()
                .map(|index| sessions[*index].clone())
                .collect();
            choose(
                text,
                &matches,
                here.map(repository).as_ref(),
                &[repository(1)],
            )
            .map(|session| session.id.to_string())
        };
        assert_eq!(find("bcdfgh", &[0], None).unwrap(), "bcdfgh");
        assert!(matches!(
            find("bcdfgh", &[0, 2], Some(1)),
            Err(EngineError::SessionAmbiguous { .. })
        ));
        assert_eq!(find("fix", &[0, 1], Some(2)).unwrap(), "bcdxyz");
        assert!(matches!(
            find("fix", &[0, 1], None),
            Err(EngineError::SessionAmbiguous { .. })
        ));
        assert_eq!(find("bcdx", &[1], None).unwrap(), "bcdxyz");
        assert_eq!(find("bcdx", &[1], Some(1)).unwrap(), "bcdxyz");
        assert_eq!(find("b", &[0, 1], Some(2)).unwrap(), "bcdxyz");
        for (text, here) in [("bcd", Some(3)), ("b", None), ("fix", Some(3))] {
            let found = find(text, &[0], here);
            let is_missing = matches!(found, Err(EngineError::SessionNotFound { .. }));
            assert!(is_missing, "{text}: {found:?}");
        }
        assert!(matches!(
            find("zzz", &[], None),
            Err(EngineError::SessionNotFound { .. })
        ));
    }
}

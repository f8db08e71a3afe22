//! Which commit of a base was taken, in words.

use orchestra_core::Timestamp;
use orchestra_engine::{Base, BaseSource, Fetched, Relation};

use crate::time;

/// Which commit was taken as the base, when that is not obvious.
pub fn note(base: &Base) -> Option<String> {
    joined([which(base), age(base)])
}

/// The same for work that lands there. That a base is ahead of its remote is what landing does to it.
pub fn landing_note(base: &Base) -> Option<String> {
    match base.relation {
        Relation::Ahead(_) => age(base),
        _ => note(base),
    }
}

fn which(base: &Base) -> Option<String> {
    let name = &base.name;
    match (base.used, base.relation) {
        (BaseSource::Remote, Relation::Behind(count)) => Some(format!(
            "your {name} is {count} commit(s) behind its remote; the remote's is used"
        )),
        (BaseSource::Remote, _) => Some(format!("{name} exists only on the remote, which is used")),
        (BaseSource::Local, Relation::Ahead(count)) => Some(format!(
            "your {name} is {count} commit(s) ahead of its remote; yours is used"
        )),
        (BaseSource::Local, Relation::Diverged { ahead, behind }) => Some(format!(
            "your {name} and its remote have diverged ({ahead} ahead, {behind} behind); yours is used"
        )),
        (BaseSource::Local, _) => None,
    }
}

fn age(base: &Base) -> Option<String> {
    let Fetched::Before {
        failure: Some(failure),
        last,
    } = &base.fetched
    else {
        return None;
    };
    let age = last.and_then(|last| Timestamp::try_from(last).ok());
    let age = age.map_or(
        "it is not known when it was last fetched".to_owned(),
        |at| format!("last fetched {}", time::ago(at)),
    );
    Some(format!("the remote could not be asked ({failure}); {age}"))
}

fn joined(notes: [Option<String>; 2]) -> Option<String> {
    let notes: Vec<_> = notes.into_iter().flatten().collect();
    (!notes.is_empty()).then(|| notes.join("; "))
}

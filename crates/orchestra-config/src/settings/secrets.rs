//! The places of all secrets that settings name, used or not.

use orchestra_core::SecretSource;

use super::Reader;
use crate::keys;
use crate::kind::Kind;
use crate::names;
use crate::typed::Typed;

pub(super) fn places(reader: &Reader<'_>) -> Vec<SecretSource> {
    let values = reader.values.iter();
    let named = values.filter_map(|(name, value)| Some((keys::find_named(name)?.kind, *value)));
    named
        .flat_map(|(kind, value)| of_value(kind, value))
        .collect()
}

fn of_value(kind: Kind, value: &Typed) -> Vec<SecretSource> {
    let place: fn(&str) -> Option<&str> = match kind {
        Kind::SecretSource => |text| Some(text),
        Kind::SecretAssignments => |entry| names::assignment(entry).map(|(_, place)| place),
        Kind::SecretHeaders => |entry| names::header(entry).map(|(_, place)| place),
        _ => return Vec::new(),
    };
    let texts = match value {
        Typed::Text(text) => std::slice::from_ref(text),
        Typed::List(entries) => entries,
        _ => &[],
    };
    let places = texts.iter().filter_map(|text| place(text));
    places.filter_map(|text| text.parse().ok()).collect()
}

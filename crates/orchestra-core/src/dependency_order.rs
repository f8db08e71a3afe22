//! An order in which everything comes after what it depends on.

/// Puts things into an order in which the second of each pair comes before the first. Otherwise the given order stays.
///
/// # Errors
/// Those that depend on each other in a circle, or on such ones.
pub fn dependency_order<Thing: Clone + PartialEq>(
    things: &[Thing],
    depends: &[(Thing, Thing)],
) -> Result<Vec<Thing>, Vec<Thing>> {
    let mut rest = things.to_vec();
    let mut ordered = Vec::with_capacity(rest.len());
    while !rest.is_empty() {
        let is_free = |thing: &Thing| {
            let mut earlier = depends
                .iter()
                .filter(|(later, _)| later == thing)
                .map(|(_, earlier)| earlier);
            earlier.all(|earlier| !rest.contains(earlier))
        };
        let Some(next) = rest.iter().position(is_free) else {
            return Err(rest);
        };
        ordered.push(rest.remove(next));
    }
    Ok(ordered)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Case = (
        &'static str,
        &'static [(char, char)],
        Result<&'static str, &'static str>,
    );

    #[test]
    fn what_others_need_comes_first() {
        let cases: &[Case] = &[
            ("", &[], Ok("")),
            ("abc", &[], Ok("abc")),
            ("abc", &[('a', 'c')], Ok("bca")),
            ("abc", &[('a', 'b'), ('b', 'c')], Ok("cba")),
            ("abc", &[('a', 'x')], Ok("abc")),
            ("abc", &[('a', 'b'), ('b', 'a')], Err("ab")),
            ("ab", &[('a', 'a')], Err("a")),
            ("abcd", &[('a', 'b'), ('b', 'a'), ('d', 'a')], Err("abd")),
        ];
        for (things, depends, expected) in cases {
            let things: Vec<char> = things.chars().collect();
            let found = dependency_order(&things, depends);
            let text = |list: Vec<char>| list.into_iter().collect::<String>();
            let found = found.map(text).map_err(text);
            let expected = expected.map(str::to_owned).map_err(str::to_owned);
            assert_eq!(found, expected, "{things:?} {depends:?}");
        }
    }
}

//! Where links lead, without following them.

use std::path::{Component, Path};

/// Whether a link at `path`, below some top directory, leads to something below it. A way up after a name counts as
/// leading out: that name may be a link itself, and up from there is anywhere.
pub(super) fn stays_inside(path: &Path, target: &Path) -> bool {
    let depth = path.components().count().saturating_sub(1);
    let parts = || {
        target
            .components()
            .skip_while(|part| *part == Component::CurDir)
    };
    let ups = parts()
        .take_while(|part| *part == Component::ParentDir)
        .count();
    let mut rest = parts().skip(ups);
    ups <= depth && rest.all(|part| matches!(part, Component::Normal(name) if name != ".git"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_stay_inside_or_do_not() {
        for (path, target, expected) in [
            ("a", "b", true),
            ("a", "./b/c", true),
            ("a/b", "../c", true),
            ("a/b/c", "../../d", true),
            ("a", "../b", false),
            ("a/b", "../../c", false),
            ("a/b", "/etc/passwd", false),
            ("a/b/c", "d/../x", false),
            ("a", ".git/config", false),
        ] {
            let stays = stays_inside(Path::new(path), Path::new(target));
            assert_eq!(stays, expected, "{path} -> {target}");
        }
    }
}

//! Where links lead, without following them.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

/// What a link at `path`, below the top of the main checkout, leads to in a worktree; `None` if it leads out of the repository.
///
/// A relative link leads to the same place in either. One that names a place in the main checkout would make a session work on
/// files of the user, so it becomes a relative one to that place in the worktree.
pub(super) fn in_worktree(path: &Path, target: &Path, tops: &[PathBuf]) -> Option<PathBuf> {
    let depth = path.components().count().saturating_sub(1);
    if !target.has_root() {
        return stays_inside(depth, target).then(|| target.to_owned());
    }
    let below = tops.iter().find_map(|top| target.strip_prefix(top).ok())?;
    let ups = std::iter::repeat_n(OsStr::new(".."), depth);
    let inside: PathBuf = ups.chain(below).collect();
    let is_top = inside.as_os_str().is_empty();
    below.components().all(is_plain).then(|| match is_top {
        true => PathBuf::from("."),
        false => inside,
    })
}

/// Whether a link so many directories deep leads to something below the top. A way up after a name counts as leading out: that
/// name may be a link itself, and up from there is anywhere.
fn stays_inside(depth: usize, target: &Path) -> bool {
    let parts = || {
        target
            .components()
            .skip_while(|part| *part == Component::CurDir)
    };
    let ups = parts()
        .take_while(|part| *part == Component::ParentDir)
        .count();
    ups <= depth && parts().skip(ups).all(is_plain)
}

fn is_plain(part: Component<'_>) -> bool {
    matches!(part, Component::Normal(name) if name != ".git")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn led(path: &str, target: &str) -> Option<String> {
        let tops = ["/home/me/shop", "/mnt/shop"].map(PathBuf::from);
        let led = in_worktree(Path::new(path), Path::new(target), &tops)?;
        Some(led.to_string_lossy().into_owned())
    }

    #[test]
    fn relative_links_stay_inside_or_do_not() {
        for (path, target, stays) in [
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
            let expected = stays.then(|| target.to_owned());
            assert_eq!(led(path, target), expected, "{path} -> {target}");
        }
    }

    #[test]
    fn links_into_the_main_checkout_lead_into_the_worktree() {
        for (path, target, expected) in [
            ("a/b/c", "/home/me/shop/lib/x", Some("../../lib/x")),
            ("a/b", "/mnt/shop/a/x", Some("../a/x")),
            ("a", "/home/me/shop/b", Some("b")),
            ("a/b", "/home/me/shop", Some("..")),
            ("a", "/home/me/shop/", Some(".")),
            ("a/b", "/home/me/shop-other/x", None),
            ("a/b", "/home/me/shop/../other", None),
            ("a/b", "/home/me/shop/.git/config", None),
            ("a/b", "/home/me", None),
        ] {
            let expected = expected.map(str::to_owned);
            assert_eq!(led(path, target), expected, "{path} -> {target}");
        }
    }
}

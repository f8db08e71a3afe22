//! Finding the main checkout a directory belongs to, by looking at files alone: it happens before every command.

use std::fs;
use std::path::{Path, PathBuf};

/// The top directory of the main checkout that `start` is in, also from within a linked worktree.
#[must_use]
pub fn main_checkout_of(start: &Path) -> Option<PathBuf> {
    let start = start.canonicalize().ok()?;
    let top = start
        .ancestors()
        .find(|directory| directory.join(".git").exists())?;
    if top.join(".git").is_dir() {
        return Some(top.to_owned());
    }
    // A link that leads nowhere: the repository may have been moved with its worktrees inside.
    linked_checkout(top).or_else(|| main_checkout_of(top.parent()?))
}

fn linked_checkout(top: &Path) -> Option<PathBuf> {
    let text = fs::read_to_string(top.join(".git")).ok()?;
    let admin = top.join(text.strip_prefix("gitdir:")?.trim());
    let common = fs::read_to_string(admin.join("commondir")).ok()?;
    let common = admin.join(common.trim()).canonicalize().ok()?;
    let is_plain = common.file_name().is_some_and(|name| name == ".git");
    let root = if is_plain {
        common.parent().map(Path::to_owned)
    } else {
        None
    };
    root.or_else(|| Some(top.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_linked_worktree_leads_to_its_main_checkout() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let main = root.join("main");
        fs::create_dir_all(main.join(".git/worktrees/x")).unwrap();
        fs::write(main.join(".git/worktrees/x/commondir"), "../..\n").unwrap();
        let linked = root.join("linked/deep");
        fs::create_dir_all(&linked).unwrap();
        fs::write(
            root.join("linked/.git"),
            format!("gitdir: {}\n", main.join(".git/worktrees/x").display()),
        )
        .unwrap();
        assert_eq!(main_checkout_of(&linked), Some(main.clone()));
        fs::create_dir_all(main.join("src")).unwrap();
        assert_eq!(main_checkout_of(&main.join("src")), Some(main.clone()));
        fs::write(root.join("linked/.git"), "nonsense").unwrap();
        assert_eq!(main_checkout_of(&linked), None);
        let inside = main.join(".worktrees/x");
        fs::create_dir_all(&inside).unwrap();
        fs::write(inside.join(".git"), "gitdir: /gone/.git/worktrees/x\n").unwrap();
        assert_eq!(main_checkout_of(&inside), Some(main));
    }
}

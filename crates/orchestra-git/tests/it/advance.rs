//! A branch moves together with the files of its checkout, or not at all.

#[cfg(target_os = "linux")]
mod direct;
#[cfg(target_os = "linux")]
mod kills;
#[cfg(target_os = "linux")]
mod looked_at;
mod refused;

use std::fs;
use std::path::{Path, PathBuf};

use orchestra_core::CommitId;
use orchestra_git::{Advance, AdvanceEnd, AdvanceError};
use orchestra_testkit::{TestRepository, hazards};

use self::refused::paths;
use crate::world::{World, branch, id};

type Edit<'a> = &'a dyn Fn(&TestRepository);

/// A repository whose `main` shall move from one commit to the next.
pub(crate) struct Moving {
    pub(crate) world: World,
    pub(crate) advance: Advance,
}

impl Moving {
    pub(crate) fn new() -> Self {
        Self::with(
            &|plain| {
                plain.write("changed", "old\n");
                plain.write("gone", "old\n");
                plain.write("untouched", "old\n");
            },
            &|plain| {
                plain.write("changed", "new\n");
                plain.write("folder/added", "new\n");
                fs::remove_file(plain.path("gone")).unwrap();
            },
        )
    }

    /// The next advance is the way back.
    pub(crate) fn turn_round(&mut self) {
        let Advance { from, to, .. } = &mut self.advance;
        std::mem::swap(from, to);
    }

    /// `main` is at a commit with `before`, and `after` is a commit on top of it.
    pub(crate) fn with(before: Edit<'_>, after: Edit<'_>) -> Self {
        let mut ids = None;
        let world = World::with(|plain| {
            before(plain);
            let from = plain.commit("before");
            plain.git(&["switch", "--quiet", "--create", "next"]);
            after(plain);
            let to = plain.commit("after");
            plain.git(&["switch", "--quiet", "main"]);
            ids = Some((id(&from), id(&to)));
        });
        let (from, to) = ids.unwrap();
        let advance = Advance {
            branch: branch("main"),
            from,
            to,
            why: "merge next".to_owned(),
        };
        Self { world, advance }
    }

    /// The same with `main` in a linked worktree, and another branch in the main checkout.
    #[cfg(target_os = "linux")]
    pub(crate) fn beside(mut self) -> Self {
        let place = self.world.sandbox.path("beside");
        let plain = &self.world.plain;
        plain.git(&["switch", "--quiet", "next"]);
        plain.git(&["worktree", "add", "-q", place.to_str().unwrap(), "main"]);
        self.world.plain = plain.at(&place);
        self
    }

    pub(crate) fn go(&self) -> Result<Option<PathBuf>, AdvanceError> {
        self.world.repository.advance(&self.advance, &|_| {})
    }

    pub(crate) fn main(&self) -> CommitId {
        id(&self.world.plain.branch_sha("main"))
    }

    /// The user's own git finds branch, index and files in agreement.
    pub(crate) fn assert_at(&self, commit: &CommitId) {
        assert_eq!(&self.main(), commit);
        assert_eq!(self.world.plain.git(&["status", "--porcelain"]), "");
        self.world.plain.fsck();
    }
}

#[test]
fn branch_index_and_files_move_together() {
    let moving = Moving::new();
    let foretold = moving.world.repository.check_advance(&moving.advance);
    moving.assert_at(&moving.advance.from);
    let place = moving.go().unwrap();
    assert_eq!(foretold.unwrap(), place);
    assert_eq!(place.as_deref(), Some(moving.world.repository.root()));
    moving.assert_at(&moving.advance.to);
    let plain = &moving.world.plain;
    assert_eq!(plain.read("folder/added"), "new\n");
    assert!(!plain.path("gone").exists());
    for log in ["HEAD", "main"] {
        let last = plain.git(&["reflog", "--max-count=1", "--format=%gs", log]);
        assert_eq!(last, "merge next");
    }
    let back = Advance {
        from: moving.advance.to.clone(),
        to: moving.advance.from.clone(),
        ..moving.advance.clone()
    };
    moving.world.repository.advance(&back, &|_| {}).unwrap();
    moving.assert_at(&moving.advance.from);
    assert!(!plain.path("folder").exists());
}

#[test]
fn a_branch_that_nobody_has_moves_alone() {
    let moving = Moving::new();
    let plain = &moving.world.plain;
    plain.git(&["switch", "--quiet", "--detach"]);
    plain.write("changed", "mine\n");
    let foretold = moving.world.repository.check_advance(&moving.advance);
    assert_eq!(foretold.unwrap(), None);
    assert_eq!(moving.go().unwrap(), None);
    assert_eq!(moving.main(), moving.advance.to);
    assert_eq!(plain.read("changed"), "mine\n");
    assert_eq!(plain.head(), moving.advance.from.as_str());
}

#[test]
fn a_linked_checkout_is_found() {
    let moving = Moving::new();
    let plain = &moving.world.plain;
    plain.git(&["switch", "--quiet", "next"]);
    let place = moving.world.sandbox.path("elsewhere");
    plain.git(&[
        "worktree",
        "add",
        "--quiet",
        place.to_str().unwrap(),
        "main",
    ]);
    assert_eq!(moving.go().unwrap(), Some(place.canonicalize().unwrap()));
    let linked = moving.world.plain_at(&place);
    assert_eq!(linked.git(&["status", "--porcelain"]), "");
    assert_eq!(linked.read("changed"), "new\n");
    let last = linked.git(&["reflog", "--max-count=1", "--format=%gs", "HEAD"]);
    assert_eq!(last, "merge next");
}

#[test]
fn what_is_not_touched_stays_as_it_is() {
    let moving = Moving::new();
    let plain = &moving.world.plain;
    plain.write("untouched", "staged\n");
    plain.write("staged-new", "staged\n");
    plain.git(&["add", "untouched", "staged-new"]);
    plain.write("untouched", "edited\n");
    plain.write("loose", "loose\n");
    let before = plain.git(&["status", "--porcelain"]);
    moving.go().unwrap();
    assert_eq!(moving.main(), moving.advance.to);
    assert_eq!(plain.git(&["status", "--porcelain"]), before);
    assert_eq!(plain.git(&["show", ":untouched"]), "staged");
    assert_eq!(plain.read("untouched"), "edited\n");
    assert_eq!(plain.read("changed"), "new\n");
}

#[test]
fn a_file_and_a_directory_take_each_others_place() {
    let moving = Moving::with(
        &|plain| {
            plain.write("one", "file\n");
            plain.write("two/below", "file\n");
        },
        &|plain| {
            fs::remove_file(plain.path("one")).unwrap();
            fs::remove_dir_all(plain.path("two")).unwrap();
            plain.write("one/below", "file\n");
            plain.write("two", "file\n");
        },
    );
    moving.world.plain.write("two/ignored", "mine\n");
    moving.world.plain.write(".git/info/exclude", "ignored\n");
    assert_eq!(paths(&moving.refused()), [PathBuf::from("two/ignored")]);
    fs::remove_file(moving.world.plain.path("two/ignored")).unwrap();
    moving.go().unwrap();
    moving.assert_at(&moving.advance.to);
}

#[cfg(unix)]
#[test]
fn modes_and_links_follow() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let moving = Moving::with(
        &|plain| {
            plain.write("script", "#!/bin/sh\n");
            plain.write("becomes-link", "file\n");
            symlink("script", plain.path("link")).unwrap();
        },
        &|plain| {
            fs::set_permissions(plain.path("script"), fs::Permissions::from_mode(0o755)).unwrap();
            for (link, target) in [("link", "becomes-link"), ("becomes-link", "script")] {
                fs::remove_file(plain.path(link)).unwrap();
                symlink(target, plain.path(link)).unwrap();
            }
        },
    );
    moving.go().unwrap();
    moving.assert_at(&moving.advance.to);
    let plain = &moving.world.plain;
    let mode = fs::metadata(plain.path("script"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o111, 0o111);
    let target = |link| fs::read_link(plain.path(link)).unwrap();
    assert_eq!(target("link"), Path::new("becomes-link"));
    assert_eq!(target("becomes-link"), Path::new("script"));
}

#[test]
fn a_submodule_is_left_to_its_owner() {
    let moving = Moving::new();
    let (world, plain) = (&moving.world, &moving.world.plain);
    let inner = world.sandbox.repository("inner");
    let link = |plain: &TestRepository, commit: &str| {
        let entry = format!("160000,{commit},sub");
        plain.git(&["update-index", "--add", "--cacheinfo", &entry]);
        plain.git(&["commit", "--quiet", "--message", "link"]);
        id(&plain.head())
    };
    let from = link(plain, &inner.head());
    plain.git(&["clone", "--quiet", inner.root().to_str().unwrap(), "sub"]);
    plain.git(&["switch", "--quiet", "--create", "newer"]);
    inner.write("more", "x\n");
    let newer = inner.commit("more");
    let to = link(plain, &newer);
    plain.git(&["switch", "--quiet", "main"]);
    plain.write("sub/README.md", "mine\n");
    let advance = Advance {
        from,
        to: to.clone(),
        ..moving.advance.clone()
    };
    world.repository.advance(&advance, &|_| {}).unwrap();
    assert_eq!(moving.main(), to);
    assert_eq!(plain.git(&["rev-parse", ":sub"]), newer);
    assert_eq!(plain.read("sub/README.md"), "mine\n");
    assert_eq!(
        world.repository.finish_advance(&advance).unwrap(),
        AdvanceEnd::New
    );
    assert_eq!(plain.git(&["rev-parse", ":sub"]), newer);
}

#[test]
fn a_sparse_checkout_stays_sparse() {
    let moving = Moving::new();
    let plain = &moving.world.plain;
    plain.git(&[
        "sparse-checkout",
        "set",
        "--no-cone",
        "/untouched",
        "/changed",
    ]);
    assert!(!plain.path("gone").exists());
    moving.go().unwrap();
    moving.assert_at(&moving.advance.to);
    assert_eq!(plain.read("changed"), "new\n");
    assert!(!plain.path("folder").exists());
    moving
        .world
        .repository
        .finish_advance(&moving.advance)
        .unwrap();
    plain.git(&[
        "update-ref",
        "refs/heads/main",
        moving.advance.from.as_str(),
    ]);
    let settled = moving.world.repository.finish_advance(&moving.advance);
    assert_eq!(settled.unwrap(), AdvanceEnd::Old);
    moving.assert_at(&moving.advance.from);
    assert!(!plain.path("folder").exists() && !plain.path("gone").exists());
}

#[test]
fn a_bisection_does_not_matter() {
    let moving = Moving::new();
    moving.world.plain.git(&["bisect", "start"]);
    moving.go().unwrap();
    moving.assert_at(&moving.advance.to);
}

/// The user's own filter, such as the one for large files, upper-cases what is checked out.
fn with_filter(smudge: &str, attributes: &str) -> Moving {
    let before = |plain: &TestRepository| {
        let config = |key: &str, value: &str| plain.git(&["config", "--global", key, value]);
        config("filter.lfs.clean", "tr A-Z a-z");
        config("filter.lfs.smudge", smudge);
        config("filter.lfs.required", "true");
        plain.write(".gitattributes", attributes);
        plain.write("a.big", "OLD\n");
        plain.write("b.bad", "old\n");
        plain.write("z.big", "OLD\n");
    };
    Moving::with(&before, &|plain| {
        plain.write("a.big", "NEW\n");
        plain.write("b.bad", "new\n");
        plain.write("z.big", "NEW\n");
    })
}

#[test]
fn the_filter_of_the_user_applies() {
    let moving = with_filter("tr a-z A-Z", "*.big filter=lfs\n");
    moving.go().unwrap();
    moving.assert_at(&moving.advance.to);
    assert_eq!(moving.world.plain.read("a.big"), "NEW\n");
    assert_eq!(moving.world.plain.git(&["show", ":a.big"]), "new");
    let settled = moving.world.repository.finish_advance(&moving.advance);
    assert_eq!(settled.unwrap(), AdvanceEnd::New);
}

#[test]
fn files_that_cannot_be_written_leave_everything_as_it_was() {
    let moving = with_filter("tr a-z A-Z", "*.big filter=lfs\n");
    // The first file can be written, the second one cannot.
    let smudge = "tee /dev/stderr | grep -v new";
    let plain = &moving.world.plain;
    plain.write(".git/info/attributes", "*.bad filter=lfs\n*.big -filter\n");
    plain.git(&["config", "--global", "filter.lfs.smudge", smudge]);
    plain.git(&["checkout", "--quiet", "--force", "main"]);
    plain.git(&["add", "--renormalize", "."]);
    let from = id(&plain.commit("plain"));
    plain.git(&["switch", "--quiet", "--create", "third"]);
    plain.write("a.big", "newer\n");
    plain.write("b.bad", "new\n");
    let to = id(&plain.commit("new"));
    plain.write(".git/info/attributes", "*.big -filter\n*.bad -filter\n");
    plain.git(&["switch", "--quiet", "main"]);
    plain.write(".git/info/attributes", "*.bad filter=lfs\n*.big -filter\n");
    let repository = moving.world.reopened();
    let advance = Advance {
        from: from.clone(),
        to,
        ..moving.advance.clone()
    };
    let error = repository.advance(&advance, &|_| {}).unwrap_err();
    assert_eq!(error.code(), "git.failed", "{error:?}");
    assert_eq!(moving.main(), from);
    assert_eq!(plain.git(&["status", "--porcelain"]), "");
}

#[test]
fn nothing_of_the_repository_runs() {
    let moving = Moving::new();
    let world = &moving.world;
    let marker = world.sandbox.path("marker");
    hazards::plant_all(world.plain.root(), world.plain.root(), &marker);
    fs::remove_file(&marker).ok();
    let repository = world.reopened();
    let result = repository.advance(&moving.advance, &|_| {});
    let settled = repository.finish_advance(&moving.advance);
    assert!(result.is_ok() && settled.is_ok(), "{result:?} {settled:?}");
    assert_eq!(hazards::executed(&marker), Vec::<String>::new());
}

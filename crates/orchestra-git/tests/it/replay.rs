//! Commits made again on another parent, in memory.

use std::io::Write;
use std::process::Stdio;

use orchestra_core::{CommitId, ConflictKind};
use orchestra_git::{RebaseStop, Replay, ReplayRequest, Repository};
use orchestra_testkit::TestRepository;

use crate::squash::stamp;
use crate::world::{World, id};

pub(crate) fn request(onto: &CommitId, commits: Vec<CommitId>) -> ReplayRequest {
    ReplayRequest {
        onto: onto.clone(),
        onto_label: "main".to_owned(),
        commits,
        committer: stamp("engine", 1_800_000_000),
    }
}

fn replay(repository: &Repository, onto: &CommitId, head: &CommitId) -> Replay {
    let commits = repository.commits_to_replay(onto, head).unwrap();
    repository.replay(&request(onto, commits)).unwrap()
}

fn write_and_commit(plain: &TestRepository, path: &str, text: &str) -> CommitId {
    plain.write(path, text);
    id(&plain.commit(&format!("write {path}")))
}

fn tree(plain: &TestRepository, commit: &str) -> String {
    plain.git(&["rev-parse", &format!("{commit}^{{tree}}")])
}

/// Writes a commit of exactly these bytes.
fn raw_commit(plain: &TestRepository, bytes: &[u8]) -> CommitId {
    let mut child = plain
        .git_command()
        .args([
            "hash-object",
            "-t",
            "commit",
            "-w",
            "--literally",
            "--stdin",
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(bytes).unwrap();
    let output = child.wait_with_output().unwrap();
    id(String::from_utf8(output.stdout).unwrap().trim())
}

fn bytes_of(plain: &TestRepository, commit: &CommitId) -> Vec<u8> {
    plain
        .try_git(&["cat-file", "commit", commit.as_str()])
        .stdout
}

fn clean(replay: Replay) -> (CommitId, Vec<CommitId>) {
    match replay {
        Replay::Clean { head, dropped, .. } => (head, dropped),
        Replay::Conflict(stop) => panic!("{stop:?}"),
    }
}

#[test]
fn it_gives_the_files_that_git_rebase_gives() {
    let world = World::with(|plain| {
        plain.write("text", "1\n2\n3\n4\n5\n6\n7\n");
        plain.write("moved", "some\nlines\nof\ntext\n");
        plain.commit("files");
    });
    let (plain, base) = (&world.plain, world.head());
    world.start("amp/x", &base);
    write_and_commit(plain, "text", "one\n2\n3\n4\n5\n6\n7\n");
    write_and_commit(plain, "dir/new", "new\n");
    write_and_commit(plain, "moved", "some\nlines\nof\nother text\n");
    plain.git(&["rm", "--quiet", "README.md"]);
    let head = id(&plain.commit("remove"));
    plain.git(&["checkout", "--quiet", "main"]);
    plain.git(&["mv", "moved", "place"]);
    let onto = write_and_commit(plain, "text", "1\n2\n3\n4\n5\n6\nseven\n");

    let mut repositories = vec![world.repository.clone()];
    #[cfg(unix)]
    repositories.push(world.with_oldest_git());
    for repository in repositories {
        let (new, dropped) = clean(replay(&repository, &onto, &head));
        assert_eq!(dropped, []);
        plain.git(&["checkout", "--quiet", "-B", "by-git", head.as_str()]);
        plain.git(&["rebase", "--quiet", onto.as_str()]);
        assert_eq!(tree(plain, new.as_str()), tree(plain, "by-git"));
        let format = "--format=%an|%ae|%ad|%s|%T";
        let commits = |tip: &str| plain.git(&["log", format, &format!("{onto}..{tip}")]);
        assert_eq!(commits(new.as_str()), commits("by-git"));
        let committer = plain.git(&["log", "-1", "--format=%cn %ct", new.as_str()]);
        assert_eq!(committer, "engine 1800000000");
    }
    plain.fsck();
}

#[test]
fn no_process_is_needed() {
    let world = World::new();
    let (plain, base) = (&world.plain, world.head());
    world.start("amp/x", &base);
    for name in ["a", "b", "c"] {
        write_and_commit(plain, name, name);
    }
    let head = id(&plain.head());
    plain.git(&["checkout", "--quiet", "main"]);
    let onto = write_and_commit(plain, "d", "d");
    let before = world.git.spawned();
    clean(replay(&world.repository, &onto, &head));
    let spawned = world.git.spawned() - before;
    let is_measured = cfg!(target_os = "linux") && world.git.version().minor >= 40;
    assert!(!is_measured || spawned == 0, "{spawned} processes");
    plain.fsck();
}

/// A branch with one commit, and `main` one commit further.
fn diverged(plain: &TestRepository) -> (CommitId, CommitId) {
    plain.git(&["checkout", "--quiet", "-b", "amp/x"]);
    let head = write_and_commit(plain, "d/own", "1");
    plain.git(&["checkout", "--quiet", "main"]);
    (write_and_commit(plain, "d/main", "1"), head)
}

#[test]
fn sha256_repositories_are_left_to_git() {
    let world = World::new();
    let root = world.sandbox.path("wide");
    let plain = world.plain.at(&root);
    let path = root.to_str().unwrap();
    let wide = ["--object-format=sha256", "--initial-branch=main", path];
    world.plain.git(&[&["init", "--quiet"][..], &wide].concat());
    plain.commit("first");
    let (onto, head) = diverged(&plain);
    let repository = world.git.open(&root).unwrap();
    let before = world.git.spawned();
    let (new, _) = clean(replay(&repository, &onto, &head));
    assert!(world.git.spawned() > before + 3);
    let names = plain.git(&["ls-tree", "-r", "--name-only", new.as_str()]);
    assert_eq!(names, "d/main\nd/own");
    plain.fsck();
}

#[cfg(unix)]
#[test]
fn objects_that_a_group_shares_are_written_by_git() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new();
    let plain = &world.plain;
    let (onto, head) = diverged(plain);
    plain.git(&["config", "core.sharedRepository", "group"]);
    let objects = plain.path(".git/objects");
    std::fs::set_permissions(&objects, std::fs::Permissions::from_mode(0o2775)).unwrap();
    let before = world.git.spawned();
    clean(replay(&world.reopened(), &onto, &head));
    assert!(world.git.spawned() > before + 3);
    plain.fsck();
}

#[cfg(unix)]
#[test]
fn an_object_directory_that_cannot_be_written_is_told() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new();
    let plain = &world.plain;
    let (onto, head) = diverged(plain);
    let objects = plain.path(".git/objects");
    let mode = |mode| std::fs::set_permissions(&objects, std::fs::Permissions::from_mode(mode));
    mode(0o555).unwrap();
    let is_obeyed = std::fs::write(objects.join("probe"), "").is_err();
    let commits = world.repository.commits_to_replay(&onto, &head).unwrap();
    let found = world.repository.replay(&request(&onto, commits));
    mode(0o755).unwrap();
    assert_eq!(found.is_err(), is_obeyed);
}

#[test]
fn a_branch_that_is_on_top_stays_itself() {
    let world = World::new();
    let (plain, base) = (&world.plain, world.head());
    write_and_commit(plain, "a", "1");
    let head = write_and_commit(plain, "a", "2");
    assert_eq!(clean(replay(&world.repository, &base, &head)).0, head);
    assert_eq!(clean(replay(&world.repository, &head, &head)).0, head);
}

#[test]
fn what_changes_nothing_any_more_is_dropped_and_told() {
    let world = World::new();
    let (plain, base) = (&world.plain, world.head());
    world.start("amp/x", &base);
    let same = write_and_commit(plain, "a", "same\n");
    plain.commit("was always empty");
    let head = write_and_commit(plain, "b", "own\n");
    plain.git(&["checkout", "--quiet", "main"]);
    plain.write("a", "same\n");
    plain.commit("the same by somebody else");
    let onto = write_and_commit(plain, "c", "more\n");
    let Replay::Clean {
        replayed, dropped, ..
    } = replay(&world.repository, &onto, &head)
    else {
        panic!("there is no conflict")
    };
    assert_eq!((dropped, replayed), (vec![same], 2));
}

#[test]
fn merges_are_left_out_as_git_does() {
    let world = World::new();
    let (plain, base) = (&world.plain, world.head());
    world.start("amp/x", &base);
    let own = write_and_commit(plain, "own", "1");
    world.start("side", &base);
    let side = write_and_commit(plain, "side", "1");
    plain.git(&["checkout", "--quiet", "amp/x"]);
    plain.git(&["merge", "--quiet", "--no-edit", "side"]);
    let head = write_and_commit(plain, "last", "1");
    plain.git(&["checkout", "--quiet", "main"]);
    let onto = write_and_commit(plain, "main", "1");
    let commits = world.repository.commits_to_replay(&onto, &head).unwrap();
    assert_eq!(commits.len(), 3);
    assert!(commits.contains(&own) && commits.contains(&side));
    assert_eq!(commits[2], head);
    let (new, _) = clean(replay(&world.repository, &onto, &head));
    let names = plain.git(&["ls-tree", "--name-only", new.as_str()]);
    assert_eq!(names, "README.md\nlast\nmain\nown\nside");
}

#[test]
fn a_conflict_says_how_far_it_went() {
    let world = World::with(|plain| {
        plain.write("a", "base\n");
        plain.commit("a");
    });
    let (plain, base) = (&world.plain, world.head());
    world.start("amp/x", &base);
    let first = write_and_commit(plain, "own", "1\n");
    let middle = write_and_commit(plain, "a", "theirs\n");
    let last = write_and_commit(plain, "own", "2\n");
    plain.git(&["checkout", "--quiet", "main"]);
    let onto = write_and_commit(plain, "a", "ours\n");
    let mut repositories = vec![world.repository.clone()];
    #[cfg(unix)]
    repositories.push(world.with_oldest_git());
    for repository in repositories {
        let Replay::Conflict(RebaseStop {
            at,
            new_parent,
            rest,
            merge,
            dropped,
        }) = replay(&repository, &onto, &last)
        else {
            panic!("both changed the same line")
        };
        assert_eq!((&at, rest.as_slice()), (&middle, &[last.clone()][..]));
        assert_eq!(dropped, []);
        let subject = |commit: &CommitId| plain.git(&["log", "-1", "--format=%s", commit.as_str()]);
        assert_eq!(subject(&new_parent), subject(&first));
        assert_eq!(merge.conflicts[0].kind(), ConflictKind::BothModified);
        let content = plain.git(&["cat-file", "-p", &format!("{}:a", merge.tree)]);
        assert_eq!(
            content,
            format!(
                "<<<<<<< main\nours\n=======\ntheirs\n>>>>>>> {}-write-a",
                middle.short()
            )
        );
    }
}

#[test]
fn odd_commits_come_back_byte_for_byte() {
    let world = World::new();
    let (plain, base) = (&world.plain, world.head());
    world.start("amp/x", &base);
    write_and_commit(plain, "own", "1");
    let own = tree(plain, "HEAD");
    let long = "y".repeat(1024 * 1024);
    let bodies: [&[u8]; 6] = [
        b"author A\xe9 <a@x> 1 +0200\ncommitter C <c@x> 2 +0000\nencoding ISO-8859-1\n\nna\xefve\n",
        b"author  <> 1 +0000\ncommitter  <> 2 +0000\n\n",
        b"author No Mail 1 +0000\ncommitter C <c@x> 2 +0000\n\n\n\nlate subject\r\n# kept  \n\n\n",
        b"author A <a@x> -1 -1234\ncommitter C <c@x> 2 +0000\n\nno line end",
        b"author A <a <b>@x> 99999999999 +9999\ncommitter C <c@x> 2 +0000\n\n--- \ndiff --git a/x b/x\n",
        long.as_bytes(),
    ];
    plain.git(&["checkout", "--quiet", "main"]);
    let onto = write_and_commit(plain, "main", "1");
    for body in bodies {
        let head = format!("tree {own}\nparent {base}\n");
        let body = match body.starts_with(b"author") {
            true => body.to_vec(),
            false => [
                b"author A <a@x> 1 +0000\ncommitter C <c@x> 2 +0000\n\n",
                body,
            ]
            .concat(),
        };
        let original = raw_commit(plain, &[head.as_bytes(), &body].concat());
        let replay = world.repository.replay(&request(&onto, vec![original]));
        let (new, _) = clean(replay.unwrap());
        let new_head = format!("tree {}\nparent {onto}\n", tree(plain, new.as_str()));
        let committer = "committer engine <engine@example.com> 1800000000 +0000\n";
        let start = find(&body, b"committer");
        let end = start + find(&body[start..], b"\n") + 1;
        let expected = [
            new_head.as_bytes(),
            &body[..start],
            committer.as_bytes(),
            &body[end..],
        ]
        .concat();
        assert!(bytes_of(plain, &new) == expected, "{:?}", &body[..40]);
    }
}

fn find(bytes: &[u8], wanted: &[u8]) -> usize {
    let mut windows = bytes.windows(wanted.len());
    windows.position(|window| window == wanted).unwrap()
}

#[test]
fn a_signature_is_not_carried_over() {
    let world = World::new();
    let (plain, base) = (&world.plain, world.head());
    let own = tree(plain, "HEAD");
    let text = format!(
        "tree {own}\nparent {base}\nauthor A <a@x> 1 +0000\ncommitter C <c@x> 2 +0000\n\
         gpgsig -----BEGIN\n x\n -----END\nmergetag object x\n\nsubject\n"
    );
    let original = raw_commit(plain, text.as_bytes());
    let tree = own.parse().unwrap();
    let again = world
        .repository
        .commit_again(
            &original,
            &tree,
            std::slice::from_ref(&base),
            None,
            &stamp("e", 1),
        )
        .unwrap();
    let text = String::from_utf8(bytes_of(plain, &again)).unwrap();
    assert!(!text.contains("BEGIN") && !text.contains("mergetag"));
    let message = Some(&b"other\n"[..]);
    let renamed = world
        .repository
        .commit_again(&original, &tree, &[base], message, &stamp("e", 1))
        .unwrap();
    assert_eq!(
        plain.git(&["log", "-1", "--format=%an %s", renamed.as_str()]),
        "A other"
    );
}

#[test]
fn a_history_of_its_own_can_be_put_on_another() {
    let world = World::new();
    let (plain, onto) = (&world.plain, world.head());
    plain.git(&["checkout", "--quiet", "--orphan", "other"]);
    plain.git(&["rm", "--quiet", "-r", "--force", "."]);
    write_and_commit(plain, "one", "1");
    let head = write_and_commit(plain, "two", "2");
    let mut repositories = vec![world.repository.clone()];
    #[cfg(unix)]
    repositories.push(world.with_oldest_git());
    for repository in repositories {
        let (new, _) = clean(replay(&repository, &onto, &head));
        let names = plain.git(&["ls-tree", "--name-only", new.as_str()]);
        assert_eq!(names, "README.md\none\ntwo");
    }
}

#[test]
fn missing_commits_are_told() {
    let world = World::new();
    let (head, missing) = (world.head(), id(&"1".repeat(40)));
    let gone = world.repository.replay(&request(&missing, Vec::new()));
    assert_eq!(gone.unwrap_err().code(), "git.no_such_revision");
    let gone = world
        .repository
        .replay(&request(&head, vec![missing.clone()]));
    assert_eq!(gone.unwrap_err().code(), "git.no_such_revision");
    let blob = world.plain.git(&["rev-parse", "HEAD:README.md"]);
    let blob = world.repository.replay(&request(&head, vec![id(&blob)]));
    assert_eq!(blob.unwrap_err().code(), "git.no_such_revision");
    world
        .repository
        .commits_to_replay(&head, &missing)
        .unwrap_err();
}

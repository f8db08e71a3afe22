//! What an agent leaves in its own git directory besides commits on its branch is kept and told.

use super::{commits, git, held_world, shell_world, write};

#[test]
fn branches_tags_and_the_stash_stay_with_the_agent() {
    let turn = |step: &str| format!("[[turn]]\n{}", step.replace("[[step]]", "[[turn.step]]"));
    let first = [
        write("README.md", "put away\n"),
        git(&["stash", "--quiet"]),
        git(&["branch", "own"]),
        git(&["tag", "mark"]),
        commits("a.txt", "a\n"),
    ];
    let second = [
        git(&["stash", "pop", "--quiet"]),
        git(&["log", "-1", "own"]),
    ];
    let scenario = turn(&first.concat()) + &turn(&second.concat());
    let world = held_world(&scenario);
    let made = world.session("one");
    let references = |world: &crate::world::World| {
        let all = world
            .repository
            .git(&["for-each-ref", "--format=%(refname)"]);
        all.lines()
            .filter(|name| !name.contains(&made.branch))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let before = references(&world);
    world
        .run(&["iterate", "one"])
        .ok()
        .says("branches and tags that the agent made stay in its workspace")
        .says("own, tags/mark")
        .says("what the agent stashed stays in its workspace");
    assert_eq!(references(&world), before, "the repository has none of it");
    assert_eq!(world.repository.git(&["stash", "list"]), "");
    world.run(&["iterate", "one"]).ok();
    let tree = world.tree(&made);
    assert_eq!(tree.git(&["show", "HEAD:README.md"]), "put away");
}

#[test]
fn another_branch_that_is_left_checked_out_is_told_as_ever() {
    let steps = [
        git(&["switch", "--quiet", "--create", "other"]),
        commits("a.txt", "a\n"),
    ];
    let world = held_world(&steps.concat());
    let made = world.session("one");
    let branch = world.repository.git(&["rev-parse", &made.branch]);
    world
        .run(&["iterate", "one"])
        .ends_with(4)
        .says("the agent left `other` checked out");
    let tree = world.tree(&made);
    assert_eq!(world.repository.git(&["rev-parse", &made.branch]), branch);
    assert_eq!(tree.git(&["show", "HEAD:a.txt"]), "a");
    assert_eq!(
        tree.git(&["for-each-ref", "--format=%(refname)", "refs/heads/other"]),
        ""
    );
    let kept = tree.git(&["for-each-ref", "--format=%(objectname)", "refs/worktree/"]);
    assert_eq!(kept, tree.git(&["rev-parse", "HEAD"]));
}

/// A merge with conflicts that an agent leaves in the middle goes on in its next turn.
#[test]
fn what_is_in_the_middle_goes_on_in_the_next_turn() {
    let script = "cat > /dev/null\n\
        if test -e \"$(git rev-parse --git-dir)/MERGE_HEAD\"; then\n\
          echo both > README.md; git commit --quiet --all -m merged; exit\n\
        fi\n\
        git switch --quiet --create side; echo side > README.md; git commit --quiet --all -m side\n\
        git switch --quiet -; echo own > README.md; git commit --quiet --all -m own\n\
        git merge side; true";
    let (world, _) = shell_world(script);
    let made = world.session("one");
    world
        .run(&["iterate", "one"])
        .ok()
        .says("not committed: the agent left a merge in the middle");
    let tree = world.tree(&made);
    assert_eq!(tree.git(&["log", "-1", "--format=%s"]), "own");
    // Another session moves other branches meanwhile.
    world.session("two");
    world.run(&["iterate", "one"]).ok();
    assert_eq!(tree.git(&["log", "-1", "--format=%s"]), "merged");
    assert_eq!(
        tree.git(&["log", "-1", "--format=%p"]).split(' ').count(),
        2
    );
    assert_eq!(tree.git(&["status", "--porcelain"]), "");
}

/// Objects that git would not make are not let in; they are kept for somebody to look at.
#[test]
fn a_git_directory_that_is_not_gits_is_set_aside() {
    let script = "cat > /dev/null\necho work > work.txt; git add .; git commit --quiet -m mine\n\
        objects=$(git rev-parse --git-dir)/objects; ln -s /etc/hostname $objects/evil";
    let (world, _) = shell_world(script);
    let made = world.session("one");
    world
        .run(&["iterate", "one"])
        .ok()
        .says("is not a file of git's")
        .says("it is kept in");
    let tree = world.tree(&made);
    assert_eq!(
        tree.git(&["show", "HEAD:work.txt"]),
        "work",
        "the file itself is there"
    );
    let aside = world
        .sandbox
        .data_dir()
        .join("workspaces")
        .join(&made.id)
        .join("aside/0");
    assert!(aside.join("objects").is_dir());
}

//! A repository with very many files.

use std::time::Instant;

use orchestra_testkit::Sandbox;

use crate::made::make_on;
use crate::ran::session;

const FILES: usize = 62_000;

#[test]
fn sixty_two_thousand_files_are_no_trouble() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("app");
    repository.branch_with_files("large", FILES);
    let names = repository.git(&["ls-tree", "-r", "--name-only", "large"]);
    assert_eq!(names.lines().count(), FILES + 1);
    let mut times = Vec::new();
    let mut timed = |what: &str, since: Instant| {
        times.push(format!("{what} {} ms", since.elapsed().as_millis()));
    };
    let start = Instant::now();
    let made = make_on(
        &sandbox,
        "large",
        "session",
        "[[step]]\ndo = 'write'\npath = 'files/000/000/file1.txt'\ntext = \"changed\\n\"\n\
         [[step]]\ndo = 'write'\npath = 'files/new.txt'\ntext = \"new\\n\"\n",
    );
    timed("new", start);
    let start = Instant::now();
    session(&sandbox, &["iterate", &made.id]).ends_with(0);
    timed("iterate", start);
    let start = Instant::now();
    let names = session(&sandbox, &["diff", &made.id, "--name-only"]).ends_with(0);
    timed("diff", start);
    assert_eq!(names.stdout, "files/000/000/file1.txt\nfiles/new.txt\n");
    let start = Instant::now();
    session(&sandbox, &["status", &made.id]).ends_with(0);
    timed("status", start);
    let tree = made.tree(&sandbox);
    assert_eq!(tree.git(&["status", "--porcelain"]), "");
    let changed = tree.git(&["diff", "--name-only", "large", "HEAD"]);
    assert_eq!(changed, "files/000/000/file1.txt\nfiles/new.txt");
    println!("{FILES} files: {}", times.join(", "));
}

//! A session whose commits do not fit onto its base.

use orchestra_testkit::TestRepository;

use crate::made::Made;
use crate::world::World;

/// A world with a session `one` of three commits. The first and the second do not fit onto `main`, in `a.txt` and `b.txt`.
pub(super) struct Stopped {
    pub(super) world: World,
    pub(super) made: Made,
    pub(super) tree: TestRepository,
}

impl Stopped {
    /// Before the rebase.
    pub(super) fn before(world: World) -> Self {
        let write = |tree: &TestRepository, word: &str| {
            tree.write("a.txt", &format!("one\n{word}\nthree\n"));
        };
        write(&world.repository, "two");
        world.repository.write("b.txt", "b\n");
        world.repository.commit("base");
        let made = world.session("one");
        let tree = world.tree(&made);
        write(&tree, "session");
        tree.commit("amp: change a");
        tree.write("b.txt", "session\n");
        tree.commit("change b");
        tree.write("c.txt", "c\n");
        tree.commit("amp: add c");
        write(&world.repository, "main");
        world.repository.write("b.txt", "main\n");
        world.repository.commit("main moves");
        Self { world, made, tree }
    }

    /// At the first conflict.
    pub(super) fn new() -> Self {
        let it = Self::before(World::new());
        it.world.run(&["rebase", "one"]).ends_with(7);
        it
    }

    pub(super) fn run(&self, words: &[&str]) -> crate::ran::Ran {
        self.world.run(words)
    }

    pub(super) fn status(&self) -> String {
        let answer = self.world.json(&["status", "one"]);
        let status = answer["session"]["status"].as_str();
        status.expect("a session has a status").to_owned()
    }

    /// Everything that people see of the worktree.
    pub(super) fn state(&self) -> [String; 4] {
        [
            self.tree.git(&["status", "--porcelain=v2", "--branch"]),
            self.tree.git(&["ls-files", "--stage"]),
            self.tree.git(&["status"]),
            self.tree.read("a.txt"),
        ]
    }

    /// The subjects of the session's commits, newest first.
    pub(super) fn subjects(&self) -> Vec<String> {
        let range = format!("main..{}", self.made.branch);
        let text = self.tree.git(&["log", "--format=%s", &range]);
        text.lines().map(str::to_owned).collect()
    }
}

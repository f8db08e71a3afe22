//! `orchestra init`: what is proposed for each package manager, and that the file can be used.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use orchestra_testkit::TestRepository;
use serde_json::{Value, json};

use crate::ran::{Ran, ran};
use crate::world::World;

/// A package manager: the files of a small repository, what it ignores, and what is proposed.
struct Case {
    manager: &'static str,
    files: &'static [(&'static str, &'static str)],
    ignored: &'static str,
    setup: &'static str,
    reuse: &'static [&'static str],
    dev: Option<&'static str>,
}

const PACKAGE: (&str, &str) = (
    "package.json",
    "{ \"name\": \"shop\", \"scripts\": { \"dev\": \"node server.js\", \"test\": \"node --test\" } }",
);

const CASES: &[Case] = &[
    Case {
        manager: "npm",
        files: &[PACKAGE, ("package-lock.json", "{ \"lockfileVersion\": 3 }")],
        ignored: "node_modules/\n",
        setup: "npm install --no-save --no-audit --no-fund",
        reuse: &["node_modules"],
        dev: Some("npm run dev"),
    },
    Case {
        manager: "npm-tracked",
        files: &[PACKAGE, ("package-lock.json", "{ \"lockfileVersion\": 3 }")],
        ignored: "",
        setup: "npm ci",
        reuse: &[],
        dev: Some("npm run dev"),
    },
    Case {
        manager: "npm-shrinkwrap",
        files: &[
            PACKAGE,
            ("npm-shrinkwrap.json", "{ \"lockfileVersion\": 3 }"),
        ],
        ignored: "",
        setup: "npm ci",
        reuse: &[],
        dev: Some("npm run dev"),
    },
    Case {
        manager: "pnpm",
        files: &[PACKAGE, ("pnpm-lock.yaml", "lockfileVersion: '9.0'\n")],
        ignored: "node_modules\n",
        setup: "pnpm install --frozen-lockfile",
        reuse: &["node_modules"],
        dev: Some("pnpm run dev"),
    },
    Case {
        manager: "yarn",
        files: &[PACKAGE, ("yarn.lock", "# yarn lockfile v1\n")],
        ignored: "node_modules\n",
        setup: "yarn install --frozen-lockfile",
        reuse: &["node_modules"],
        dev: Some("yarn run dev"),
    },
    Case {
        manager: "yarn-berry",
        files: &[
            PACKAGE,
            ("yarn.lock", "__metadata:\n  version: 8\n"),
            (".yarnrc.yml", "nodeLinker: node-modules\n"),
        ],
        ignored: "",
        setup: "yarn install --immutable",
        reuse: &[],
        dev: Some("yarn run dev"),
    },
    Case {
        manager: "bun",
        files: &[PACKAGE, ("bun.lock", "{ \"lockfileVersion\": 1 }")],
        ignored: "/node_modules\n",
        setup: "bun install --frozen-lockfile",
        reuse: &["node_modules"],
        dev: Some("bun run dev"),
    },
    Case {
        manager: "cargo",
        files: &[
            ("Cargo.toml", "[package]\nname = \"shop\"\n"),
            ("Cargo.lock", "version = 4\n"),
            ("src/lib.rs", "\n"),
        ],
        ignored: "/target\n",
        setup: "cargo fetch --locked",
        reuse: &["target"],
        dev: None,
    },
    Case {
        manager: "uv",
        files: &[
            ("pyproject.toml", "[project]\nname = \"shop\"\n"),
            ("uv.lock", "version = 1\n"),
        ],
        ignored: ".venv/\n",
        setup: "uv sync --locked",
        reuse: &[],
        dev: None,
    },
    Case {
        manager: "poetry",
        files: &[
            ("pyproject.toml", "[tool.poetry]\n"),
            ("poetry.lock", "package = []\n"),
        ],
        ignored: ".venv/\n",
        setup: "poetry install --no-interaction",
        reuse: &[],
        dev: None,
    },
    Case {
        manager: "pip",
        files: &[("requirements.txt", "pytest\n")],
        ignored: ".venv/\n",
        setup: "python3 -m venv .venv && .venv/bin/python -m pip install -r requirements.txt",
        reuse: &[],
        dev: None,
    },
    Case {
        manager: "go",
        files: &[("go.mod", "module shop\n"), ("go.sum", "\n")],
        ignored: "",
        setup: "go mod download",
        reuse: &[],
        dev: None,
    },
    Case {
        manager: "go-without-sums",
        files: &[("go.mod", "module shop\n")],
        ignored: "",
        setup: "go mod download",
        reuse: &[],
        dev: None,
    },
    Case {
        manager: "bundler",
        files: &[
            ("Gemfile", "source 'https://rubygems.org'\n"),
            ("Gemfile.lock", "GEM\n"),
        ],
        ignored: "/vendor/bundle\n",
        setup: "bundle install",
        reuse: &["vendor/bundle"],
        dev: None,
    },
    Case {
        manager: "composer",
        files: &[("composer.json", "{}"), ("composer.lock", "{}")],
        ignored: "/vendor/\n",
        setup: "composer install --no-interaction",
        reuse: &["vendor"],
        dev: None,
    },
    Case {
        manager: "gradle",
        files: &[
            ("build.gradle.kts", "plugins { java }\n"),
            ("gradlew", "#!/bin/sh\n"),
        ],
        ignored: ".gradle/\nbuild/\n",
        setup: "./gradlew assemble",
        reuse: &[".gradle", "build"],
        dev: None,
    },
    Case {
        manager: "gradle-installed",
        files: &[("build.gradle", "plugins { id 'java' }\n")],
        ignored: ".gradle/\nbuild/\n",
        setup: "gradle assemble",
        reuse: &[".gradle", "build"],
        dev: None,
    },
];

fn repository(world: &World, case: &Case) -> TestRepository {
    let repository = world.sandbox.repository(case.manager);
    for (path, text) in case.files {
        repository.write(path, text);
    }
    repository.write(".gitignore", case.ignored);
    repository.commit("a small repository");
    repository
}

fn init(world: &World, repository: &TestRepository, words: &[&str]) -> Ran {
    let mut command = world.sandbox.orchestra();
    command.args(words).current_dir(repository.root());
    ran(command)
}

fn values(list: &Value) -> Vec<&str> {
    let list = list.as_array().unwrap().iter();
    list.map(|proposed| proposed["value"].as_str().unwrap())
        .collect()
}

#[test]
fn every_package_manager_gets_what_it_needs_and_the_file_can_be_used() {
    let world = World::new();
    for case in CASES {
        let repository = repository(&world, case);
        let proposed = init(&world, &repository, &["init", "--yes", "--json"])
            .ok()
            .json();
        assert_eq!(proposed["setup"]["value"], case.setup, "{}", case.manager);
        assert_eq!(values(&proposed["reuse"]), case.reuse, "{}", case.manager);
        assert_eq!(
            proposed["dev"]["value"],
            json!(case.dev),
            "{}",
            case.manager
        );
        for (key, value) in [
            ("commands.setup", Some(case.setup)),
            ("scripts.dev", case.dev),
        ] {
            let setting = init(&world, &repository, &["config", "get", key, "--json"]).json();
            assert_eq!(setting["value"], json!(value), "{}: {key}", case.manager);
        }
    }
}

#[test]
fn several_languages_are_set_up_together_and_one_manager_speaks_for_each() {
    let world = World::new();
    let repository = &world.repository;
    repository.write("Cargo.lock", "");
    repository.write("package-lock.json", "{}");
    repository.write("pnpm-lock.yaml", "");
    repository.write("package.json", "{ \"packageManager\": \"pnpm@9.1.0\" }");
    repository.write(".gitignore", "target\nnode_modules\n");
    let proposed = world.orchestra(&["init", "--json"]).ok().json();
    let setup = "cargo fetch --locked && pnpm install --frozen-lockfile";
    assert_eq!(proposed["setup"]["value"], setup);
    assert_eq!(values(&proposed["reuse"]), ["target", "node_modules"]);
    assert_eq!(proposed["dev"], Value::Null);
}

#[test]
fn lockfiles_in_directories_are_proposed_with_them() {
    let world = World::new();
    let repository = &world.repository;
    let (package, text) = PACKAGE;
    for directory in ["web", "deps", "it's", ".hidden", "web/deeper"] {
        repository.write(&format!("{directory}/{package}"), text);
        repository.write(&format!("{directory}/package-lock.json"), "{}");
    }
    repository.write(
        "api/go.mod",
        "module api
",
    );
    repository.write("tools/Cargo.lock", "");
    repository.write("Cargo.lock", "");
    repository.write(
        ".gitignore",
        "node_modules
/deps/
",
    );
    repository.commit("several projects");
    let proposed = world.orchestra(&["init", "--yes", "--json"]).ok().json();
    let found = json!(["Cargo.lock", "api/go.mod", "web/package-lock.json"]);
    assert_eq!(proposed["lockfiles"], found);
    let setup = "cargo fetch --locked && (cd api && go mod download) && (cd web && npm install --no-save --no-audit --no-fund)";
    assert_eq!(proposed["setup"]["value"], setup);
    assert_eq!(values(&proposed["reuse"]), ["web/node_modules"]);
    assert_eq!(proposed["dev"]["value"], "cd web && npm run dev");
    assert_eq!(
        proposed["dev"]["why"],
        "web/package.json has a script `dev`"
    );
    assert_eq!(proposed["test"]["command"], "cargo test");
    repository.git(&["rm", "--quiet", "Cargo.lock", "tools/Cargo.lock"]);
    let proposed = world.orchestra(&["init", "--json"]).ok().json();
    assert_eq!(proposed["test"]["command"], "cd api && go test ./...");
}

#[test]
fn env_files_are_named_but_never_taken_without_a_word_of_the_user() {
    let world = World::new();
    let repository = &world.repository;
    repository.write(".gitignore", ".env*\n.ENV.*\n!.env.example\n/deps/\n");
    for path in [
        ".ENV.test",
        ".env",
        "apps/web/.env.local",
        ".env.example",
        "deps/x/.env",
    ] {
        repository.write(path, "KEY=1\n");
    }
    let proposed = world.orchestra(&["init", "--yes", "--json"]).ok().json();
    assert_eq!(
        proposed["env_files"],
        json!([".ENV.test", ".env", "apps/web/.env.local"])
    );
    let written = repository.read(".orchestra/config.toml");
    assert!(
        written.contains("# copy = [\".ENV.test\", \".env\", \"apps/web/.env.local\"]"),
        "{written}"
    );
    let copied = world
        .orchestra(&["config", "get", "worktree.copy", "--json"])
        .json();
    assert_eq!(copied["origin"], "default", "{copied}");
}

#[test]
fn a_repository_without_a_commit_gets_a_proposal_too() {
    let world = World::new();
    let empty = world.sandbox.home().join("empty");
    std::fs::create_dir(&empty).unwrap();
    let empty = world.repository.at(&empty);
    empty.git(&["init", "--quiet"]);
    empty.write("package-lock.json", "{}");
    let proposed = init(&world, &empty, &["init", "--json"]).ok().json();
    assert_eq!(proposed["setup"]["value"], "npm ci");
    assert_eq!(values(&proposed["reuse"]), Vec::<&str>::new());
}

//! Which command runs a repository's tests: what the repository itself calls `test` before what its package manager usually does.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::lockfile::{Language, Lockfile, is_named};
use super::package_json::PackageJson;

/// A command, and why it was chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestCommand {
    /// The command line.
    pub command: String,
    /// What spoke for it, in words.
    pub why: String,
}

/// The names that each program looks for, in its order.
const JUSTFILES: &[&str] = &["justfile", "Justfile", ".justfile"];
const MAKEFILES: &[&str] = &["GNUmakefile", "makefile", "Makefile"];
const RAKEFILES: &[&str] = &["rakefile", "Rakefile", "rakefile.rb", "Rakefile.rb"];

pub(super) fn find(root: &Path, lockfiles: &[Lockfile]) -> Option<TestCommand> {
    of_file(root, JUSTFILES, is_test_recipe, "just test", "a recipe")
        .or_else(|| of_file(root, MAKEFILES, is_test_target, "make test", "a target"))
        .or_else(|| of_lockfile(root, lockfiles))
}

fn of_file(
    root: &Path,
    names: &[&str],
    is_test: fn(&str) -> bool,
    command: &str,
    kind: &str,
) -> Option<TestCommand> {
    let name = file_with(root, names, is_test)?;
    Some(TestCommand {
        command: command.to_owned(),
        why: format!("{name} has {kind} `test`"),
    })
}

/// The first of these files that is there, if it has such a line.
fn file_with<'a>(root: &Path, names: &[&'a str], is_test: fn(&str) -> bool) -> Option<&'a str> {
    let read = |name: &&'a str| Some((*name, fs::read(root.join(name)).ok()?));
    let (name, bytes) = names.iter().find_map(read)?;
    let text = String::from_utf8_lossy(&bytes);
    text.lines().any(is_test).then_some(name)
}

/// `test: build`, also among others; not `test := x`.
fn is_test_target(line: &str) -> bool {
    let Some((targets, rest)) = line.split_once(':') else {
        return false;
    };
    let is_assignment = rest.trim_start_matches(':').starts_with('=');
    let is_rule = !line.starts_with(['\t', ' ', '#']) && !is_assignment;
    is_rule && targets.split_whitespace().any(|target| target == "test")
}

/// `test: build`, `@test *words:`; not `test := x`, nor a recipe that must be given words.
fn is_test_recipe(line: &str) -> bool {
    let Some((head, rest)) = line.split_once(':') else {
        return false;
    };
    let mut words = head.split_whitespace();
    let is_named = words
        .next()
        .is_some_and(|name| name.trim_start_matches('@') == "test");
    let is_rule = !line.starts_with(['\t', ' ', '#']) && !rest.starts_with('=');
    is_named && is_rule && words.all(|word| word.starts_with('*') || word.contains('='))
}

/// `task :test`, `Rake::TestTask.new`, and what Rails brings; not a test task with another name, nor one in a namespace.
fn is_rake_test(line: &str) -> bool {
    let name = |rest: &str| -> String {
        let name = rest.trim_start_matches([' ', '(', ':', '"', '\'']);
        let is_part = |char: &char| char.is_ascii_alphanumeric() || *char == '_';
        name.chars().take_while(is_part).collect()
    };
    if let Some(rest) = line.strip_prefix("task") {
        return rest.starts_with([' ', '(']) && name(rest) == "test";
    }
    let test_task = ["Rake::TestTask.new", "Minitest::TestTask.create"];
    let mut named = test_task.iter().filter_map(|it| line.strip_prefix(it));
    named.any(|rest| matches!(name(rest).as_str(), "" | "do" | "test"))
        || line.starts_with("Rails.application.load_tasks")
}

/// Whether the project says what its tests are, where its manager only runs what the project says.
fn defines_tests(root: &Path, language: Language) -> bool {
    match language {
        Language::JavaScript => PackageJson::read(root).has_tests(),
        Language::Php => has_composer_test(root),
        Language::Ruby => file_with(root, RAKEFILES, is_rake_test).is_some(),
        Language::Rust | Language::Python | Language::Go | Language::Java => true,
    }
}

/// One command, or several in a list.
fn has_composer_test(root: &Path) -> bool {
    let read = fs::read(root.join("composer.json")).ok();
    let composer: Option<Value> = read.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let test = composer
        .as_ref()
        .and_then(|it| it.get("scripts")?.get("test"));
    test.is_some_and(|test| match test {
        Value::String(command) => !command.trim().is_empty(),
        Value::Array(commands) => !commands.is_empty(),
        _ => false,
    })
}

/// Of several lockfiles, the one whose manager `package.json` names, else the first. Those whose projects define no tests say
/// nothing, and those in directories only if the top of the repository says nothing.
fn of_lockfile(root: &Path, lockfiles: &[Lockfile]) -> Option<TestCommand> {
    let can_test = |it: &&Lockfile| defines_tests(&it.place(root), it.language);
    let (top, below): (Vec<&Lockfile>, Vec<&Lockfile>) = lockfiles
        .iter()
        .filter(can_test)
        .partition(|it| it.directory.is_none());
    let able = if top.is_empty() { below } else { top };
    let named = able.iter().copied().find(|it| is_named(root, it));
    let taken = named.or_else(|| able.first().copied())?;
    let others = able.into_iter().filter(|it| it.does_other_than(taken));
    let others: Vec<String> = others.map(Lockfile::path).collect();
    Some(TestCommand {
        command: taken.there(taken.test),
        why: why(taken, named, &others),
    })
}

fn why(taken: &Lockfile, named: Option<&Lockfile>, others: &[String]) -> String {
    let (file, manager) = (taken.path(), taken.manager);
    match (others, named) {
        ([], _) => format!("{file} belongs to {manager}"),
        (_, Some(named)) => format!(
            "{} names {manager} as its package manager",
            named.beside_it("package.json")
        ),
        (others, None) => format!(
            "{file} belongs to {manager} and is looked for first; there is {} too, so change this if the tests are not {manager}'s",
            others.join(", ")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::init::lockfile;

    #[test]
    fn targets_and_recipes_are_told_from_assignments() {
        let targets = [
            ("test:", true),
            ("test: build", true),
            ("lint test::", true),
            ("test :", true),
            ("test := x", false),
            ("test ::= x", false),
            (".PHONY: test", false),
            ("\ttest: x", false),
            ("# test:", false),
            ("tests:", false),
            ("test", false),
        ];
        for (line, expected) in targets {
            assert_eq!(is_test_target(line), expected, "{line}");
        }
        let recipes = [
            ("test:", true),
            ("@test: build", true),
            ("test *words:", true),
            ("test filter='':", true),
            ("test filter:", false),
            ("test := 'x'", false),
            ("  test:", false),
            ("alias t := test", false),
        ];
        for (line, expected) in recipes {
            assert_eq!(is_test_recipe(line), expected, "{line}");
        }
    }

    #[test]
    fn tests_of_ruby_and_php_are_what_the_project_defines() {
        for (line, expected) in [
            ("task :test do", true),
            ("task test: :compile", true),
            ("task(\"test\") { }", true),
            ("task default: :test", false),
            ("task :test_all", false),
            ("  task :test", false),
            ("Rake::TestTask.new do |t|", true),
            ("Rake::TestTask.new(:test) do |t|", true),
            ("Rake::TestTask.new(:unit) do |t|", false),
            ("Minitest::TestTask.create", true),
            ("Rails.application.load_tasks", true),
            ("# task :test", false),
        ] {
            assert_eq!(is_rake_test(line), expected, "{line}");
        }
        for (lockfile, file, without, with, command) in [
            (
                "Gemfile.lock",
                "Rakefile",
                "task :lint",
                "task :test",
                "bundle exec rake test",
            ),
            (
                "composer.lock",
                "composer.json",
                "{}",
                r#"{"scripts":{"test":["phpunit"]}}"#,
                "composer test",
            ),
        ] {
            let root = tempfile::tempdir().unwrap();
            let write = |name: &str, text: &str| fs::write(root.path().join(name), text).unwrap();
            let found = || {
                let test = find(root.path(), &lockfile::find(root.path(), &[]));
                test.map(|test| test.command)
            };
            write(lockfile, "");
            assert_eq!(found(), None, "{lockfile}");
            write(file, without);
            assert_eq!(found(), None, "{lockfile}");
            write(file, with);
            assert_eq!(found().as_deref(), Some(command));
        }
    }

    #[test]
    fn what_the_repository_calls_test_comes_first_and_the_reason_is_told() {
        let root = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(root.path().join(name), text).unwrap();
        let found = || {
            let test = find(root.path(), &lockfile::find(root.path(), &[])).unwrap();
            (test.command, test.why)
        };
        assert_eq!(find(root.path(), &[]), None);
        write("yarn.lock", "");
        let package = |more: &str| {
            let text = format!("{{ \"scripts\": {{ \"test\": \"node --test\" }}{more} }}");
            write("package.json", &text);
        };
        package("");
        assert_eq!(
            found(),
            (
                "yarn test".to_owned(),
                "yarn.lock belongs to yarn".to_owned()
            )
        );
        write("package-lock.json", "");
        let (command, why) = found();
        assert_eq!(command, "npm test");
        assert!(why.contains("there is yarn.lock too"), "{why}");
        package(", \"packageManager\": \"yarn@4.1.0\"");
        let (command, why) = found();
        assert_eq!(command, "yarn test");
        assert_eq!(why, "package.json names yarn as its package manager");
        write("Makefile", "build:\n\ttrue\n");
        assert_eq!(found().0, "yarn test");
        write("Makefile", "build:\n\ttrue\ntest: build\n\ttrue\n");
        let made = ["make test", "Makefile has a target `test`"].map(str::to_owned);
        assert_eq!(found(), made.into());
        write("justfile", "test:\n  true\n");
        assert_eq!(found().0, "just test");
    }

    #[test]
    fn a_package_without_tests_has_no_command_for_them() {
        for (lockfile, command) in [
            ("package-lock.json", "npm test"),
            ("pnpm-lock.yaml", "pnpm test"),
            ("yarn.lock", "yarn test"),
            ("bun.lock", "bun run test"),
        ] {
            let root = tempfile::tempdir().unwrap();
            let write = |name: &str, text: &str| fs::write(root.path().join(name), text).unwrap();
            let found = || {
                let test = find(root.path(), &lockfile::find(root.path(), &[]));
                test.map(|test| test.command)
            };
            write(lockfile, "");
            assert_eq!(found(), None, "{lockfile}");
            for script in [
                r#""dev": "x""#,
                r#""test": " ""#,
                r#""test": "echo \"Error: no test specified\" && exit 1""#,
            ] {
                write(
                    "package.json",
                    &format!("{{ \"scripts\": {{ {script} }} }}"),
                );
                assert_eq!(found(), None, "{lockfile} {script}");
            }
            write("go.sum", "");
            assert_eq!(found().as_deref(), Some("go test ./..."));
            write("package.json", r#"{ "scripts": { "test": "vitest run" } }"#);
            assert_eq!(found().as_deref(), Some(command));
        }
    }
}

//! Everything that is kept anywhere: in the repository, in worktrees, in the trash, and in snapshots.

use std::path::Path;

use crate::world::World;

/// The content of all of it, one after the other.
pub(super) fn everything_kept(world: &World) -> String {
    let mut kept = objects_of(world);
    let places = [
        world.repository.path(".worktrees"),
        world.repository.path(".git/orchestra"),
        world.sandbox.data_dir().join("snapshots"),
    ];
    for place in places {
        collect(&place, &mut kept);
    }
    for pack in packs_below(&world.sandbox.data_dir().join("snapshots")) {
        world
            .repository
            .git_with_input(&["unpack-objects", "-q"], &std::fs::read(pack).unwrap());
    }
    kept + &objects_of(world)
}

/// Every object of the repository, as text.
fn objects_of(world: &World) -> String {
    let listed = world.repository.git(&[
        "cat-file",
        "--batch-all-objects",
        "--batch-check=%(objecttype) %(objectname)",
    ]);
    let blobs = listed.lines().filter_map(|line| line.strip_prefix("blob "));
    let names: String = blobs.map(|name| format!("{name}\n")).collect();
    let content = world
        .repository
        .git_with_input(&["cat-file", "--batch"], names.as_bytes());
    String::from_utf8_lossy(&content).into_owned()
}

fn collect(folder: &Path, kept: &mut String) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.map(Result::unwrap) {
        let (path, kind) = (entry.path(), entry.file_type().unwrap());
        if kind.is_dir() {
            collect(&path, kept);
        } else if kind.is_file() {
            kept.push_str(&String::from_utf8_lossy(&std::fs::read(&path).unwrap()));
        }
    }
}

fn packs_below(folder: &Path) -> Vec<std::path::PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for entry in entries.map(Result::unwrap) {
        let path = entry.path();
        if entry.file_type().unwrap().is_dir() {
            found.extend(packs_below(&path));
        } else if path.ends_with("objects.pack") {
            found.push(path);
        }
    }
    found
}

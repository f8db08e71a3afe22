/** Changed files as a tree. */
import type { FileChange } from "./model";

export type FileRow = { kind: "file"; key: string; depth: number; name: string; file: FileChange };
export type FolderRow = { kind: "folder"; key: string; depth: number; name: string; path: string; count: number; isOpen: boolean };
export type TreeRow = FileRow | FolderRow;

type Folder = { name: string; path: string; folders: Map<string, Folder>; files: FileChange[] };

/** Folders that have nothing but one folder stand in one row with it. */
export function treeRows(files: readonly FileChange[], prefix: string, isClosed: (key: string) => boolean): TreeRow[] {
  const rows: TreeRow[] = [];
  const walk = (folder: Folder, depth: number) => {
    for (const child of sorted([...folder.folders.values()], (it) => it.name)) {
      const joined = joinedFolder(child);
      const key = `${prefix}/${joined.path}/`;
      const isOpen = !isClosed(key);
      rows.push({ kind: "folder", key, depth, name: joined.name, path: joined.path, count: countOf(joined), isOpen });
      if (isOpen) walk(joined, depth + 1);
    }
    for (const file of sorted(folder.files, (it) => it.path)) {
      rows.push({ kind: "file", key: `${prefix}/${file.path}`, depth, name: file.path.slice(file.path.lastIndexOf("/") + 1), file });
    }
  };
  walk(grown(files), 0);
  return rows;
}

/** The files in the order the tree shows them in. */
export function treeOrder(files: readonly FileChange[]): FileChange[] {
  return treeRows(files, "", () => false).flatMap((row) => (row.kind === "file" ? [row.file] : []));
}

/** The files whose path has every word. */
export function chooseFiles(files: readonly FileChange[], find: string | undefined): readonly FileChange[] {
  const words = (find ?? "").toLowerCase().split(/\s+/).filter((word) => word !== "");
  if (words.length === 0) return files;
  return files.filter((file) => {
    const inside = `${file.path}\n${file.original ?? ""}`.toLowerCase();
    return words.every((word) => inside.includes(word));
  });
}

function grown(files: readonly FileChange[]): Folder {
  const top: Folder = { name: "", path: "", folders: new Map(), files: [] };
  for (const file of files) {
    let folder = top;
    const parts = file.path.split("/");
    for (const part of parts.slice(0, -1)) {
      let next = folder.folders.get(part);
      if (!next) {
        next = { name: part, path: folder.path === "" ? part : `${folder.path}/${part}`, folders: new Map(), files: [] };
        folder.folders.set(part, next);
      }
      folder = next;
    }
    folder.files.push(file);
  }
  return top;
}

function joinedFolder(folder: Folder): Folder {
  let name = folder.name;
  let at = folder;
  for (;;) {
    const [only] = at.folders.values();
    if (at.files.length > 0 || at.folders.size !== 1 || !only) return { ...at, name };
    name = `${name}/${only.name}`;
    at = only;
  }
}

function countOf(folder: Folder): number {
  let count = folder.files.length;
  for (const child of folder.folders.values()) count += countOf(child);
  return count;
}

function sorted<T>(items: T[], of: (item: T) => string): T[] {
  return items.sort((one, other) => (of(one) < of(other) ? -1 : 1));
}

/** Patches as git writes them, read into lines. */

export type LineKind = "same" | "add" | "del";

export type PatchLine = {
  kind: LineKind;
  text: string;
  /** Its number before, if it was there. */
  old: number | null;
  /** Its number now, if it is there. */
  new: number | null;
  /** The file ends here, without a line break. */
  isUnended?: true;
};

export type Hunk = { oldStart: number; oldCount: number; newStart: number; newCount: number; section: string; lines: PatchLine[] };

export type Patch = {
  hunks: Hunk[];
  isBinary: boolean;
  oldMode: string | null;
  newMode: string | null;
  similarity: number | null;
  /** First digits of the contents before and now. */
  oldBlob: string | null;
  newBlob: string | null;
  isSubmodule: boolean;
  /** Whether bytes were no UTF-8. */
  hasReplaced: boolean;
};

const SUBMODULE = "160000";
const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/;

export function parsePatch(text: string): Patch {
  const patch: Patch = {
    hunks: [],
    isBinary: false,
    oldMode: null,
    newMode: null,
    similarity: null,
    oldBlob: null,
    newBlob: null,
    isSubmodule: false,
    hasReplaced: text.includes("\uFFFD"),
  };
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  let at = 0;
  for (; at < lines.length && !(lines[at] ?? "").startsWith("@@ "); at += 1) readHead(patch, lines[at] ?? "");
  while (at < lines.length) {
    const head = HUNK.exec(lines[at] ?? "");
    at += 1;
    if (head) at = readHunk(patch, head, lines, at);
  }
  patch.isSubmodule = patch.oldMode === SUBMODULE || patch.newMode === SUBMODULE;
  return patch;
}

function readHead(patch: Patch, line: string): void {
  const mode = /^(old|new|deleted file|new file) mode (\d+)$/.exec(line);
  if (mode) {
    if (mode[1] === "old" || mode[1] === "deleted file") patch.oldMode = mode[2] ?? null;
    else patch.newMode = mode[2] ?? null;
    return;
  }
  const index = /^index ([0-9a-f]+)\.\.([0-9a-f]+)(?: (\d+))?$/.exec(line);
  if (index) {
    patch.oldBlob = index[1] ?? null;
    patch.newBlob = index[2] ?? null;
    if (index[3] === SUBMODULE) patch.oldMode = patch.newMode = SUBMODULE;
    return;
  }
  const similarity = /^similarity index (\d+)%$/.exec(line);
  if (similarity) patch.similarity = Number(similarity[1]);
  else if (line.startsWith("Binary files ") || line === "GIT binary patch") patch.isBinary = true;
}

/** Reads a hunk by its counts, since its lines may look like anything. */
function readHunk(patch: Patch, head: RegExpExecArray, lines: string[], start: number): number {
  const hunk: Hunk = {
    oldStart: Number(head[1]),
    oldCount: Number(head[2] ?? 1),
    newStart: Number(head[3]),
    newCount: Number(head[4] ?? 1),
    section: head[5] ?? "",
    lines: [],
  };
  let old = hunk.oldStart;
  let now = hunk.newStart;
  const oldEnd = old + hunk.oldCount;
  const newEnd = now + hunk.newCount;
  let at = start;
  for (; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const sign = line[0];
    const last = hunk.lines.at(-1);
    if (sign === "\\") {
      if (last) last.isUnended = true;
      continue;
    }
    if (old >= oldEnd && now >= newEnd) break;
    const text = line.slice(1);
    if (sign === "+") hunk.lines.push({ kind: "add", text, old: null, new: now++ });
    else if (sign === "-") hunk.lines.push({ kind: "del", text, old: old++, new: null });
    else hunk.lines.push({ kind: "same", text, old: old++, new: now++ });
  }
  patch.hunks.push(hunk);
  return at;
}

const MODES: Record<string, string> = { "100644": "file", "100755": "executable file", "120000": "symbolic link", [SUBMODULE]: "submodule" };

/** A mode as people call it. */
export function modeName(mode: string): string {
  return MODES[mode] ?? mode;
}

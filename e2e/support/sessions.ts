/** Sessions that a journey begins with. */
import { writeFileSync } from "node:fs";
import path from "node:path";

import type { World } from "./world";

export type Row = { id: string; name: string; worktree_path: string; branch_name: string; status: string };

/** The session with a name, as the command line lists it. */
export function session(world: World, name: string): Row {
  const { sessions } = JSON.parse(world.orchestra("session", "list", "--json")) as { sessions: Row[] };
  const found = sessions.find((it) => it.name === name);
  if (!found) throw new Error(`no session ${name}`);
  return found;
}

/** A session with a commit that no agent made. */
export function made(world: World, name: string, files: Record<string, string>): Row {
  world.orchestra("session", "new", "--name", name, "--prompt", "Greet");
  const row = session(world, name);
  for (const [file, text] of Object.entries(files)) writeFileSync(path.join(row.worktree_path, file), text);
  world.orchestra("session", "commit", name, "--message", `Work of ${name}`);
  return row;
}

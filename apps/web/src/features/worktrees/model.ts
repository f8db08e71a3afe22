import { type RawSearch, readChoice, readText } from "@/ui/search";

export type WorktreesSearch = { repo?: string; do?: "prune" | "adopt"; /** The worktree that is to be adopted. */ path?: string };

export function readWorktreesSearch(given: RawSearch): WorktreesSearch {
  return { repo: readText(given.repo), do: readChoice(given.do, ["prune", "adopt"]), path: readText(given.path) };
}

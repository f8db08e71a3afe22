import { type RawSearch, readChoice, readText } from "@/ui/search";

export type RepositoriesSearch = { repo?: string; do?: "propose" };

export function readRepositoriesSearch(given: RawSearch): RepositoriesSearch {
  return { repo: readText(given.repo), do: readChoice(given.do, ["propose"]) };
}

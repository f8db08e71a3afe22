import { type RawSearch, readText } from "@/ui/search";

export type SlashSearch = { repo?: string; name?: string };

export function readSlashSearch(given: RawSearch): SlashSearch {
  return { repo: readText(given.repo), name: readText(given.name) };
}

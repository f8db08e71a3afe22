import { type RawSearch, readChoice } from "@/ui/search";

export type DataSearch = { do?: "export" | "purge" };

export function readDataSearch(given: RawSearch): DataSearch {
  return { do: readChoice(given.do, ["export", "purge"]) };
}

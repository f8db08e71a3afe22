import { type RawSearch, readText } from "@/ui/search";

export type OperationsSearch = { session?: string };

export function readOperationsSearch(given: RawSearch): OperationsSearch {
  return { session: readText(given.session) };
}

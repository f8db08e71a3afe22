import { type RawSearch, readText } from "@/ui/search";

export type McpSearch = { repo?: string; /** The server that is to be checked. */ check?: string };

export function readMcpSearch(given: RawSearch): McpSearch {
  return { repo: readText(given.repo), check: readText(given.check) };
}

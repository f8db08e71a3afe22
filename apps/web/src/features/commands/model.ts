import type { Tone } from "@/ui/page";
import { type RawSearch, readChoice, readText } from "@/ui/search";

export type CommandsSearch = { repo?: string; do?: "allow" | "forget" };

export function readCommandsSearch(given: RawSearch): CommandsSearch {
  return { repo: readText(given.repo), do: readChoice(given.do, ["allow", "forget"]) };
}

type Look = { label: string; tone: Tone; meaning: string };

const LOOKS: Partial<Record<string, Look>> = {
  own: { label: "Your own", tone: "quiet", meaning: "You set it yourself, so it runs." },
  allowed: { label: "Allowed", tone: "good", meaning: "It is in the repository's file, and you allowed it as it is." },
  not_allowed: { label: "Not allowed", tone: "attention", meaning: "It is in the repository's file, and nobody allowed it as it is." },
  not_set: { label: "Allowed, not set", tone: "info", meaning: "It was allowed, and nothing names it now." },
};

export function permissionLook(permission: string): Look {
  return LOOKS[permission] ?? { label: permission, tone: "info", meaning: permission };
}

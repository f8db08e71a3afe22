import type { Tone } from "@/ui/page";
import { type RawSearch, readText } from "@/ui/search";

import type { Agent } from "./api";

export type AgentsSearch = { repo?: string; /** The agent that is to be tested. */ test?: string };

export function readAgentsSearch(given: RawSearch): AgentsSearch {
  return { repo: readText(given.repo), test: readText(given.test) };
}

type Look = { label: string; tone: Tone };

const LOGINS: Partial<Record<string, Look>> = {
  key: { label: "Key", tone: "good" },
  stored: { label: "Logged in", tone: "good" },
  not_needed: { label: "Not needed", tone: "quiet" },
  unknown: { label: "Not known", tone: "attention" },
  missing: { label: "Missing", tone: "danger" },
};

export function loginLook(agent: Agent): Look {
  return LOGINS[agent.login] ?? { label: agent.login, tone: "info" };
}

/** What can be done with an agent, in words. */
export function abilitiesOf({ abilities }: Agent): string[] {
  return [
    abilities.resume ? "goes on with a conversation" : null,
    abilities.approvals ? "asks before it acts" : null,
    abilities.input ? "takes messages while it works" : null,
    abilities.cost === "reported" ? "tells its cost" : abilities.cost === "estimated" ? "cost is estimated" : null,
  ].filter((ability) => ability !== null);
}

/** Agents that can be used first, the default on top. */
export function inOrder(agents: readonly Agent[]): Agent[] {
  const rank = (agent: Agent) => (agent.is_default ? 0 : agent.program != null ? 1 : 2);
  return agents.toSorted((one, other) => rank(one) - rank(other) || one.name.localeCompare(other.name));
}

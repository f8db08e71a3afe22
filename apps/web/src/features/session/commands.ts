import type { Command } from "@/ui/commands/registry";

import { ACTIONS, type ActionId } from "./actions";
import { TABS, type Tab } from "./model";

type Does = { run: (action: ActionId) => void; show: (tab: Tab) => void; isOffered: (action: ActionId) => boolean };

/** What each tab reads. */
const READS: Record<Tab, readonly string[]> = {
  transcript: ["get_transcript"],
  diff: ["list_changes", "get_file_diff"],
  scripts: ["list_script_runs", "get_script_output"],
  inspector: ["get_iteration", "list_iterations"],
};

/** What can be done with a session, wherever on its page. */
export function sessionCommands({ run, show, isOffered }: Does): Command[] {
  const ids = Object.keys(ACTIONS) as ActionId[];
  return [
    ...ids.filter(isOffered).map((id) => ({ ...ACTIONS[id], id: `session.${id}`, group: "This session", run: () => run(id) })),
    ...TABS.map((tab, index) => ({
      id: `session.tab.${tab}`,
      title: `Show ${tab}`,
      group: "This session",
      keys: String(index + 1),
      operations: tab === "transcript" ? [...READS[tab], "get_session_log"] : READS[tab],
      run: () => show(tab),
    })),
  ];
}

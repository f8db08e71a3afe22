import type { Command } from "@/ui/commands/registry";

/** The fields that commands lead to. */
export const FIND_ID = "transcript-find";
export const COMPOSER_ID = "transcript-composer";

const focus = (id: string) => document.getElementById(id)?.focus();

/** What can be done with a transcript. */
export function transcriptCommands(): Command[] {
  return [
    {
      id: "transcript.find",
      title: "Search the transcript",
      group: "Transcript",
      keys: "/",
      operations: ["search_transcript", "get_transcript"],
      run: () => focus(FIND_ID),
    },
    {
      id: "transcript.reply",
      title: "Write to the agent",
      group: "Transcript",
      keywords: "follow-up answer question permission slash",
      keys: "i",
      operations: ["start_iteration", "answer_session", "decide_permission", "list_slash_commands", "get_slash_command", "list_queue"],
      run: () => focus(COMPOSER_ID),
    },
  ];
}

import type { Command } from "@/ui/commands/registry";

const GROUP = "Changes";

type FileMoves = {
  onFile: (direction: 1 | -1) => void;
  onViewed: () => void;
  onSplit: () => void;
  onSpace: () => void;
  onEdit: () => void;
  onCopy: () => void;
};

/** What can be done with the file that is looked at. */
export function fileCommands(moves: FileMoves): Command[] {
  return [
    { id: "diff.next-file", title: "Next changed file", group: GROUP, keys: "]", operations: ["list_changes", "get_file_diff"], run: () => moves.onFile(1) },
    { id: "diff.previous-file", title: "Previous changed file", group: GROUP, keys: "[", run: () => moves.onFile(-1) },
    { id: "diff.viewed", title: "Mark the file as viewed, or not", group: GROUP, keys: "v", run: moves.onViewed },
    { id: "diff.split", title: "Split or unified view", group: GROUP, keywords: "beside below", keys: "s", run: moves.onSplit },
    { id: "diff.space", title: "Show or leave out changes of white space", group: GROUP, keys: "w", run: moves.onSpace },
    { id: "diff.edit", title: "Edit the file in the worktree", group: GROUP, keys: "e", operations: ["read_file", "save_file"], run: moves.onEdit },
    { id: "diff.copy-path", title: "Copy the file's path", group: GROUP, keys: "y", run: moves.onCopy },
  ];
}

type LineMoves = {
  onLine: (direction: 1 | -1) => void;
  onChange: (direction: 1 | -1) => void;
  onExtend: (direction: 1 | -1) => void;
  onComment: () => void;
};

/** What can be done with the lines of a file. */
export function lineCommands(moves: LineMoves): Command[] {
  return [
    { id: "diff.next-change", title: "Next change", group: GROUP, keys: "n", run: () => moves.onChange(1) },
    { id: "diff.previous-change", title: "Previous change", group: GROUP, keys: "p", run: () => moves.onChange(-1) },
    { id: "diff.next-line", title: "Next line", group: GROUP, keys: "j", isHidden: true, run: () => moves.onLine(1) },
    { id: "diff.previous-line", title: "Previous line", group: GROUP, keys: "k", isHidden: true, run: () => moves.onLine(-1) },
    { id: "diff.extend-down", title: "Comment on the next line too", group: GROUP, keys: "shift+j", isHidden: true, run: () => moves.onExtend(1) },
    { id: "diff.extend-up", title: "Comment on the line before too", group: GROUP, keys: "shift+k", isHidden: true, run: () => moves.onExtend(-1) },
    { id: "diff.comment", title: "Comment on the line", group: GROUP, keys: "c", operations: ["start_iteration"], run: moves.onComment },
  ];
}

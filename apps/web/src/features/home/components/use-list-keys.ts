import { type Command, useCommands } from "@/ui/commands/registry";

type Keys = {
  onMove: (step: number) => void;
  onOpen: () => void;
  onToggle?: () => void;
  onAll?: () => void;
  onClear?: () => void;
  onAside?: (step: number) => void;
};

/** Moves in a list and chooses from it without the mouse. A key that does nothing in a list is left to the browser. */
export function useListKeys({ onMove, onOpen, onToggle, onAll, onClear, onAside }: Keys): void {
  useCommands([
    ...command("next", "Next session", "j", () => onMove(1)),
    ...command("previous", "Previous session", "k", () => onMove(-1)),
    ...command("right", "Next column of the board", "l", onAside && (() => onAside(1))),
    ...command("left", "Previous column of the board", "h", onAside && (() => onAside(-1))),
    ...command("open", "Open it", "enter", onOpen),
    ...command("toggle", "Select it, or not", "x", onToggle),
    ...command("all", "Select all that are shown", "mod+a", onAll),
    ...command("clear", "Select none", "escape", onClear),
  ]);
}

function command(id: string, title: string, pressed: string, run: (() => void) | undefined): Command[] {
  return run ? [{ id: `list.${id}`, title, group: "List", keys: pressed, isHidden: true, run }] : [];
}

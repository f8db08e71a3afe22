import { type Command, useCommands } from "@/ui/commands/registry";

type Keys = {
  onMove: (step: number) => void;
  onOpen: () => void;
  onToggle?: () => void;
  onAll?: () => void;
  onClear?: () => void;
  onAside?: (step: number) => void;
};

/** Moves in a list and chooses from it without the mouse. */
export function useListKeys(keys: Keys): void {
  useCommands([
    command("next", "Next session", "j", () => keys.onMove(1)),
    command("previous", "Previous session", "k", () => keys.onMove(-1)),
    command("right", "Next column of the board", "l", () => keys.onAside?.(1)),
    command("left", "Previous column of the board", "h", () => keys.onAside?.(-1)),
    command("open", "Open it", "enter", keys.onOpen),
    command("toggle", "Select it, or not", "x", () => keys.onToggle?.()),
    command("all", "Select all that are shown", "mod+a", () => keys.onAll?.()),
    command("clear", "Select none", "escape", () => keys.onClear?.()),
  ]);
}

function command(id: string, title: string, pressed: string, run: () => void): Command {
  return { id: `list.${id}`, title, group: "List", keys: pressed, isHidden: true, run };
}

import { useLayoutEffect, useMemo, useRef } from "react";

import { type Command, useCommands } from "@/ui/commands/registry";

type Keys = { onMove: (step: number) => void; onOpen: () => void; onToggle?: () => void; onAll?: () => void; onClear?: () => void; onAside?: (step: number) => void };

/** Moves in a list and chooses from it without the mouse. */
export function useListKeys(keys: Keys): void {
  const latest = useRef(keys);
  useLayoutEffect(() => {
    latest.current = keys;
  });
  const commands = useMemo<Command[]>(() => {
    const of = (id: string, title: string, pressed: string, run: (now: Keys) => void): Command => ({
      id: `list.${id}`,
      title,
      group: "List",
      keys: pressed,
      isHidden: true,
      run: () => run(latest.current),
    });
    return [
      of("next", "Next session", "j", (now) => now.onMove(1)),
      of("previous", "Previous session", "k", (now) => now.onMove(-1)),
      of("right", "Next column of the board", "l", (now) => now.onAside?.(1)),
      of("left", "Previous column of the board", "h", (now) => now.onAside?.(-1)),
      of("open", "Open it", "enter", (now) => now.onOpen()),
      of("toggle", "Select it, or not", "x", (now) => now.onToggle?.()),
      of("all", "Select all that are shown", "mod+a", (now) => now.onAll?.()),
      of("clear", "Select none", "escape", (now) => now.onClear?.()),
    ];
  }, []);
  useCommands(commands);
}

import { useEffect, useState } from "react";

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
  const [list] = useState(() => new List(keys));
  useEffect(() => {
    list.keys = keys;
  });
  useCommands(list.commands);
}

/** Commands that stay the same while what they do changes with every render. */
class List {
  readonly commands: readonly Command[];

  constructor(public keys: Keys) {
    this.commands = [
      this.#command("next", "Next session", "j", () => this.keys.onMove(1)),
      this.#command("previous", "Previous session", "k", () => this.keys.onMove(-1)),
      this.#command("right", "Next column of the board", "l", () => this.keys.onAside?.(1)),
      this.#command("left", "Previous column of the board", "h", () => this.keys.onAside?.(-1)),
      this.#command("open", "Open it", "enter", () => this.keys.onOpen()),
      this.#command("toggle", "Select it, or not", "x", () => this.keys.onToggle?.()),
      this.#command("all", "Select all that are shown", "mod+a", () => this.keys.onAll?.()),
      this.#command("clear", "Select none", "escape", () => this.keys.onClear?.()),
    ];
  }

  #command(id: string, title: string, pressed: string, run: () => void): Command {
    return { id: `list.${id}`, title, group: "List", keys: pressed, isHidden: true, run };
  }
}

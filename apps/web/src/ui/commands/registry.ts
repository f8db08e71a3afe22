import { useEffect, useId, useSyncExternalStore } from "react";

/** Something the user can do: an entry of the palette, and a shortcut if it has keys. */
export type Command = {
  /** Unique, such as `session.stop`. */
  id: string;
  title: string;
  /** The heading it stands under. */
  group: string;
  /** Other words that find it. */
  keywords?: string;
  /** Keys such as `mod+k`, `?`, or one after another: `g h`. */
  keys?: string;
  /** Whether its keys also count in a text field or a dialog. */
  whileTyping?: boolean;
  /** The operations of the API that it uses. */
  operations?: readonly string[];
  /** Whether the palette leaves it out: moving in a list, for example. */
  isHidden?: boolean;
  run: () => void;
};

const registered = new Map<string, readonly Command[]>();
const listeners = new Set<() => void>();
let all: readonly Command[] = [];

function changed(): void {
  all = [...registered.values()].flat();
  for (const listener of listeners) listener();
}

/** Adds commands while the component is there. Those that came last win where keys are the same. */
export function useCommands(commands: readonly Command[]): void {
  const id = useId();
  useEffect(() => {
    registered.set(id, commands);
    changed();
  }, [id, commands]);
  useEffect(
    () => () => {
      registered.delete(id);
      changed();
    },
    [id],
  );
}

/** Every command there is now. */
export function currentCommands(): readonly Command[] {
  return all;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Every command there is, for whoever shows them. */
export function useAllCommands(): readonly Command[] {
  return useSyncExternalStore(subscribe, currentCommands);
}

import { useEffect } from "react";

import { currentCommands } from "./registry";

/** How long the second key of a sequence may take. */
const PATIENCE_MS = 900;

/** Runs commands by their keys. Once, in the shell. */
export function useShortcuts(): void {
  useEffect(() => {
    let before: { chord: string; at: number } | null = null;
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || isModifier(event.key)) return;
      const chord = chordOf(event);
      if (isPressing(chord, event.target)) return;
      const isElsewhere = isTyping(event.target) || isDialogOpen();
      const sequence = before && event.timeStamp - before.at < PATIENCE_MS ? `${before.chord} ${chord}` : null;
      const command = (sequence === null ? undefined : commandFor(sequence)) ?? commandFor(chord);
      before = command ? null : { chord, at: event.timeStamp };
      if (!command || (isElsewhere && command.whileTyping !== true)) return;
      event.preventDefault();
      command.run();
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, []);
}

function commandFor(keys: string) {
  return currentCommands().findLast((command) => command.keys?.split(", ").includes(keys));
}

/** A pressed key as it is written in `keys`. */
export function chordOf(event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">): string {
  const key = event.key.toLowerCase();
  const isLetter = /^[a-z]$/.test(key);
  // Shift is part of a sign such as `?`, and a modifier of letters and named keys.
  const isShifted = event.shiftKey && (isLetter || key.length > 1);
  return [event.ctrlKey || event.metaKey ? "mod" : "", event.altKey ? "alt" : "", isShifted ? "shift" : "", key === " " ? "space" : key]
    .filter((part) => part !== "")
    .join("+");
}

function isModifier(key: string): boolean {
  return ["Control", "Shift", "Alt", "Meta"].includes(key);
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.matches("input:not([type=checkbox]):not([type=radio]),textarea,select");
}

/** Enter and Space belong to the button or link that has the focus. */
function isPressing(chord: string, target: EventTarget | null): boolean {
  if (chord !== "enter" && chord !== "space") return false;
  return target instanceof Element && target.closest('a,button,summary,[role="menuitem"]') !== null;
}

/** Keys belong to a dialog as long as one is open. */
function isDialogOpen(): boolean {
  return document.querySelector('[role="dialog"][aria-modal="true"]') !== null;
}

import { Kbd } from "@mantine/core";
import { Fragment } from "react";

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);
const NAMES: Record<string, string> = { mod: isApple ? "⌘" : "Ctrl", shift: "Shift", alt: isApple ? "⌥" : "Alt", enter: "Enter", escape: "Esc" };

/** Keys of a shortcut such as `mod+k` or `g h`. */
export function Keys({ keys }: { keys: string }) {
  return (
    <span className="keys">
      {keys.split(" ").map((chord, index) => (
        <Fragment key={index}>
          {index > 0 && <span className="quiet"> then </span>}
          {chord.split("+").map((key) => (
            <Kbd key={key} size="xs">
              {NAMES[key] ?? (key.length === 1 ? key.toUpperCase() : key)}
            </Kbd>
          ))}
        </Fragment>
      ))}
    </span>
  );
}

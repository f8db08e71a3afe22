import type { Wire } from "@/api/types";

import classes from "./transcript.module.css";

export const SLASH_LIST_ID = "slash-commands";
export const slashOptionId = (name: string) => `slash-${name}`;

type Props = { commands: readonly Wire["SlashCommand"][]; selected: number; onChoose: (command: Wire["SlashCommand"]) => void };

const ORIGINS: Record<string, string> = { built_in: "", user: "yours", repository: "of the repository" };

/** Slash commands that fit what was typed. */
export function SlashListbox({ commands, selected, onChoose }: Props) {
  return (
    <ul id={SLASH_LIST_ID} role="listbox" aria-label="Slash commands" className={classes.slash}>
      {commands.map((command, index) => (
        <li
          key={command.name}
          id={slashOptionId(command.name)}
          role="option"
          aria-selected={index === selected}
          ref={(element) => {
            if (index === selected) element?.scrollIntoView({ block: "nearest" });
          }}
          onMouseDown={(event) => {
            event.preventDefault();
            onChoose(command);
          }}
        >
          <code>{command.usage.split(",")[0]}</code>
          <span className="quiet truncate">{command.description}</span>
          <span className="quiet" style={{ marginLeft: "auto" }}>
            {ORIGINS[command.origin] ?? command.origin}
          </span>
        </li>
      ))}
    </ul>
  );
}

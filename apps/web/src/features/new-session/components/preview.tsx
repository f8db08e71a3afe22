import { Badge, Group } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";

import classes from "./new-session.module.css";

type Props = { prompt: string; constraints: string; names: string[]; /** How many of them exist by now. */ made: number };

/** What the agent will be told, and the sessions that will be there. */
export function Preview({ prompt, constraints, names, made }: Props) {
  return (
    <section className={classes.preview} aria-label="Preview">
      <div className={classes.previewHead}>
        <Group gap={6}>
          {names.map((name, index) => (
            <Badge key={name} color={index < made ? "green" : undefined} leftSection={index < made ? <IconCheck size={11} /> : undefined}>
              {name === "" ? "no name yet" : name}
            </Badge>
          ))}
        </Group>
      </div>
      <pre className={classes.previewText}>
        {prompt.trim() === "" ? <span className="quiet">The prompt, as the agent gets it, is shown here.</span> : prompt}
        {constraints.trim() !== "" && <span className="quiet">{`\n\nConstraints\n${constraints}`}</span>}
      </pre>
    </section>
  );
}

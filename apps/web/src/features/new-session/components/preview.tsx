import { Badge, Group } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";

import classes from "./new-session.module.css";

type Props = { prompt: string; constraints: string; sessions: readonly { key: number; name: string; isMade: boolean }[] };

/** What the agent will be told, and the sessions that will be there. */
export function Preview({ prompt, constraints, sessions }: Props) {
  return (
    <section className={classes.preview} aria-label="Preview">
      <div className={classes.previewHead}>
        <Group gap={6}>
          {sessions.map(({ key, name, isMade }) => (
            <Badge key={key} color={isMade ? "green" : undefined} leftSection={isMade ? <IconCheck size={11} /> : undefined}>
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

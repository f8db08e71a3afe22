import { Alert, Text } from "@mantine/core";

import type { ApiError } from "@/api/error";
import { Ticked } from "@/ui/ticked";

import classes from "./dialogs.module.css";

/** What long work did so far. */
export function Steps({ steps }: { steps: readonly string[] }) {
  if (steps.length === 0) return null;
  return (
    <ol className={classes.steps} aria-label="Progress" aria-live="polite">
      {steps.map((step, index) => (
        <li key={index} data-last={index === steps.length - 1 || undefined}>
          {step}
        </li>
      ))}
    </ol>
  );
}

/** Why it was not done. */
export function Failure({ error }: { error: ApiError | null }) {
  if (error === null) return null;
  return (
    <Alert color="red" variant="light" p="xs" role="alert">
      <Text className={classes.message}>
        <Ticked text={error.message} />
      </Text>
      {error.hint !== null && (
        <Text c="dimmed">
          <Ticked text={error.hint} />
        </Text>
      )}
    </Alert>
  );
}

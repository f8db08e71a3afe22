import { ActionIcon, Tooltip } from "@mantine/core";
import { IconAlertTriangle, IconCheck, IconCopy } from "@tabler/icons-react";
import { useEffect, useState } from "react";

import { platform } from "@/platform/current";

type Props = { value: string; /** What is copied, such as "branch". */ what: string };

/** Copies a text. */
export function CopyButton({ value, what }: Props) {
  const [state, setState] = useState<"ready" | "copied" | "failed">("ready");
  useEffect(() => {
    if (state === "ready") return;
    const timer = setTimeout(() => setState("ready"), 1_500);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = () =>
    void platform()
      .clipboard.write(value)
      .then(
        () => setState("copied"),
        () => setState("failed"),
      );
  const label = state === "copied" ? "Copied" : state === "failed" ? "The browser did not allow it" : `Copy ${what}`;
  return (
    <Tooltip label={label}>
      <ActionIcon aria-label={label} onClick={copy} size="sm">
        {state === "copied" ? <IconCheck size={14} /> : state === "failed" ? <IconAlertTriangle size={14} /> : <IconCopy size={14} />}
      </ActionIcon>
    </Tooltip>
  );
}

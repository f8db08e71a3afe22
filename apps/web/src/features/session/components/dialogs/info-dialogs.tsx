/** What can be looked up about a session. */
import { Button, Group, Modal, Select, Stack, Text, Textarea } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { asApiError } from "@/api/error";
import { platform } from "@/platform/current";
import { DialogButtons } from "@/ui/dialog-buttons";
import { Bytes } from "@/ui/figures";
import { CopyButton } from "@/ui/copy-button";
import { FailedState, SkeletonRows } from "@/ui/states";

import { agentCommandQuery, artifactsQuery, guardQuery, landing } from "../../api";
import { FIELDS, FIELD_NAMES, type FieldName } from "../../fields";
import { shellCommand } from "../../model";
import { useWork } from "../../use-work";
import type { DialogProps } from "./dialog-props";
import classes from "./dialogs.module.css";
import { Failure } from "./progress";

/** Exactly what the agent would be started with. */
export function AgentCommandDialog({ session, onClose }: DialogProps) {
  const query = useQuery(agentCommandQuery(session.id));
  return (
    <Modal opened onClose={onClose} title="What the agent is started with" size="lg">
      {query.isPending && <SkeletonRows count={5} />}
      {query.isError && <FailedState isSmall title="It cannot be told" failure={asApiError(query.error)} />}
      {query.data && (
        <Stack gap="sm">
          <Group gap={4} wrap="nowrap" align="flex-start">
            <pre className={classes.block} style={{ flex: 1 }}>
              {shellCommand(query.data.command)}
            </pre>
            <CopyButton value={shellCommand(query.data.command)} what="command" />
          </Group>
          <dl className={classes.facts}>
            <dt>Directory</dt>
            <dd className="mono">{query.data.directory}</dd>
            <dt>Environment</dt>
            <dd>{query.data.environment}</dd>
            <dt>Isolation</dt>
            <dd>{query.data.isolation}</dd>
            <dt>Toolboxes</dt>
            <dd>{query.data.toolboxes.join(", ") || "none"}</dd>
            <dt>MCP servers</dt>
            <dd>{query.data.mcp_servers.map((server) => server.name).join(", ") || "none"}</dd>
          </dl>
          <pre className={classes.block}>{query.data.variables.map((variable) => `${variable.name}=${variable.value}`).join("\n")}</pre>
        </Stack>
      )}
    </Modal>
  );
}

/** What changed outside of the worktree while the agent ran. */
export function GuardDialog({ session, onClose }: DialogProps) {
  const query = useQuery(guardQuery(session.id));
  const findings = query.data?.isolation?.findings ?? [];
  return (
    <Modal opened onClose={onClose} title="Changes outside of the worktree" size="lg">
      {query.isPending && <SkeletonRows count={4} />}
      {query.isError && <FailedState isSmall title="It cannot be told" failure={asApiError(query.error)} />}
      {query.data && (
        <Stack gap="sm">
          <Text>
            {query.data.iteration == null
              ? "No agent was started yet."
              : findings.length === 0
                ? `Nothing was seen while iteration ${query.data.iteration} ran.`
                : `While iteration ${query.data.iteration} ran:`}
          </Text>
          {findings.map((finding, index) => (
            <Text key={index}>{finding.what}</Text>
          ))}
          {query.data.isolation?.problem != null && <Text c="dimmed">{query.data.isolation.problem}</Text>}
          {query.data.diff != null && <pre className={classes.block}>{query.data.diff}</pre>}
        </Stack>
      )}
    </Modal>
  );
}

/** Files that were collected from the worktree. */
export function ArtifactsDialog({ session, onClose }: DialogProps) {
  const query = useQuery(artifactsQuery(session.id));
  const collect = useWork({
    run: () => landing.collectArtifacts(session.id),
    done: (answer) => ({ text: answer.artifacts.length === 0 ? "Nothing was there to collect" : "The artifacts were collected" }),
    failed: "Nothing was collected",
    onDone: () => void query.refetch(),
  });
  const load = useWork({
    run: async (name: string) => platform().saveFile(await landing.artifact(session.id, name), name),
    done: () => null,
    failed: "It was not downloaded",
  });
  return (
    <Modal opened onClose={onClose} title="Artifacts" size="lg">
      <Stack gap="sm">
        {query.isPending && <SkeletonRows count={3} />}
        {query.isError && <FailedState isSmall title="They cannot be listed" failure={asApiError(query.error)} />}
        {query.data?.artifacts.length === 0 && <Text c="dimmed">Nothing was collected yet.</Text>}
        {query.data?.artifacts.map((artifact) => (
          <Group key={artifact.name} justify="space-between" wrap="nowrap">
            <span className="truncate" title={artifact.source}>
              {artifact.name}
            </span>
            <Group gap="xs" wrap="nowrap">
              <Bytes value={artifact.bytes} />
              <CopyButton value={artifact.path} what="path" />
              <Button size="compact-xs" variant="default" onClick={() => load.start(artifact.name)}>
                Download
              </Button>
            </Group>
          </Group>
        ))}
        <Failure error={collect.error ?? load.error} />
        <DialogButtons>
          <Button loading={collect.isPending} onClick={() => collect.start(undefined)}>
            Collect now
          </Button>
        </DialogButtons>
      </Stack>
    </Modal>
  );
}

/** Changes one field of the session. */
export function FieldsDialog({ session, onClose }: DialogProps) {
  const [field, setField] = useState<FieldName>("notes");
  const { now, isOptional } = FIELDS[field];
  const [value, setValue] = useState(now(session));
  const work = useWork({ run: () => landing.setField(session.id, field, value), done: () => ({ text: `${field} was changed` }), failed: "It was not changed", onDone: onClose });
  const choose = (chosen: string | null) => {
    const next = FIELD_NAMES.find((name) => name === chosen) ?? "notes";
    setField(next);
    setValue(FIELDS[next].now(session));
  };
  return (
    <Modal opened onClose={onClose} title="Change a field">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          work.start(undefined);
        }}
      >
        <Stack gap="sm">
          <Select label="Field" data={FIELD_NAMES} value={field} onChange={choose} />
          <Textarea
            label="Value"
            description={`As the command line takes it${isOptional ? "; empty clears the field" : ""}`}
            autosize
            minRows={1}
            maxRows={12}
            data-autofocus
            value={value}
            onChange={(event) => setValue(event.currentTarget.value)}
          />
          <Failure error={work.error} />
          <DialogButtons>
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={work.isPending} disabled={value === now(session) || (!isOptional && value.trim() === "")}>
              Change
            </Button>
          </DialogButtons>
        </Stack>
      </form>
    </Modal>
  );
}

import { Button, Modal, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";

import { asApiError } from "@/api/error";
import { DialogButtons } from "@/ui/dialog-buttons";
import { formatDuration } from "@/ui/format";
import { Panel, Section, Tag } from "@/ui/page";
import { Rows } from "@/ui/rows";
import { FailedState } from "@/ui/states";

import { type SandboxTrials, checkSandbox } from "../api";
import { ESCAPE_LOOKS } from "../model";

type Props = { repository: string | undefined; onClose: () => void };

/** Tries every known way out of a sandbox, and shows which were closed. */
export function CheckSandbox({ repository, onClose }: Props) {
  const check = useMutation({ mutationFn: () => checkSandbox(repository) });
  return (
    <Modal opened onClose={onClose} title="Try the sandbox" size="xl">
      <Stack gap="sm">
        <Text c="dimmed">A harmless program tries to get out of each layer, and of all of them together.</Text>
        {check.isError && <FailedState isSmall title="The sandbox cannot be tried" failure={asApiError(check.error)} />}
        {check.data && <Trials found={check.data} />}
        <DialogButtons>
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          <Button data-autofocus loading={check.isPending} onClick={() => check.mutate()}>
            {check.data ? "Try it again" : "Try it"}
          </Button>
        </DialogButtons>
      </Stack>
    </Modal>
  );
}

function Trials({ found }: { found: SandboxTrials }) {
  return (
    <>
      <div role="status">
        <Tag tone={found.holds ? "good" : "danger"}>{found.holds ? "It holds" : "It does not hold"}</Tag> {found.refusal}
      </div>
      {found.missing.map((layer) => (
        <Text key={layer.layer} size="sm">
          <Tag tone="attention">{layer.layer} is not there</Tag> {layer.hint}
        </Text>
      ))}
      {found.tried.map((trial) => (
        <Trial key={trial.layers.join()} trial={trial} />
      ))}
    </>
  );
}

function Trial({ trial }: { trial: SandboxTrials["tried"][number] }) {
  return (
    <Section title={trial.layers.join(" and ")} actions={<Text c="dimmed">{`${trial.stopped} of ${trial.tried} stopped, ${formatDuration(trial.milliseconds)}`}</Text>}>
      {trial.commit_failure != null && <Text c="dimmed">Nothing could be committed: {trial.commit_failure}</Text>}
      <Panel>
        <Rows
          label={trial.layers.join(" and ")}
          rows={trial.escapes}
          rowKey={(escape) => escape.escape}
          columns={[
            { key: "end", title: "End", width: 110, render: (escape) => <Tag tone={ESCAPE_LOOKS[escape.end].tone}>{ESCAPE_LOOKS[escape.end].label}</Tag> },
            { key: "escape", title: "Way out", width: "45%", render: (escape) => escape.escape },
            { key: "by", title: "By", render: (escape) => escape.by },
          ]}
        />
      </Panel>
    </Section>
  );
}

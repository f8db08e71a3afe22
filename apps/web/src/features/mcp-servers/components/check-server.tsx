import { Button, Modal, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";

import { asApiError } from "@/api/error";
import { DialogButtons } from "@/ui/dialog-buttons";
import { plural } from "@/ui/format";
import { NoRows, Panel, Tag } from "@/ui/page";
import { Rows } from "@/ui/rows";
import { FailedState } from "@/ui/states";

import { type McpTool, checkMcpServer } from "../api";

type Props = { server: string; repository: string | undefined; onClose: () => void };

/** Connects to a server and shows its tools. */
export function CheckServer({ server, repository, onClose }: Props) {
  const check = useMutation({ mutationFn: () => checkMcpServer(server, repository) });
  return (
    <Modal opened onClose={onClose} title={`Check ${server}`} size="lg">
      <Stack gap="sm">
        <Text c="dimmed">The server is started, or connected to, and asked for its tools.</Text>
        {check.isError && <FailedState isSmall title="The server does not answer" failure={asApiError(check.error)} />}
        {check.data && <Tools tools={check.data} />}
        <DialogButtons>
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          <Button data-autofocus loading={check.isPending} onClick={() => check.mutate()}>
            {check.data ? "Check again" : "Check"}
          </Button>
        </DialogButtons>
      </Stack>
    </Modal>
  );
}

function Tools({ tools }: { tools: readonly McpTool[] }) {
  return (
    <>
      <div role="status">
        <Tag tone="good">It answers</Tag> {plural(tools.length, "tool")}
      </div>
      <Panel>
        {tools.length === 0 ? (
          <NoRows>It has no tools.</NoRows>
        ) : (
          <Rows label="Tools" minWidth={320} rows={tools} rowKey={(tool) => tool.name} columns={[{ key: "name", title: "Tool", render: (tool) => <span className="mono">{tool.name}</span> }, { key: "does", title: "What it does", render: (tool) => tool.description }]} />
        )}
      </Panel>
    </>
  );
}

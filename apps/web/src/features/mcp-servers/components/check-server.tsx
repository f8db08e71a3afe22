import { Modal, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { Loaded } from "@/ui/loaded";
import { NoRows, Panel, Tag } from "@/ui/page";
import { plural } from "@/ui/format";
import { Rows } from "@/ui/rows";

import { checkMcpServer } from "../api";

type Props = { server: string; repository: string | undefined; onClose: () => void };

/** Connects to a server and shows its tools. */
export function CheckServer({ server, repository, onClose }: Props) {
  const check = useQuery({ queryKey: ["mcp-servers", "check", server, repository ?? null], queryFn: () => checkMcpServer(server, repository), staleTime: 0, gcTime: 0, retry: false });
  return (
    <Modal opened onClose={onClose} title={`Check ${server}`} size="lg">
      <Stack gap="sm">
        {check.isPending && <Text c="dimmed">The server is started and asked for its tools…</Text>}
        <Loaded query={check} failed="The server does not answer" isSmall rows={4}>
          {(tools) => (
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
          )}
        </Loaded>
      </Stack>
    </Modal>
  );
}

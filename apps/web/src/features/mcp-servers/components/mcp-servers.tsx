import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { IconPlugConnected } from "@tabler/icons-react";

import { mcpServersQuery } from "@/api/queries/mcp-servers";
import { repositoriesQuery } from "@/api/queries/repositories";
import { Loaded } from "@/ui/loaded";
import { Page, Panel, Tag } from "@/ui/page";
import { RepositorySelect } from "@/ui/repository-select";
import { Rows } from "@/ui/rows";
import { EmptyState } from "@/ui/states";

import type { McpSearch } from "../model";
import { CheckServer } from "./check-server";

type Props = { search: McpSearch; onSearch: (next: McpSearch) => void };

/** The MCP servers that the settings describe. */
export function McpServers({ search, onSearch }: Props) {
  const query = useQuery(mcpServersQuery(search.repo));
  const roots = useQuery(repositoriesQuery()).data?.repositories.map((repository) => repository.root) ?? [];
  const checked = query.data?.servers.find((server) => server.name === search.check || search.check === "*");
  return (
    <Page
      title="MCP servers"
      about="Servers that agents get tools from. Values of secrets are never shown."
      actions={<RepositorySelect roots={roots} value={search.repo} none="Your settings" label="As the settings of" onChange={(repo) => onSearch({ repo })} />}
    >
      <Loaded query={query} failed="MCP servers cannot be listed" rows={4}>
        {({ servers }) =>
          servers.length === 0 ? (
            <EmptyState icon={<IconPlugConnected size={20} />} title="No MCP server is set">
              Describe one with the setting <code>mcp.NAME.command</code> or <code>mcp.NAME.url</code>, then list it in <code>runtime.mcp</code>.
            </EmptyState>
          ) : (
            <Panel>
              <Rows
                label="MCP servers"
                rows={servers}
                rowKey={(server) => server.name}
                columns={[
                  { key: "name", title: "Server", render: (server) => <><Text fw={500} span>{server.name}</Text> {server.is_default && <Tag tone="active">Default</Tag>}</> },
                  { key: "reach", title: "Reached by", render: (server) => <span className="mono" style={{ overflowWrap: "anywhere" }}>{server.url ?? server.command?.join(" ") ?? ""}</span> },
                  { key: "tools", title: "Tools", render: (server) => server.tools?.join(", ") ?? <span className="quiet">all</span> },
                  { key: "values", title: "Values", render: (server) => server.values.map((value) => <div key={value.name} className="mono">{value.name}: {value.value}</div>) },
                  { key: "act", title: "", align: "right", render: (server) => <Button size="compact-xs" variant="default" aria-label={`Check ${server.name}`} onClick={() => onSearch({ ...search, check: server.name })}>Check</Button> },
                ]}
              />
            </Panel>
          )
        }
      </Loaded>
      {checked && <CheckServer key={checked.name} server={checked.name} repository={search.repo} onClose={() => onSearch({ ...search, check: undefined })} />}
    </Page>
  );
}

import { Button, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { IconRobot } from "@tabler/icons-react";

import { agentsQuery, environmentsQuery } from "@/api/queries/agents";
import { repositoriesQuery } from "@/api/queries/repositories";
import { Unknown } from "@/ui/figures";
import { Loaded } from "@/ui/loaded";
import { Page, Panel, PathText, Section, Tag } from "@/ui/page";
import { RepositorySelect } from "@/ui/repository-select";
import { Rows } from "@/ui/rows";
import { EmptyState } from "@/ui/states";

import type { Agent, Environment } from "../api";
import { type AgentsSearch, abilitiesOf, inOrder, loginLook } from "../model";
import { TestAgent } from "./test-agent";

type Props = { search: AgentsSearch; onSearch: (next: AgentsSearch) => void };

/** Programs that edit code, and the places they work with. */
export function Agents({ search, onSearch }: Props) {
  const agents = useQuery(agentsQuery(search.repo));
  const environments = useQuery(environmentsQuery(search.repo));
  const roots = useQuery(repositoriesQuery()).data?.repositories.map((repository) => repository.root) ?? [];
  const tested = agents.data?.agents.find((agent) => agent.name === search.test || (search.test === "*" && agent.is_default));
  return (
    <Page
      title="Agents and environments"
      about="Programs that edit code, as the settings describe them, and the environments they find their servers in."
      actions={<RepositorySelect roots={roots} value={search.repo} none="Your settings" label="As the settings of" onChange={(repo) => onSearch({ repo })} />}
    >
      <Section title="Agents" actions={<Link to="/manage/settings" search={{ text: "agents." }}>Settings of agents</Link>}>
        <Loaded query={agents} failed="Agents cannot be listed" rows={5}>
          {(data) =>
            data.agents.length === 0 ? (
              <EmptyState icon={<IconRobot size={20} />} title="No agent is known">
                Install one, or describe your own with the setting <code>agents.NAME.command</code>.
              </EmptyState>
            ) : (
              <Panel>
                <AgentTable agents={inOrder(data.agents)} onTest={(agent) => onSearch({ ...search, test: agent.name })} />
              </Panel>
            )
          }
        </Loaded>
      </Section>
      <Section title="Environments" actions={<Link to="/manage/settings" search={{ text: "environments." }}>Settings of environments</Link>}>
        <Loaded query={environments} failed="Environments cannot be listed" isSmall rows={3}>
          {(data) => (
            <Panel>
              <EnvironmentTable environments={data.environments} />
            </Panel>
          )}
        </Loaded>
      </Section>
      {tested && <TestAgent agent={tested} repository={search.repo} onClose={() => onSearch({ ...search, test: undefined })} />}
    </Page>
  );
}

function AgentTable({ agents, onTest }: { agents: readonly Agent[]; onTest: (agent: Agent) => void }) {
  return (
    <Rows
      label="Agents"
      rows={agents}
      rowKey={(agent) => agent.name}
      minWidth={860}
      columns={[
        {
          key: "name",
          title: "Agent",
          render: (agent) => (
            <>
              <Group gap={6} wrap="nowrap">
                <Text fw={500}>{agent.name}</Text>
                {agent.is_default && <Tag tone="active">Default</Tag>}
                {agent.program == null && <Tag>Not installed</Tag>}
              </Group>
              <Text size="xs" c="dimmed">
                {agent.protocol}
                {agent.model == null ? "" : `, model ${agent.model}`}
              </Text>
            </>
          ),
        },
        { key: "program", title: "Program", render: (agent) => (agent.program == null ? <Unknown why="Not installed" /> : <div style={{ maxWidth: 300, display: "flex" }}><PathText path={agent.program} what={`path of ${agent.name}`} /></div>) },
        { key: "version", title: "Version", render: (agent) => (agent.version == null ? <Unknown /> : <span className="mono">{agent.version}</span>) },
        {
          key: "login",
          title: "Login",
          render: (agent) => (
            <>
              {agent.program == null ? <Unknown why="Not installed" /> : <Tag tone={loginLook(agent).tone}>{loginLook(agent).label}</Tag>}
              {agent.login === "missing" && agent.program != null && (
                <Text size="xs" c="dimmed">
                  {agent.login_hint}
                </Text>
              )}
            </>
          ),
        },
        { key: "abilities", title: "What it can do", render: (agent) => <Text size="xs">{abilitiesOf(agent).join(", ") || "works"}</Text> },
        {
          key: "act",
          title: "",
          align: "right",
          render: (agent) => (
            <Button size="compact-xs" variant="default" disabled={agent.program == null} onClick={() => onTest(agent)} aria-label={`Test ${agent.name}`}>
              Test
            </Button>
          ),
        },
      ]}
    />
  );
}

function EnvironmentTable({ environments }: { environments: readonly Environment[] }) {
  return (
    <Rows
      label="Environments"
      rows={environments}
      rowKey={(environment) => environment.name}
      columns={[
        {
          key: "name",
          title: "Environment",
          render: (environment) => (
            <Group gap={6} wrap="nowrap">
              <Text fw={500}>{environment.name}</Text>
              {environment.is_default && <Tag tone="active">Default</Tag>}
            </Group>
          ),
        },
        { key: "kind", title: "Kind", render: (environment) => environment.kind },
        { key: "agent", title: "For agent", render: (environment) => environment.agent },
        { key: "url", title: "Server", render: (environment) => environment.url ?? <span className="quiet">the agent&apos;s own</span> },
        { key: "command", title: "Program", render: (environment) => (environment.command ? <span className="mono">{environment.command.join(" ")}</span> : <span className="quiet">the agent&apos;s own</span>) },
        { key: "token", title: "Token from", render: (environment) => environment.token ?? <span className="quiet">nowhere</span> },
        { key: "modes", title: "Modes", render: (environment) => environment.modes?.join(", ") ?? <span className="quiet">any</span> },
      ]}
    />
  );
}

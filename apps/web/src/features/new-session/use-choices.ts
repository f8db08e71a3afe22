import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";

import { agentsQuery, environmentsQuery } from "@/api/queries/agents";
import { commandsQuery } from "@/api/queries/commands";
import { mcpServersQuery } from "@/api/queries/mcp-servers";
import { repositoriesQuery, repositoryQuery } from "@/api/queries/repositories";
import { templatesQuery } from "@/api/queries/templates";

/** A path that is worth asking about: a whole one. */
function isWhole(path: string): boolean {
  return /^(\/|[A-Za-z]:[\\/])./.test(path);
}

/** Repositories that sessions were made in, and are still there. */
export function useKnownRepositories(): readonly string[] {
  const { data } = useQuery(repositoriesQuery());
  return data?.repositories.filter((it) => it.exists).map((it) => it.root) ?? [];
}

/** What can be chosen for sessions of a repository. */
export function useChoices(typed: string) {
  const [path] = useDebouncedValue(typed.trim(), 250);
  const repository = useQuery({ ...repositoryQuery(path), enabled: isWhole(path) });
  const root = repository.data?.root;
  const agents = useQuery({ ...agentsQuery(root), placeholderData: keepPreviousData });
  const environments = useQuery({ ...environmentsQuery(root), placeholderData: keepPreviousData });
  const templates = useQuery({ ...templatesQuery(root), placeholderData: keepPreviousData });
  const commands = useQuery({ ...commandsQuery(root ?? ""), enabled: root !== undefined });
  const servers = useQuery({ ...mcpServersQuery(root ?? ""), enabled: root !== undefined });
  return {
    repository,
    isAsking: isWhole(typed.trim()) && (path !== typed.trim() || repository.isFetching),
    agents: agents.data?.agents ?? [],
    environments: environments.data?.environments ?? [],
    templates: templates.data?.templates ?? [],
    damaged: templates.data?.damaged ?? [],
    commands: commands.data?.commands ?? [],
    servers: servers.data?.servers ?? [],
  };
}

export type Choices = ReturnType<typeof useChoices>;

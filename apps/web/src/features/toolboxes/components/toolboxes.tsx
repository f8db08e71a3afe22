import { Button, Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { IconTools } from "@tabler/icons-react";

import { repositoriesQuery } from "@/api/queries/repositories";
import { Loaded } from "@/ui/loaded";
import { Page } from "@/ui/page";
import { RepositorySelect } from "@/ui/repository-select";
import { EmptyState } from "@/ui/states";

import { toolsQuery } from "../api";
import type { ToolboxesSearch } from "../model";
import { CheckToolbox } from "./check-toolbox";
import { RunTool } from "./run-tool";
import { ToolboxView } from "./toolbox-view";

type Props = { search: ToolboxesSearch; onSearch: (next: ToolboxesSearch) => void };

/** The tools that agents get besides their own. */
export function Toolboxes({ search, onSearch }: Props) {
  const query = useQuery(toolsQuery(search.repo));
  const roots = useQuery(repositoriesQuery()).data?.repositories.map((repository) => repository.root) ?? [];
  const tool = query.data?.tools.find((tool) => tool.name === search.run || search.run === "*");
  return (
    <Page
      title="Toolboxes"
      about="Directories of small programs that agents get as tools. Sessions that name none get those of the settings."
      actions={
        <Group gap="xs">
          <RepositorySelect roots={roots} value={search.repo} none="Your settings" label="As the settings of" onChange={(repo) => onSearch({ repo })} />
          <Button variant="default" onClick={() => onSearch({ ...search, do: "check" })}>
            Check a directory
          </Button>
        </Group>
      }
    >
      <Loaded query={query} failed="Toolboxes cannot be read">
        {(toolbox) =>
          toolbox.toolboxes.length === 0 ? (
            <EmptyState icon={<IconTools size={20} />} title="No toolbox is set" action={<Button variant="default" onClick={() => onSearch({ ...search, do: "check" })}>Check a directory</Button>}>
              Name a directory with the setting <code>toolboxes.NAME</code>, then list it in <code>runtime.toolboxes</code>.
            </EmptyState>
          ) : (
            <ToolboxView toolbox={toolbox} onRun={(tool) => onSearch({ ...search, run: tool.name })} />
          )
        }
      </Loaded>
      {search.do === "check" && <CheckToolbox onClose={() => onSearch({ ...search, do: undefined })} />}
      {tool && <RunTool tool={tool} repository={search.repo} onClose={() => onSearch({ ...search, run: undefined })} />}
    </Page>
  );
}

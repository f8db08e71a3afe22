import { ActionIcon, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { IconArrowRight, IconFolder } from "@tabler/icons-react";
import { type SubmitEvent, useState } from "react";

import { repositoriesQuery } from "@/api/queries/repositories";
import { RelativeTime } from "@/ui/figures";
import { baseName } from "@/ui/format";
import { Loaded } from "@/ui/loaded";
import { Page, Panel, PathText, Tag } from "@/ui/page";
import { Rows } from "@/ui/rows";
import { EmptyState } from "@/ui/states";

import type { Repository } from "../api";
import type { RepositoriesSearch } from "../model";
import { ProposeSettings } from "./propose-settings";
import { RepositoryDetail } from "./repository-detail";

type Props = { search: RepositoriesSearch; onSearch: (next: RepositoriesSearch) => void };

/** The repositories that had a session, and any other one by its path. */
export function Repositories({ search, onSearch }: Props) {
  const query = useQuery(repositoriesQuery());
  const [path, setPath] = useState("");
  const chosen = search.repo ?? query.data?.repositories[0]?.root;
  const look = (event: SubmitEvent) => {
    event.preventDefault();
    if (path.trim() !== "") onSearch({ repo: path.trim() });
  };
  return (
    <Page
      title="Repositories"
      about="Git repositories that had a session. Any other one can be looked at by its path."
      actions={
        <form onSubmit={look}>
          <TextInput aria-label="Path of a repository" placeholder="/home/me/project" w={280} value={path} onChange={(event) => setPath(event.currentTarget.value)} rightSection={<ActionIcon type="submit" aria-label="Look at it" size="sm"><IconArrowRight size={14} /></ActionIcon>} />
        </form>
      }
    >
      <Loaded query={query} failed="Repositories cannot be listed" rows={4}>
        {({ repositories }) =>
          repositories.length === 0 ? (
            <EmptyState icon={<IconFolder size={20} />} title="No repository is known yet">
              The first session in a repository makes it known.
            </EmptyState>
          ) : (
            <Panel>
              <RepositoryTable repositories={repositories} chosen={chosen} onChoose={(repo) => onSearch({ repo })} />
            </Panel>
          )
        }
      </Loaded>
      {chosen !== undefined && <RepositoryDetail key={chosen} path={chosen} onPropose={() => onSearch({ repo: chosen, do: "propose" })} />}
      {search.do === "propose" && chosen !== undefined && <ProposeSettings path={chosen} onClose={() => onSearch({ repo: search.repo })} />}
    </Page>
  );
}

type TableProps = { repositories: readonly Repository[]; chosen: string | undefined; onChoose: (root: string) => void };

function RepositoryTable({ repositories, chosen, onChoose }: TableProps) {
  return (
    <Rows
      label="Repositories"
      rows={repositories}
      rowKey={(repository) => repository.root}
      isCurrent={(repository) => repository.root === chosen}
      columns={[
        {
          key: "name",
          title: "Repository",
          render: (repository) => (
            <button type="button" className="link" aria-pressed={repository.root === chosen} onClick={() => onChoose(repository.root)}>
              {baseName(repository.root)}
            </button>
          ),
        },
        { key: "root", title: "Where", render: (repository) => <><PathText path={repository.root} /> {!repository.exists && <Tag tone="danger">not there</Tag>}</> },
        {
          key: "sessions",
          title: "Sessions",
          align: "right",
          render: (repository) => (
            <Link to="/" search={{ repo: repository.root }}>
              {repository.sessions}
            </Link>
          ),
        },
        { key: "archived", title: "Put away", align: "right", render: (repository) => <Text c="dimmed">{repository.archived_sessions}</Text> },
        { key: "last", title: "Last run", align: "right", render: (repository) => (repository.last_run == null ? <span className="quiet">never</span> : <RelativeTime at={repository.last_run} />) },
      ]}
    />
  );
}

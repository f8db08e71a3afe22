import { Button, Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { repositoryQuery } from "@/api/queries/repositories";
import { RelativeTime, Unknown } from "@/ui/figures";
import { baseName } from "@/ui/format";
import { Loaded } from "@/ui/loaded";
import { Copyable, Facts, NoRows, Panel, Section, Tag } from "@/ui/page";
import { Rows } from "@/ui/rows";

type Props = { path: string; onPropose: () => void };

/** One repository: its branches that sessions can start from, and its settings. */
export function RepositoryDetail({ path, onPropose }: Props) {
  const query = useQuery(repositoryQuery(path));
  return (
    <Section
      title={baseName(query.data?.root ?? path)}
      actions={
        <Group gap="md">
          <Link to="/manage/settings" search={{ repo: path }}>
            Settings
          </Link>
          <Link to="/manage/commands" search={{ repo: path }}>
            Commands
          </Link>
          <Link to="/manage/worktrees" search={{ repo: path }}>
            Worktrees
          </Link>
          {query.data?.has_settings === false && (
            <Button size="compact-xs" onClick={onPropose}>
              Propose a settings file
            </Button>
          )}
        </Group>
      }
    >
      <Loaded query={query} failed="This repository cannot be read" isSmall rows={4}>
        {(data) => (
          <Panel>
            <Facts
              facts={[
                ["Checked out", data.current_branch ?? <Unknown key="u" why="None" />],
                ["Sessions start from", data.default_base],
                ["Settings file", data.has_settings ? "There" : "None"],
              ]}
            />
            {data.bases.length === 0 ? (
              <NoRows>It has no branch that a session could start from.</NoRows>
            ) : (
              <Rows
                label="Branches to start from"
                rows={data.bases}
                rowKey={(base) => base.name}
                columns={[
                  { key: "name", title: "Base", render: (base) => <><span className="mono">{base.name}</span> {base.is_remote && <Tag>remote</Tag>} {base.name === data.default_base && <Tag tone="active">Default</Tag>}</> },
                  { key: "commit", title: "Commit", render: (base) => <Copyable value={base.commit} what="commit">{base.commit.slice(0, 10)}</Copyable> },
                  { key: "behind", title: "Behind its remote", align: "right", render: (base) => base.behind ?? <Unknown /> },
                  { key: "ahead", title: "Ahead of it", align: "right", render: (base) => base.ahead ?? <Unknown /> },
                  { key: "fetched", title: "Fetched", align: "right", render: (base) => <RelativeTime at={base.fetched_at} /> },
                  { key: "note", title: "Note", render: (base) => base.note ?? "" },
                ]}
              />
            )}
          </Panel>
        )}
      </Loaded>
    </Section>
  );
}

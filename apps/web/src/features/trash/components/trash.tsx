import { Button, Group, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { IconRestore, IconSearch, IconSparkles, IconTrash } from "@tabler/icons-react";

import { asApiError } from "@/api/error";
import { repositoriesQuery } from "@/api/queries/repositories";
import { putSession } from "@/api/queries/session-cache";
import { sessionActions } from "@/api/session-actions";
import { Bytes, RelativeTime } from "@/ui/figures";
import { baseName, formatBytes, plural } from "@/ui/format";
import { Loaded } from "@/ui/loaded";
import { Page, Panel, PathText, Tag } from "@/ui/page";
import { RepositorySelect } from "@/ui/repository-select";
import { Rows } from "@/ui/rows";
import { EmptyState } from "@/ui/states";
import { tellDone, tellFailed } from "@/ui/toasts";

import { type TrashRow, trashKeys, trashQuery } from "../api";
import type { TrashSearch } from "../model";
import { EmptyTrash } from "./empty-trash";
import { KeepHouse } from "./keep-house";

type Props = { search: TrashSearch; onSearch: (next: TrashSearch) => void };

/** Worktrees that were cleaned up: what they were, how long they are kept, and the way back. */
export function Trash({ search, onSearch }: Props) {
  const query = useQuery(trashQuery(search.repo));
  const roots = useQuery(repositoriesQuery()).data?.repositories.map((repository) => repository.root) ?? [];
  const rows = (query.data?.trash ?? []).filter((row) => fits(row, search.text));
  const close = () => onSearch({ ...search, do: undefined });
  return (
    <Page
      title="Trash"
      about="Worktrees that were cleaned up lie here until their time is over, and come back as they were."
      actions={
        <Group gap="xs">
          <Button variant="default" leftSection={<IconSparkles size={14} />} onClick={() => onSearch({ ...search, do: "house" })}>
            Keep house
          </Button>
          <Button variant="default" leftSection={<IconTrash size={14} />} disabled={query.data?.trash.length === 0} onClick={() => onSearch({ ...search, do: "empty" })}>
            Empty the trash
          </Button>
        </Group>
      }
    >
      <Group gap="sm">
        <TextInput aria-label="Search the trash" placeholder="Search session, branch, path" leftSection={<IconSearch size={14} />} w={300} value={search.text ?? ""} onChange={(event) => onSearch({ ...search, text: event.currentTarget.value || undefined })} />
        <RepositorySelect roots={roots} value={search.repo} none="All repositories" onChange={(repo) => onSearch({ ...search, repo })} />
        <Text c="dimmed">{query.data && summary(query.data.trash)}</Text>
      </Group>
      <Loaded query={query} failed="The trash cannot be read">
        {(data) => (
          <>
            {data.damaged.length > 0 && (
              <Text role="status" c="var(--tone-attention-text)">
                {plural(data.damaged.length, "folder")} in the trash cannot be read: {data.damaged.join(", ")}
              </Text>
            )}
            {rows.length === 0 ? (
              <EmptyState icon={<IconTrash size={20} />} title={data.trash.length === 0 ? "The trash is empty" : "Nothing fits"}>
                {data.trash.length === 0 ? "Cleaning up a session moves its worktree here." : "Other words may find it."}
              </EmptyState>
            ) : (
              <Panel>
                <TrashTable rows={rows} />
              </Panel>
            )}
          </>
        )}
      </Loaded>
      {search.do === "empty" && query.data && <EmptyTrash rows={query.data.trash} repository={search.repo} onClose={close} />}
      {search.do === "house" && <KeepHouse onClose={close} />}
    </Page>
  );
}

function TrashTable({ rows }: { rows: readonly TrashRow[] }) {
  const cache = useQueryClient();
  const restore = useMutation({
    mutationFn: (row: TrashRow) => sessionActions.restore({ what: row.name }),
    onSuccess: (answer, row) => {
      if (answer.session) putSession(cache, answer.session, answer.seq);
      void cache.invalidateQueries({ queryKey: trashKeys.all });
      const lost = answer.branches.filter((branch) => branch.state === "lost" || branch.state === "moved");
      tellDone(lost.length === 0 ? `${row.session_name} is back` : `${row.session_name} is back; look at ${lost.map((branch) => branch.name).join(", ")}: it is not as it was`);
    },
    onError: (error, row) => tellFailed(`${row.session_name} was not restored`, asApiError(error)),
  });
  return (
    <Rows
      label="Worktrees in the trash"
      rows={rows}
      rowKey={(row) => row.name}
      minWidth={900}
      columns={[
        {
          key: "session",
          title: "Session",
          render: (row) => (
            <>
              <Link to="/sessions/$session" params={{ session: row.session_id }}>
                {row.session_name}
              </Link>{" "}
              {!row.is_whole && <Tag tone="attention">not whole</Tag>}
              <Text size="xs" c="dimmed" className="mono truncate" maw={180} title={row.branch}>
                {row.branch}
              </Text>
            </>
          ),
        },
        { key: "repo", title: "Repository", render: (row) => <span title={row.repo_root}>{baseName(row.repo_root)}</span> },
        { key: "path", title: "Where it was", render: (row) => <div style={{ maxWidth: 220, display: "flex" }}><PathText path={row.path} /></div> },
        { key: "why", title: "Why", width: "24%", render: (row) => row.why },
        { key: "at", title: "Taken away", render: (row) => <RelativeTime at={row.trashed_at} /> },
        { key: "until", title: "Deleted", render: (row) => <RelativeTime at={row.kept_until} /> },
        { key: "bytes", title: "Space", align: "right", render: (row) => <Bytes value={row.bytes} /> },
        {
          key: "act",
          title: "",
          align: "right",
          render: (row) => (
            <Button size="compact-xs" variant="default" leftSection={<IconRestore size={13} />} aria-label={`Restore ${row.session_name}`} loading={restore.isPending && restore.variables.name === row.name} onClick={() => restore.mutate(row)}>
              Restore
            </Button>
          ),
        },
      ]}
    />
  );
}

function fits(row: TrashRow, text: string | undefined): boolean {
  if (text === undefined) return true;
  const inside = `${row.session_name} ${row.session_id} ${row.branch} ${row.path}`.toLowerCase();
  return inside.includes(text.toLowerCase());
}

function summary(rows: readonly TrashRow[]): string {
  const known = rows.filter((row) => row.bytes != null);
  const bytes = known.reduce((sum, row) => sum + (row.bytes ?? 0), 0);
  const size = known.length === 0 ? "" : known.length === rows.length ? `, ${formatBytes(bytes)}` : `, at least ${formatBytes(bytes)}`;
  return rows.length === 0 ? "" : `${plural(rows.length, "worktree")}${size}`;
}

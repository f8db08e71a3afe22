import { Button, Group, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { IconBinaryTree } from "@tabler/icons-react";

import { asApiError } from "@/api/error";
import { repositoriesQuery } from "@/api/queries/repositories";
import { worktreeKeys, worktreesQuery } from "@/api/queries/worktrees";
import { Confirm } from "@/ui/confirm";
import { plural } from "@/ui/format";
import { Loaded } from "@/ui/loaded";
import { Copyable, Page, Panel, PathText, Tag } from "@/ui/page";
import { RepositorySelect } from "@/ui/repository-select";
import { Rows } from "@/ui/rows";
import { EmptyState } from "@/ui/states";
import { tellDone, tellFailed } from "@/ui/toasts";

import { type Worktree, pruneWorktrees } from "../api";
import type { WorktreesSearch } from "../model";
import { AdoptWorktree } from "./adopt-worktree";

type Props = { search: WorktreesSearch; onSearch: (next: WorktreesSearch) => void };

/** The worktrees of a repository, of sessions and others. */
export function Worktrees({ search, onSearch }: Props) {
  const repositories = useQuery(repositoriesQuery());
  const roots = repositories.data?.repositories.map((repository) => repository.root) ?? [];
  const root = search.repo ?? roots[0];
  return (
    <Page
      title="Worktrees"
      about="Every worktree that git knows of a repository. One that belongs to no session can become one; nothing in it is changed."
      actions={
        <Group gap="xs">
          <RepositorySelect roots={roots} value={root} onChange={(repo) => onSearch({ repo })} />
          <Button variant="default" onClick={() => onSearch({ ...search, do: "adopt" })}>
            Adopt a worktree
          </Button>
          <Button variant="default" disabled={root === undefined} onClick={() => onSearch({ ...search, do: "prune" })}>
            Prune
          </Button>
        </Group>
      }
    >
      {root !== undefined ? (
        <OfRepository key={root} root={root} search={search} onSearch={onSearch} />
      ) : (
        <Loaded query={repositories} failed="Repositories cannot be listed">
          {() => <EmptyState icon={<IconBinaryTree size={20} />} title="No repository is known yet">The first session in a repository makes it known.</EmptyState>}
        </Loaded>
      )}
      {search.do === "adopt" && <AdoptWorktree path={search.path ?? ""} onClose={() => onSearch({ repo: search.repo })} />}
    </Page>
  );
}

function OfRepository({ root, search, onSearch }: Props & { root: string }) {
  const query = useQuery({ ...worktreesQuery(root), refetchOnMount: "always" });
  const cache = useQueryClient();
  const close = () => onSearch({ repo: search.repo });
  const prune = useMutation({
    mutationFn: () => pruneWorktrees(root),
    onSuccess: ({ pruned }) => {
      void cache.invalidateQueries({ queryKey: worktreeKeys.all });
      close();
      tellDone(pruned.length === 0 ? "There was nothing to forget" : `${plural(pruned.length, "registration")} forgotten`);
    },
    onError: (error) => tellFailed("Nothing was pruned", asApiError(error)),
  });
  return (
    <>
      <Loaded query={query} failed="Worktrees cannot be listed">
        {({ worktrees }) => (
          <Panel>
            <WorktreeTable worktrees={worktrees} root={root} onAdopt={(path) => onSearch({ ...search, do: "adopt", path })} />
          </Panel>
        )}
      </Loaded>
      {search.do === "prune" && (
        <Confirm
          title="Prune worktrees"
          does={["Forgets registrations of sessions' worktrees whose directory is gone"]}
          keeps={["Branches and their commits", "Worktrees whose directory is there", "Worktrees of others"]}
          undo="A worktree can be made again from its branch."
          action="Prune"
          isBusy={prune.isPending}
          onConfirm={() => prune.mutate()}
          onClose={close}
        />
      )}
    </>
  );
}

type TableProps = { worktrees: readonly Worktree[]; root: string; onAdopt: (path: string) => void };

function WorktreeTable({ worktrees, root, onAdopt }: TableProps) {
  return (
    <Rows
      label="Worktrees"
      rows={worktrees}
      rowKey={(worktree) => worktree.path}
      columns={[
        { key: "path", title: "Worktree", render: (worktree) => <div style={{ maxWidth: 420, display: "flex" }}><PathText path={worktree.path} /></div> },
        { key: "branch", title: "Branch", render: (worktree) => (worktree.branch == null ? <span className="quiet">none</span> : <span className="mono">{worktree.branch}</span>) },
        { key: "head", title: "Commit", render: (worktree) => worktree.head != null && <Copyable value={worktree.head} what="commit">{worktree.head.slice(0, 10)}</Copyable> },
        {
          key: "session",
          title: "Belongs to",
          render: (worktree) => (
            <>
              {worktree.session_id != null ? (
                <Link to="/sessions/$session" params={{ session: worktree.session_id }}>
                  {worktree.session_name ?? worktree.session_id}
                </Link>
              ) : worktree.path === root ? (
                <Tag>Main checkout</Tag>
              ) : (
                <Button size="compact-xs" variant="default" onClick={() => onAdopt(worktree.path)}>
                  Adopt
                </Button>
              )}
              {worktree.prunable != null && (
                <Text size="xs" c="var(--tone-attention-text)">
                  {worktree.prunable}
                </Text>
              )}
            </>
          ),
        },
      ]}
    />
  );
}

import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { IconPlayerStop, IconZzz } from "@tabler/icons-react";

import { asApiError } from "@/api/error";
import { queueQuery } from "@/api/queries/queue";
import { sessionActions } from "@/api/session-actions";
import { Duration } from "@/ui/figures";
import { formatWord } from "@/ui/format";
import { Loaded } from "@/ui/loaded";
import { Page, Panel, Section } from "@/ui/page";
import { Rows } from "@/ui/rows";
import { EmptyState } from "@/ui/states";
import { StatusBadge } from "@/ui/status-badge";
import { tellDone, tellFailed } from "@/ui/toasts";

import { type QueueRow, stopScriptRun } from "../api";
import { Jobs } from "./jobs";

/** What waits or runs, and long work of the server. */
export function Queue() {
  const query = useQuery(queueQuery());
  return (
    <Page title="Queue" about="As many agents run at once as the setting core.max_concurrent_sessions says; the rest wait here.">
      <Section title="Iterations and scripts">
        <Loaded query={query} failed="The queue cannot be read" rows={4}>
          {({ queue }) =>
            queue.length === 0 ? (
              <EmptyState icon={<IconZzz size={20} />} title="Nothing runs and nothing waits">
                Iterations and scripts stand here from the moment they are asked for until they end.
              </EmptyState>
            ) : (
              <Panel>
                <QueueTable rows={queue} />
              </Panel>
            )
          }
        </Loaded>
      </Section>
      <Jobs />
    </Page>
  );
}

function QueueTable({ rows }: { rows: readonly QueueRow[] }) {
  const cache = useQueryClient();
  const stop = useMutation({
    mutationFn: async (row: QueueRow): Promise<void> => {
      await (row.kind === "script" ? stopScriptRun(row.session_id, row.script_run.id) : sessionActions.stop(row.session_id));
    },
    onSuccess: (_, row) => {
      void cache.invalidateQueries({ queryKey: queueQuery().queryKey });
      tellDone(`${row.session_name} is being stopped; its work is kept`);
    },
    onError: (error, row) => tellFailed(`${row.session_name} was not stopped`, asApiError(error)),
  });
  return (
    <Rows
      label="Queue"
      rows={rows}
      rowKey={(row) => (row.kind === "script" ? `script ${row.script_run.id}` : `iteration ${row.session_id} ${row.iteration.number}`)}
      columns={[
        {
          key: "session",
          title: "Session",
          render: (row) => (
            <Link to="/sessions/$session" params={{ session: row.session_id }}>
              {row.session_name}
            </Link>
          ),
        },
        { key: "what", title: "What", render: (row) => (row.kind === "script" ? `Script ${row.script_run.script}` : `Iteration ${row.iteration.number}`) },
        { key: "state", title: "State", render: (row) => formatWord(row.kind === "script" ? row.script_run.state : row.iteration.state) },
        { key: "status", title: "Session is", render: (row) => <StatusBadge status={row.session_status} /> },
        { key: "for", title: "For", align: "right", render: (row) => <Duration ms={null} since={row.kind === "script" ? row.script_run.started_at : (row.iteration.started_at ?? row.iteration.queued_at)} /> },
        {
          key: "act",
          title: "",
          align: "right",
          render: (row) => (
            <Button size="compact-xs" variant="default" leftSection={<IconPlayerStop size={13} />} loading={stop.isPending && stop.variables === row} aria-label={`Stop ${row.session_name}`} onClick={() => stop.mutate(row)}>
              Stop
            </Button>
          ),
        },
      ]}
    />
  );
}

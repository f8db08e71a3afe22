import { Button, Group, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { IconArrowBackUp, IconArrowForwardUp } from "@tabler/icons-react";

import { asApiError } from "@/api/error";
import { putSession } from "@/api/queries/session-cache";
import { historyKeys, operationsQuery } from "@/api/queries/session-history";
import { sessionActions } from "@/api/session-actions";
import { RelativeTime } from "@/ui/figures";
import { Loaded } from "@/ui/loaded";
import { OPERATION_LABELS, OPERATION_STATES } from "@/ui/operation-looks";
import { NoRows, Panel, Section, Tag } from "@/ui/page";
import { Rows } from "@/ui/rows";
import { Ticked } from "@/ui/ticked";
import { tellDone, tellFailed } from "@/ui/toasts";

import type { Operation } from "../api";

type Props = { session: string };

/** What was done to one session, newest first, with undo and redo. */
export function SessionOperations({ session }: Props) {
  const query = useQuery(operationsQuery(session));
  const step = useStep(session);
  const find = (id: number | null | undefined) => query.data?.operations.find((operation) => operation.id === id);
  const undo = find(query.data?.next_undo);
  const redo = find(query.data?.next_redo);
  return (
    <Section
      title={
        query.data ? (
          <Link to="/sessions/$session" params={{ session }}>
            {query.data.session.name}
          </Link>
        ) : (
          session
        )
      }
      actions={
        <Group gap="xs">
          <Button variant="default" leftSection={<IconArrowBackUp size={14} />} disabled={!undo} loading={step.isPending && step.variables === "undo"} onClick={() => step.mutate("undo")} title={undo?.summary}>
            {undo ? `Undo ${OPERATION_LABELS[undo.kind].toLowerCase()}` : "Nothing to undo"}
          </Button>
          <Button variant="default" leftSection={<IconArrowForwardUp size={14} />} disabled={!redo} loading={step.isPending && step.variables === "redo"} onClick={() => step.mutate("redo")} title={redo?.summary}>
            Redo
          </Button>
        </Group>
      }
    >
      <Loaded query={query} failed="Its operations cannot be listed" isSmall rows={4}>
        {(data) => (
          <Panel>
            {data.operations.length === 0 ? <NoRows>Nothing was done to this session yet.</NoRows> : <OperationTable operations={data.operations} next={data.next_undo ?? null} />}
          </Panel>
        )}
      </Loaded>
    </Section>
  );
}

function OperationTable({ operations, next }: { operations: readonly Operation[]; next: number | null }) {
  return (
    <Rows
      label="Operations of the session"
      rows={operations.toReversed()}
      rowKey={(operation) => String(operation.id)}
      minWidth={560}
      columns={[
        { key: "kind", title: "Operation", render: (operation) => OPERATION_LABELS[operation.kind] },
        {
          key: "summary",
          title: "What happened",
          render: (operation) => (
            <>
              <Ticked text={operation.summary} />
              {operation.overridden.length > 0 && (
                <Text size="xs" c="dimmed">
                  Passed over: {operation.overridden.join(", ")}
                </Text>
              )}
            </>
          ),
        },
        { key: "state", title: "State", render: (operation) => <Tag tone={OPERATION_STATES[operation.state].tone}>{OPERATION_STATES[operation.state].label}</Tag> },
        { key: "undo", title: "Way back", render: (operation) => (operation.id === next ? <Tag tone="active">Next to undo</Tag> : operation.has_snapshot ? "Kept" : <span className="quiet">Not kept</span>) },
        { key: "by", title: "By", render: (operation) => operation.caller ?? <span className="quiet">you</span> },
        { key: "at", title: "When", align: "right", render: (operation) => <RelativeTime at={operation.finished_at ?? operation.started_at} /> },
      ]}
    />
  );
}

/** Takes the last operation back, or does it again; each is the way back of the other. */
function useStep(session: string) {
  const cache = useQueryClient();
  const step = useMutation({
    mutationFn: (direction: "undo" | "redo") => (direction === "undo" ? sessionActions.undo(session) : sessionActions.redo(session)),
    onSuccess: (answer, direction) => {
      putSession(cache, answer.session, answer.seq);
      void cache.invalidateQueries({ queryKey: historyKeys.operations(session) });
      const other = direction === "undo" ? "redo" : "undo";
      tellDone(answer.operation.summary, { label: other === "redo" ? "Redo" : "Undo", run: () => step.mutate(other) });
    },
    onError: (error, direction) => tellFailed(direction === "undo" ? "It was not undone" : "It was not done again", asApiError(error)),
  });
  return step;
}

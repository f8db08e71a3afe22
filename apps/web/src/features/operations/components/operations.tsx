import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { IconHistory } from "@tabler/icons-react";

import { sessionsQuery } from "@/api/queries/sessions";
import { RelativeTime } from "@/ui/figures";
import { Loaded } from "@/ui/loaded";
import { OPERATION_LABELS } from "@/ui/operation-looks";
import { Page, Panel, Section, Tag } from "@/ui/page";
import { EmptyState } from "@/ui/states";
import { Ticked } from "@/ui/ticked";

import { type RecentOperation, recentOperationsQuery } from "../api";
import type { OperationsSearch } from "../model";
import classes from "./operations.module.css";
import { SessionOperations } from "./session-operations";

type Props = { search: OperationsSearch; onSearch: (next: OperationsSearch) => void };

/** What was done to sessions, and the way back. */
export function Operations({ search, onSearch }: Props) {
  const recent = useQuery(recentOperationsQuery());
  const sessions = useQuery(sessionsQuery(true)).data?.sessions;
  const nameOf = (id: string) => sessions?.find((session) => session.id === id)?.name ?? id;
  const chosen = search.session ?? recent.data?.operations[0]?.session;
  return (
    <Page title="Operations" about="Everything that changed history or directories of sessions. Before each, what it could drop was kept: undo brings it back as it was.">
      <Loaded query={recent} failed="The log cannot be read">
        {({ operations }) =>
          operations.length === 0 && chosen === undefined ? (
            <EmptyState icon={<IconHistory size={20} />} title="Nothing was done yet">
              Commits by hand, squashes, rebases, merges and clean-ups are listed here, each with its way back.
            </EmptyState>
          ) : (
            <div className={classes.columns}>
              <Section title="Lately">
                <Panel>
                  {operations.map((operation) => (
                    <RecentRow key={operation.seq} operation={operation} name={nameOf(operation.session)} isCurrent={operation.session === chosen} onChoose={() => onSearch({ session: operation.session })} />
                  ))}
                </Panel>
              </Section>
              {chosen !== undefined && <SessionOperations key={chosen} session={chosen} />}
            </div>
          )
        }
      </Loaded>
    </Page>
  );
}

type RowProps = { operation: RecentOperation; name: string; isCurrent: boolean; onChoose: () => void };

function RecentRow({ operation, name, isCurrent, onChoose }: RowProps) {
  return (
    <button type="button" className={classes.recent} aria-pressed={isCurrent} onClick={onChoose}>
      <span className={classes.line}>
        <Tag>{OPERATION_LABELS[operation.kind]}</Tag>
        <Text fw={500} className="truncate" component="span">
          {name}
        </Text>
        <Text size="xs" c="dimmed" className={classes.when} component="span">
          <RelativeTime at={operation.at} />
        </Text>
      </span>
      <Text size="xs" c="dimmed" className="truncate" component="span" display="block" title={operation.summary}>
        <Ticked text={operation.summary} />
      </Text>
    </button>
  );
}

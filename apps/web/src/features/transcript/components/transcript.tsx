import { IconMessages } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";

import { asApiError } from "@/api/error";
import { extentQuery } from "@/api/queries/transcript";
import type { Session } from "@/api/types";
import { useCommands } from "@/ui/commands/registry";
import { EmptyState, FailedState, SkeletonRows } from "@/ui/states";

import { transcriptCommands } from "../commands";
import type { TranscriptSearch } from "../model";
import { Composer } from "./composer";
import { PermissionPanel } from "./permission-panel";
import { TranscriptList } from "./transcript-list";
import { TranscriptToolbar } from "./transcript-toolbar";
import classes from "./transcript.module.css";

const COMMANDS = transcriptCommands();

type Props = {
  session: Session;
  search: TranscriptSearch;
  onSearch: (patch: TranscriptSearch) => void;
  onCommand: (name: string, rest: string) => boolean;
  onStop: () => void;
};

/** What the agent said and did, and what it is told next. */
export function Transcript({ session, search, onSearch, onCommand, onStop }: Props) {
  const extent = useQuery(extentQuery(session.id));
  useCommands(COMMANDS);
  const total = extent.data === undefined ? 0 : extent.data.end - extent.data.begin;
  return (
    <div className={classes.transcript}>
      {total > 0 && <TranscriptToolbar session={session.id} total={total} search={search} onSearch={onSearch} />}
      {extent.isPending ? (
        <div className={classes.frame}>
          <SkeletonRows count={8} />
        </div>
      ) : extent.isLoadingError ? (
        <FailedState title="The transcript cannot be read" failure={asApiError(extent.error)} onRetry={() => void extent.refetch()} />
      ) : total === 0 ? (
        <div className={classes.frame}>
          <NothingSaid session={session} />
        </div>
      ) : (
        <TranscriptList key={session.id} session={session} extent={extent.data} at={search.at} find={search.text} onLeaveAt={() => onSearch({ ...search, at: undefined })} />
      )}
      <PermissionPanel session={session} />
      <Composer session={session} onCommand={onCommand} onStop={onStop} />
    </div>
  );
}

function NothingSaid({ session }: { session: Session }) {
  if (session.last_iteration == null) {
    return (
      <EmptyState icon={<IconMessages size={22} />} title="No iteration yet">
        Run it: the agent gets this prompt, and what it says and does appears here.
        <blockquote className={classes.prompt}>{session.prompt}</blockquote>
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={<IconMessages size={22} />} title="Nothing was said yet">
      {session.last_iteration.state === "finished" ? "The last iteration left no transcript, or it was removed." : "The agent has been started; its first words appear here."}
    </EmptyState>
  );
}

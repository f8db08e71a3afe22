import { Button } from "@mantine/core";
import { useQueries, useQueryClient } from "@tanstack/react-query";
import { IconAlertTriangle } from "@tabler/icons-react";
import { type ReactNode, useMemo, useState } from "react";

import { asApiError } from "@/api/error";
import { worktreeKeys, worktreesQuery } from "@/api/queries/worktrees";
import { sessionActions } from "@/api/session-actions";
import type { Session } from "@/api/types";
import { plural } from "@/ui/format";
import { tellDone, tellFailed } from "@/ui/toasts";

import { homeActions } from "../api";
import { forEach } from "../bulk";
import { findTrouble } from "../model";
import { BulkCleanup } from "./bulk-cleanup";
import classes from "./home.module.css";
import { ReattachDialog } from "./reattach-dialog";

/** Sessions that were cut off or lost their directory, and worktrees without a session; with the ways out. */
export function TroubleBanner({ sessions }: { sessions: readonly Session[] }) {
  const cache = useQueryClient();
  const roots = useMemo(() => [...new Set(sessions.map((session) => session.repo_root))].sort(), [sessions]);
  const lists = useQueries({ queries: roots.map((root) => worktreesQuery(root)) });
  const worktrees = lists.flatMap((list) => list.data?.worktrees ?? []);
  const { interrupted, missing, orphaned } = findTrouble(sessions, worktrees);
  // Those that are put right meanwhile stay in the dialog.
  const [open, setOpen] = useState<{ act: "reattach" | "cleanup"; sessions: readonly Session[] } | null>(null);
  const again = () => void cache.invalidateQueries({ queryKey: worktreeKeys.all });
  const close = () => {
    setOpen(null);
    again();
  };
  const resume = async () => {
    const outcomes = await forEach(interrupted, (session) => sessionActions.resume(session.id), () => undefined);
    const failed = outcomes.filter((outcome) => outcome.problem !== null);
    if (failed.length < outcomes.length) tellDone(`${plural(outcomes.length - failed.length, "session")} resumed`);
    for (const { session, problem } of failed) tellFailed(`${session.name} was not resumed`, { message: problem ?? "" });
  };
  const adopt = async () => {
    for (const { path } of orphaned) await homeActions.adopt(path).catch((error: unknown) => tellFailed(`${path} was not adopted`, asApiError(error)));
    again();
  };
  return (
    <>
      {interrupted.length > 0 && (
        <Banner text={`${plural(interrupted.length, "session was", "sessions were")} interrupted: ${namesOf(interrupted)}. The work is as it was left.`}>
          <Button size="compact-xs" variant="default" onClick={() => void resume()}>
            Resume
          </Button>
        </Banner>
      )}
      {missing.length > 0 && (
        <Banner text={`The directory of ${plural(missing.length, "session")} is gone: ${namesOf(missing)}. Branches and commits are there.`}>
          <Button size="compact-xs" variant="default" onClick={() => setOpen({ act: "reattach", sessions: missing })}>
            Reattach
          </Button>
          <Button size="compact-xs" variant="default" onClick={() => setOpen({ act: "cleanup", sessions: missing })}>
            Clean up
          </Button>
        </Banner>
      )}
      {orphaned.length > 0 && (
        <Banner text={`${plural(orphaned.length, "worktree belongs", "worktrees belong")} to no session: ${orphaned.map((it) => it.branch ?? it.path).join(", ")}.`}>
          <Button size="compact-xs" variant="default" onClick={() => void adopt()}>
            Make sessions of them
          </Button>
        </Banner>
      )}
      {open?.act === "reattach" && <ReattachDialog sessions={open.sessions} onClose={close} />}
      {open?.act === "cleanup" && <BulkCleanup sessions={open.sessions} onClose={close} />}
    </>
  );
}

function Banner({ text, children }: { text: string; children: ReactNode }) {
  return (
    <div className={classes.banner} data-tone="attention" role="status">
      <IconAlertTriangle size={15} aria-hidden />
      <span className="truncate" title={text}>
        {text}
      </span>
      {children}
    </div>
  );
}

function namesOf(sessions: readonly Session[]): string {
  const names = sessions.slice(0, 3).map((session) => session.name);
  return sessions.length > 3 ? `${names.join(", ")} and ${sessions.length - 3} more` : names.join(", ");
}

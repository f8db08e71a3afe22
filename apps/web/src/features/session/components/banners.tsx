import { Button, Group } from "@mantine/core";
import { IconAlertTriangle, IconArchive, IconArrowsSplit2, IconBolt, IconFolderOff, IconHelpHexagon, IconLoader2, IconTrash } from "@tabler/icons-react";
import type { ReactNode } from "react";

import type { SessionDetail } from "@/api/types";
import { RelativeTime } from "@/ui/figures";
import { formatTime } from "@/ui/format";

import { ACTIONS, type ActionId } from "../actions";
import { checkoutText, isWorktreeMissing } from "../model";
import type { Place } from "./dialogs/dialog-props";
import classes from "./session.module.css";

type Props = { detail: SessionDetail; onRun: (action: ActionId) => void; onShow: (place: Place) => void; onConflicts: () => void };

/** What is out of the ordinary with a session, and what can be done about it. */
export function Banners({ detail, onRun, onShow, onConflicts }: Props) {
  const { session } = detail;
  const button = (action: ActionId, isFirst = false) => (
    <Button key={action} size="compact-sm" variant={isFirst ? "filled" : "default"} onClick={() => onRun(action)}>
      {action === "commit" && session.status === "interrupted" ? "Keep and commit" : ACTIONS[action].title}
    </Button>
  );
  const setupRun = session.setup_run;
  const showLog = setupRun != null && (
    <Button size="compact-sm" variant="default" onClick={() => onShow({ tab: "scripts", run: setupRun.id })}>
      Show its log
    </Button>
  );
  return (
    <>
      {session.archived_at != null && (
        <Banner tone="info" icon={<IconArchive size={16} />} actions={button("unarchive")}>
          Put away <RelativeTime at={session.archived_at} />. Branch and worktree are still there.
        </Banner>
      )}
      {session.in_trash && (
        <Banner tone="info" icon={<IconTrash size={16} />} actions={button("restore")}>
          Its worktree lies in the trash. It can be brought back as it was.
        </Banner>
      )}
      {session.worktree_deleted_at != null && (
        <Banner tone="info" icon={<IconTrash size={16} />} actions={button("forget")}>
          Its worktree was deleted for good at {formatTime(session.worktree_deleted_at)}. Transcript and history are kept.
        </Banner>
      )}
      {(session.status === "initializing" || session.setup === "running") && (
        <Banner tone="info" icon={<IconLoader2 size={16} />} actions={showLog}>
          {session.setup === "running" ? "Its set-up runs: files, databases, then the command in the settings." : "Its branch and worktree are being made."}
        </Banner>
      )}
      {(session.setup === "failed" || session.setup === "interrupted" || session.setup === "not_allowed") && (
        <Banner
          tone="danger"
          icon={<IconAlertTriangle size={16} />}
          actions={
            <>
              {button("setup", true)}
              {showLog}
            </>
          }
        >
          {session.setup === "not_allowed" ? "Its set-up was not allowed to run." : `Its set-up ${session.setup === "failed" ? "failed" : "was interrupted"}.`} {setupRun?.problem?.message}
        </Banner>
      )}
      {session.status === "interrupted" && (
        <Banner tone="danger" icon={<IconBolt size={16} />} actions={[button("resume", true), button("commit"), button("discard")]}>
          Iteration {session.last_iteration?.number} was cut off{session.last_iteration?.message == null ? "" : `: ${session.last_iteration.message}`}. The worktree is as it was left.
        </Banner>
      )}
      {session.status === "blocked" && (
        <Banner tone="attention" icon={<IconAlertTriangle size={16} />} actions={[button("resume", true), button("stop")]}>
          {session.last_iteration?.message ?? "It waits for its provider."}
          {session.last_iteration?.parked != null && (
            <>
              {" "}
              It is tried again <RelativeTime at={session.last_iteration.parked.until} />.
            </>
          )}
        </Banner>
      )}
      {session.status === "conflicted" && (
        <Banner
          tone="danger"
          icon={<IconArrowsSplit2 size={16} />}
          actions={
            <>
              <Button size="compact-sm" onClick={onConflicts}>
                Resolve
              </Button>
              {button("abort_rebase")}
            </>
          }
        >
          A rebase onto {session.base_branch} waits at conflicts that git could not decide.
        </Banner>
      )}
      {session.other_checkout != null && (
        <Banner tone="attention" icon={<IconHelpHexagon size={16} />} actions={[button("refresh"), button("fields")]}>
          {checkoutText(session.other_checkout)}.
        </Banner>
      )}
      {isWorktreeMissing(detail) && session.other_checkout == null && (
        <Banner tone="danger" icon={<IconFolderOff size={16} />} actions={[button("refresh", true), button("fields"), button("cleanup")]}>
          Its directory cannot be read: <code>{session.worktree_path}</code>. If you moved it, change the field <code>worktree</code>; commits of the branch are safe.
        </Banner>
      )}
    </>
  );
}

function Banner({ tone, icon, actions, children }: { tone: string; icon: ReactNode; actions: ReactNode; children: ReactNode }) {
  return (
    <div className={classes.banner} data-tone={tone} role="status">
      {icon}
      <span className={classes.bannerText}>{children}</span>
      <Group gap={6} wrap="nowrap">
        {actions}
      </Group>
    </div>
  );
}

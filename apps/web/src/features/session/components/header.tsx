import { Button, Group, Menu, Tooltip } from "@mantine/core";
import { IconBrandVscode, IconDots, IconExternalLink, IconTerminal2 } from "@tabler/icons-react";

import type { SessionDetail } from "@/api/types";
import { platform } from "@/platform/current";
import { CopyButton } from "@/ui/copy-button";
import { CostFigure, RelativeTime, Tokens } from "@/ui/figures";
import { hasWorktree } from "@/ui/session-status";
import { StatusBadge } from "@/ui/status-badge";
import { tellDone, tellFailed } from "@/ui/toasts";

import { ACTIONS, type ActionId } from "../actions";
import { distanceText, editorUrl, evidenceOf, openServers } from "../model";
import classes from "./session.module.css";

type Props = { detail: SessionDetail; onRun: (action: ActionId) => void; isOffered: (action: ActionId) => boolean };

const MENU: readonly ActionId[] = ["push", "approve", "withdraw", "redo", "undo_discard", "setup", "refresh", "fields", "agent_command", "guard", "artifacts", "editor", "archive", "unarchive", "restore", "forget"];

/** Where the session is and how it stands. */
export function Header({ detail, onRun, isOffered }: Props) {
  const { session } = detail;
  const evidence = evidenceOf(session);
  const distance = distanceText(session);
  const isThere = hasWorktree(session);
  return (
    <header className={classes.header}>
      <div className={classes.headerRow}>
        <h1 className={classes.name}>{session.name}</h1>
        <StatusBadge status={session.status} />
        <span className={`${classes.evidence} truncate`} title={evidence.join("\n")}>
          {evidence.join(" · ")}
        </span>
        <Group gap={6} wrap="nowrap">
          {openServers(session).map((server) => (
            <Button
              key={server.name}
              size="compact-sm"
              variant="light"
              leftSection={<IconExternalLink size={13} />}
              title={server.url}
              onClick={() => platform().openExternal(server.url)}
            >
              {server.name}
              {server.isReady ? "" : " (starting)"}
            </Button>
          ))}
          {isThere && (
            <>
              <Button component="a" href={editorUrl(session.worktree_path)} size="compact-sm" variant="default" leftSection={<IconBrandVscode size={13} />}>
                VS Code
              </Button>
              <TerminalButton session={session.id} onOpen={() => onRun("terminal")} />
            </>
          )}
          <Menu>
            <Menu.Target>
              <Button size="compact-sm" variant="default" aria-label="More" px={6}>
                <IconDots size={14} />
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              {MENU.filter(isOffered).map((action) => (
                <Menu.Item key={action} onClick={() => onRun(action)}>
                  {ACTIONS[action].title}
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
        </Group>
      </div>
      <div className={classes.headerRow}>
        <Fact label="Branch" value={session.branch_name} what="branch" />
        <Fact label="Worktree" value={session.worktree_path} what="path of the worktree" />
        <span className={classes.fact}>
          <span className="quiet">Id</span>
          <code>{session.id}</code>
          <CopyButton value={session.id} what="id" />
        </span>
        <span className={classes.figures}>
          {distance !== null && <span>{distance}</span>}
          <Cleanness dirty={session.dirty} checkedAt={session.checked_at} />
          <span>{session.agent}</span>
          {session.model != null && <span className="truncate">{session.model}</span>}
          {session.last_iteration?.usage != null && (
            <span>
              <Tokens usage={session.last_iteration.usage} /> <span className="quiet">tokens</span>
            </span>
          )}
          {session.last_iteration?.cost != null && <CostFigure cost={session.last_iteration.cost} />}
          {detail.budget != null && <Budget use={detail.budget} />}
        </span>
      </div>
    </header>
  );
}

function Fact({ label, value, what }: { label: string; value: string; what: string }) {
  return (
    <span className={classes.fact}>
      <span className="quiet">{label}</span>
      <code className="truncate" title={value}>
        {value}
      </code>
      <CopyButton value={value} what={what} />
    </span>
  );
}

/** Opens a shell with the leased environment where the user sees it; from another machine it gives the command. */
function TerminalButton({ session, onOpen }: { session: string; onOpen: () => void }) {
  const { isEngineHere, clipboard } = platform();
  const command = `orchestra session shell ${session}`;
  const copy = () =>
    void clipboard.write(command).then(
      () => tellDone(`Copied: ${command}`),
      () => tellFailed("The browser did not allow it", { message: command }),
    );
  const what = "A shell in the worktree, with its ports and variables";
  return (
    <Tooltip label={isEngineHere ? what : `${what}: copies \`${command}\``} multiline maw={320}>
      <Button size="compact-sm" variant="default" leftSection={<IconTerminal2 size={13} />} onClick={isEngineHere ? onOpen : copy}>
        Terminal
      </Button>
    </Tooltip>
  );
}

function Cleanness({ dirty, checkedAt }: { dirty: boolean | null | undefined; checkedAt: string | null | undefined }) {
  return (
    <span>
      {dirty == null ? "changes not known" : dirty ? "uncommitted changes" : "clean"}{" "}
      <span className="quiet">
        <RelativeTime at={checkedAt} />
      </span>
    </span>
  );
}

function Budget({ use }: { use: NonNullable<SessionDetail["budget"]> }) {
  return (
    <span title="What all iterations together used of the budget">
      <CostFigure cost={use.cost} /> <span className="quiet">of {use.allowed}</span>
    </span>
  );
}

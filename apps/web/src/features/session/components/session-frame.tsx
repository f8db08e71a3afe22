import { ActionIcon, Tabs, Tooltip } from "@mantine/core";
import { IconLayoutSidebar, IconLayoutSidebarRight } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Navigate } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { asApiError } from "@/api/error";
import { sessionQuery } from "@/api/queries/sessions";
import type { Session, SessionDetail } from "@/api/types";
import { AllowCommand } from "@/ui/allow-command";
import { useCommands } from "@/ui/commands/registry";
import { FailedState } from "@/ui/states";

import type { ActionId } from "../actions";
import { sessionCommands } from "../commands";
import { TABS, type Tab } from "../model";
import { isOffered, obstacleTo } from "../offers";
import { useActions } from "../use-actions";
import { usePanels } from "../use-panels";
import { ActionDialog } from "./action-dialog";
import { Banners } from "./banners";
import type { Place } from "./dialogs/dialog-props";
import { Header } from "./header";
import classes from "./session.module.css";
import { SessionSkeleton } from "./session-skeleton";
import { SidePanel } from "./side-panel";

export type SessionPlace = Place & { iteration?: number };

export type TabProps = { session: Session; run: (action: ActionId) => void; show: (place: SessionPlace) => void };

type Props = {
  session: string;
  tab: Tab;
  onShow: (place: SessionPlace) => void;
  /** Opens the guided resolution of conflicts. */
  onConflicts: () => void;
  left: (session: Session) => ReactNode;
  content: (tab: Tab, props: TabProps) => ReactNode;
};

/** The page of a session: what it is, what it changed, what it said, and what can be done. */
export function SessionFrame(props: Props) {
  const query = useQuery(sessionQuery(props.session));
  if (query.isPending) return <SessionSkeleton />;
  const failure = query.isError ? asApiError(query.error) : null;
  // It may be forgotten while it is looked at.
  if (failure?.code === "session.not_found") return <FailedState title="There is no such session" failure={failure} />;
  if (query.isLoadingError) return <FailedState title="This session cannot be shown" failure={asApiError(query.error)} onRetry={() => void query.refetch()} />;
  const { id } = query.data.session;
  // An address may name a session as people do; events and answers know it by its id.
  if (id !== props.session) return <Navigate from="/sessions/$session" to="/sessions/$session" params={{ session: id }} search={(before) => before} replace />;
  return <Frame {...props} detail={query.data} />;
}

const TITLES: Record<Tab, string> = { transcript: "Transcript", diff: "Diff", scripts: "Scripts", inspector: "Inspector" };

function Frame({ detail, tab, onShow, onConflicts, left, content }: Props & { detail: SessionDetail }) {
  const { session } = detail;
  const panels = usePanels();
  const { run, open, pending, refused, close, closeRefused } = useActions(session.id, onShow);
  const offered = (action: ActionId) => isOffered(detail, action);
  const obstacle = (action: ActionId) => obstacleTo(detail, action);
  useCommands([
    ...sessionCommands({ run, show: (next) => onShow({ tab: next }), isOffered: (action) => offered(action) && obstacle(action) === null }),
    { id: "session.left", title: "Show or hide the changed files", group: "This session", keys: "b", run: panels.toggleLeft },
    { id: "session.right", title: "Show or hide actions and timeline", group: "This session", keys: "shift+b", run: panels.toggleRight },
  ]);
  return (
    <div className={classes.page}>
      <Header detail={detail} onRun={run} isOffered={offered} />
      <Banners detail={detail} onRun={run} onShow={onShow} onConflicts={onConflicts} />
      <div className={classes.columns} data-left={panels.isLeftShown} data-right={panels.isRightShown}>
        {panels.isLeftShown && <div className={classes.left}>{left(session)}</div>}
        <section className={classes.centre} aria-label={TITLES[tab]}>
          <div className={classes.tabs}>
            <PanelButton label="Changed files" keys="B" isOn={panels.isLeftShown} onClick={panels.toggleLeft} icon={<IconLayoutSidebar size={15} />} />
            <Tabs value={tab} onChange={(next) => onShow({ tab: TABS.find((it) => it === next) })} className={classes.tabList}>
              <Tabs.List>
                {TABS.map((it) => (
                  <Tabs.Tab key={it} value={it}>
                    {TITLES[it]}
                  </Tabs.Tab>
                ))}
              </Tabs.List>
            </Tabs>
            <PanelButton label="Actions and timeline" keys="Shift+B" isOn={panels.isRightShown} onClick={panels.toggleRight} icon={<IconLayoutSidebarRight size={15} />} />
          </div>
          <div className={classes.content}>{content(tab, { session, run, show: onShow })}</div>
        </section>
        {panels.isRightShown && <SidePanel detail={detail} pending={pending} obstacle={obstacle} onRun={run} onShow={onShow} />}
      </div>
      {open !== null && <ActionDialog action={open} session={session} detail={detail} onClose={close} onShow={onShow} />}
      {refused !== null && <AllowCommand refused={refused} onClose={closeRefused} />}
    </div>
  );
}

function PanelButton({ label, keys, isOn, onClick, icon }: { label: string; keys: string; isOn: boolean; onClick: () => void; icon: ReactNode }) {
  return (
    <Tooltip label={`${isOn ? "Hide" : "Show"}: ${label.toLowerCase()} (${keys})`}>
      <ActionIcon aria-label={label} aria-pressed={isOn} onClick={onClick}>
        {icon}
      </ActionIcon>
    </Tooltip>
  );
}

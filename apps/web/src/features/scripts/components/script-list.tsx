import { ActionIcon, Tooltip } from "@mantine/core";
import { IconExternalLink, IconPlayerPlay, IconPlayerStop, IconRefresh } from "@tabler/icons-react";
import type { ReactNode } from "react";

import type { Session, Wire } from "@/api/types";
import { platform } from "@/platform/current";
import { CopyButton } from "@/ui/copy-button";

import { type Script, isServerRunning } from "../model";
import { OWN, type ScriptDoes } from "../use-script-actions";
import classes from "./scripts.module.css";

type Props = { session: Session; scripts: readonly Script[]; servers: readonly Wire["ServerRow"][]; actions: ScriptDoes; onShow: (run: number) => void };

/** What can be started. */
export function ScriptList({ session, scripts, servers, actions, onShow }: Props) {
  return (
    <>
      {(scripts.length > 0 || session.script_command != null) && <h3 className={classes.heading}>Scripts</h3>}
      <ul className={classes.runs}>
        {session.script_command != null && (
          <li className={classes.script}>
            <span className="truncate" title={session.script_command}>
              after each iteration
            </span>
            <Act label="Run the session's own script" isBusy={actions.pending === OWN} onClick={() => actions.start(null)} icon={<IconPlayerPlay size={14} />} />
          </li>
        )}
        {scripts.map((script) => (
          <li key={script.name} className={classes.script}>
            <span className="truncate" title={script.command}>
              {script.name}
              {script.permission === "not_allowed" && <span className="quiet"> · not allowed yet</span>}
            </span>
            <Act label={`Run ${script.name}`} isBusy={actions.pending === script.name} onClick={() => actions.start(script.name)} icon={<IconPlayerPlay size={14} />} />
          </li>
        ))}
      </ul>
      {servers.length > 0 && <h3 className={classes.heading}>Servers</h3>}
      <ul className={classes.runs}>
        {servers.map((server) => (
          <ServerItem key={server.name} server={server} actions={actions} onShow={onShow} />
        ))}
      </ul>
    </>
  );
}

function ServerItem({ server, actions, onShow }: { server: Wire["ServerRow"]; actions: ScriptDoes; onShow: (run: number) => void }) {
  const run = server.script_run;
  const isRunning = isServerRunning(run);
  const url = run?.server?.url ?? run?.server?.local_url;
  const isBusy = actions.pending === server.name;
  return (
    <li className={classes.script}>
      <span className="truncate">
        {run == null ? (
          server.name
        ) : (
          <button type="button" className={classes.plain} onClick={() => onShow(run.id)}>
            {server.name}
          </button>
        )}{" "}
        <span className="quiet">{run?.server?.state.replaceAll("_", " ") ?? "not started"}</span>
      </span>
      {isRunning ? (
        <>
          {url != null && (
            <>
              <Act label={`Open ${url}`} onClick={() => platform().openExternal(url)} icon={<IconExternalLink size={14} />} />
              <CopyButton value={url} what="address" />
            </>
          )}
          <Act label={`Restart ${server.name}`} isBusy={isBusy} onClick={() => actions.restartServer(server.name)} icon={<IconRefresh size={14} />} />
          <Act label={`Stop ${server.name}`} isBusy={isBusy} onClick={() => actions.stopServer(server.name)} icon={<IconPlayerStop size={14} />} />
        </>
      ) : (
        <Act label={`Start ${server.name}`} isBusy={isBusy} onClick={() => actions.startServer(server.name)} icon={<IconPlayerPlay size={14} />} />
      )}
    </li>
  );
}

function Act({ label, isBusy = false, onClick, icon }: { label: string; isBusy?: boolean; onClick: () => void; icon: ReactNode }) {
  return (
    <Tooltip label={label}>
      <ActionIcon aria-label={label} size="sm" loading={isBusy} onClick={onClick}>
        {icon}
      </ActionIcon>
    </Tooltip>
  );
}

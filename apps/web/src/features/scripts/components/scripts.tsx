import { IconTerminal2 } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";

import { asApiError } from "@/api/error";
import { commandsQuery } from "@/api/queries/commands";
import { scriptRunsQuery } from "@/api/queries/script-runs";
import type { Session } from "@/api/types";
import { AllowCommand } from "@/ui/allow-command";
import { useCommands } from "@/ui/commands/registry";
import { EmptyState, FailedState, SkeletonRows } from "@/ui/states";

import { serversQuery } from "../api";
import { scriptCommands } from "../commands";
import { isServerRunning, scriptsOf } from "../model";
import { useScriptActions } from "../use-script-actions";
import { OutputView } from "./output-view";
import { RunList } from "./run-list";
import { ScriptList } from "./script-list";
import classes from "./scripts.module.css";

type Props = { session: Session; run: number | undefined; onRun: (run: number | undefined) => void };

/** Scripts and servers of a session, and what they print. */
export function Scripts({ session, run, onRun }: Props) {
  const commands = useQuery(commandsQuery(session.repo_root));
  const servers = useQuery(serversQuery(session.id));
  const runs = useQuery(scriptRunsQuery(session.id));
  const actions = useScriptActions(session.id, onRun);
  const rows = servers.data?.servers ?? [];
  const scripts = scriptsOf(commands.data?.commands ?? [], new Set(rows.map((row) => row.name)));
  const shown = run ?? runs.data?.script_runs[0]?.id;
  useCommands(
    scriptCommands({
      scripts,
      servers: rows.map((row) => ({ name: row.name, isRunning: isServerRunning(row.script_run) })),
      start: actions.start,
      startServer: actions.startServer,
      stopServer: actions.stopServer,
      restartServer: actions.restartServer,
      stop: shown === undefined ? null : () => actions.stop(shown),
    }),
  );
  if (commands.isPending || servers.isPending || runs.isPending) return <SkeletonRows />;
  const failed = [commands, servers, runs].find((query) => query.isError && query.data === undefined);
  if (failed?.error != null) return <FailedState title="Scripts cannot be listed" failure={asApiError(failed.error)} onRetry={() => void failed.refetch()} />;
  return (
    <div className={classes.scripts}>
      <div className={classes.lists}>
        <ScriptList session={session} scripts={scripts} servers={rows} actions={actions} onShow={onRun} />
        <RunList runs={runs.data?.script_runs ?? []} shown={shown} onShow={onRun} />
      </div>
      {shown === undefined ? (
        <EmptyState icon={<IconTerminal2 size={22} />} title="Nothing ran yet">
          {scripts.length === 0 ? (
            <>
              The settings name no scripts. <code>orchestra config set scripts.test &quot;npm test&quot;</code> adds one.
            </>
          ) : (
            "Run a script: its output appears here."
          )}
        </EmptyState>
      ) : (
        <OutputView session={session.id} run={shown} />
      )}
      {actions.refused !== null && <AllowCommand refused={actions.refused} onClose={actions.closeRefused} />}
    </div>
  );
}

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { NOT_ALLOWED, asApiError } from "@/api/error";
import { putAnswer } from "@/api/queries/session-cache";
import type { NotAllowed } from "@/ui/allow-command";
import { tellFailed } from "@/ui/toasts";

import { scriptActions } from "./api";

/** What the session's own script is called while it is being started. */
export const OWN = "script";

/** Starts and stops scripts and servers. A command of the repository's own file is asked about first. */
export function useScriptActions(session: string, onRun: (run: number | undefined) => void) {
  const cache = useQueryClient();
  const [pending, setPending] = useState<string | null>(null);
  const [refused, setRefused] = useState<NotAllowed | null>(null);

  const perform = async (key: string, failed: string, does: () => Promise<unknown>, again?: () => void) => {
    setPending(key);
    try {
      const answer = await does();
      putAnswer(cache, answer);
    } catch (error) {
      const failure = asApiError(error);
      if (failure.code === NOT_ALLOWED && again) setRefused({ title: key === OWN ? "The session's own script" : key, message: failure.message, again });
      else tellFailed(failed, failure);
    } finally {
      setPending(null);
    }
  };
  const start = (script: string | null, isAllowed = false): void =>
    void perform(
      script ?? OWN,
      "The script was not started",
      async () => {
        const answer = await scriptActions.start(session, { script, allow_commands: isAllowed });
        onRun(answer.script_run.id);
        return answer;
      },
      () => start(script, true),
    );
  const startServer = (server: string, isAllowed = false): void =>
    void perform(
      server,
      `${server} was not started`,
      async () => {
        const answer = await scriptActions.startServer(session, server, { allow_commands: isAllowed });
        onRun(answer.script_run?.id);
        return answer;
      },
      () => startServer(server, true),
    );
  const restartServer = (server: string, isAllowed = false): void =>
    void perform(server, `${server} was not started again`, () => scriptActions.restartServer(session, server, { allow_commands: isAllowed }), () => restartServer(server, true));
  return {
    pending,
    refused,
    closeRefused: () => setRefused(null),
    /** The session's own script without a name. */
    start: (script: string | null): void => start(script),
    stop: (run: number): void => void perform(String(run), "It was not stopped", () => scriptActions.stop(session, run)),
    startServer: (server: string): void => startServer(server),
    stopServer: (server: string): void => void perform(server, `${server} was not stopped`, () => scriptActions.stopServer(session, server)),
    restartServer: (server: string): void => restartServer(server),
  };
}

export type ScriptDoes = ReturnType<typeof useScriptActions>;

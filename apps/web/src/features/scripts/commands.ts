import type { Command } from "@/ui/commands/registry";

import type { Script } from "./model";

type Does = {
  scripts: readonly Script[];
  servers: readonly { name: string; isRunning: boolean }[];
  start: (script: string) => void;
  startServer: (server: string) => void;
  stopServer: (server: string) => void;
  restartServer: (server: string) => void;
  stop: (() => void) | null;
};

/** What can be done with scripts and servers. */
export function scriptCommands(does: Does): Command[] {
  const group = "Scripts";
  return [
    ...does.scripts.map((script) => ({ id: `script.start.${script.name}`, title: `Run ${script.name}`, group, keywords: "script", operations: ["start_script"], run: () => does.start(script.name) })),
    ...does.servers.flatMap(({ name, isRunning }) =>
      isRunning
        ? [
            { id: `server.restart.${name}`, title: `Restart server ${name}`, group, operations: ["restart_server"], run: () => does.restartServer(name) },
            { id: `server.stop.${name}`, title: `Stop server ${name}`, group, operations: ["stop_server"], run: () => does.stopServer(name) },
          ]
        : [{ id: `server.start.${name}`, title: `Start server ${name}`, group, operations: ["start_server", "list_servers"], run: () => does.startServer(name) }],
    ),
    ...(does.stop === null ? [] : [{ id: "script.stop", title: "Stop the script that is shown", group, operations: ["stop_script_run", "get_script_output"], run: does.stop }]),
  ];
}

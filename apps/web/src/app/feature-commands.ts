import { useRouter } from "@tanstack/react-router";
import { useMemo } from "react";

import { agentsCommands } from "@/features/agents/commands";
import { commandsCommands } from "@/features/commands/commands";
import { dashboardCommands } from "@/features/dashboard/commands";
import { dataCommands } from "@/features/data/commands";
import { doctorCommands } from "@/features/doctor/commands";
import { leasesCommands } from "@/features/leases/commands";
import { mcpCommands } from "@/features/mcp-servers/commands";
import { notificationCommands } from "@/features/notifications/commands";
import { operationsCommands } from "@/features/operations/commands";
import { queueCommands } from "@/features/queue/commands";
import { repositoriesCommands } from "@/features/repositories/commands";
import { settingsCommands } from "@/features/settings/commands";
import { slashCommandsCommands } from "@/features/slash-commands/commands";
import { templatesCommands } from "@/features/templates/commands";
import { toolboxesCommands } from "@/features/toolboxes/commands";
import { trashCommands } from "@/features/trash/commands";
import { worktreesCommands } from "@/features/worktrees/commands";
import { type Command, useCommands } from "@/ui/commands/registry";

/** What each feature offers on every page. A feature adds its own here. */
const OFFERED: readonly ((go: (href: string) => void) => Command[])[] = [
  agentsCommands,
  commandsCommands,
  dashboardCommands,
  dataCommands,
  doctorCommands,
  leasesCommands,
  mcpCommands,
  notificationCommands,
  operationsCommands,
  queueCommands,
  repositoriesCommands,
  settingsCommands,
  slashCommandsCommands,
  templatesCommands,
  toolboxesCommands,
  trashCommands,
  worktreesCommands,
];

/** Entries of the palette that lead to a page, or to a dialog of it, from wherever the user is. */
export function useFeatureCommands(): void {
  const { history } = useRouter();
  const commands = useMemo(() => OFFERED.flatMap((offered) => offered((href) => history.push(href))), [history]);
  useCommands(commands);
}

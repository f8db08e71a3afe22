import { createRoute, lazyRouteComponent, redirect } from "@tanstack/react-router";

import { readAgentsSearch } from "@/features/agents/model";
import { readCommandsSearch } from "@/features/commands/model";
import { readDataSearch } from "@/features/data/model";
import { readDoctorSearch } from "@/features/doctor/model";
import { readMcpSearch } from "@/features/mcp-servers/model";
import { readOperationsSearch } from "@/features/operations/model";
import { readRepositoriesSearch } from "@/features/repositories/model";
import { readSettingsSearch } from "@/features/settings/model";
import { readSlashSearch } from "@/features/slash-commands/model";
import { readTemplatesSearch } from "@/features/templates/model";
import { readToolboxesSearch } from "@/features/toolboxes/model";
import { readTrashSearch } from "@/features/trash/model";
import { readWorktreesSearch } from "@/features/worktrees/model";

import { rootRoute } from "./root";

const parent = createRoute({
  getParentRoute: () => rootRoute,
  path: "/manage",
  component: lazyRouteComponent(() => import("./manage.page"), "ManagePage"),
});

const indexRoute = createRoute({
  getParentRoute: () => parent,
  path: "/",
  beforeLoad: () => {
    redirect({ to: "/manage/agents", throw: true });
  },
});

const agentsRoute = createRoute({
  getParentRoute: () => parent,
  path: "/agents",
  validateSearch: readAgentsSearch,
  component: lazyRouteComponent(() => import("./manage/agents.page"), "AgentsPage"),
});

const toolboxesRoute = createRoute({
  getParentRoute: () => parent,
  path: "/toolboxes",
  validateSearch: readToolboxesSearch,
  component: lazyRouteComponent(() => import("./manage/toolboxes.page"), "ToolboxesPage"),
});

const mcpServersRoute = createRoute({
  getParentRoute: () => parent,
  path: "/mcp-servers",
  validateSearch: readMcpSearch,
  component: lazyRouteComponent(() => import("./manage/mcp-servers.page"), "McpServersPage"),
});

const templatesRoute = createRoute({
  getParentRoute: () => parent,
  path: "/templates",
  validateSearch: readTemplatesSearch,
  component: lazyRouteComponent(() => import("./manage/templates.page"), "TemplatesPage"),
});

const slashCommandsRoute = createRoute({
  getParentRoute: () => parent,
  path: "/slash-commands",
  validateSearch: readSlashSearch,
  component: lazyRouteComponent(() => import("./manage/slash-commands.page"), "SlashCommandsPage"),
});

const repositoriesRoute = createRoute({
  getParentRoute: () => parent,
  path: "/repositories",
  validateSearch: readRepositoriesSearch,
  component: lazyRouteComponent(() => import("./manage/repositories.page"), "RepositoriesPage"),
});

const commandsRoute = createRoute({
  getParentRoute: () => parent,
  path: "/commands",
  validateSearch: readCommandsSearch,
  component: lazyRouteComponent(() => import("./manage/commands.page"), "CommandsPage"),
});

const worktreesRoute = createRoute({
  getParentRoute: () => parent,
  path: "/worktrees",
  validateSearch: readWorktreesSearch,
  component: lazyRouteComponent(() => import("./manage/worktrees.page"), "WorktreesPage"),
});

const queueRoute = createRoute({
  getParentRoute: () => parent,
  path: "/queue",
  component: lazyRouteComponent(() => import("./manage/queue.page"), "QueuePage"),
});

const operationsRoute = createRoute({
  getParentRoute: () => parent,
  path: "/operations",
  validateSearch: readOperationsSearch,
  component: lazyRouteComponent(() => import("./manage/operations.page"), "OperationsPage"),
});

const trashRoute = createRoute({
  getParentRoute: () => parent,
  path: "/trash",
  validateSearch: readTrashSearch,
  component: lazyRouteComponent(() => import("./manage/trash.page"), "TrashPage"),
});

const leasesRoute = createRoute({
  getParentRoute: () => parent,
  path: "/leases",
  component: lazyRouteComponent(() => import("./manage/leases.page"), "LeasesPage"),
});

const notificationsRoute = createRoute({
  getParentRoute: () => parent,
  path: "/notifications",
  component: lazyRouteComponent(() => import("./manage/notifications.page"), "NotificationsPage"),
});

const settingsRoute = createRoute({
  getParentRoute: () => parent,
  path: "/settings",
  validateSearch: readSettingsSearch,
  component: lazyRouteComponent(() => import("./manage/settings.page"), "SettingsPage"),
});

const doctorRoute = createRoute({
  getParentRoute: () => parent,
  path: "/doctor",
  validateSearch: readDoctorSearch,
  component: lazyRouteComponent(() => import("./manage/doctor.page"), "DoctorPage"),
});

const dataRoute = createRoute({
  getParentRoute: () => parent,
  path: "/data",
  validateSearch: readDataSearch,
  component: lazyRouteComponent(() => import("./manage/data.page"), "DataPage"),
});

/** The less used pages. */
export const manageRoute = parent.addChildren([
  indexRoute,
  agentsRoute,
  toolboxesRoute,
  mcpServersRoute,
  templatesRoute,
  slashCommandsRoute,
  repositoriesRoute,
  commandsRoute,
  worktreesRoute,
  queueRoute,
  operationsRoute,
  trashRoute,
  leasesRoute,
  notificationsRoute,
  settingsRoute,
  doctorRoute,
  dataRoute,
]);

/** The pages below "Manage", in their order. */
export const MANAGE_GROUPS = [
  {
    title: "Agents",
    pages: [
      { title: "Agents", to: "/manage/agents" },
      { title: "Toolboxes", to: "/manage/toolboxes" },
      { title: "MCP servers", to: "/manage/mcp-servers" },
      { title: "Templates", to: "/manage/templates" },
      { title: "Slash commands", to: "/manage/slash-commands" },
    ],
  },
  {
    title: "Repositories",
    pages: [
      { title: "Repositories", to: "/manage/repositories" },
      { title: "Commands", to: "/manage/commands" },
      { title: "Worktrees", to: "/manage/worktrees" },
    ],
  },
  {
    title: "Work",
    pages: [
      { title: "Queue", to: "/manage/queue" },
      { title: "Operations", to: "/manage/operations" },
      { title: "Trash", to: "/manage/trash" },
      { title: "Leases", to: "/manage/leases" },
      { title: "Notifications", to: "/manage/notifications" },
    ],
  },
  {
    title: "Installation",
    pages: [
      { title: "Settings", to: "/manage/settings" },
      { title: "Doctor", to: "/manage/doctor" },
      { title: "Data", to: "/manage/data" },
    ],
  },
] as const;

import { IconAdjustments, IconChartBar, IconGitMerge, IconLayoutList } from "@tabler/icons-react";
import type { LinkProps } from "@tanstack/react-router";
import type { ComponentType } from "react";

export type NavigationItem = {
  title: string;
  to: NonNullable<LinkProps["to"]>;
  icon: ComponentType<{ size?: number | string; stroke?: number | string }>;
  /** `g` and then this key. */
  key: string;
  /** What the page asks the server for. */
  operations: readonly string[];
};

/** The pages that the left edge leads to, in their order. */
export const NAVIGATION: readonly NavigationItem[] = [
  { title: "Sessions", to: "/", icon: IconLayoutList, key: "s", operations: ["list_sessions"] },
  { title: "Conflicts", to: "/conflicts", icon: IconGitMerge, key: "c", operations: ["compare_sessions"] },
  { title: "Dashboard", to: "/dashboard", icon: IconChartBar, key: "d", operations: [] },
  { title: "Manage", to: "/manage", icon: IconAdjustments, key: "m", operations: [] },
];

import type { Command } from "./registry";

/** Groups that are there on every page, in their order. */
const USUAL = ["Sessions", "Go to", "General", "Dashboard", "Manage"];

/** What belongs to the page first, then what is there on every page. */
export function pageFirst(one: Pick<Command, "group">, other: Pick<Command, "group">): number {
  return USUAL.indexOf(one.group) - USUAL.indexOf(other.group);
}

import type { Platform } from "./platform";

let current: Platform | null = null;

/** Chooses the platform, before anything is rendered. */
export function setPlatform(platform: Platform): void {
  current = platform;
}

/** The platform the page runs on. */
export function platform(): Platform {
  if (!current) throw new Error("no platform was chosen");
  return current;
}

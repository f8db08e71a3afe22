/** Files that the user has looked at, until they change. */
import { useSyncExternalStore } from "react";

import { platform } from "@/platform/current";

import type { FileChange } from "./model";

/** What a file looked like when it was marked. */
type Marks = Record<string, string>;

const key = (session: string) => `orchestra.viewed.${session}`;
const listeners = new Set<() => void>();
const read = new Map<string, { stored: string | null; marks: Marks }>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function marksOf(session: string): Marks {
  const stored = platform().storage.get(key(session));
  const before = read.get(session);
  if (before?.stored === stored) return before.marks;
  const marks = parsed(stored);
  read.set(session, { stored, marks });
  return marks;
}

function parsed(stored: string | null): Marks {
  if (stored === null) return {};
  try {
    const value: unknown = JSON.parse(stored);
    return typeof value === "object" && value !== null ? (value as Marks) : {};
  } catch {
    return {};
  }
}

function look(file: FileChange): string {
  return `${file.kind}:${file.insertions ?? "b"}:${file.deletions ?? "b"}`;
}

export type Viewed = {
  /** `content`: first digits of what it is now, if that is known; with others, the mark counts no more. */
  isViewed: (file: FileChange, content?: string | null) => boolean;
  mark: (file: FileChange, isViewed: boolean, content?: string | null) => void;
};

export function useViewed(session: string): Viewed {
  const marks = useSyncExternalStore(subscribe, () => marksOf(session));
  return {
    isViewed: (file, content) => {
      const [seen, seenContent] = (marks[file.path] ?? "").split("@");
      if (seen !== look(file)) return false;
      return content == null || seenContent === undefined || seenContent === content;
    },
    mark: (file, isViewed, content) => {
      const next = new Map(Object.entries(marksOf(session)));
      if (isViewed) next.set(file.path, content == null ? look(file) : `${look(file)}@${content}`);
      else next.delete(file.path);
      platform().storage.set(key(session), JSON.stringify(Object.fromEntries(next)));
      for (const listener of listeners) listener();
    },
  };
}

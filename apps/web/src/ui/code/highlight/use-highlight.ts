import { useEffect, useState } from "react";

import type { HighlightAnswer, HighlightRequest } from "./highlight.worker";
import { languageOf } from "./language-of";
import { type Token, type Tokens, tokensOf } from "./tokens";

/** A part of a file, by the side it is on and the number of its first line. Where there are no two sides, it is `new`. */
export type Segment = { side: "old" | "new"; first: number; text: string };

/** The coloured parts of a line; none until they are known. */
export type Highlight = (side: "old" | "new", line: number | null) => readonly Token[];

const PLAIN: Highlight = () => [];

let worker: Worker | null = null;
let next = 0;
const waiting = new Map<number, (tokens: Tokens | null) => void>();

function ask(language: string, text: string): Promise<Tokens | null> {
  if (typeof Worker === "undefined") return Promise.resolve(null);
  worker ??= started();
  const request: HighlightRequest = { id: (next += 1), language, text };
  worker.postMessage(request);
  return new Promise((resolve) => waiting.set(request.id, resolve));
}

function started(): Worker {
  const made = new Worker(new URL("./highlight.worker.ts", import.meta.url), { type: "module" });
  made.onmessage = ({ data }: MessageEvent<HighlightAnswer>) => {
    waiting.get(data.id)?.(data.tokens);
    waiting.delete(data.id);
  };
  made.onerror = () => {
    for (const resolve of waiting.values()) resolve(null);
    waiting.clear();
  };
  return made;
}

type Known = { segment: Segment; tokens: Tokens };

/** Colours of the lines of a file. Until they are there, and where there are none, lines are plain. */
export function useHighlight(path: string, parts: readonly Segment[]): Highlight {
  const [known, setKnown] = useState<{ parts: readonly Segment[]; list: Known[] } | null>(null);
  useEffect(() => {
    const language = languageOf(path);
    if (language === null) return;
    let isCurrent = true;
    void Promise.all(parts.map((segment) => ask(language, segment.text))).then((answers) => {
      if (!isCurrent) return;
      const list = parts.flatMap((segment, index) => {
        const tokens = answers[index];
        return tokens ? [{ segment, tokens }] : [];
      });
      setKnown({ parts, list });
    });
    return () => {
      isCurrent = false;
    };
  }, [path, parts]);
  if (known?.parts !== parts) return PLAIN;
  return (side, line) => {
    if (line === null) return [];
    const found = known.list.find(({ segment, tokens }) => segment.side === side && line >= segment.first && line < segment.first + tokens.lines.length - 1);
    return found ? tokensOf(found.tokens, line - found.segment.first) : [];
  };
}

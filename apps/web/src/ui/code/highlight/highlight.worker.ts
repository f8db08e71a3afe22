/** Reads code apart from the page, so that large files cost it nothing. */
import core from "highlight.js/lib/core";

import { loadLanguage } from "./languages";
import { type Tokens, readMarkup } from "./tokens";

export type HighlightRequest = { id: number; language: string; text: string };
export type HighlightAnswer = { id: number; tokens: Tokens | null };

/** Longer lines are not written by people, and take long to read. */
const LONGEST_LINE = 10_000;

async function highlight({ language, text }: HighlightRequest): Promise<Tokens | null> {
  const load = loadLanguage(language);
  if (!load || text.split("\n").some((line) => line.length > LONGEST_LINE)) return null;
  if (!core.getLanguage(language)) core.registerLanguage(language, (await load).default);
  return readMarkup(core.highlight(text, { language, ignoreIllegals: true }).value);
}

const scope = self as unknown as {
  onmessage: ((event: MessageEvent<HighlightRequest>) => void) | null;
  postMessage: (answer: HighlightAnswer, transfer: Transferable[]) => void;
};

scope.onmessage = ({ data }) => {
  void highlight(data)
    .catch(() => null)
    .then((tokens) => scope.postMessage({ id: data.id, tokens }, tokens ? [tokens.parts.buffer, tokens.lines.buffer] : []));
};

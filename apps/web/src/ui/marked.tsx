import type { ReactNode } from "react";

type Props = { text: string; find?: string };

/** A text with what is searched for marked. */
export function Marked({ text, find }: Props) {
  if (find === undefined || find === "") return text;
  const pieces: ReactNode[] = [];
  const low = text.toLowerCase();
  const wanted = find.toLowerCase();
  let from = 0;
  for (let at = low.indexOf(wanted); at !== -1; at = low.indexOf(wanted, from)) {
    pieces.push(text.slice(from, at), <mark key={at}>{text.slice(at, at + wanted.length)}</mark>);
    from = at + wanted.length;
  }
  return [...pieces, text.slice(from)];
}

import Anser from "anser";
import { memo } from "react";

import { Marked } from "@/ui/marked";

import { type OutputLine, visible } from "../model";
import classes from "./scripts.module.css";

type Props = { line: OutputLine; find: string };

/** A line of output in the colours that the program gave it. */
export const AnsiText = memo(function AnsiText({ line, find }: Props) {
  const text = visible(line.text);
  // Lines without an escape sign are the rule.
  if (line.carried === "" && !text.includes("\u001b")) return <Marked text={text} find={find} />;
  const pieces = Anser.ansiToJson(line.carried + text, { json: true, remove_empty: true, use_classes: true });
  return pieces.map((piece, index) => (
    <span
      key={index}
      className={piece.decorations.map((name) => classes[name] ?? "").join(" ")}
      style={{ color: colourOf(piece.fg, piece.fg_truecolor), background: colourOf(piece.bg, piece.bg_truecolor) }}
    >
      <Marked text={piece.content} find={find} />
    </span>
  ));
});

/** A colour of the terminal: by name, by place in the palette of 256, or as it is. */
function colourOf(name: string | null, exact: string | null): string | undefined {
  if (exact) return `rgb(${exact})`;
  if (!name) return undefined;
  const place = /^ansi-palette-(\d+)$/.exec(name)?.[1];
  return place === undefined ? `var(--${name})` : paletteColour(Number(place));
}

function paletteColour(place: number): string {
  if (place >= 232) return `hsl(0 0% ${Math.round(((place - 232) * 10 + 8) / 2.55)}%)`;
  const level = (value: number) => (value === 0 ? 0 : value * 40 + 55);
  const cube = place - 16;
  return `rgb(${level(Math.floor(cube / 36))}, ${level(Math.floor(cube / 6) % 6)}, ${level(cube % 6)})`;
}

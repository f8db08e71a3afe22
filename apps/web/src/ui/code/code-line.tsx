import { memo, useMemo, useState } from "react";

import { formatWhole } from "../format";

import classes from "./code.module.css";
import type { Token } from "./highlight/tokens";
import { pieces } from "./pieces";
import type { Range } from "./words";

/** Longer lines are cut, since one of a million characters would be the page. */
const LONGEST = 2_000;

type Props = { text: string; tokens: readonly Token[]; changed?: readonly Range[] };

const NOTHING: readonly Range[] = [];

/** A line of code in its colours. */
export const CodeLine = memo(function CodeLine({ text, tokens, changed = NOTHING }: Props) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? text : text.slice(0, LONGEST);
  const parts = useMemo(() => pieces(shown, tokens, changed), [shown, tokens, changed]);
  return (
    <>
      {parts.map((part, index) =>
        part.kind === null && !part.isChanged ? (
          part.text
        ) : (
          <span key={index} data-kind={part.kind ?? undefined} className={part.isChanged ? classes.changed : undefined}>
            {part.text}
          </span>
        ),
      )}
      {shown.length < text.length && (
        <button type="button" className={classes.more} onClick={() => setWhole(true)}>
          {formatWhole(text.length - shown.length)} more characters
        </button>
      )}
    </>
  );
});

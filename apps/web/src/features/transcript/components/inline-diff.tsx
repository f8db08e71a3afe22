import { Button } from "@mantine/core";
import { useState } from "react";

import { plural } from "@/ui/format";
import { Marked } from "@/ui/marked";

import type { DiffLine } from "../model";
import classes from "./rows.module.css";

/** Longer ones begin folded. */
const SHOWN = 40;

type Props = { path: string; lines: DiffLine[]; find?: string };

/** A change of one file, as the agent told it. */
export function InlineDiff({ path, lines, find }: Props) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? lines : lines.slice(0, SHOWN);
  const added = lines.filter((line) => line.sign === "+").length;
  const removed = lines.filter((line) => line.sign === "-").length;
  return (
    <div className={classes.diff}>
      <div className={classes.diffHead}>
        <span className="mono truncate" title={path}>
          {path}
        </span>
        <span className={classes.added}>+{added}</span>
        <span className={classes.removed}>−{removed}</span>
      </div>
      <pre className={classes.diffBody}>
        {shown.map((line, index) => (
          <div key={index} data-sign={line.sign} className={classes.diffLine}>
            <span aria-hidden>{line.sign}</span>
            <span>
              <Marked text={line.text} find={find} />
            </span>
          </div>
        ))}
      </pre>
      {lines.length > SHOWN && (
        <Button variant="subtle" size="compact-xs" onClick={() => setWhole(!isWhole)}>
          {isWhole ? "Show less" : `Show ${plural(lines.length - SHOWN, "more line")}`}
        </Button>
      )}
    </div>
  );
}

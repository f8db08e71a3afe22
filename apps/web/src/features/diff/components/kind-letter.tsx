import { formatWhole } from "@/ui/format";

import { type FileChange, kindOf } from "../model";
import classes from "./diff-view.module.css";

/** What happened to a file, in one letter. */
export function KindLetter({ file }: { file: FileChange }) {
  const { word, letter, tone } = kindOf(file);
  return (
    <span className={classes.letter} data-tone={tone} title={word} role="img" aria-label={word}>
      {letter}
    </span>
  );
}

/** How many lines came and went; of a binary file it is not known. */
export function Lines({ added, removed }: { added: number | null | undefined; removed: number | null | undefined }) {
  if (added == null || removed == null) return <span className="quiet">binary</span>;
  return (
    <span className={classes.figures}>
      <span className={classes.added}>+{formatWhole(added)}</span>
      <span className={classes.removed}>−{formatWhole(removed)}</span>
    </span>
  );
}

import { IconChevronRight } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";

import classes from "./rows.module.css";

type Props = {
  head: ReactNode;
  children: ReactNode;
  /** Whether it begins open. */
  isOpen?: boolean;
  tone?: "danger" | "attention";
};

/** A line that opens. */
export function Fold({ head, children, isOpen = false, tone }: Props) {
  const [isShown, setShown] = useState(isOpen);
  return (
    <div className={classes.fold} data-tone={tone}>
      <button type="button" className={classes.foldHead} aria-expanded={isShown} onClick={() => setShown(!isShown)}>
        <IconChevronRight size={13} className={classes.chevron} aria-hidden />
        {head}
      </button>
      {isShown && <div className={classes.foldBody}>{children}</div>}
    </div>
  );
}

/** A text that may be long: its beginning, and all of it on demand. */
export function LongText({ children, limit = 4_000 }: { children: string; limit?: number }) {
  const [isWhole, setWhole] = useState(false);
  const isLong = children.length > limit;
  return (
    <pre className={classes.code}>
      {isLong && !isWhole ? children.slice(0, limit) : children}
      {isLong && (
        <button type="button" className={classes.more} onClick={() => setWhole(!isWhole)}>
          {isWhole ? "Show less" : `Show all ${children.length.toLocaleString("en")} characters`}
        </button>
      )}
    </pre>
  );
}

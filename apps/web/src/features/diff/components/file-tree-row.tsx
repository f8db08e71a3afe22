import { IconCheck, IconChevronRight, IconMessage } from "@tabler/icons-react";
import { type CSSProperties, memo } from "react";

import { formatWhole } from "@/ui/format";

import type { PanelRow } from "./changed-files";
import classes from "./changed-files.module.css";
import { KindLetter, Lines } from "./kind-letter";

type Props = {
  id: string;
  row: PanelRow;
  start: number;
  isSelected: boolean;
  isActive: boolean;
  isViewed: boolean;
  hasComment: boolean;
  onOpen: () => void;
};

/** A file, a folder or a group. */
export const FileTreeRow = memo(function FileTreeRow({ id, row, start, isSelected, isActive, isViewed, hasComment, onOpen }: Props) {
  const style = { transform: `translateY(${start}px)`, "--depth": row.kind === "group" ? 0 : row.depth } as CSSProperties;
  const shared = { id, role: "treeitem", style, className: classes.row, "data-active": isActive || undefined, onClick: onOpen };
  if (row.kind === "file") {
    const { file } = row;
    const title = file.original == null ? file.path : `${file.original} → ${file.path}`;
    return (
      <div {...shared} aria-level={row.depth + 2} aria-selected={isSelected} data-viewed={isViewed || undefined} title={title}>
        <KindLetter file={file} />
        <span className={classes.name}>{row.name}</span>
        {hasComment && <IconMessage size={13} aria-label="has comments" />}
        {isViewed && <IconCheck size={13} aria-label="viewed" />}
        <span className={classes.figure}>
          <Lines added={file.insertions} removed={file.deletions} />
        </span>
      </div>
    );
  }
  return (
    <div {...shared} aria-level={row.kind === "group" ? 1 : row.depth + 2} aria-selected={false} aria-expanded={row.isOpen} data-group={row.kind === "group" ? "" : undefined} title={row.kind === "folder" ? row.path : row.title}>
      <IconChevronRight size={13} className={classes.chevron} data-open={row.isOpen || undefined} />
      <span className={classes.name}>{row.kind === "group" ? row.title : row.name}</span>
      <span className={classes.figure}>{formatWhole(row.count)}</span>
    </div>
  );
});

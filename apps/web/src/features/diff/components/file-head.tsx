import { ActionIcon, Button, Checkbox, Tooltip } from "@mantine/core";
import { IconChevronDown, IconChevronUp, IconPencil } from "@tabler/icons-react";

import { CopyButton } from "@/ui/copy-button";
import { Keys } from "@/ui/kbd";

import type { FileChange } from "../model";
import classes from "./diff-view.module.css";
import { KindLetter, Lines } from "./kind-letter";

type Props = {
  file: FileChange;
  /** The group it was chosen from. */
  group: string | null;
  position: { index: number; total: number };
  isViewed: boolean;
  isEditing: boolean;
  onFile: (direction: 1 | -1) => void;
  onViewed: (isViewed: boolean) => void;
  onEdit: (isEditing: boolean) => void;
};

/** The file that is looked at, and what can be done with it. */
export function FileHead({ file, group, position, isViewed, isEditing, onFile, onViewed, onEdit }: Props) {
  return (
    <div className={classes.head}>
      <KindLetter file={file} />
      <div className={classes.path}>
        <span className="mono truncate" title={file.path}>
          {file.path}
        </span>
        <CopyButton value={file.path} what="path" />
      </div>
      {group !== null && <span className="quiet">{group}</span>}
      <Lines added={file.insertions} removed={file.deletions} />
      {file.kind !== "D" && (
        <Tooltip label={<>Edit in the worktree <Keys keys="e" /></>}>
          <Button variant={isEditing ? "light" : "default"} size="compact-xs" leftSection={<IconPencil size={13} />} onClick={() => onEdit(!isEditing)}>
            Edit
          </Button>
        </Tooltip>
      )}
      <Checkbox label="Viewed" checked={isViewed} onChange={(event) => onViewed(event.currentTarget.checked)} />
      <span className="quiet" style={{ whiteSpace: "nowrap" }}>
        {position.index + 1} of {position.total}
      </span>
      <Tooltip label={<>Previous file <Keys keys="[" /></>}>
        <ActionIcon aria-label="Previous file" disabled={position.index <= 0} onClick={() => onFile(-1)}>
          <IconChevronUp size={16} />
        </ActionIcon>
      </Tooltip>
      <Tooltip label={<>Next file <Keys keys="]" /></>}>
        <ActionIcon aria-label="Next file" disabled={position.index >= position.total - 1} onClick={() => onFile(1)}>
          <IconChevronDown size={16} />
        </ActionIcon>
      </Tooltip>
    </div>
  );
}

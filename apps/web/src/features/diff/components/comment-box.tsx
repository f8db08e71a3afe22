import { ActionIcon, Button, Group, Text, Textarea } from "@mantine/core";
import { IconPencil, IconTrash } from "@tabler/icons-react";
import { useEffect, useRef } from "react";

import { Keys } from "@/ui/kbd";

import { type LineComment, linesLabel } from "../comments";
import classes from "./comments.module.css";

type ShownProps = { comment: LineComment; onEdit: () => void; onRemove: () => void };

/** A comment below its line. */
export function CommentBox({ comment, onEdit, onRemove }: ShownProps) {
  return (
    <div className={classes.box} role="note" aria-label={`Comment on ${linesLabel(comment)}`}>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text size="xs" c="dimmed">
          {linesLabel(comment)}, not sent yet
        </Text>
        <Group gap={2} wrap="nowrap">
          <ActionIcon size="sm" aria-label="Edit comment" onClick={onEdit}>
            <IconPencil size={14} />
          </ActionIcon>
          <ActionIcon size="sm" aria-label="Remove comment" onClick={onRemove}>
            <IconTrash size={14} />
          </ActionIcon>
        </Group>
      </Group>
      <Text className={classes.text}>{comment.text}</Text>
    </div>
  );
}

type DraftProps = {
  place: string;
  text: string;
  onText: (text: string) => void;
  onSave: () => void;
  onCancel: () => void;
};

/** A comment that is being written. */
export function CommentDraft({ place, text, onText, onSave, onCancel }: DraftProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus({ preventScroll: true }), []);
  const isEmpty = text.trim() === "";
  return (
    <div className={classes.box} data-draft="">
      <Textarea
        ref={field}
        autosize
        minRows={2}
        maxRows={12}
        aria-label={`Comment on ${place}`}
        placeholder={`What should the agent do about ${place}?`}
        value={text}
        onChange={(event) => onText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") {
            event.stopPropagation();
            onCancel();
          }
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !isEmpty) {
            event.preventDefault();
            event.stopPropagation();
            onSave();
          }
        }}
      />
      <Group justify="flex-end" gap="xs" mt={6}>
        <Text size="xs" c="dimmed" mr="auto">
          Comments are gathered and sent together.
        </Text>
        <Button variant="subtle" color="gray" onClick={onCancel}>
          Cancel
        </Button>
        <Button disabled={isEmpty} onClick={onSave} rightSection={<Keys keys="mod+enter" />}>
          Add comment
        </Button>
      </Group>
    </div>
  );
}

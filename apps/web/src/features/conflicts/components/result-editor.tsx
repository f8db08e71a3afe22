import { Button, Group, Text } from "@mantine/core";
import { useEffect, useEffectEvent, useRef } from "react";

import { plural } from "@/ui/format";
import { useDraft } from "@/ui/use-draft";

import { type Choice, decide, offsetOf, regions } from "../markers";
import { resultName } from "../model";
import classes from "./three-way.module.css";

type Props = {
  session: string;
  path: string;
  onto: string;
  /** What the file says now. */
  text: string;
  isBusy: boolean;
  onSave: (text: string) => void;
};

/** What the file is to say: the places that are open are decided one by one, or by hand. */
export function ResultEditor({ session, path, onto, text: from, isBusy, onSave }: Props) {
  const { text, write } = useDraft(resultName(session, path), from);
  const field = useRef<HTMLTextAreaElement>(null);
  const open = regions(text);
  const first = open[0];
  const begin = useEffectEvent(() => {
    if (field.current && first) field.current.scrollTop = scrollFor(first.from, field.current);
  });
  useEffect(() => begin(), []);
  const choose = (choice: Choice) => {
    if (!first) return;
    const next = decide(text, first, choice);
    write(next);
    const following = regions(next)[0];
    show(field.current, next, following?.from ?? first.from);
  };
  return (
    <div className={classes.result}>
      <div className={classes.resultBar}>
        <Text fw={600}>Result</Text>
        {first ? (
          <>
            <Text c="dimmed">{plural(open.length, "open place")}</Text>
            <Group gap={4} wrap="nowrap">
              <Button size="compact-xs" variant="default" onClick={() => show(field.current, text, first.from)}>
                Show the next
              </Button>
              <Button size="compact-xs" variant="default" onClick={() => choose("ours")}>
                {onto}&apos;s lines
              </Button>
              <Button size="compact-xs" variant="default" onClick={() => choose("theirs")}>
                The session&apos;s lines
              </Button>
              <Button size="compact-xs" variant="default" onClick={() => choose("both")}>
                Both
              </Button>
            </Group>
          </>
        ) : (
          <Text c="dimmed">No open places</Text>
        )}
        <span style={{ flex: 1 }} />
        {text !== from && (
          <Button variant="subtle" color="gray" onClick={() => write(from)}>
            Start again
          </Button>
        )}
        <Button disabled={open.length > 0} loading={isBusy} onClick={() => onSave(text)}>
          Take this result
        </Button>
      </div>
      <textarea ref={field} className={classes.field} aria-label={`Result for ${path}`} spellCheck={false} value={text} onChange={(event) => write(event.currentTarget.value)} />
    </div>
  );
}

/** Brings a line into sight. */
function show(field: HTMLTextAreaElement | null, text: string, line: number): void {
  if (!field) return;
  requestAnimationFrame(() => {
    const place = offsetOf(text, line);
    field.focus();
    field.setSelectionRange(place, place);
    field.scrollTop = scrollFor(line, field);
  });
}

/** A line of the text is 20 pixels high. */
function scrollFor(line: number, field: HTMLTextAreaElement): number {
  return Math.max(0, line * 20 - field.clientHeight / 3);
}

import { ActionIcon, Button, TextInput, Tooltip } from "@mantine/core";
import { IconArrowDown, IconArrowUp, IconPlayerStop, IconSearch } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, useLayoutEffect, useRef, useState } from "react";

import { asApiError } from "@/api/error";
import { CopyButton } from "@/ui/copy-button";
import { Duration } from "@/ui/figures";
import { formatBytes, formatWhole } from "@/ui/format";
import { scriptRunTone } from "@/ui/script-run-tones";
import { FailedState, SkeletonRows } from "@/ui/states";
import { tellFailed } from "@/ui/toasts";

import { type RunOutput, outputQuery, readEarlier, scriptActions } from "../api";
import { findLines } from "../model";
import { AnsiText } from "./ansi-text";
import classes from "./scripts.module.css";

const LINE_PX = 18;

type Props = { session: string; run: number };

/** What a run printed, live while it goes on. */
export function OutputView({ session, run }: Props) {
  const query = useQuery(outputQuery(session, run));
  if (query.isPending) return <SkeletonRows count={10} height={22} />;
  if (query.data === undefined) return <FailedState title="The output cannot be read" failure={asApiError(query.error)} onRetry={() => void query.refetch()} />;
  return <Output key={run} session={session} output={query.data} />;
}

function Output({ session, output }: { session: string; output: RunOutput }) {
  const cache = useQueryClient();
  const { run, lines } = output;
  const scroller = useRef<HTMLDivElement>(null);
  const [find, setFind] = useState("");
  const [place, setPlace] = useState(0);
  const [isAtEnd, setAtEnd] = useState(true);
  const count = lines.at(-1)?.text === "" ? lines.length - 1 : lines.length;
  // eslint-disable-next-line react-hooks/incompatible-library -- rows come from the virtualizer, so it must not be memoised
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_PX,
    overscan: 30,
    onChange: (instance) => setAtEnd(instance.isAtEnd(LINE_PX * 2)),
  });
  useLayoutEffect(() => {
    if (isAtEnd) scroller.current?.scrollTo({ top: scroller.current.scrollHeight });
    // eslint-disable-next-line react-hooks/exhaustive-deps -- only new lines move it, and only at the end
  }, [count]);
  const hits = find === "" ? [] : findLines(lines, find);
  const go = (step: number) => {
    const next = (place + step + hits.length) % Math.max(1, hits.length);
    setPlace(next);
    const hit = hits[next];
    if (hit !== undefined) virtual.scrollToIndex(hit, { align: "center" });
  };
  const search = (text: string) => {
    setFind(text);
    setPlace(0);
    const [first] = text === "" ? [] : findLines(lines, text);
    if (first !== undefined) virtual.scrollToIndex(first, { align: "center" });
  };
  const stop = useMutation({ mutationFn: () => scriptActions.stop(session, run.id), onError: (error) => tellFailed("It was not stopped", asApiError(error)) });
  const earlier = useMutation({ mutationFn: () => readEarlier(cache, session, run.id), onError: (error) => tellFailed("It cannot be read", asApiError(error)) });
  const press = (event: KeyboardEvent) => {
    if (event.key === "Enter") go(event.shiftKey ? -1 : 1);
    else if (event.key === "Escape") search("");
  };
  return (
    <section className={classes.output} aria-label={`Output of ${run.script}`}>
      <div className={classes.outputHead}>
        <span className={classes.state} data-tone={scriptRunTone(run.state)}>
          {run.state.replaceAll("_", " ")}
        </span>
        {run.exit_code != null && <span className="quiet">exit code {run.exit_code}</span>}
        <Duration ms={run.finished_at == null ? null : Date.parse(run.finished_at) - Date.parse(run.started_at)} since={run.started_at} />
        <code className="truncate" title={run.command}>
          {run.command}
        </code>
        <CopyButton value={run.log} what="path of the log" />
        <TextInput
          aria-label="Search the output"
          placeholder="Search"
          w={170}
          leftSection={<IconSearch size={13} />}
          value={find}
          onChange={(event) => search(event.currentTarget.value)}
          onKeyDown={press}
          rightSectionWidth={64}
          rightSection={find !== "" && <span className="quiet">{hits.length === 0 ? "none" : `${place + 1}/${formatWhole(hits.length)}`}</span>}
        />
        {hits.length > 0 && (
          <>
            <ActionIcon aria-label="Previous hit" onClick={() => go(-1)}>
              <IconArrowUp size={14} />
            </ActionIcon>
            <ActionIcon aria-label="Next hit" onClick={() => go(1)}>
              <IconArrowDown size={14} />
            </ActionIcon>
          </>
        )}
        {run.state === "running" && run.server == null && (
          <Button size="compact-sm" variant="default" leftSection={<IconPlayerStop size={13} />} loading={stop.isPending} onClick={() => stop.mutate()}>
            Stop
          </Button>
        )}
      </div>
      {run.problem != null && (
        <p className={classes.problem} role="alert">
          {run.problem.message}
        </p>
      )}
      {output.from > 0 && (
        <div className={classes.leftOut}>
          The first {formatBytes(output.from)} are not shown.
          <Button size="compact-xs" variant="subtle" loading={earlier.isPending} onClick={() => earlier.mutate()}>
            Show earlier output
          </Button>
        </div>
      )}
      <div ref={scroller} className={classes.lines} tabIndex={0} role="log" aria-label="Output" aria-live="off">
        {count === 0 && <p className="quiet">{output.isEnd ? "It printed nothing." : "It has printed nothing yet."}</p>}
        <div style={{ height: virtual.getTotalSize(), position: "relative" }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const line = lines[index];
            if (line === undefined) return null;
            return (
              <div key={index} className={classes.line} data-hit={hits[place] === index || undefined} style={{ transform: `translateY(${start}px)` }}>
                <span className={classes.number} aria-hidden>
                  {output.from === 0 ? index + 1 : ""}
                </span>
                <AnsiText line={line} find={find} />
              </div>
            );
          })}
        </div>
      </div>
      {!isAtEnd && run.state === "running" && (
        <Tooltip label="Follow the output">
          <ActionIcon className={classes.follow} variant="default" aria-label="To the end" onClick={() => virtual.scrollToIndex(count - 1, { align: "end" })}>
            <IconArrowDown size={14} />
          </ActionIcon>
        </Tooltip>
      )}
    </section>
  );
}

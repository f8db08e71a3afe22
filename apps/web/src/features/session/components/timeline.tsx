import { Button, Collapse } from "@mantine/core";
import { IconAdjustmentsBolt, IconGitCommit, IconRobot, IconRotateClockwise, IconTerminal2 } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";

import type { Iteration, Wire } from "@/api/types";
import { CopyButton } from "@/ui/copy-button";
import { CostFigure, Duration, RelativeTime, Tokens } from "@/ui/figures";
import { plural } from "@/ui/format";
import { OPERATION_LABELS, OPERATION_STATES } from "@/ui/operation-looks";
import { scriptRunTone } from "@/ui/script-run-tones";
import { Ticked } from "@/ui/ticked";

import type { ActionId } from "../actions";
import { type Entry, changedText, iterationText } from "../model";
import type { Place } from "./dialogs/dialog-props";
import classes from "./session.module.css";

/** The newest ones are shown at once. */
const SHOWN = 60;

type Props = { entries: readonly Entry[]; nextUndo: number | null; nextRedo: number | null; onRun: (action: ActionId) => void; onShow: (place: Place & { iteration?: number }) => void };

/** What happened in a session, newest first. */
export function Timeline({ entries, nextUndo, nextRedo, onRun, onShow }: Props) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? entries : entries.slice(0, SHOWN);
  if (entries.length === 0) return <p className={`${classes.nothing} quiet`}>Nothing happened yet.</p>;
  return (
    <ol className={classes.timeline} aria-label="Timeline">
      {shown.map((entry) => (
        <li key={entry.key} className={classes.entry} data-kind={entry.kind}>
          <EntryContent entry={entry} nextUndo={nextUndo} nextRedo={nextRedo} onRun={onRun} onShow={onShow} />
        </li>
      ))}
      {entries.length > shown.length && (
        <li>
          <Button variant="subtle" size="compact-xs" fullWidth onClick={() => setWhole(true)}>
            Show {plural(entries.length - shown.length, "older entry", "older entries")}
          </Button>
        </li>
      )}
    </ol>
  );
}

function EntryContent({ entry, nextUndo, nextRedo, onRun, onShow }: Omit<Props, "entries"> & { entry: Entry }): ReactNode {
  switch (entry.kind) {
    case "commit":
      return <CommitEntry commit={entry.commit} />;
    case "iteration":
      return <IterationEntry iteration={entry.iteration} onShow={onShow} />;
    case "script":
      return <ScriptEntry run={entry.run} onShow={onShow} />;
    case "operation":
      return <OperationEntry operation={entry.operation} canUndo={entry.operation.id === nextUndo} canRedo={entry.operation.id === nextRedo} onRun={onRun} />;
    case "call":
      return (
        <Row icon={<IconRobot size={14} />} at={entry.call.at} title={`${entry.call.caller}: ${entry.call.tool}`}>
          {entry.call.refused == null ? "granted" : `refused: ${entry.call.refused}`}
        </Row>
      );
  }
}

type RowProps = { icon: ReactNode; tone?: string; at: string; title: ReactNode; actions?: ReactNode; children?: ReactNode };

function Row({ icon, tone = "quiet", at, title, actions, children }: RowProps) {
  return (
    <>
      <span className={classes.entryIcon} data-tone={tone}>
        {icon}
      </span>
      <div className={classes.entryBody}>
        <div className={classes.entryHead}>
          <span className={classes.entryTitle}>{title}</span>
          {actions}
        </div>
        <div className={classes.entryFoot}>
          <RelativeTime at={at} />
          {children}
        </div>
      </div>
    </>
  );
}

function CommitEntry({ commit }: { commit: Wire["Commit"] }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Row icon={<IconGitCommit size={14} />} tone="info" at={commit.at} title={commit.subject} actions={<CopyButton value={commit.id} what="commit id" />}>
      <code>{commit.short}</code>
      <button type="button" className={classes.linkish} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {changedText(commit.files)}
      </button>
      <Collapse expanded={isOpen} style={{ width: "100%" }}>
        {isOpen && (
          <ul className={classes.files}>
            {commit.files.map((file) => (
              <li key={file.path} title={file.original == null ? file.path : `${file.original} → ${file.path}`}>
                <code>{file.kind}</code> <span className="mono truncate">{file.path}</span>
              </li>
            ))}
          </ul>
        )}
      </Collapse>
    </Row>
  );
}

function IterationEntry({ iteration, onShow }: { iteration: Iteration; onShow: Props["onShow"] }) {
  return (
    <Row
      icon={<IconRobot size={14} />}
      tone={iterationTone(iteration)}
      at={iteration.started_at ?? iteration.queued_at}
      title={
        <button type="button" className={classes.linkish} onClick={() => onShow({ tab: "inspector", iteration: iteration.number })}>
          {iterationText(iteration)}
        </button>
      }
    >
      <Duration ms={iteration.duration_ms} since={iteration.state === "finished" ? null : iteration.started_at} />
      {iteration.usage != null && (
        <span>
          <Tokens usage={iteration.usage} /> tokens
        </span>
      )}
      {iteration.cost != null && <CostFigure cost={iteration.cost} />}
      {iteration.files_changed != null && <span>{plural(iteration.files_changed, "file")}</span>}
      {iteration.input != null && <span className={`${classes.input} truncate`}>{iteration.input}</span>}
    </Row>
  );
}

function iterationTone(iteration: Iteration): string {
  switch (iteration.outcome) {
    case "succeeded":
      return "good";
    case "failed":
    case "interrupted":
      return "danger";
    case "awaiting_input":
    case "blocked":
      return "attention";
    default:
      return iteration.state === "finished" ? "quiet" : "active";
  }
}

function ScriptEntry({ run, onShow }: { run: Wire["ScriptRun"]; onShow: Props["onShow"] }) {
  return (
    <Row
      icon={<IconTerminal2 size={14} />}
      tone={scriptRunTone(run.state)}
      at={run.started_at}
      title={
        <button type="button" className={classes.linkish} onClick={() => onShow({ tab: "scripts", run: run.id })}>
          {run.script} {run.state.replaceAll("_", " ")}
        </button>
      }
    >
      <Duration ms={run.finished_at == null ? null : Date.parse(run.finished_at) - Date.parse(run.started_at)} since={run.started_at} />
      {run.exit_code != null && run.exit_code !== 0 && <span>exit code {run.exit_code}</span>}
    </Row>
  );
}

function OperationEntry({ operation, canUndo, canRedo, onRun }: { operation: Wire["Operation"]; canUndo: boolean; canRedo: boolean; onRun: Props["onRun"] }) {
  const isBad = operation.state === "failed" || operation.state === "unknown";
  return (
    <Row
      icon={operation.undoes == null ? <IconAdjustmentsBolt size={14} /> : <IconRotateClockwise size={14} />}
      tone={isBad ? "danger" : "info"}
      at={operation.started_at}
      title={
        <span data-undone={operation.state === "undone" || undefined}>
          <Ticked text={operation.summary} />
        </span>
      }
      actions={
        canUndo || canRedo ? (
          <Button size="compact-xs" variant="light" onClick={() => onRun(canUndo ? "undo" : "redo")}>
            {canUndo ? "Undo" : "Redo"}
          </Button>
        ) : null
      }
    >
      <span>{OPERATION_LABELS[operation.kind]}</span>
      {operation.state !== "done" && <span>{OPERATION_STATES[operation.state].label}</span>}
      {operation.caller != null && <span>by {operation.caller}</span>}
      {operation.overridden.length > 0 && <span>overridden: {operation.overridden.join(", ")}</span>}
    </Row>
  );
}

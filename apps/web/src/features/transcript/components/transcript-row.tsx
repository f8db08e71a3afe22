import { IconAlertTriangle, IconBrain, IconCheck, IconFlag, IconHelp, IconListCheck, IconPlayerPlay, IconShieldQuestion, IconTool, IconUser, IconX } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { type ReactNode, memo } from "react";

import type { AgentEvent, TranscriptItem } from "@/api/types";
import { formatTime, plural } from "@/ui/format";
import { firstLine } from "@/ui/lines";
import { Marked } from "@/ui/marked";

import { aboutCall, countLines, editsOfCall, linesOfEdit, withinWorktree } from "../model";
import { Fold, LongText } from "./fold";
import { InlineDiff } from "./inline-diff";
import { RichText } from "./rich-text";
import classes from "./rows.module.css";

type Props = { item: TranscriptItem; session: string; worktree: string; find?: string; isCurrent: boolean };

/** One thing that was said or done. */
export const TranscriptRow = memo(function TranscriptRow({ item, session, worktree, find, isCurrent }: Props) {
  const content = <EventContent item={item} worktree={worktree} find={find} />;
  // What it used is in the inspector.
  if (item.event.kind === "usage" && !isCurrent) return null;
  return (
    <article className={classes.row} data-kind={item.event.kind} aria-current={isCurrent || undefined} aria-label={`Item ${item.position}`}>
      <Link
        className={classes.position}
        from="/sessions/$session"
        to="/sessions/$session"
        params={{ session }}
        search={(before) => ({ ...before, at: item.position })}
        title={`Item ${item.position}, ${formatTime(item.at)}`}
        tabIndex={-1}
      >
        {item.position}
      </Link>
      <div className={classes.content}>{content}</div>
    </article>
  );
});

function EventContent({ item, worktree, find }: { item: TranscriptItem; worktree: string; find?: string }): ReactNode {
  const { event } = item;
  switch (event.kind) {
    case "started":
      return <Started event={event} iteration={item.iteration} />;
    case "message":
      return <Message event={event} find={find} />;
    case "thinking":
      return (
        <Fold head={<Head icon={<IconBrain size={13} />} title="Thinking" about={firstLine(event.text)} find={find} />}>
          <RichText text={event.text} find={find} />
        </Fold>
      );
    case "tool_call":
      return <Call event={event} worktree={worktree} find={find} />;
    case "tool_result":
      return <Result event={event} find={find} />;
    case "plan":
      return <Plan event={event} />;
    case "edit":
      return <InlineDiff path={withinWorktree(event.path, worktree)} lines={linesOfEdit(event.old, event.new)} find={find} />;
    case "permission_asked":
      return (
        <Fold head={<Head icon={<IconShieldQuestion size={13} />} title="Asked for permission" about={event.title ?? event.tool_use.tool} find={find} />} tone="attention">
          <LongText>{JSON.stringify(event.tool_use.input, null, 2)}</LongText>
        </Fold>
      );
    case "permission_decided":
      return <Note icon={event.decision === "allow" ? <IconCheck size={13} /> : <IconX size={13} />}>{`${event.decision === "allow" ? "Allowed" : "Rejected"}: ${event.reason}`}</Note>;
    case "permission_withdrawn":
      return <Note icon={<IconX size={13} />}>{`No longer asked: ${event.reason}`}</Note>;
    case "usage":
      return <Note>{`${event.usage.input_tokens} tokens in, ${event.usage.output_tokens} out`}</Note>;
    case "awaiting_input":
      return (
        <Note icon={<IconHelp size={13} />} tone="attention">
          <Marked text={event.question} find={find} />
        </Note>
      );
    case "finished":
      return (
        <Note icon={<IconFlag size={13} />} tone="good">
          {event.summary == null ? "Finished" : <Marked text={`Finished: ${firstLine(event.summary)}`} find={find} />}
        </Note>
      );
    case "failed":
      return (
        <Note icon={<IconAlertTriangle size={13} />} tone="danger">
          <Marked text={event.message} find={find} /> {event.cause !== "other" && <code>{event.cause}</code>}
        </Note>
      );
    case "diagnostic":
      return <Fold head={<Head icon={<IconAlertTriangle size={13} />} title="Printed to stderr" about={firstLine(event.text)} find={find} />}>{<LongText>{event.text}</LongText>}</Fold>;
    case "unrecognized":
      return (
        <Fold head={<Head icon={<IconHelp size={13} />} title="Not recognized" about={firstLine(event.raw)} find={find} isMono />} tone="attention">
          <LongText>{event.raw}</LongText>
        </Fold>
      );
  }
}

type Of<Kind extends AgentEvent["kind"]> = Extract<AgentEvent, { kind: Kind }>;

function Started({ event, iteration }: { event: Of<"started">; iteration: number }) {
  const facts = [event.model, event.mode, event.tools.length > 0 ? plural(event.tools.length, "tool") : null].filter((it) => it != null);
  return (
    <div className={classes.started}>
      <IconPlayerPlay size={13} aria-hidden />
      <strong>Iteration {iteration}</strong>
      <span className="quiet truncate" title={event.tools.join(", ")}>
        {facts.join(" · ")}
      </span>
    </div>
  );
}

const ROLES: Record<Of<"message">["role"], string> = { user: "You", agent: "Agent", subagent: "Subagent", engine: "Orchestra" };

function Message({ event, find }: { event: Of<"message">; find?: string }) {
  return (
    <div className={classes.message} data-role={event.role}>
      {event.role !== "agent" && (
        <div className={classes.role}>
          {event.role === "user" && <IconUser size={12} aria-hidden />}
          {ROLES[event.role]}
        </div>
      )}
      <RichText text={event.text} find={find} />
    </div>
  );
}

function Call({ event, worktree, find }: { event: Of<"tool_call">; worktree: string; find?: string }) {
  const edits = editsOfCall(event);
  const about = withinWorktree(edits.length > 0 ? edits.map((edit) => withinWorktree(edit.path, worktree)).join(", ") : aboutCall(event), worktree);
  return (
    <>
      <Fold head={<Head icon={<IconTool size={13} />} title={event.name} about={about} find={find} isMono />}>
        <LongText>{JSON.stringify(event.input, null, 2)}</LongText>
      </Fold>
      {edits.map((edit, index) => (
        <InlineDiff key={index} path={withinWorktree(edit.path, worktree)} lines={edit.lines} find={find} />
      ))}
    </>
  );
}

function Result({ event, find }: { event: Of<"tool_result">; find?: string }) {
  const lines = countLines(event.content);
  const about = lines > 1 ? `${plural(lines, "line")} · ${firstLine(event.content)}` : event.content;
  return (
    <Fold
      tone={event.is_error ? "danger" : undefined}
      head={<Head icon={event.is_error ? <IconX size={13} /> : <IconCheck size={13} />} title={event.is_error ? "Failed" : "Result"} about={about} find={find} isMono />}
    >
      <LongText>{event.content}</LongText>
    </Fold>
  );
}

function Plan({ event }: { event: Of<"plan"> }) {
  const done = event.steps.filter((step) => step.state === "completed").length;
  return (
    <Fold head={<Head icon={<IconListCheck size={13} />} title="Plan" about={`${done} of ${event.steps.length} done`} />} isOpen>
      <ul className={classes.plan}>
        {event.steps.map((step, index) => (
          <li key={index} data-state={step.state}>
            {step.text}
          </li>
        ))}
      </ul>
    </Fold>
  );
}

type HeadProps = { icon: ReactNode; title: string; about: string; find?: string; isMono?: boolean };

function Head({ icon, title, about, find, isMono = false }: HeadProps) {
  return (
    <>
      <span className={classes.icon}>{icon}</span>
      <span className={classes.title}>{title}</span>
      <span className={isMono ? "mono quiet truncate" : "quiet truncate"}>
        <Marked text={about} find={find} />
      </span>
    </>
  );
}

function Note({ icon, tone = "quiet", children }: { icon?: ReactNode; tone?: string; children: ReactNode }) {
  return (
    <div className={classes.note} data-tone={tone}>
      {icon}
      <span>{children}</span>
    </div>
  );
}

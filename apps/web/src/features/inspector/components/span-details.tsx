import { ActionIcon, Button } from "@mantine/core";
import { IconX } from "@tabler/icons-react";

import { CostFigure, Tokens } from "@/ui/figures";
import { formatDuration, formatTime } from "@/ui/format";

import type { Span } from "../model";
import classes from "./inspector.module.css";

/** A text longer than this is cut; the transcript has all of it. */
const SHOWN = 20_000;

type Props = { span: Span; onShow: (position: number) => void; onClose: () => void };

/** Everything that is known of a span. */
export function SpanDetails({ span, onShow, onClose }: Props) {
  const { position } = span;
  return (
    <section className={classes.details} aria-label="Details">
      <div className={classes.detailsHead}>
        <strong className="truncate">{span.name}</strong>
        {position !== null && (
          <Button size="compact-xs" variant="light" onClick={() => onShow(position)}>
            In the transcript
          </Button>
        )}
        <ActionIcon aria-label="Close the details" onClick={onClose}>
          <IconX size={14} />
        </ActionIcon>
      </div>
      <dl className={classes.facts}>
        <dt>Type</dt>
        <dd>{span.type}</dd>
        <dt>Start</dt>
        <dd>{formatTime(span.start)}</dd>
        <dt>Duration</dt>
        <dd>{span.isRunning ? "running" : formatDuration(span.ms)}</dd>
        <dt>Tokens</dt>
        <dd>
          <Tokens usage={span.usage} />
        </dd>
        <dt>Cost</dt>
        <dd>
          <CostFigure cost={span.cost} />
        </dd>
        {span.error !== null && (
          <>
            <dt>Error</dt>
            <dd className={classes.error}>{span.error}</dd>
          </>
        )}
      </dl>
      {span.details
        .filter((detail) => detail.text !== "")
        .map((detail) => (
          <div key={detail.label}>
            <h4 className={classes.label}>{detail.label}</h4>
            <pre className={classes.text}>{detail.text.length > SHOWN ? `${detail.text.slice(0, SHOWN)}\n… the transcript has all of it` : detail.text}</pre>
          </div>
        ))}
    </section>
  );
}

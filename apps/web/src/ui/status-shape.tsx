import {
  IconAlertTriangleFilled,
  IconArrowsSplit2,
  IconBolt,
  IconCircle,
  IconCircleCheckFilled,
  IconCircleDashed,
  IconFlask,
  IconHelpHexagon,
  IconHourglass,
  IconLoader2,
  IconMessageCircleQuestion,
  IconPlayerPause,
} from "@tabler/icons-react";
import type { ComponentType } from "react";

import type { SessionStatus } from "@/api/types";

import classes from "./status-badge.module.css";

type Shape = ComponentType<{ size?: number | string; stroke?: number | string; className?: string; "aria-hidden"?: boolean }>;

const SHAPES: Record<SessionStatus, Shape> = {
  initializing: IconCircleDashed,
  queued: IconHourglass,
  idle: IconCircle,
  running: IconLoader2,
  awaiting_input: IconMessageCircleQuestion,
  blocked: IconPlayerPause,
  evaluating: IconFlask,
  conflicted: IconArrowsSplit2,
  interrupted: IconBolt,
  error: IconAlertTriangleFilled,
  completed: IconCircleCheckFilled,
  unknown: IconHelpHexagon,
};

/** The shape of a status alone; whoever uses it writes the word beside it. */
export function StatusShape({ status, size = 14 }: { status: SessionStatus; size?: number }) {
  const Shape = SHAPES[status];
  return <Shape size={size} stroke={2} aria-hidden className={status === "running" ? classes.turning : undefined} />;
}

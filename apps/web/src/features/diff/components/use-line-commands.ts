import { useMemo } from "react";

import { useCommands } from "@/ui/commands/registry";

import { lineCommands } from "../commands";
import { useStable } from "./use-stable";

/** Commands that see what is true when they are run. */
export function useLineCommands(moves: Parameters<typeof lineCommands>[0]): void {
  const onLine = useStable(moves.onLine);
  const onChange = useStable(moves.onChange);
  const onExtend = useStable(moves.onExtend);
  const onComment = useStable(moves.onComment);
  useCommands(useMemo(() => lineCommands({ onLine, onChange, onExtend, onComment }), [onLine, onChange, onExtend, onComment]));
}

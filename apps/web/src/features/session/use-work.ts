import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";

import { type ApiError, NOT_ALLOWED, asApiError } from "@/api/error";
import { putAnswer } from "@/api/queries/session-cache";
import { tellDone, tellFailed } from "@/ui/toasts";

type Options<Input, Answer> = {
  run: (input: Input, onStep: (steps: string[]) => void) => Promise<Answer>;
  /** What is said afterwards. */
  done: (answer: Answer) => { text: string; undo?: () => void } | null;
  failed: string;
  onDone?: (answer: Answer) => void;
};

/** Something that a dialog does: its steps, its failure, and what is said at its end even if the dialog is gone. */
export function useWork<Input, Answer>({ run, done, failed, onDone }: Options<Input, Answer>) {
  const cache = useQueryClient();
  const [steps, setSteps] = useState<string[]>([]);
  const isThere = useRef(true);
  useEffect(() => {
    isThere.current = true;
    return () => {
      isThere.current = false;
    };
  }, []);
  const work = useMutation({
    mutationFn: (input: Input) => run(input, setSteps),
    onMutate: () => setSteps([]),
    onSuccess: (answer) => {
      putAnswer(cache, answer);
      const said = done(answer);
      if (said) tellDone(said.text, said.undo && { run: said.undo });
      onDone?.(answer);
    },
    onError: (error) => {
      if (!isThere.current) tellFailed(failed, asApiError(error));
    },
  });
  const error: ApiError | null = work.error === null ? null : asApiError(work.error);
  return {
    start: work.mutate,
    isPending: work.isPending,
    steps,
    error,
    /** The command that has to be allowed before it can be done. */
    notAllowed: error?.code === NOT_ALLOWED ? error : null,
    /** Forgets the failure. */
    reset: work.reset,
  };
}

import { useCallback, useEffect, useRef } from "react";

/** The same function all the time, that does what the newest one does: whoever gets it need not be drawn again. */
export function useStable<Arguments extends unknown[]>(run: (...given: Arguments) => void): (...given: Arguments) => void {
  const current = useRef(run);
  useEffect(() => {
    current.current = run;
  });
  return useCallback((...given: Arguments) => current.current(...given), []);
}

import type { ScriptRun } from "@/api/types";
import { Duration, RelativeTime } from "@/ui/figures";
import { scriptRunTone } from "@/ui/script-run-tones";

import classes from "./scripts.module.css";

type Props = { runs: readonly ScriptRun[]; shown: number | undefined; onShow: (run: number) => void };

/** Runs, newest first. */
export function RunList({ runs, shown, onShow }: Props) {
  if (runs.length === 0) return null;
  return (
    <>
      <h3 className={classes.heading}>Runs</h3>
      <ul className={classes.runs}>
        {runs.map((run) => (
          <li key={run.id}>
            <button type="button" className={classes.run} aria-current={run.id === shown || undefined} onClick={() => onShow(run.id)}>
              <span className={classes.dot} data-tone={scriptRunTone(run.state)} aria-hidden />
              <span className="truncate">
                {run.script}
                {run.iteration == null ? "" : ` #${run.iteration}`}
              </span>
              <span className="quiet">{run.state.replaceAll("_", " ")}</span>
              <span className={`${classes.when} quiet`}>
                <RelativeTime at={run.started_at} />
                {" · "}
                <Duration ms={run.finished_at == null ? null : Date.parse(run.finished_at) - Date.parse(run.started_at)} since={run.started_at} />
              </span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

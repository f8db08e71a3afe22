import { answered, api, pause } from "./client";
import { ApiError, errorOf } from "./error";
import { live } from "./live/hub";
import type { Job, Wire } from "./types";

/** When a job is looked at in case its end was not told. */
const LOOKS_MS = [250, 1_000, 5_000];

type Options = { onStep?: (steps: string[]) => void };

/**
 * Asks for long work and waits for its end. The stream tells it, so no connection is held meanwhile.
 *
 * `T` is what the operation answers according to the reference.
 */
export async function done<T>(
  call: Promise<{ data?: Wire["JobAnswer"]; error?: unknown; response: Response }>,
  options: Options = {},
): Promise<T> {
  const { job } = await answered(call);
  const ended = await endOf(job, options);
  if (ended.state === "failed") throw errorOf({ error: ended.error }, 409);
  return ended.answer as T;
}

async function endOf(started: Job, { onStep }: Options): Promise<Job> {
  let job = started;
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  // The stream and a look may overtake each other: the newer state counts.
  const learn = (found: Job) => {
    if (found.version < job.version) return;
    job = found;
    onStep?.(job.steps);
    if (job.state !== "running") end();
  };
  const unlisten = live.listen((messages) => {
    for (const message of messages) if (message.kind === "job" && message.job.id === job.id) learn(message.job);
  });
  try {
    for (let looks = 0; job.state === "running"; looks += 1) {
      await Promise.race([pause(LOOKS_MS[looks] ?? LOOKS_MS.at(-1) ?? 0), ended]);
      if (stillRuns(job)) await Promise.race([look(job).then(learn), ended]);
    }
    return job;
  } finally {
    unlisten();
  }
}

function stillRuns(job: Job): boolean {
  return job.state === "running";
}

/** A server that does not answer for a moment says nothing about the job. */
async function look(job: Job): Promise<Job> {
  try {
    const found = await answered(api.GET("/api/v1/jobs/{job}", { params: { path: { job: job.id } } }));
    return found.job;
  } catch (error) {
    if (error instanceof ApiError && error.status === 0) return job;
    throw error;
  }
}

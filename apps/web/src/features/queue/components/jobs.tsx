import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { jobsQuery } from "@/api/queries/jobs";
import type { Job } from "@/api/types";
import { Duration, RelativeTime } from "@/ui/figures";
import { formatWord } from "@/ui/format";
import { Loaded } from "@/ui/loaded";
import { NoRows, Panel, Section, Tag, type Tone } from "@/ui/page";
import { Rows } from "@/ui/rows";

const LOOKS: Record<Job["state"], { label: string; tone: Tone }> = {
  running: { label: "At work", tone: "active" },
  succeeded: { label: "Done", tone: "good" },
  failed: { label: "Failed", tone: "danger" },
};

/** Long work of the server: merges, clean-ups, checks. */
export function Jobs() {
  const query = useQuery(jobsQuery());
  return (
    <Section title="Long work">
      <Loaded query={query} failed="Long work cannot be listed" isSmall rows={3}>
        {({ jobs }) => (
          <Panel>
            {jobs.length === 0 ? (
              <NoRows>The server has nothing to do, and forgot what it did a while ago.</NoRows>
            ) : (
              <Rows
                label="Long work"
                rows={jobs}
                rowKey={(job) => job.id}
                columns={[
                  { key: "operation", title: "Work", render: (job) => formatWord(job.operation) },
                  { key: "session", title: "Session", render: (job) => job.session_id != null && <Link to="/sessions/$session" params={{ session: job.session_id }}>{job.session_id}</Link> },
                  { key: "state", title: "State", render: (job) => <Tag tone={LOOKS[job.state].tone}>{LOOKS[job.state].label}</Tag> },
                  { key: "step", title: "Last step", render: (job) => <Text lineClamp={2}>{job.error?.message ?? job.steps.at(-1) ?? ""}</Text> },
                  { key: "took", title: "Took", align: "right", render: (job) => <Duration ms={job.finished_at == null ? null : Date.parse(job.finished_at) - Date.parse(job.started_at)} since={job.started_at} /> },
                  { key: "at", title: "Started", align: "right", render: (job) => <RelativeTime at={job.started_at} /> },
                ]}
              />
            )}
          </Panel>
        )}
      </Loaded>
    </Section>
  );
}

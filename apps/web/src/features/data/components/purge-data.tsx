import { Button, Checkbox, Modal, Select, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { asApiError } from "@/api/error";
import { DialogButtons } from "@/ui/dialog-buttons";
import { formatBytes, plural } from "@/ui/format";
import { Loaded } from "@/ui/loaded";
import { Panel } from "@/ui/page";
import { Rows } from "@/ui/rows";
import { tellDone, tellFailed } from "@/ui/toasts";

import { type PurgeReport, type PurgeWish, dataKeys, planPurge, purgeData } from "../api";

const AGES = [
  { value: "30d", label: "Sessions that were not used for 30 days" },
  { value: "90d", label: "Sessions that were not used for 90 days" },
  { value: "365d", label: "Sessions that were not used for a year" },
  { value: "", label: "All sessions" },
];

/** Removes transcripts or logs for good, after it was told which. */
export function PurgeData({ onClose }: { onClose: () => void }) {
  const [transcripts, setTranscripts] = useState(false);
  const [logs, setLogs] = useState(true);
  const [age, setAge] = useState("90d");
  const wish: PurgeWish = { transcripts, logs, ...(age === "" ? { all: true } : { older_than: age }) };
  const isAnything = transcripts || logs;
  const cache = useQueryClient();
  const plan = useQuery({ queryKey: ["data", "plan", wish], queryFn: ({ signal }) => planPurge(wish, signal), enabled: isAnything, staleTime: 0, gcTime: 0 });
  const purge = useMutation({
    mutationFn: () => purgeData(wish),
    onSuccess: (report) => {
      void cache.invalidateQueries({ queryKey: dataKeys.all });
      onClose();
      tellDone(`${formatBytes(report.bytes)} removed`);
      if (report.problems.length > 0) tellFailed("Some could not be removed", { message: report.problems.join("; ") });
    },
    onError: (error) => tellFailed("Nothing was removed", asApiError(error)),
  });
  return (
    <Modal opened onClose={onClose} title="Remove transcripts or logs" size="lg">
      <Stack gap="sm">
        <Select label="Of" data={AGES} value={age} onChange={(chosen) => setAge(chosen ?? "90d")} data-autofocus />
        <Checkbox label="Logs" description="Of agents, scripts and runners" checked={logs} onChange={(event) => setLogs(event.currentTarget.checked)} />
        <Checkbox label="Transcripts" description="What agents said and did, and all they wrote" checked={transcripts} onChange={(event) => setTranscripts(event.currentTarget.checked)} />
        {isAnything ? (
          <Loaded query={plan} failed="It cannot be told" isSmall rows={3}>
            {(report) => <Plan report={report} />}
          </Loaded>
        ) : (
          <Text c="dimmed">Choose what is to be removed.</Text>
        )}
        <Text c="dimmed">Kept: branches, commits, worktrees, and the sessions themselves with their figures. Nothing brings back what is removed.</Text>
        <DialogButtons>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button color="red" loading={purge.isPending} disabled={!isAnything || !plan.data || plan.data.removed.length === 0} onClick={() => purge.mutate()}>
            Remove for good
          </Button>
        </DialogButtons>
      </Stack>
    </Modal>
  );
}

function Plan({ report }: { report: PurgeReport }) {
  if (report.removed.length === 0) return <Text role="status">Nothing of that is kept.</Text>;
  return (
    <>
      <Text role="status">
        {formatBytes(report.bytes)} of {plural(new Set(report.removed.map((row) => row.session_id)).size, "session")}
        {report.skipped.length > 0 && `; ${plural(report.skipped.length, "session")} at work left alone`}
      </Text>
      <div style={{ maxHeight: 220, overflow: "auto" }} tabIndex={0} role="region" aria-label="What would be removed">
        <Panel>
          <Rows
            label="What would be removed"
            minWidth={360}
            rows={report.removed}
            rowKey={(row) => `${row.session_id} ${row.kind}`}
            columns={[
              { key: "session", title: "Session", render: (row) => row.session_name },
              { key: "kind", title: "What", render: (row) => row.kind },
              { key: "bytes", title: "Space", align: "right", render: (row) => formatBytes(row.bytes) },
            ]}
          />
        </Panel>
      </div>
    </>
  );
}

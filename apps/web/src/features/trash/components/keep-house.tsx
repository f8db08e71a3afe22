import { Button, Checkbox, List, Modal, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { asApiError } from "@/api/error";
import { DialogButtons } from "@/ui/dialog-buttons";
import { formatBytes } from "@/ui/format";
import { Loaded } from "@/ui/loaded";
import { tellDone, tellFailed } from "@/ui/toasts";

import { type HouseReport, keepHouse, trashKeys } from "../api";
import { houseLines } from "../model";

/** Deletes what is kept longer than the settings say, after it was told what that is. */
export function KeepHouse({ onClose }: { onClose: () => void }) {
  const [regenerable, setRegenerable] = useState(false);
  const [deleteDatabases, setDeleteDatabases] = useState(false);
  const wish = { regenerable, delete_databases: deleteDatabases };
  const cache = useQueryClient();
  const plan = useQuery({ queryKey: ["gc", "plan", wish], queryFn: () => keepHouse({ ...wish, dry_run: true }), staleTime: 0, gcTime: 0 });
  const run = useMutation({
    mutationFn: () => keepHouse(wish),
    onSuccess: (report) => {
      void cache.invalidateQueries({ queryKey: trashKeys.all });
      onClose();
      tellDone(`Old data was removed, ${formatBytes(report.freed_bytes)} freed`);
      if (report.problems.length > 0) tellFailed("Some could not be done", { message: report.problems.join("; ") });
    },
    onError: (error) => tellFailed("Old data could not be removed", asApiError(error)),
  });
  return (
    <Modal opened onClose={onClose} title="Keep house" size="lg">
      <Stack gap="sm">
        <Text c="dimmed">Deletes what is kept longer than the settings say, and finishes what was cut off. This is what it would do now:</Text>
        <Loaded query={plan} failed="It cannot be told" isSmall rows={3}>
          {(report) => <Plan report={report} />}
        </Loaded>
        <Checkbox label="Also remove directories that can be made again" description="Such as build results of sessions at rest; their set-up makes them again." checked={regenerable} onChange={(event) => setRegenerable(event.currentTarget.checked)} />
        <Checkbox label="Also drop databases of sessions that were deleted for good" description="Nothing brings them back." checked={deleteDatabases} onChange={(event) => setDeleteDatabases(event.currentTarget.checked)} />
        <DialogButtons>
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button color="red" loading={run.isPending} disabled={!plan.data} onClick={() => run.mutate()}>
            Do it
          </Button>
        </DialogButtons>
      </Stack>
    </Modal>
  );
}

function Plan({ report }: { report: HouseReport }) {
  const lines = houseLines(report);
  if (lines.length === 0) return <Text>Nothing is to be deleted.</Text>;
  return (
    <List>
      {lines.map((line) => (
        <List.Item key={line}>{line}</List.Item>
      ))}
      <List.Item>{formatBytes(report.freed_bytes)} would be free, as far as it was counted</List.Item>
    </List>
  );
}

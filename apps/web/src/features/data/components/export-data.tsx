import { Button, Code, Group, Modal, MultiSelect, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";

import { asApiError } from "@/api/error";
import { sessionsQuery } from "@/api/queries/sessions";
import { DialogButtons } from "@/ui/dialog-buttons";
import { plural } from "@/ui/format";
import { PathText } from "@/ui/page";
import { FailedState } from "@/ui/states";

import { exportData } from "../api";

/** Writes what is kept into a directory on the machine of the server. */
export function ExportData({ onClose }: { onClose: () => void }) {
  const [directory, setDirectory] = useState("");
  const [sessions, setSessions] = useState<string[]>([]);
  const [steps, setSteps] = useState<string[]>([]);
  const known = useQuery(sessionsQuery(true)).data?.sessions ?? [];
  const write = useMutation({ mutationFn: () => exportData({ directory, sessions, all: sessions.length === 0 }, setSteps) });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setSteps([]);
    write.mutate();
  };
  return (
    <Modal opened onClose={onClose} title="Export data" size="lg">
      <form onSubmit={submit}>
        <Stack gap="sm">
          <TextInput label="New directory" description="By its whole path, on the machine where the server runs; it must not exist" placeholder="/home/me/orchestra-export" required data-autofocus value={directory} onChange={(event) => setDirectory(event.currentTarget.value)} />
          <MultiSelect label="Sessions" placeholder={sessions.length === 0 ? "All of them" : ""} searchable limit={50} data={known.map((session) => ({ value: session.id, label: `${session.name} (${session.id})` }))} value={sessions} onChange={setSessions} />
          {steps.length > 0 && (
            <Code block mah={160} style={{ overflow: "auto" }} tabIndex={0}>
              {steps.join("\n")}
            </Code>
          )}
          {write.isError && <FailedState isSmall title="Nothing was written" failure={asApiError(write.error)} />}
          {write.data && (
            <Group gap="xs" role="status">
              <Text>{write.data.files === undefined ? "It is written:" : `${plural(write.data.files, "file")} written:`}</Text>
              <PathText path={write.data.directory ?? directory} what="path of the export" />
            </Group>
          )}
          <DialogButtons>
            <Button variant="default" onClick={onClose}>
              Close
            </Button>
            <Button type="submit" loading={write.isPending} disabled={directory.trim() === ""}>
              Export
            </Button>
          </DialogButtons>
        </Stack>
      </form>
    </Modal>
  );
}

import { Button, List, Modal, Stack, Table, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";

import type { Session } from "@/api/types";
import { DialogButtons } from "@/ui/dialog-buttons";
import { baseName, plural } from "@/ui/format";
import { groupBy } from "@/ui/group-by";

import { type LandRow, landAll } from "../bulk";

type Props = { sessions: readonly Session[]; onClose: () => void };

const WORDS: Record<LandRow["state"], string> = {
  landed: "Landed",
  landed_before: "Landed before",
  failed: "Failed",
  waiting: "Not tried, because one before it failed",
};

/** Lands several sessions, one after another, and says what became of each. */
export function BulkLand({ sessions, onClose }: Props) {
  const [step, setStep] = useState("");
  const land = useMutation({ mutationFn: () => landAll(sessions, setStep) });
  return (
    <Modal opened onClose={onClose} title={`Land ${plural(sessions.length, "session")}`} size="lg" closeOnClickOutside={!land.isPending}>
      <Stack gap="sm">
        {land.data ? <Results rows={land.data} /> : <Plan sessions={sessions} />}
        <DialogButtons>
          {land.isPending && <Text c="dimmed">{step}</Text>}
          <Button variant="default" onClick={onClose}>
            {land.data ? "Close" : "Cancel"}
          </Button>
          {!land.data && (
            <Button data-autofocus loading={land.isPending} onClick={() => land.mutate()}>
              Land them
            </Button>
          )}
        </DialogButtons>
      </Stack>
    </Modal>
  );
}

function Plan({ sessions }: { sessions: readonly Session[] }) {
  const groups = groupBy(sessions, (session) => `${baseName(session.repo_root)}, onto ${session.base_branch}`);
  return (
    <>
      <Text>Each becomes part of its base, if its checks pass: the first that fails ends it, and what landed before stays landed.</Text>
      {[...groups].map(([where, inside]) => (
        <div key={where}>
          <Text fw={600}>{where}</Text>
          <List>
            {inside.map((session) => (
              <List.Item key={session.id}>{session.name}</List.Item>
            ))}
          </List>
        </div>
      ))}
      <Text c="dimmed">Branches and worktrees are kept. Each landing can be undone in its session.</Text>
    </>
  );
}

function Results({ rows }: { rows: readonly LandRow[] }) {
  return (
    <Table>
      <Table.Tbody>
        {rows.map((row) => (
          <Table.Tr key={row.session_id}>
            <Table.Td>{row.session_name}</Table.Td>
            <Table.Td>{WORDS[row.state]}</Table.Td>
            <Table.Td>{row.error ? [row.error.message, row.error.hint].filter(Boolean).join(". ") : row.commit?.slice(0, 10)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

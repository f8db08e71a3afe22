import { Button, Code, List, Modal, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { asApiError } from "@/api/error";
import { repositoryKeys } from "@/api/queries/repositories";
import { DialogButtons } from "@/ui/dialog-buttons";
import { Loaded } from "@/ui/loaded";
import { PathText } from "@/ui/page";
import { tellDone, tellFailed } from "@/ui/toasts";

import { type Proposal, proposalQuery, writeSettingsFile } from "../api";

type Props = { path: string; onClose: () => void };

/** Shows the settings file that would fit, and writes it. One that exists is never replaced. */
export function ProposeSettings({ path, onClose }: Props) {
  const query = useQuery(proposalQuery(path));
  const cache = useQueryClient();
  const write = useMutation({
    mutationFn: () => writeSettingsFile(path),
    onSuccess: (answer) => {
      void cache.invalidateQueries({ queryKey: repositoryKeys.all });
      void cache.invalidateQueries({ queryKey: ["settings"] });
      onClose();
      tellDone(`${answer.file} was written`);
    },
    onError: (error) => tellFailed("The file was not written", asApiError(error)),
  });
  return (
    <Modal opened onClose={onClose} title="Propose a settings file" size="lg">
      <Loaded query={query} failed="The repository cannot be looked at" isSmall>
        {(proposal) => (
          <Stack gap="sm">
            <PathText path={proposal.file} what="path of the file" />
            {proposal.exists && <Text c="var(--tone-attention-text)">The file is there already; it is never replaced.</Text>}
            <Reasons proposal={proposal} />
            <Code block mah={340} style={{ overflow: "auto" }} tabIndex={0}>
              {proposal.content}
            </Code>
            <Text c="dimmed">Whoever writes it has read its commands, so they may run from then on.</Text>
            <DialogButtons>
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
              <Button loading={write.isPending} disabled={proposal.exists} onClick={() => write.mutate()}>
                Write it
              </Button>
            </DialogButtons>
          </Stack>
        )}
      </Loaded>
    </Modal>
  );
}

function Reasons({ proposal }: { proposal: Proposal }) {
  const reasons = [
    proposal.setup && `${proposal.setup.value}: ${proposal.setup.why}`,
    proposal.test && `${proposal.test.command}: ${proposal.test.why}`,
    proposal.dev && `${proposal.dev.value}: ${proposal.dev.why}`,
    ...proposal.reuse.map((reuse) => `${reuse.value}: ${reuse.why}`),
  ].filter((reason) => reason != null);
  if (reasons.length === 0) return null;
  return (
    <List>
      {reasons.map((reason) => (
        <List.Item key={reason}>{reason}</List.Item>
      ))}
    </List>
  );
}

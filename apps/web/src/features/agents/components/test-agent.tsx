import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";

import { asApiError } from "@/api/error";
import { DialogButtons } from "@/ui/dialog-buttons";
import { formatDuration } from "@/ui/format";
import { Tag } from "@/ui/page";
import { FailedState } from "@/ui/states";

import { type Agent, agentQuery, testAgent } from "../api";

type Props = { agent: Agent; repository: string | undefined; onClose: () => void };

/** Lets an agent answer once, after it was said what that costs. */
export function TestAgent({ agent: listed, repository, onClose }: Props) {
  const agent = useQuery(agentQuery(listed.name, repository)).data ?? listed;
  const test = useMutation({ mutationFn: () => testAgent(agent.name, repository) });
  return (
    <Modal opened onClose={onClose} title={`Test ${agent.name}`} size="md">
      <Stack gap="sm">
        <Text>
          {agent.name} is asked one short question in an empty repository that is thrown away. It is a real turn: it may cost what a short question costs.
        </Text>
        <Text c="dimmed">To log in: {agent.login_hint}.</Text>
        {test.data && (
          <Group gap="xs" role="status">
            <Tag tone={test.data.passed ? "good" : "danger"}>{test.data.passed ? "It answered" : "It did not answer"}</Tag>
            <Text c="dimmed">after {formatDuration(test.data.durationMs)}</Text>
            {test.data.says !== null && <Text>{test.data.says}</Text>}
          </Group>
        )}
        {test.isError && <FailedState isSmall title="The test could not be made" failure={asApiError(test.error)} />}
        <DialogButtons>
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          <Button data-autofocus loading={test.isPending} onClick={() => test.mutate()}>
            {test.data ? "Test again" : "Test"}
          </Button>
        </DialogButtons>
      </Stack>
    </Modal>
  );
}

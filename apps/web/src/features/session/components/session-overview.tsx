import { Group, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { asApiError } from "@/api/error";
import { sessionQuery } from "@/api/queries/sessions";
import { CopyButton } from "@/ui/copy-button";
import { FailedState, SkeletonPage } from "@/ui/states";
import { StatusBadge } from "@/ui/status-badge";

/** A session at a glance. */
export function SessionOverview({ session: id }: { session: string }) {
  const query = useQuery(sessionQuery(id));
  if (query.isPending) return <SkeletonPage />;
  if (query.isError) return <FailedState title="This session cannot be shown" failure={asApiError(query.error)} onRetry={() => void query.refetch()} />;
  const { session } = query.data;
  return (
    <Stack p="md" gap="xs">
      <Group gap="sm">
        <Title order={1}>{session.name}</Title>
        <StatusBadge status={session.status} />
      </Group>
      <Group gap={4}>
        <code>{session.branch_name}</code>
        <CopyButton value={session.branch_name} what="branch" />
      </Group>
      <Text style={{ whiteSpace: "pre-wrap" }}>{session.prompt}</Text>
    </Stack>
  );
}

import { Button, Code, Group, Modal, Stack, Text, Textarea } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";

import { asApiError } from "@/api/error";
import { DialogButtons } from "@/ui/dialog-buttons";
import { Tag } from "@/ui/page";
import { FailedState } from "@/ui/states";

import { type Tool, runTool } from "../api";
import { draftInput, readInput } from "../model";

type Props = { tool: Tool; repository: string | undefined; onClose: () => void };

/** Lets a tool do its work. */
export function RunTool({ tool, repository, onClose }: Props) {
  const [text, setText] = useState(() => draftInput(tool.schema));
  const input = readInput(text);
  const run = useMutation({ mutationFn: () => runTool(tool.name, input ?? {}, repository) });
  return (
    <Modal opened onClose={onClose} title={`Run ${tool.name}`} size="lg">
      <Stack gap="sm">
        <Text c="dimmed">{tool.description}</Text>
        <Textarea label="Input" description="A JSON object" classNames={{ input: "mono" }} autosize minRows={4} maxRows={14} data-autofocus value={text} onChange={(event) => setText(event.currentTarget.value)} error={input === null ? "This is not a JSON object" : undefined} />
        {run.isError && <FailedState isSmall title="The tool could not be run" failure={asApiError(run.error)} />}
        {run.data && (
          <Stack gap={6} role="status">
            <Group gap="xs">
              <Tag tone={run.data.exitCode === 0 ? "good" : "danger"}>{run.data.exitCode === null ? "It was ended" : `Exit code ${run.data.exitCode}`}</Tag>
            </Group>
            {run.data.stdout !== "" && <Code block mah={260} style={{ overflow: "auto" }} tabIndex={0}>{run.data.stdout}</Code>}
            {run.data.stderr !== "" && <Code block mah={160} style={{ overflow: "auto" }} tabIndex={0}>{run.data.stderr}</Code>}
          </Stack>
        )}
        <DialogButtons>
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          <Button loading={run.isPending} disabled={input === null} onClick={() => run.mutate()}>
            Run
          </Button>
        </DialogButtons>
      </Stack>
    </Modal>
  );
}

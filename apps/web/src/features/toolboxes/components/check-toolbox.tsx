import { Button, Group, Modal, Stack, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";

import { asApiError } from "@/api/error";
import { FailedState } from "@/ui/states";

import { checkToolbox } from "../api";
import { ToolboxView } from "./toolbox-view";

/** Looks at a directory as if it were a toolbox. */
export function CheckToolbox({ onClose }: { onClose: () => void }) {
  const [directory, setDirectory] = useState("");
  const check = useMutation({ mutationFn: () => checkToolbox(directory) });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    check.mutate();
  };
  return (
    <Modal opened onClose={onClose} title="Check a directory" size="xl">
      <form onSubmit={submit}>
        <Stack gap="sm">
          <Group align="flex-end" gap="xs">
            <TextInput label="Directory" description="By its whole path. Each tool in it is asked what it does." placeholder="/home/me/toolbox" flex={1} data-autofocus value={directory} onChange={(event) => setDirectory(event.currentTarget.value)} />
            <Button type="submit" loading={check.isPending} disabled={directory.trim() === ""}>
              Check
            </Button>
          </Group>
          {check.isError && <FailedState isSmall title="The directory cannot be checked" failure={asApiError(check.error)} />}
          {check.data && <ToolboxView toolbox={check.data} />}
        </Stack>
      </form>
    </Modal>
  );
}

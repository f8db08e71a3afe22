import { Button, Checkbox, Group, Modal, Select, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type SubmitEvent, useState } from "react";

import { asApiError } from "@/api/error";
import { putSession } from "@/api/queries/session-cache";
import type { Wire } from "@/api/types";
import { baseName } from "@/ui/format";
import { FailedState } from "@/ui/states";
import { tellFailed } from "@/ui/toasts";

import { type Template, createSession, getTemplate } from "../api";
import { sessionName } from "../model";

type Props = { template: Template; roots: readonly string[]; repository: string | undefined; onClose: () => void };

/** Begins a session with a template: a repository, a name, its variables. */
export function UseTemplate({ template: listed, roots, repository, onClose }: Props) {
  const query = useQuery({ queryKey: ["templates", "one", listed.name, repository ?? null], queryFn: ({ signal }) => getTemplate(listed.name, repository, signal), staleTime: 0 });
  const template = query.data?.template ?? listed;
  const [root, setRoot] = useState(repository ?? roots[0] ?? null);
  const [name, setName] = useState(() => sessionName(listed.name, new Date()));
  const [given, setGiven] = useState<Record<string, string>>({});
  const [isRun, setIsRun] = useState(true);
  const cache = useQueryClient();
  const navigate = useNavigate();
  const values = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ""));
  // The document says of these values only that they form an object.
  const create = useMutation({
    mutationFn: () => createSession({ repository: root ?? "", name, template: template.name, variables: values as Wire["CreateSession"]["variables"], run: isRun }),
    onSuccess: ({ session, seq, warnings }) => {
      putSession(cache, session, seq);
      if (warnings.length > 0) tellFailed(`${session.name} was made, but look at this`, { message: warnings.join("; ") });
      void navigate({ to: "/sessions/$session", params: { session: session.id } });
    },
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    create.mutate();
  };
  const missing = template.variables.filter((variable) => variable.default == null && (given[variable.name] ?? "") === "");
  return (
    <Modal opened onClose={onClose} title={`New session with ${template.name}`} size="md">
      <form onSubmit={submit}>
        <Stack gap="sm">
          {template.prompt != null && (
            <Text c="dimmed" style={{ whiteSpace: "pre-wrap" }} lineClamp={8}>
              {template.prompt}
            </Text>
          )}
          <Select label="Repository" data={roots.map((it) => ({ value: it, label: `${baseName(it)} (${it})` }))} value={root} onChange={setRoot} required />
          <TextInput label="Name of the session" required value={name} onChange={(event) => setName(event.currentTarget.value)} />
          {template.variables.map((variable, index) => (
            <TextInput
              key={variable.name}
              label={variable.name}
              description={variable.description ?? undefined}
              placeholder={variable.default ?? undefined}
              required={variable.default == null}
              data-autofocus={index === 0 || undefined}
              value={given[variable.name] ?? ""}
              onChange={(event) => setGiven({ ...given, [variable.name]: event.currentTarget.value })}
            />
          ))}
          <Checkbox label="Start the first iteration" checked={isRun} onChange={(event) => setIsRun(event.currentTarget.checked)} />
          {create.isError && <FailedState isSmall title="The session was not made" failure={asApiError(create.error)} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={create.isPending} disabled={root === null || name === "" || missing.length > 0}>
              Begin
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

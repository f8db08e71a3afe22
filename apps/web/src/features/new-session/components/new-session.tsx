import { Alert, Button, Group, Switch, Text, Title } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { IconPlayerPlay } from "@tabler/icons-react";
import { type SubmitEvent, useMemo, useRef, useState } from "react";

import { asApiError } from "@/api/error";
import { putSession } from "@/api/queries/session-cache";
import type { Session } from "@/api/types";
import { platform } from "@/platform/current";
import { type Command, useCommands } from "@/ui/commands/registry";
import { plural } from "@/ui/format";
import { Keys } from "@/ui/kbd";
import { tellDone } from "@/ui/toasts";
import { dropDraft, useDraft } from "@/ui/use-draft";

import { createSession } from "../api";
import { type Draft, type NewSearch, type Said, emptyDraft, likelyRepository, missingVariables, namesOf, promptOf, requestsOf } from "../model";
import { useChoices, useKnownRepositories } from "../use-choices";
import { MoreFields } from "./more-fields";
import classes from "./new-session.module.css";
import { PlaceFields } from "./place-fields";
import { Preview } from "./preview";
import { PromptFields } from "./prompt-fields";
import { Variants } from "./variants";

const LAST_REPOSITORY = "orchestra.repository";

type Props = { search: NewSearch; onCreated: (sessions: Session[]) => void };

/** Makes a session, or several that work on the same prompt. */
export function NewSession({ search, onCreated }: Props) {
  const cache = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const known = useKnownRepositories();
  const kept = useDraft("new-session", "");
  const [said, setSaid] = useState<Said>(() => ({ ...emptyDraft(search), ...(search.template === undefined && { prompt: kept.text }) }));
  const draft: Draft = { ...said, repository: said.repository ?? likelyRepository(known, platform().storage.get(LAST_REPOSITORY)) };
  const [problem, setProblem] = useState<{ message: string; hint: string | null; name: string } | null>(null);
  /** Sessions that exist by now, by the keys of their variants. */
  const [made, setMade] = useState<ReadonlyMap<number, Session>>(new Map());
  const [isBusy, setIsBusy] = useState(false);
  const choices = useChoices(draft.repository);
  const template = choices.templates.find((it) => it.name === draft.template) ?? null;
  const set = (change: Partial<Draft>) => {
    setSaid((before) => ({ ...before, ...change }));
    if (change.prompt !== undefined) kept.write(change.prompt);
  };
  const lacks = whatLacks(draft, promptOf(draft, template), missingVariables(draft, template));
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (lacks !== null || isBusy) return;
    setIsBusy(true);
    setProblem(null);
    const sessions = new Map(made);
    for (const [index, request] of requestsOf(draft, template).entries()) {
      const key = draft.variants[index]?.key ?? index;
      // Those that were made before something went wrong are not made again.
      if (sessions.has(key)) continue;
      try {
        const created = await createSession(request);
        putSession(cache, created.session, created.seq);
        sessions.set(key, created.session);
        setMade(new Map(sessions));
        for (const note of [created.base_note, ...created.warnings]) if (note != null) tellDone(`${created.session.name}: ${note}`);
      } catch (error) {
        const { message, hint } = asApiError(error);
        setProblem({ message, hint, name: request.name });
        setIsBusy(false);
        return;
      }
    }
    dropDraft("new-session");
    platform().storage.set(LAST_REPOSITORY, draft.repository.trim());
    onCreated([...sessions.values()]);
  };
  const commands = useMemo<Command[]>(
    () => [{ id: "new.create", title: "Create the session", group: "New session", keys: "mod+enter", whileTyping: true, operations: ["create_session"], run: () => form.current?.requestSubmit() }],
    [],
  );
  useCommands(commands);
  const count = draft.variants.length;
  const names = namesOf(draft, template);
  const sessions = draft.variants.map(({ key }, index) => ({ key, name: made.get(key)?.name ?? names[index] ?? "", isMade: made.has(key) }));
  return (
    <form ref={form} className={classes.page} onSubmit={(event) => void submit(event)}>
      <div className={classes.fields}>
        <Title order={1}>New session</Title>
        <PlaceFields draft={draft} onChange={set} known={known} choices={choices} template={template} />
        <PromptFields draft={draft} onChange={set} choices={choices} template={template} />
        <Variants draft={draft} onChange={set} choices={choices} template={template} />
        <MoreFields draft={draft} onChange={set} choices={choices} template={template} />
      </div>
      <aside className={classes.side}>
        <Preview prompt={promptOf(draft, template)} constraints={draft.constraints} sessions={sessions} />
        {problem && (
          <Alert color="red" title={`${problem.name} was not created`}>
            {problem.message}
            {problem.hint !== null && <Text c="dimmed">{problem.hint}</Text>}
            {made.size > 0 && <Text>{plural(made.size, "session was", "sessions were")} created before it and kept.</Text>}
          </Alert>
        )}
        <Switch
          label="Start at once"
          description="Else it waits, with its worktree ready, until you start an iteration."
          checked={draft.run}
          onChange={(event) => set({ run: event.currentTarget.checked })}
        />
        <Group justify="space-between" wrap="nowrap">
          <Text c="dimmed" size="xs">
            {lacks}
          </Text>
          <Button type="submit" size="sm" loading={isBusy} disabled={lacks !== null} leftSection={<IconPlayerPlay size={15} />} rightSection={<Keys keys="mod+enter" />}>
            {count === 1 ? "Create" : `Create ${count}`}
          </Button>
        </Group>
      </aside>
    </form>
  );
}

/** What is still to be said. */
function whatLacks(draft: Draft, prompt: string, missing: string[]): string | null {
  if (draft.repository.trim() === "") return "Choose a repository.";
  if (prompt.trim() === "") return "Say what the agent should do.";
  if (missing.length > 0) return `The template wants: ${missing.join(", ")}.`;
  return null;
}

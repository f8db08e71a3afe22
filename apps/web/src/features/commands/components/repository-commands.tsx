import { Button, Group } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { IconTerminal2 } from "@tabler/icons-react";

import { asApiError } from "@/api/error";
import { commandKeys, commandsQuery } from "@/api/queries/commands";
import { repositoriesQuery } from "@/api/queries/repositories";
import { Confirm } from "@/ui/confirm";
import { plural } from "@/ui/format";
import { Loaded } from "@/ui/loaded";
import { Page, Panel } from "@/ui/page";
import { RepositorySelect } from "@/ui/repository-select";
import { EmptyState } from "@/ui/states";
import { tellDone, tellFailed } from "@/ui/toasts";

import { allowCommands, forgetCommands } from "../api";
import type { CommandsSearch } from "../model";
import { CommandTable } from "./command-table";

type Props = { search: CommandsSearch; onSearch: (next: CommandsSearch) => void };

/** Commands that a repository's own file asks for run only after somebody allowed them. */
export function RepositoryCommands({ search, onSearch }: Props) {
  const repositories = useQuery(repositoriesQuery());
  const roots = repositories.data?.repositories.map((repository) => repository.root) ?? [];
  const root = search.repo ?? roots[0];
  return (
    <Page
      title="Commands"
      about="Set-ups, scripts and servers of a repository's settings. What its own file asks for runs only after you allowed it, and only as it was then."
      actions={<RepositorySelect roots={roots} value={root} onChange={(repo) => onSearch({ repo })} />}
    >
      {root !== undefined ? (
        <OfRepository key={root} root={root} search={search} onSearch={onSearch} />
      ) : (
        <Loaded query={repositories} failed="Repositories cannot be listed">
          {() => <EmptyState icon={<IconTerminal2 size={20} />} title="No repository is known yet">The first session in a repository makes it known.</EmptyState>}
        </Loaded>
      )}
    </Page>
  );
}

function OfRepository({ root, search, onSearch }: Props & { root: string }) {
  const query = useQuery(commandsQuery(root));
  const change = useChange(root);
  const close = () => onSearch({ ...search, do: undefined });
  const commands = query.data?.commands ?? [];
  const waiting = commands.filter((command) => command.permission === "not_allowed");
  const allowed = commands.filter((command) => command.permission === "allowed" || command.permission === "not_set");
  const lines = (of: typeof commands) => of.map((command) => <code key={command.setting}>{`${command.setting}: ${command.command}`}</code>);
  const end = (act: "allow" | "forget", settings: string[]) => change.mutate({ act, settings }, { onSuccess: close });
  return (
    <Loaded query={query} failed="Commands cannot be listed">
      {() => (
        <>
          {commands.length === 0 ? (
            <EmptyState icon={<IconTerminal2 size={20} />} title="No command is set">
              Settings such as <code>commands.setup</code> and <code>scripts.test</code> name the commands of a repository.
            </EmptyState>
          ) : (
            <>
              <Group gap="xs">
                <Button disabled={waiting.length === 0} onClick={() => onSearch({ ...search, do: "allow" })}>
                  Allow {waiting.length === 0 ? "all" : plural(waiting.length, "command")}
                </Button>
                <Button variant="default" disabled={allowed.length === 0} onClick={() => onSearch({ ...search, do: "forget" })}>
                  Take all back
                </Button>
              </Group>
              <Panel>
                <CommandTable commands={commands} isBusy={change.isPending} onChange={(act, setting) => change.mutate({ act, settings: [setting] })} />
              </Panel>
            </>
          )}
          {search.do === "allow" && waiting.length > 0 && (
            <Confirm title="Allow commands" does={["Lets these commands run with your rights:", ...lines(waiting)]} keeps={["A command that changes later has to be allowed again"]} undo="You can take it back here." action="Allow" isBusy={change.isPending} onConfirm={() => end("allow", waiting.map((command) => command.setting))} onClose={close} />
          )}
          {search.do === "forget" && allowed.length > 0 && (
            <Confirm title="Take back what was allowed" does={["These commands will not run until they are allowed again:", ...lines(allowed)]} keeps={["The settings themselves"]} undo="You can allow them again here." action="Take back" isBusy={change.isPending} onConfirm={() => end("forget", allowed.map((command) => command.setting))} onClose={close} />
          )}
        </>
      )}
    </Loaded>
  );
}

type Change = { act: "allow" | "forget"; settings: string[] };

function useChange(repository: string) {
  const cache = useQueryClient();
  const change = useMutation({
    mutationFn: ({ act, settings }: Change) => (act === "allow" ? allowCommands : forgetCommands)({ repository, settings }),
    onSuccess: (answer, { act }) => {
      void cache.invalidateQueries({ queryKey: commandKeys.all });
      const back = () => change.mutate({ act: act === "allow" ? "forget" : "allow", settings: answer.settings });
      if (answer.settings.length > 0) tellDone(`${answer.settings.join(", ")} ${act === "allow" ? "may run" : "may not run"}`, { run: back });
      if (answer.problems.length > 0) tellFailed("Some were not changed", { message: answer.problems.join("; ") });
    },
    onError: (error) => tellFailed("Nothing was changed", asApiError(error)),
  });
  return change;
}

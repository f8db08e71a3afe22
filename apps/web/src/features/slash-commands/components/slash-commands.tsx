import { Button, Code, Modal, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { IconSlash } from "@tabler/icons-react";

import { repositoriesQuery } from "@/api/queries/repositories";
import { Loaded } from "@/ui/loaded";
import { Copyable, Page, Panel, PathText, Tag } from "@/ui/page";
import { RepositorySelect } from "@/ui/repository-select";
import { Rows } from "@/ui/rows";
import { EmptyState } from "@/ui/states";

import { type SlashCommand, slashCommandQuery, slashCommandsQuery } from "../api";
import type { SlashSearch } from "../model";

type Props = { search: SlashSearch; onSearch: (next: SlashSearch) => void };

const ORIGINS: Partial<Record<string, string>> = { built_in: "Built in", user: "Yours", repository: "Repository" };

/** Texts that begin with a slash: which there are, and how they are used. */
export function SlashCommands({ search, onSearch }: Props) {
  const query = useQuery(slashCommandsQuery(search.repo));
  const roots = useQuery(repositoriesQuery()).data?.repositories.map((repository) => repository.root) ?? [];
  return (
    <Page
      title="Slash commands"
      about="What a prompt that begins with a slash can ask for. Files of yours and of repositories add to them."
      actions={<RepositorySelect roots={roots} value={search.repo} none="Yours" label="Slash commands of" onChange={(repo) => onSearch({ repo })} />}
    >
      <Loaded query={query} failed="Slash commands cannot be listed">
        {({ commands, damaged }) => (
          <>
            {damaged.map((file) => (
              <Text key={file.file} role="status" c="var(--tone-attention-text)">
                {file.file}: {file.problem}
              </Text>
            ))}
            {commands.length === 0 ? (
              <EmptyState icon={<IconSlash size={20} />} title="There are none" />
            ) : (
              <Panel>
                <SlashTable commands={commands} onShow={(name) => onSearch({ ...search, name })} />
              </Panel>
            )}
          </>
        )}
      </Loaded>
      {search.name !== undefined && <SlashDetail name={search.name} repository={search.repo} onClose={() => onSearch({ ...search, name: undefined })} />}
    </Page>
  );
}

function SlashTable({ commands, onShow }: { commands: readonly SlashCommand[]; onShow: (name: string) => void }) {
  return (
    <Rows
      label="Slash commands"
      rows={commands}
      rowKey={(command) => `${command.origin} ${command.name}`}
      columns={[
        { key: "usage", title: "How it is written", render: (command) => <code>{command.usage}</code> },
        { key: "does", title: "What it does", render: (command) => command.description ?? <span className="quiet">It does not say.</span> },
        { key: "origin", title: "From", render: (command) => <Tag tone={command.origin === "built_in" ? "quiet" : "active"}>{ORIGINS[command.origin] ?? command.origin}</Tag> },
        { key: "used", title: "Counts", render: (command) => (command.is_used ? "Yes" : <span className="quiet">Another one of this name does</span>) },
        { key: "act", title: "", align: "right", render: (command) => <Button size="compact-xs" variant="default" aria-label={`Show ${command.name}`} onClick={() => onShow(command.name)}>Show</Button> },
      ]}
    />
  );
}

function SlashDetail({ name, repository, onClose }: { name: string; repository: string | undefined; onClose: () => void }) {
  const query = useQuery(slashCommandQuery(name, repository));
  return (
    <Modal opened onClose={onClose} title={`/${name}`} size="lg">
      <Loaded query={query} failed="It cannot be shown" isSmall rows={3}>
        {({ command }) => (
          <Stack gap="sm">
            {command.description != null && <Text>{command.description}</Text>}
            <Copyable value={command.usage} what="how it is written" />
            {command.file != null && <PathText path={command.file} what="path of its file" />}
            {command.parameters.map((parameter) => (
              <Text key={parameter.name}>
                <code>{parameter.name}</code> {parameter.description ?? ""} {parameter.default != null && <span className="quiet">Default: {parameter.default}</span>}
              </Text>
            ))}
            {command.prompt != null && (
              <Code block mah={360} style={{ overflow: "auto" }} tabIndex={0}>
                {command.prompt}
              </Code>
            )}
          </Stack>
        )}
      </Loaded>
    </Modal>
  );
}

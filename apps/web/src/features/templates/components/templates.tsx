import { Button, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { IconFileImport, IconPlus, IconTemplate } from "@tabler/icons-react";

import { repositoriesQuery } from "@/api/queries/repositories";
import { templatesQuery } from "@/api/queries/templates";
import { baseName, plural } from "@/ui/format";
import { Loaded } from "@/ui/loaded";
import { Page, Panel, Tag } from "@/ui/page";
import { RepositorySelect } from "@/ui/repository-select";
import { Rows } from "@/ui/rows";
import { EmptyState } from "@/ui/states";

import type { Template } from "../api";
import type { TemplatesSearch } from "../model";
import { RowMenu } from "./row-menu";
import { TemplateDialog } from "./template-dialog";

type Props = { search: TemplatesSearch; onSearch: (next: TemplatesSearch) => void };

/** What new sessions can begin with. */
export function Templates({ search, onSearch }: Props) {
  const query = useQuery(templatesQuery(search.repo));
  const roots = useQuery(repositoriesQuery()).data?.repositories.map((repository) => repository.root) ?? [];
  const open = (act: NonNullable<TemplatesSearch["do"]>, template?: string) => onSearch({ ...search, do: act, template });
  const add = (
    <Button leftSection={<IconPlus size={14} />} onClick={() => open("new")}>
      New template
    </Button>
  );
  return (
    <Page
      title="Templates"
      about={
        <>
          Prompts and choices that new sessions can begin with. Variables are written <code>{"{{name}}"}</code>.
        </>
      }
      actions={
        <Group gap="xs">
          <RepositorySelect roots={roots} value={search.repo} none="Your templates" label="Templates of" onChange={(repo) => onSearch({ repo })} />
          <Button variant="default" leftSection={<IconFileImport size={14} />} onClick={() => open("import")}>
            Import
          </Button>
          {add}
        </Group>
      }
    >
      <Loaded query={query} failed="Templates cannot be listed">
        {(data) => (
          <>
            {data.damaged.map((damaged) => (
              <Text key={damaged.file} role="status" c="var(--tone-attention-text)">
                {damaged.file}: {damaged.problem}
              </Text>
            ))}
            {data.templates.length === 0 ? (
              <EmptyState icon={<IconTemplate size={20} />} title="There is no template yet" action={add}>
                Save a prompt that you use again and again; a new session then needs only its variables.
              </EmptyState>
            ) : (
              <Panel>
                <TemplateTable templates={data.templates} repo={search.repo} onDo={open} />
              </Panel>
            )}
            <TemplateDialog search={search} templates={data.templates} onClose={() => onSearch({ repo: search.repo })} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

type TableProps = { templates: readonly Template[]; repo: string | undefined; onDo: (act: NonNullable<TemplatesSearch["do"]>, template: string) => void };

function TemplateTable({ templates, repo, onDo }: TableProps) {
  return (
    <Rows
      label="Templates"
      rows={templates}
      rowKey={(template) => `${template.origin} ${template.name}`}
      minWidth={780}
      columns={[
        {
          key: "name",
          title: "Template",
          width: "24%",
          render: (template) => (
            <>
              <Text fw={500}>{template.name}</Text>
              {template.description != null && (
                <Text size="xs" c="dimmed">
                  {template.description}
                </Text>
              )}
            </>
          ),
        },
        { key: "prompt", title: "Prompt", render: (template) => <Text lineClamp={2}>{template.prompt ?? <span className="quiet">none</span>}</Text> },
        { key: "variables", title: "Variables", render: (template) => (template.variables.length === 0 ? <span className="quiet">none</span> : <span className="nowrap" title={template.variables.map((it) => it.name).join(", ")}>{plural(template.variables.length, "variable")}</span>) },
        { key: "agent", title: "Agent", render: (template) => [template.agent, template.model].filter((it) => it != null).join(", ") || <span className="quiet nowrap">as usual</span> },
        { key: "origin", title: "From", render: (template) => (template.origin === "user" ? <Tag tone="active">Yours</Tag> : <Tag tone="good" title={template.file}>{template.repository == null ? "Repository" : baseName(template.repository)}</Tag>) },
        {
          key: "act",
          title: "",
          align: "right",
          width: 150,
          render: (template) => (
            <Group gap={4} justify="flex-end" wrap="nowrap">
              <Button size="compact-xs" variant="default" renderRoot={(props) => <Link to="/new" search={{ template: template.name, repo }} {...props} />} aria-label={`Use ${template.name}`}>
                Use
              </Button>
              <RowMenu template={template} onDo={(act) => onDo(act, template.name)} />
            </Group>
          ),
        },
      ]}
    />
  );
}

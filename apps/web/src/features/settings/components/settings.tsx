import { Button, Checkbox, Group, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { IconAdjustments, IconPlus, IconSearch } from "@tabler/icons-react";

import { repositoriesQuery } from "@/api/queries/repositories";
import { Loaded } from "@/ui/loaded";
import { Page, PathText, Panel, Section } from "@/ui/page";
import { RepositorySelect } from "@/ui/repository-select";
import { EmptyState } from "@/ui/states";

import { settingsFilesQuery, settingsQuery } from "../api";
import { NEW_KEY, type SettingsSearch, chooseSettings, inGroups } from "../model";
import { EditSetting } from "./edit-setting";
import { SettingRow } from "./setting-row";
import classes from "./settings.module.css";

type Props = { search: SettingsSearch; onSearch: (next: SettingsSearch) => void };

/** Every setting with its value and where it comes from. */
export function Settings({ search, onSearch }: Props) {
  const settings = useQuery(settingsQuery(search.repo));
  const ofUser = useQuery(settingsQuery());
  const roots = useQuery(repositoriesQuery()).data?.repositories.map((repository) => repository.root) ?? [];
  const userSetting = (key: string) => ofUser.data?.settings.find((setting) => setting.key === key);
  return (
    <Page
      title="Settings"
      about="Defaults, then your file, then a repository's file, then environment variables: what comes later counts."
      actions={
        <Button variant="default" leftSection={<IconPlus size={14} />} onClick={() => onSearch({ ...search, edit: NEW_KEY })}>
          Set another key
        </Button>
      }
    >
      <Group gap="sm">
        <TextInput
          aria-label="Search settings"
          placeholder="Search names, values, meanings"
          leftSection={<IconSearch size={14} />}
          w={300}
          value={search.text ?? ""}
          onChange={(event) => onSearch({ ...search, text: event.currentTarget.value || undefined })}
        />
        <RepositorySelect roots={roots} value={search.repo} none="Your settings" label="Settings of" onChange={(repo) => onSearch({ ...search, repo })} />
        <Checkbox label="Only changed ones" checked={search.changed ?? false} onChange={(event) => onSearch({ ...search, changed: event.currentTarget.checked || undefined })} />
      </Group>
      <Files repository={search.repo} />
      <Loaded query={settings} failed="Settings cannot be read" rows={14}>
        {(data) => {
          const groups = inGroups(chooseSettings(data.settings, search));
          return (
            <>
              <Warnings lines={data.warnings} />
              {groups.length === 0 && (
                <EmptyState icon={<IconAdjustments size={20} />} title="No setting fits" action={<Button variant="default" onClick={() => onSearch({ repo: search.repo })}>Show all</Button>} />
              )}
              {groups.map(([group, inside]) => (
                <Section key={group} title={<span className="mono">{group}</span>}>
                  <Panel>
                    {inside.map((setting) => (
                      <SettingRow key={setting.key} setting={setting} repository={search.repo} onEdit={() => onSearch({ ...search, edit: setting.key })} />
                    ))}
                  </Panel>
                </Section>
              ))}
              {search.edit !== undefined && (
                <EditSetting
                  key={search.edit}
                  name={search.edit}
                  shown={data.settings.find((setting) => setting.key === search.edit)}
                  ofUser={userSetting(search.edit)}
                  repository={search.repo}
                  onClose={() => onSearch({ ...search, edit: undefined })}
                />
              )}
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}

function Files({ repository }: { repository: string | undefined }) {
  const files = useQuery(settingsFilesQuery(repository)).data;
  if (!files) return <div className={classes.files} />;
  return (
    <div className={classes.files}>
      <span className="quiet">Your file</span> <PathText path={files.user} what="path of your settings file" />
      {files.repository != null && (
        <>
          <span className="quiet">The repository&apos;s</span> <PathText path={files.repository} what="path of the repository's settings file" />
        </>
      )}
    </div>
  );
}

function Warnings({ lines }: { lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <div className={classes.warnings} data-tone="attention" role="status">
      {lines.map((line) => (
        <Text key={line}>{line}</Text>
      ))}
    </div>
  );
}

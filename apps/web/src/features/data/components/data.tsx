import { Button, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { IconDownload, IconEraser } from "@tabler/icons-react";

import { Bytes } from "@/ui/figures";
import { formatBytes } from "@/ui/format";
import { Loaded } from "@/ui/loaded";
import { Page, Panel, PathText, Section, Tag } from "@/ui/page";
import { Rows } from "@/ui/rows";

import { dataQuery } from "../api";
import type { DataSearch } from "../model";
import { ExportData } from "./export-data";
import { PurgeData } from "./purge-data";

type Props = { search: DataSearch; onSearch: (next: DataSearch) => void };

/** What is kept of sessions' runs: where, how much, and how to get or remove it. */
export function Data({ search, onSearch }: Props) {
  const query = useQuery(dataQuery());
  const close = () => onSearch({});
  return (
    <Page
      title="Data"
      about="Everything is kept on this machine. You can take a copy of it, and remove transcripts and logs for good."
      actions={
        <Group gap="xs">
          <Button variant="default" leftSection={<IconDownload size={14} />} onClick={() => onSearch({ do: "export" })}>
            Export
          </Button>
          <Button variant="default" leftSection={<IconEraser size={14} />} onClick={() => onSearch({ do: "purge" })}>
            Remove transcripts or logs
          </Button>
        </Group>
      }
    >
      <Loaded query={query} failed="It cannot be told what is kept" rows={6}>
        {(data) => (
          <>
            <Group gap="sm">
              <PathText path={data.directory} what="path of the data directory" />
              <Text c="dimmed">{formatBytes(data.bytes)} in all</Text>
              {data.open_to_others.length === 0 ? <Tag tone="good">Private</Tag> : <Tag tone="attention">Some files rely on the directory&apos;s permissions</Tag>}
            </Group>
            <Section title="What is kept">
              <Panel>
                <Rows
                  label="What is kept"
                  rows={data.places}
                  rowKey={(place) => place.path}
                  columns={[
                    { key: "what", title: "What", render: (place) => place.what },
                    { key: "path", title: "Where", render: (place) => <PathText path={place.path} /> },
                    { key: "bytes", title: "Space", align: "right", render: (place) => <Bytes value={place.bytes} /> },
                  ]}
                />
              </Panel>
            </Section>
            {data.open_to_others.length > 0 && (
              <Section title="Open to others but for the directory's permissions">
                {data.open_to_others.map((path) => (
                  <div key={path}>
                    <PathText path={path} />
                  </div>
                ))}
              </Section>
            )}
          </>
        )}
      </Loaded>
      {search.do === "export" && <ExportData onClose={close} />}
      {search.do === "purge" && <PurgeData onClose={close} />}
    </Page>
  );
}

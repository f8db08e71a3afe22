import { Button, Group, Popover, SegmentedControl, TextInput } from "@mantine/core";
import { IconCalendar } from "@tabler/icons-react";

import { RepositorySelect } from "@/ui/repository-select";

import { type DashboardSearch, RANGES, type Range } from "../model";

const LABELS: Record<Range, string> = { "7d": "7 days", "30d": "30 days", "90d": "90 days", year: "Year", all: "All" };

type Props = { search: DashboardSearch; roots: readonly string[]; onSearch: (next: DashboardSearch) => void };

/** The time and the repository that figures are of. */
export function RangePicker({ search, roots, onSearch }: Props) {
  const isOwn = search.from !== undefined || search.until !== undefined;
  const choose = (value: string) => onSearch({ ...search, from: undefined, until: undefined, range: RANGES.find((range) => range === value) });
  return (
    <Group gap="xs">
      <RepositorySelect roots={roots} value={search.repo} none="All repositories" onChange={(repo) => onSearch({ ...search, repo })} />
      <SegmentedControl aria-label="Time" value={isOwn ? "" : (search.range ?? "30d")} onChange={choose} data={RANGES.map((range) => ({ value: range, label: LABELS[range] }))} />
      <Popover position="bottom-end" trapFocus returnFocus>
        <Popover.Target>
          <Button variant={isOwn ? "light" : "default"} leftSection={<IconCalendar size={14} />}>
            {isOwn ? `${search.from ?? "the beginning"} to ${search.until ?? "today"}` : "Dates"}
          </Button>
        </Popover.Target>
        <Popover.Dropdown>
          <Group gap="xs">
            <TextInput type="date" label="From" value={search.from ?? ""} max={search.until} onChange={(event) => onSearch({ ...search, range: undefined, from: event.currentTarget.value || undefined })} />
            <TextInput type="date" label="Until" value={search.until ?? ""} min={search.from} onChange={(event) => onSearch({ ...search, range: undefined, until: event.currentTarget.value || undefined })} />
          </Group>
        </Popover.Dropdown>
      </Popover>
    </Group>
  );
}

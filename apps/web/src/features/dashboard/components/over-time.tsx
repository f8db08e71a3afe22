import { Group, SegmentedControl } from "@mantine/core";

import { Unknown } from "@/ui/figures";
import { formatMicroUsd, formatWhole } from "@/ui/format";
import { Panel, Section } from "@/ui/page";
import { Rows } from "@/ui/rows";

import { type Bucket, type DashboardSearch, MEASURES, MEASURE_LOOKS, type Measure, bucketLabel } from "../model";
import { TimeChart } from "./time-chart";

type Props = { buckets: readonly Bucket[]; search: DashboardSearch; onSearch: (next: DashboardSearch) => void };

/** One measure over time, as a chart or as figures. */
export function OverTime({ buckets, search, onSearch }: Props) {
  const measure: Measure = search.show ?? (buckets.some((bucket) => bucket.costKnown > 0) ? "cost" : "tokens");
  const isTable = search.view === "table";
  return (
    <Section
      title="Over time"
      actions={
        <Group gap="xs">
          <SegmentedControl aria-label="Measure" value={measure} onChange={(value) => onSearch({ ...search, show: MEASURES.find((it) => it === value) })} data={MEASURES.map((it) => ({ value: it, label: MEASURE_LOOKS[it].label }))} />
          <SegmentedControl aria-label="Shown as" value={isTable ? "table" : "chart"} onChange={(value) => onSearch({ ...search, view: value === "table" ? "table" : undefined })} data={[{ value: "chart", label: "Chart" }, { value: "table", label: "Table" }]} />
        </Group>
      }
    >
      <Panel>{isTable ? <BucketTable buckets={buckets} /> : <TimeChart buckets={buckets} measure={measure} />}</Panel>
    </Section>
  );
}

function BucketTable({ buckets }: { buckets: readonly Bucket[] }) {
  return (
    <Rows
      label="Figures over time"
      rows={buckets.toReversed()}
      rowKey={(bucket) => bucket.from}
      columns={[
        { key: "day", title: "Time", render: bucketLabel },
        { key: "cost", title: "Cost", align: "right", render: (bucket) => (bucket.iterations > 0 && bucket.costKnown === 0 ? <Unknown /> : formatMicroUsd(bucket.cost)) },
        { key: "tokens", title: "Tokens", align: "right", render: (bucket) => formatWhole(bucket.tokens) },
        { key: "iterations", title: "Iterations", align: "right", render: (bucket) => formatWhole(bucket.iterations) },
        { key: "good", title: "Succeeded", align: "right", render: (bucket) => formatWhole(bucket.succeeded) },
        { key: "bad", title: "Failed", align: "right", render: (bucket) => formatWhole(bucket.failed) },
      ]}
    />
  );
}

import { Unknown } from "@/ui/figures";
import { baseName, formatCount, formatMicroUsd, formatWhole } from "@/ui/format";
import { NoRows, Panel, Section } from "@/ui/page";
import { Rows } from "@/ui/rows";

import type { MetricsPoint } from "../api";
import { costOf, formatRate } from "../model";
import classes from "./dashboard.module.css";

type Props = { title: string; rows: readonly MetricsPoint[]; unnamed?: string; isPath?: boolean };

/** The sums of each agent, model or repository: a table with a bar in every row. */
export function Breakdown({ title, rows, unnamed = "None", isPath = false }: Props) {
  // Without a cost anywhere, tokens say best who used how much.
  const byCost = rows.some((row) => (costOf(row) ?? 0) > 0);
  const weight = (row: MetricsPoint) => (byCost ? (costOf(row) ?? 0) : row.tokens.total);
  const most = Math.max(...rows.map(weight), 1);
  return (
    <Section title={title}>
      <Panel>
        {rows.length === 0 ? (
          <NoRows>Nothing to show.</NoRows>
        ) : (
          <Rows
            label={title}
            minWidth={400}
            rows={rows.toSorted((one, other) => weight(other) - weight(one))}
            rowKey={(row) => row.key ?? ""}
            columns={[
              { key: "name", title: title.replace("By ", "").replace(/^./, (letter) => letter.toUpperCase()), render: (row) => (row.key == null ? <span className="quiet">{unnamed}</span> : <span title={row.key}>{isPath ? baseName(row.key) : row.key}</span>) },
              { key: "share", title: <span className="quiet">{byCost ? "By cost" : "By tokens"}</span>, width: "26%", render: (row) => <span className={classes.shareTrack}><span className={classes.share} style={{ width: `${(weight(row) / most) * 100}%` }} /></span> },
              { key: "cost", title: "Cost", align: "right", render: (row) => (costOf(row) === null ? <Unknown /> : formatMicroUsd(costOf(row))) },
              { key: "tokens", title: "Tokens", align: "right", render: (row) => <span title={formatWhole(row.tokens.total)}>{formatCount(row.tokens.total)}</span> },
              { key: "iterations", title: "Iterations", align: "right", render: (row) => formatWhole(row.iterations) },
              { key: "rate", title: "Success", align: "right", render: (row) => formatRate(row.success_rate) },
            ]}
          />
        )}
      </Panel>
    </Section>
  );
}

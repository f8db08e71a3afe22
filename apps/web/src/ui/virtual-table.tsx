import { useVirtualizer } from "@tanstack/react-virtual";
import { type CSSProperties, type ReactNode, useEffect, useRef } from "react";

import classes from "./virtual-table.module.css";

export type Column<Row> = {
  key: string;
  title: ReactNode;
  /** A track of a CSS grid, such as `minmax(120px, 1fr)` or `90px`. */
  width: string;
  align?: "left" | "right";
  render: (row: Row) => ReactNode;
  /** Sorting by this column, where there is one. */
  sort?: { direction: "ascending" | "descending" | null; onClick: () => void };
};

type Props<Row> = {
  label: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => string;
  rowHeight?: number;
  /** The row that the keyboard is at. */
  current?: number;
  isSelected?: (row: Row) => boolean;
  onOpen?: (row: Row, event: { isNewTab: boolean }) => void;
};

/** A table of any length: only the rows in sight are there. */
export function VirtualTable<Row>(props: Props<Row>) {
  const { rows, columns, rowHeight = 34, current } = props;
  const scroller = useRef<HTMLDivElement>(null);
  // eslint-disable-next-line react-hooks/incompatible-library -- rows come from the virtualizer, so it must not be memoised
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  });
  useEffect(() => {
    if (current !== undefined && current >= 0) virtual.scrollToIndex(current, { align: "auto" });
  }, [current, virtual]);
  const tracks: CSSProperties = { gridTemplateColumns: columns.map((column) => column.width).join(" ") };
  return (
    <div ref={scroller} className={classes.scroller} tabIndex={-1}>
      <div role="table" aria-label={props.label} aria-rowcount={rows.length + 1} className={classes.table}>
        <div role="row" className={classes.head} style={tracks} aria-rowindex={1}>
          {columns.map((column) => (
            <HeadCell key={column.key} column={column} />
          ))}
        </div>
        <div role="rowgroup" style={{ height: virtual.getTotalSize(), position: "relative" }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const row = rows[index];
            if (row === undefined) return null;
            return (
              <div
                key={props.rowKey(row)}
                role="row"
                aria-rowindex={index + 2}
                aria-current={index === current || undefined}
                data-selected={props.isSelected?.(row) ?? undefined}
                className={classes.row}
                style={{ ...tracks, height: rowHeight, transform: `translateY(${start}px)` }}
                onClick={(event) => {
                  if (isOnControl(event.target)) return;
                  props.onOpen?.(row, { isNewTab: event.ctrlKey || event.metaKey });
                }}
              >
                {columns.map((column) => (
                  <div key={column.key} role="cell" className={classes.cell} data-align={column.align}>
                    {column.render(row)}
                  </div>
                ))}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

function HeadCell<Row>({ column }: { column: Column<Row> }) {
  const direction = column.sort?.direction ?? null;
  return (
    <div role="columnheader" className={classes.cell} data-align={column.align} aria-sort={direction ?? undefined}>
      {column.sort ? (
        <button type="button" className={classes.sort} onClick={column.sort.onClick}>
          {column.title}
          {direction !== null && <span aria-hidden>{direction === "ascending" ? " ↑" : " ↓"}</span>}
        </button>
      ) : (
        column.title
      )}
    </div>
  );
}

/** A click on something that does its own work does not open the row. */
function isOnControl(target: EventTarget): boolean {
  return target instanceof Element && target.closest("a,button,input,label,[data-no-open]") !== null;
}

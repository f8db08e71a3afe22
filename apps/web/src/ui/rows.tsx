import { Table } from "@mantine/core";
import type { ReactNode } from "react";

import classes from "./rows.module.css";

export type RowColumn<Row> = {
  key: string;
  title: ReactNode;
  /** A CSS width; without one the column takes what it needs. */
  width?: number | string;
  align?: "left" | "right";
  render: (row: Row) => ReactNode;
};

type Props<Row> = {
  label: string;
  rows: readonly Row[];
  columns: readonly RowColumn<Row>[];
  rowKey: (row: Row) => string;
  isCurrent?: (row: Row) => boolean;
  minWidth?: number;
};

/** A table of some dozen rows. `VirtualTable` is for thousands. */
export function Rows<Row>({ label, rows, columns, rowKey, isCurrent, minWidth = 640 }: Props<Row>) {
  return (
    <Table aria-label={label} miw={minWidth} className={classes.table}>
      <Table.Thead>
        <Table.Tr>
          {columns.map((column) => (
            <Table.Th key={column.key} w={column.width} ta={column.align}>
              {column.title}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row) => (
          <Table.Tr key={rowKey(row)} aria-current={isCurrent?.(row) === true ? true : undefined}>
            {columns.map((column) => (
              <Table.Td key={column.key} ta={column.align} data-align={column.align}>
                {column.render(row)}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

import { Link } from "@tanstack/react-router";

import type { Session } from "@/api/types";
import { plural } from "@/ui/format";
import { StatusShape } from "@/ui/status-shape";

import { type ConflictPair, type MatrixSearch, pairOf, troubles } from "../model";
import classes from "./matrix.module.css";

type Props = { sessions: readonly Session[]; pairs: readonly ConflictPair[]; search: MatrixSearch; onChoose: (one: string, other: string | undefined) => void };

/** Each session against its base and every other one. */
export function MatrixGrid({ sessions, pairs, search, onChoose }: Props) {
  return (
    <table className={classes.grid}>
      <thead>
        <tr>
          <td className={classes.corner} />
          <th className={classes.column} scope="col">
            <span>Base</span>
          </th>
          {sessions.map((session) => (
            <th key={session.id} className={classes.column} scope="col" title={session.name}>
              <span>{session.name}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {sessions.map((session) => (
          <tr key={session.id}>
            <th className={classes.name} scope="row">
              <div className="truncate" title={session.name}>
                <StatusShape status={session.status} />
                <Link to="/sessions/$session" params={{ session: session.id }} style={{ color: "inherit" }}>
                  {session.name}
                </Link>
              </div>
            </th>
            <Cell one={session} other={undefined} pairs={pairs} search={search} onChoose={onChoose} />
            {sessions.map((other) =>
              other.id === session.id ? (
                <td key={other.id}>
                  <div className={classes.self} />
                </td>
              ) : (
                <Cell key={other.id} one={session} other={other} pairs={pairs} search={search} onChoose={onChoose} />
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type CellProps = { one: Session; other: Session | undefined } & Pick<Props, "pairs" | "search" | "onChoose">;

function Cell({ one, other, pairs, search, onChoose }: CellProps) {
  const pair = pairOf(pairs, one.id, other?.id);
  const count = troubles(pair);
  const isChosen = search.one !== undefined && pair !== undefined && pair === pairOf(pairs, search.one, search.other);
  const says = pair === undefined ? "not compared" : count === 0 ? "no conflict" : plural(count, "conflict");
  return (
    <td>
      <button
        type="button"
        className={classes.cell}
        data-tone={pair === undefined ? "quiet" : count === 0 ? "good" : pair.files.length > 0 ? "danger" : "attention"}
        aria-pressed={isChosen}
        aria-label={`${one.name} and ${other?.name ?? one.base_branch}: ${says}`}
        onClick={() => onChoose(one.id, other?.id)}
      >
        {pair === undefined ? "–" : count === 0 ? "✓" : count}
      </button>
    </td>
  );
}

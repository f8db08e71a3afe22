import type { Wire } from "@/api/types";

import classes from "./guide.module.css";

type Props = { migrations: readonly Wire["MigrationClash"][]; caseClashes: readonly Wire["CaseClash"][] };

/** What git merges without a word and people have to know. */
export function Clashes({ migrations, caseClashes }: Props) {
  if (migrations.length === 0 && caseClashes.length === 0) return null;
  return (
    <div className={classes.notice} data-tone="attention" role="note">
      {migrations.map((clash) => (
        <div key={clash.directory}>
          Migrations in <code>{clash.directory}</code> have the same number: {clash.ours.map(name).join(", ")} and {clash.theirs.map(name).join(", ")}.
          {clash.proposal.length > 0 && <> Better: {clash.proposal.map(({ from, to }) => `${name(from)} → ${name(to)}`).join(", ")}.</>}
        </div>
      ))}
      {caseClashes.map((clash) => (
        <div key={clash.ours}>
          <code>{clash.ours}</code> and <code>{clash.theirs}</code> are one file where upper and lower case are the same.
        </div>
      ))}
    </div>
  );
}

function name(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

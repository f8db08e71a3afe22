import { Button, Stack, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";

import type { Session } from "@/api/types";
import { plural } from "@/ui/format";

import { type ConflictPair, troubles } from "../model";
import { Clashes } from "./clashes";
import classes from "./matrix.module.css";

type Props = { pair: ConflictPair; sessions: readonly Session[] };

/** What two have against each other, file by file. */
export function PairDetail({ pair, sessions }: Props) {
  const one = sessions.find((it) => it.id === pair.session_id);
  const other = pair.other_id == null ? undefined : sessions.find((it) => it.id === pair.other_id);
  if (!one) return null;
  const place = (session: Session) => (
    <Link to="/sessions/$session" params={{ session: session.id }}>
      {session.name}
    </Link>
  );
  return (
    <Stack gap="xs">
      <Title order={2}>
        {place(one)} and {other ? place(other) : <>its base {one.base_branch}</>}
      </Title>
      {pair.base_is_gone && <Text c="dimmed">The base is gone; the commit that the session started from was compared.</Text>}
      {troubles(pair) === 0 ? (
        <Text>Git can merge them without help.</Text>
      ) : (
        <>
          <Text fw={600}>{pair.files.length === 0 ? "Git can merge them, but:" : `${plural(pair.files.length, "file")} to decide`}</Text>
          <ul className={classes.files}>
            {pair.files.map((file) => (
              <li key={file} className="mono">
                {other ? (
                  file
                ) : (
                  <Link to="/sessions/$session/conflicts" params={{ session: one.id }} search={{ file }}>
                    {file}
                  </Link>
                )}
              </li>
            ))}
          </ul>
          <Clashes migrations={pair.migrations} caseClashes={pair.case_clashes} />
          {other ? (
            <Text c="dimmed">They meet when the second one is rebased after the first one landed.</Text>
          ) : (
            <Button variant="light" component={Link} to={`/sessions/${one.id}/conflicts`}>
              Decide them
            </Button>
          )}
        </>
      )}
    </Stack>
  );
}

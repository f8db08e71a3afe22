import { Button, Loader, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { IconChecks, IconGitMerge } from "@tabler/icons-react";
import { useMemo, useState } from "react";

import { asApiError } from "@/api/error";
import { operationsQuery } from "@/api/queries/session-history";
import { sessionQuery } from "@/api/queries/sessions";
import type { Wire } from "@/api/types";
import { AllowCommand } from "@/ui/allow-command";
import { useCommands } from "@/ui/commands/registry";
import { Confirm } from "@/ui/confirm";
import { WORKING } from "@/ui/session-status";
import { EmptyState, FailedState, SkeletonPage } from "@/ui/states";

import { conflictsQuery } from "../api";
import { guideCommands } from "../commands";
import { type ConflictSearch, decisions } from "../model";
import { Clashes } from "./clashes";
import { ConflictFile } from "./conflict-file";
import { ConflictFiles } from "./conflict-list";
import { GuideHead } from "./guide-head";
import classes from "./guide.module.css";
import { useGuide } from "./use-guide";

type Props = { session: string; search: ConflictSearch; onSearch: (next: ConflictSearch) => void };

/** Leads through the conflicts of a session, file by file. */
export function ConflictGuide({ session, search, onSearch }: Props) {
  const query = useQuery(conflictsQuery(session));
  if (query.isPending) return <SkeletonPage />;
  if (query.isLoadingError) return <FailedState title="Conflicts cannot be shown" failure={asApiError(query.error)} onRetry={() => void query.refetch()} />;
  return <Guide list={query.data} search={search} onSearch={onSearch} />;
}

function Guide({ list, search, onSearch }: { list: Wire["ConflictList"] } & Omit<Props, "session">) {
  const { conflicts, onto } = list;
  const session = list.session.id;
  const guide = useGuide(session);
  const [asked, setAsked] = useState<"skip" | "abort" | null>(null);
  const status = useQuery(sessionQuery(session)).data?.session.status ?? list.session.status;
  const isWorking = WORKING.has(status);
  const operations = useQuery(operationsQuery(session)).data;
  const chosen = conflicts.find((it) => it.path === search.file) ?? conflicts[0];
  const { mutate: go } = guide.step;
  const { mutate: begin } = guide.rebase;
  const { in_progress: isWaiting } = list;
  useCommands(
    useMemo(
      () =>
        guideCommands({
          isWaiting,
          onRebase: () => begin(),
          onContinue: () => go("continue"),
          onSkip: () => setAsked("skip"),
          onAbort: () => setAsked("abort"),
        }),
      [isWaiting, begin, go],
    ),
  );
  return (
    <div className={classes.guide}>
      <GuideHead
        list={list}
        isWorking={isWorking}
        isBusy={guide.isBusy}
        onRebase={() => begin()}
        onContinue={() => go("continue")}
        onSkip={() => setAsked("skip")}
        onAbort={() => setAsked("abort")}
        onAsk={(text) => guide.ask.mutate(text)}
      />
      {isWorking && (
        <div className={classes.notice} data-tone="active" role="status">
          <Loader size={12} mr={8} />
          The agent works on the session. What it decides appears here.
        </div>
      )}
      <Clashes migrations={list.migrations} caseClashes={list.case_clashes} />
      {conflicts.length === 0 && !isWaiting ? (
        <Fits list={list} />
      ) : (
        <div className={classes.body}>
          <ConflictFiles
            conflicts={conflicts}
            onto={onto}
            chosen={chosen?.path}
            decided={isWaiting && operations ? decisions(operations.operations) : []}
            undoable={operations?.next_undo ?? null}
            isBusy={guide.isBusy || isWorking}
            onChoose={(file) => onSearch({ ...search, file })}
            onUndo={() => guide.undo.mutate()}
          />
          <div className={classes.main}>
            {chosen ? (
              <ConflictFile
                key={chosen.path}
                session={session}
                conflict={chosen}
                onto={onto}
                canDecide={isWaiting && !isWorking}
                isBusy={guide.isBusy}
                onDecide={(decision) => guide.decide.mutate({ path: chosen.path, decision })}
              />
            ) : (
              <EmptyState icon={<IconChecks size={22} />} title="All files are decided" action={<Button loading={guide.isBusy} onClick={() => go("continue")}>Continue</Button>}>
                The commit is made, and the rebase goes on{list.commits_after > 0 ? " with the next one" : " to its end"}.
              </EmptyState>
            )}
          </div>
        </div>
      )}
      {guide.refused !== null && <AllowCommand refused={guide.refused} onClose={guide.closeRefused} />}
      {asked !== null && <AskedStep step={asked} list={list} onClose={() => setAsked(null)} onConfirm={() => { setAsked(null); go(asked); }} />}
    </div>
  );
}

function Fits({ list }: { list: Wire["ConflictList"] }) {
  return (
    <EmptyState
      icon={<IconGitMerge size={22} />}
      title="Nothing conflicts"
      action={
        <Link to="/sessions/$session" params={{ session: list.session.id }}>
          Back to the session
        </Link>
      }
    >
      <Text>Every commit of the session fits onto {list.onto}.</Text>
    </EmptyState>
  );
}

function AskedStep({ step, list, onConfirm, onClose }: { step: "skip" | "abort"; list: Wire["ConflictList"]; onConfirm: () => void; onClose: () => void }) {
  const commit = list.commit == null ? "the commit" : `${list.commit.id.slice(0, 10)} ${list.commit.subject}`;
  return step === "skip" ? (
    <Confirm
      title="Leave out the commit?"
      does={[`Goes on without ${commit}: its changes are no part of the session any more.`]}
      keeps={["The commit itself, until the undo is no longer kept."]}
      undo="Undo brings the session back to where it was before the rebase."
      action="Leave it out"
      onConfirm={onConfirm}
      onClose={onClose}
    />
  ) : (
    <Confirm
      title="Give up the rebase?"
      does={["Ends the rebase. What was decided so far is dropped."]}
      keeps={["All commits of the session, as before the rebase.", "Files that git does not track."]}
      undo="The rebase can be started again; files have to be decided again then."
      action="Give up"
      onConfirm={onConfirm}
      onClose={onClose}
    />
  );
}

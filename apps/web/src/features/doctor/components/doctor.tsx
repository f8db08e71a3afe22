import { Button, Group, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { IconRefresh, IconTool } from "@tabler/icons-react";

import { asApiError } from "@/api/error";
import { repositoriesQuery } from "@/api/queries/repositories";
import { Confirm } from "@/ui/confirm";
import { Loaded } from "@/ui/loaded";
import { Page, Panel, Section, Tag } from "@/ui/page";
import { RepositorySelect } from "@/ui/repository-select";
import { Rows } from "@/ui/rows";
import { Ticked } from "@/ui/ticked";
import { tellDone, tellFailed } from "@/ui/toasts";

import { type Diagnosis, doctorKeys, doctorQuery, repair } from "../api";
import { type DoctorSearch, SANDBOX, countsOf, inOrder, lookOf } from "../model";
import { CheckSandbox } from "./check-sandbox";
import { ServerPanel } from "./server-panel";

type Props = { search: DoctorSearch; onSearch: (next: DoctorSearch) => void };

/** Whether everything sessions depend on is well, and what can be repaired. */
export function Doctor({ search, onSearch }: Props) {
  const query = useQuery(doctorQuery(search.repo));
  const roots = useQuery(repositoriesQuery()).data?.repositories.map((repository) => repository.root) ?? [];
  const fix = useRepair(search.repo);
  const close = () => onSearch({ ...search, repair: undefined, sandbox: undefined });
  return (
    <Page
      title="Doctor"
      about="Looks at everything sessions depend on. Looking changes nothing; repairing touches only what is Amp Orchestra's own."
      actions={
        <Group gap="xs">
          <Button variant="default" leftSection={<IconRefresh size={14} />} loading={query.isFetching} onClick={() => void query.refetch()}>
            Check again
          </Button>
          <Button leftSection={<IconTool size={14} />} loading={fix.isPending} onClick={() => fix.mutate()}>
            Repair
          </Button>
        </Group>
      }
    >
      <Group gap="sm">
        <RepositorySelect roots={roots} value={search.repo} none="All repositories" onChange={(repo) => onSearch({ repo })} />
        {query.data && (
          <Group gap={6} role="status">
            <Tag tone={query.data.healthy ? "good" : "danger"}>{query.data.healthy ? "Everything is well" : "Something is wrong"}</Tag>
            <Text c="dimmed">{countsOf(query.data.checks)}</Text>
          </Group>
        )}
      </Group>
      <Loaded query={query} failed="The installation cannot be looked at">
        {(report) => (
          <>
            <Section title="Checks">
              <Panel>
                <Checks label="Checks" checks={inOrder(report.checks.filter((check) => check.name !== SANDBOX))} />
              </Panel>
            </Section>
            <Section
              title="Sandbox"
              actions={
                <Group gap="sm">
                  <Link to="/manage/settings" search={{ text: "security." }}>
                    Settings of the sandbox
                  </Link>
                  <Button size="compact-sm" variant="default" onClick={() => onSearch({ ...search, sandbox: true })}>
                    Try it
                  </Button>
                </Group>
              }
            >
              <Panel>
                <Checks label="Sandbox" checks={report.checks.filter((check) => check.name === SANDBOX)} />
              </Panel>
            </Section>
          </>
        )}
      </Loaded>
      <ServerPanel />
      {search.sandbox && <CheckSandbox repository={search.repo} onClose={close} />}
      {search.repair && (
        <Confirm
          title="Repair the installation"
          does={["Finishes or removes what Amp Orchestra made and left half done, if nothing uses it"]}
          keeps={["Your repositories, branches and files"]}
          undo="The list says what was repaired."
          action="Repair"
          isHarmless
          isBusy={fix.isPending}
          onConfirm={() => fix.mutate(undefined, { onSuccess: close })}
          onClose={close}
        />
      )}
    </Page>
  );
}

function Checks({ label, checks }: { label: string; checks: readonly Diagnosis[] }) {
  return (
    <Rows
      label={label}
      rows={checks}
      rowKey={(check) => `${check.name} ${check.detail}`}
      columns={[
        { key: "health", title: "Health", width: 90, render: (check) => <Tag tone={lookOf(check).tone}>{lookOf(check).label}</Tag> },
        { key: "name", title: "What", width: "28%", render: (check) => check.name },
        {
          key: "detail",
          title: "How it is",
          render: (check) => (
            <>
              <span style={{ overflowWrap: "anywhere" }}>
                <Ticked text={check.detail} />
              </span>
              {check.hint != null && (
                <Text size="xs" c="dimmed">
                  <Ticked text={check.hint} />
                </Text>
              )}
            </>
          ),
        },
      ]}
    />
  );
}

function useRepair(repository: string | undefined) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: () => repair(repository),
    onSuccess: (report) => {
      cache.setQueryData(doctorKeys.report(repository ?? null), report);
      const fixed = report.checks.filter((check) => check.health === "fixed").length;
      tellDone(fixed === 0 ? "There was nothing to repair" : `${fixed} repaired`);
    },
    onError: (error) => tellFailed("It could not be repaired", asApiError(error)),
  });
}

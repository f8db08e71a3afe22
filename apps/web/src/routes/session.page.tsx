import { getRouteApi } from "@tanstack/react-router";

import { ChangedFiles } from "@/features/diff/components/changed-files";
import { DiffView } from "@/features/diff/components/diff-view";
import { type DiffSearch, readDiffSearch } from "@/features/diff/model";
import { Inspector } from "@/features/inspector/components/inspector";
import { Scripts } from "@/features/scripts/components/scripts";
import { SessionFrame, type TabProps } from "@/features/session/components/session-frame";
import type { Tab } from "@/features/session/model";
import { Transcript } from "@/features/transcript/components/transcript";

const route = getRouteApi("/sessions/$session");

/** Commands that the follow-up box takes, by what the page does for them. */
const COMMANDS: Record<string, "test" | "squash" | "merge" | "diff"> = { test: "test", squash: "squash", land: "merge", diff: "diff" };

export function SessionPage() {
  const { session: id } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const show = (patch: Partial<typeof search>) => void navigate({ search: (before) => ({ ...before, ...patch }) });
  const replace = (patch: Partial<typeof search>) => void navigate({ search: (before) => ({ ...before, ...patch }), replace: true });
  const compare = (next: DiffSearch) => replace(readDiffSearch(next));
  const content = (tab: Tab, { session, run }: TabProps) => {
    switch (tab) {
      case "diff":
        return <DiffView session={session.id} search={search} onSearch={compare} />;
      case "transcript": {
        const perform = (name: string) => {
          const command = COMMANDS[name];
          if (command === undefined) return false;
          if (command === "diff") show({ tab: "diff" });
          else run(command);
          return true;
        };
        return <Transcript session={session} search={search} onSearch={({ at, text }) => replace({ at, text })} onCommand={perform} onStop={() => run("stop")} />;
      }
      case "scripts":
        return <Scripts session={session} run={search.run} onRun={(run) => replace({ run })} />;
      case "inspector":
        return <Inspector session={session} search={search} onSearch={replace} onShow={(at) => show({ tab: "transcript", at })} />;
    }
  };
  return (
    <SessionFrame
      key={id}
      session={id}
      tab={search.tab ?? "transcript"}
      onShow={({ tab, ...place }) => show({ ...place, tab: tab === "transcript" ? undefined : tab })}
      onConflicts={() => void navigate({ to: "/sessions/$session/conflicts", params: { session: id } })}
      left={(session) => <ChangedFiles session={session.id} search={search} onSearch={compare} onFile={(file) => show({ ...readDiffSearch(file), tab: "diff" })} />}
      content={content}
    />
  );
}

import { useQuery } from "@tanstack/react-query";

import { Page, Panel } from "@/ui/page";

import { noticesQuery } from "../api";
import { NoticeList } from "./notice-list";

/** What happened lately, on a page of its own. */
export function NotificationsView() {
  const query = useQuery(noticesQuery());
  return (
    <Page title="Notifications" about="Agents that wait for you, scripts that ended, conflicts. The browser can show them too, each once.">
      <Panel>
        <NoticeList query={query} seen={Infinity} height="none" onChoose={() => undefined} />
      </Panel>
    </Page>
  );
}

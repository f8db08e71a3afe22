import { useQuery } from "@tanstack/react-query";

import { Bytes, RelativeTime } from "@/ui/figures";
import { formatWhole } from "@/ui/format";
import { Facts, Panel, Section } from "@/ui/page";

import { serverQuery } from "../api";

/** The server that this page talks with. */
export function ServerPanel() {
  const { data } = useQuery(serverQuery());
  if (!data) return null;
  return (
    <Section title="This server">
      <Panel>
        <Facts
          facts={[
            ["Version", data.version],
            ["Started", <RelativeTime key="at" at={data.started_at} />],
            ["Process", data.pid],
            ["Requests", formatWhole(data.requests)],
            ["Event streams", formatWhole(data.streams)],
            ["Jobs at work", formatWhole(data.running_jobs)],
            ["Events in the log", formatWhole(data.seq)],
            ["Store", <Bytes key="size" value={data.store_bytes} />],
          ]}
        />
      </Panel>
    </Section>
  );
}

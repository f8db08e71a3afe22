import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { IconPlug } from "@tabler/icons-react";

import type { Wire } from "@/api/types";
import { RelativeTime } from "@/ui/figures";
import { baseName, formatWord } from "@/ui/format";
import { Loaded } from "@/ui/loaded";
import { NoRows, Page, Panel, PathText, Section, Tag } from "@/ui/page";
import { Rows } from "@/ui/rows";
import { EmptyState } from "@/ui/states";

import { leasesQuery } from "../api";

type Port = Wire["LeaseList"]["ports"][number];
type Database = Wire["LeaseList"]["databases"][number];

/** Ports and databases that belong to sessions. */
export function Leases() {
  const query = useQuery(leasesQuery());
  return (
    <Page title="Leases" about="Ports and databases that belong to sessions. They are released when a session's worktree is deleted for good.">
      <Loaded query={query} failed="Leases cannot be listed">
        {({ ports, databases }) =>
          ports.length + databases.length === 0 ? (
            <EmptyState icon={<IconPlug size={20} />} title="Nothing is leased">
              A session gets ports when its servers or scripts need them, and databases as the settings of its repository say.
            </EmptyState>
          ) : (
            <>
              <Section title="Ports">
                <Panel>{ports.length === 0 ? <NoRows>No port is leased.</NoRows> : <PortTable ports={ports} />}</Panel>
              </Section>
              <Section title="Databases">
                <Panel>{databases.length === 0 ? <NoRows>No database belongs to a session.</NoRows> : <DatabaseTable databases={databases} />}</Panel>
              </Section>
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

function Owner({ lease }: { lease: { session_id: string; session_name?: string | null; repository?: string | null } }) {
  return (
    <>
      <Link to="/sessions/$session" params={{ session: lease.session_id }}>
        {lease.session_name ?? lease.session_id}
      </Link>
      {lease.repository != null && <span className="quiet"> in {baseName(lease.repository)}</span>}
    </>
  );
}

function PortTable({ ports }: { ports: readonly Port[] }) {
  return (
    <Rows
      label="Ports"
      rows={ports}
      rowKey={(port) => `${port.session_id} ${port.name} ${port.first}`}
      columns={[
        { key: "port", title: "Port", render: (port) => <span className="mono">{port.count === 1 ? port.first : `${port.first}–${port.first + port.count - 1}`}</span> },
        { key: "name", title: "For", render: (port) => port.name },
        { key: "session", title: "Session", render: (port) => <Owner lease={port} /> },
        { key: "served", title: "Served by", render: (port) => port.served_by ?? <span className="quiet">nobody now</span> },
        { key: "at", title: "Since", align: "right", render: (port) => <RelativeTime at={port.leased_at} /> },
      ]}
    />
  );
}

function DatabaseTable({ databases }: { databases: readonly Database[] }) {
  return (
    <Rows
      label="Databases"
      rows={databases}
      rowKey={(database) => `${database.session_id} ${database.name}`}
      columns={[
        { key: "name", title: "Database", render: (database) => database.name },
        { key: "kind", title: "Kind", render: (database) => database.kind },
        { key: "session", title: "Session", render: (database) => <Owner lease={database} /> },
        { key: "where", title: "Where", render: (database) => <div style={{ maxWidth: 320, display: "flex" }}><PathText path={database.location} what="place of the database" /></div> },
        { key: "state", title: "State", render: (database) => <Tag tone={database.state === "ready" ? "good" : database.state === "failed" || database.state === "unknown" ? "attention" : "info"}>{formatWord(database.state)}</Tag> },
        { key: "at", title: "Changed", align: "right", render: (database) => <RelativeTime at={database.changed_at} /> },
      ]}
    />
  );
}

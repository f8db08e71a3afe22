import { useNavigate } from "@tanstack/react-router";

import type { Session } from "@/api/types";
import { VirtualTable } from "@/ui/virtual-table";

import type { HomeSearch } from "../model";

type Props = { sessions: Session[]; search: HomeSearch; onSearch: (next: HomeSearch) => void };

export function SessionTable({ sessions }: Props) {
  const navigate = useNavigate();
  return (
    <VirtualTable
      label="Sessions"
      rows={sessions}
      rowKey={(session) => session.id}
      columns={[{ key: "name", title: "Session", width: "1fr", render: (session) => session.name }]}
      onOpen={(session) => void navigate({ to: "/sessions/$session", params: { session: session.id } })}
    />
  );
}

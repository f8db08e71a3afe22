import { useQuery } from "@tanstack/react-query";

import { asApiError } from "@/api/error";
import { sessionsQuery } from "@/api/queries/sessions";
import { FailedState, SkeletonRows } from "@/ui/states";

import { type HomeSearch, chooseSessions } from "../model";
import { SessionTable } from "./session-table";

type Props = { search: HomeSearch; onSearch: (next: HomeSearch) => void };

export function Home({ search, onSearch }: Props) {
  const query = useQuery(sessionsQuery(search.archived ?? false));
  if (query.isPending) return <SkeletonRows />;
  if (query.isError) return <FailedState title="Sessions cannot be listed" failure={asApiError(query.error)} onRetry={() => void query.refetch()} />;
  return <SessionTable sessions={chooseSessions(query.data.sessions, search)} search={search} onSearch={onSearch} />;
}

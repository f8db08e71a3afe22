import { getRouteApi, useNavigate } from "@tanstack/react-router";

import { NewSession } from "@/features/new-session/components/new-session";

const route = getRouteApi("/new");

export function NewPage() {
  const search = route.useSearch();
  const navigate = useNavigate();
  return (
    <NewSession
      search={search}
      onCreated={(sessions) => {
        const [only] = sessions;
        if (only && sessions.length === 1) void navigate({ to: "/sessions/$session", params: { session: only.id } });
        else void navigate({ to: "/", search: { selected: sessions.map((session) => session.id).join(".") } });
      }}
    />
  );
}

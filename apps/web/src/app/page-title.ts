import { useQuery } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { useEffect } from "react";

import { sessionQuery } from "@/api/queries/sessions";
import { MANAGE_GROUPS } from "@/routes/manage.pages";

import { NAVIGATION } from "./navigation";

const PRODUCT = "Amp Orchestra";

type Titled = { readonly title: string; readonly to: string };
const PAGES: readonly Titled[] = [...NAVIGATION, { title: "New session", to: "/new" }, ...MANAGE_GROUPS.flatMap<Titled>((group) => group.pages)];
const TITLES: ReadonlyMap<string, string> = new Map(PAGES.map(({ title, to }) => [to, title]));

/** Names the window after its page, so that tabs can be told apart. */
export function usePageTitle(): void {
  const path = useLocation({ select: ({ pathname }) => pathname });
  const session = /^\/sessions\/([^/]+)/.exec(path)?.[1];
  // The page asks for the session itself.
  const { data } = useQuery({ ...sessionQuery(session ?? ""), enabled: false });
  const title = session === undefined ? TITLES.get(path) : (data?.session.name ?? session);
  useEffect(() => {
    document.title = title === undefined ? PRODUCT : `${title} – ${PRODUCT}`;
  }, [title]);
}

import { useMantineColorScheme } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";

import { type Command, useCommands } from "@/ui/commands/registry";

import { NAVIGATION } from "./navigation";

type Props = { onPalette: () => void; onShortcuts: () => void };

/** What can be done on every page. */
export function useGlobalCommands({ onPalette, onShortcuts }: Props): void {
  const navigate = useNavigate();
  const { setColorScheme } = useMantineColorScheme();
  const commands = useMemo<Command[]>(
    () => [
      { id: "palette", title: "Search or run a command", group: "General", keys: "mod+k", whileTyping: true, isHidden: true, run: onPalette },
      { id: "shortcuts", title: "Keyboard shortcuts", group: "General", keys: "?", run: onShortcuts },
      { id: "new", title: "New session", group: "Sessions", keywords: "create prompt agent", keys: "c", operations: ["create_session"], run: () => void navigate({ to: "/new" }) },
      ...NAVIGATION.map(({ title, to, key, operations }) => ({
        id: `go.${to}`,
        title: `Go to ${title.toLowerCase()}`,
        group: "Go to",
        keys: `g ${key}`,
        operations,
        run: () => void navigate({ to }),
      })),
      ...(["light", "dark", "auto"] as const).map((scheme) => ({
        id: `colours.${scheme}`,
        title: scheme === "auto" ? "Colours: system" : `Colours: ${scheme}`,
        group: "General",
        keywords: "theme scheme",
        run: () => setColorScheme(scheme),
      })),
    ],
    [navigate, onPalette, onShortcuts, setColorScheme],
  );
  useCommands(commands);
}

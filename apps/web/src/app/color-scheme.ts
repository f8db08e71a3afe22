import { type MantineColorScheme, type MantineColorSchemeManager, isMantineColorScheme, localStorageColorSchemeManager, useMantineColorScheme } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useEffectEvent } from "react";

import { settingQuery } from "@/features/settings/api";
import { platform } from "@/platform/current";

/** What the user chose in this browser. `first-paint.js` reads both. */
const CHOSEN = "orchestra.color-scheme";
/** What the settings said when they were last read. */
const SETTING = "orchestra.theme";

function read(key: string): MantineColorScheme | null {
  const value = platform().storage.get(key);
  return isMantineColorScheme(value) ? value : null;
}

/** The user's choice counts before the setting; what the setting says anyway is no choice. */
export const colorScheme: MantineColorSchemeManager = {
  ...localStorageColorSchemeManager({ key: CHOSEN }),
  get: (usual) => read(CHOSEN) ?? read(SETTING) ?? usual,
  set: (value) => (value === (read(SETTING) ?? "auto") ? platform().storage.remove(CHOSEN) : platform().storage.set(CHOSEN, value)),
  clear: () => platform().storage.remove(CHOSEN),
};

/** Follows the setting `ui.theme` where the user chose nothing. It is remembered, so that the next page begins with it. */
export function useThemeSetting(): void {
  const theme = useQuery(settingQuery("ui.theme")).data?.value;
  const { setColorScheme } = useMantineColorScheme();
  const follow = useEffectEvent((scheme: MantineColorScheme) => {
    platform().storage.set(SETTING, scheme);
    if (read(CHOSEN) === null) setColorScheme(scheme);
  });
  useEffect(() => {
    if (isMantineColorScheme(theme)) follow(theme);
  }, [theme]);
}

import { type ReactNode, useCallback, useState } from "react";

import { useShortcuts } from "@/ui/commands/shortcuts";

import { useThemeSetting } from "./color-scheme";
import { ConnectionNotice } from "./connection";
import { Navigation } from "./navigation-rail";
import { usePageTitle } from "./page-title";
import { Palette } from "./palette";
import classes from "./shell.module.css";
import { ShortcutSheet } from "./shortcut-sheet";
import { TopBar } from "./top-bar";
import { useFeatureCommands } from "./feature-commands";
import { useGlobalCommands } from "./global-commands";
import { useOrders } from "./orders";

/** What is around every page. */
export function Shell({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState<"palette" | "shortcuts" | null>(null);
  const close = () => setOpen(null);
  usePageTitle();
  useThemeSetting();
  useShortcuts();
  useFeatureCommands();
  const onPalette = useCallback(() => setOpen("palette"), []);
  const onShortcuts = useCallback(() => setOpen("shortcuts"), []);
  useGlobalCommands({ onPalette, onShortcuts });
  useOrders({ onPalette, onShortcuts });
  return (
    <div className={classes.shell}>
      <a className={classes.skip} href="#main">
        Skip to the page
      </a>
      <Navigation />
      <TopBar onPalette={onPalette} onShortcuts={onShortcuts} />
      <main id="main" className={classes.main} tabIndex={-1}>
        <ConnectionNotice />
        <div className={classes.page}>{children}</div>
      </main>
      {open === "palette" && <Palette onClose={close} />}
      {open === "shortcuts" && <ShortcutSheet onClose={close} />}
    </div>
  );
}

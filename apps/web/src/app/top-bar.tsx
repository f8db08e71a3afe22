import { ActionIcon, Menu, Tooltip, useMantineColorScheme } from "@mantine/core";
import { IconDeviceDesktop, IconKeyboard, IconMoon, IconSearch, IconSun } from "@tabler/icons-react";

import { Bell } from "@/features/notifications/components/bell";
import { Keys } from "@/ui/kbd";

import { ConnectionState } from "./connection";
import classes from "./shell.module.css";

type Props = { onPalette: () => void; onShortcuts: () => void };

export function TopBar({ onPalette, onShortcuts }: Props) {
  return (
    <header className={classes.bar}>
      <button type="button" className={classes.search} onClick={onPalette}>
        <IconSearch size={14} />
        <span>Search or run a command</span>
        <Keys keys="mod+k" />
      </button>
      <div className={classes.space} />
      <ConnectionState />
      <Bell />
      <ThemeSwitch />
      <Tooltip label="Keyboard shortcuts (?)">
        <ActionIcon aria-label="Keyboard shortcuts" onClick={onShortcuts}>
          <IconKeyboard size={17} stroke={1.75} />
        </ActionIcon>
      </Tooltip>
    </header>
  );
}

const SCHEMES = [
  { value: "light", label: "Light", icon: IconSun },
  { value: "dark", label: "Dark", icon: IconMoon },
  { value: "auto", label: "System", icon: IconDeviceDesktop },
] as const;

function ThemeSwitch() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const chosen = SCHEMES.find((scheme) => scheme.value === colorScheme) ?? SCHEMES[2];
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon aria-label={`Colours: ${chosen.label}`}>
          <chosen.icon size={17} stroke={1.75} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {SCHEMES.map(({ value, label, icon: Icon }) => (
          <Menu.Item key={value} leftSection={<Icon size={14} />} onClick={() => setColorScheme(value)} aria-current={value === colorScheme}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

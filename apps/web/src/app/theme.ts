import { type MantineColorsTuple, createTheme } from "@mantine/core";

const iris: MantineColorsTuple = [
  "#f2f2fe",
  "#e4e4fb",
  "#cbcbf7",
  "#aeaef1",
  "#9292ea",
  "#7474e0",
  "#5b5bd6",
  "#4f4fc2",
  "#4343a6",
  "#363688",
];

/** Dark enough at 6 for white text. */
const red: MantineColorsTuple = [
  "#fff1f1",
  "#fde2e2",
  "#f9c6c7",
  "#f3a1a3",
  "#ec7d80",
  "#e5484d",
  "#c93338",
  "#b42b30",
  "#9c2429",
  "#7f1d21",
];

/** Greys of the dark scheme: text first, the page at 7. */
const dark: MantineColorsTuple = [
  "#d3d5db",
  "#b4b7bf",
  "#8e929c",
  "#676b76",
  "#434750",
  "#33363e",
  "#26292f",
  "#17191d",
  "#121417",
  "#0d0e11",
];

const small = { defaultProps: { size: "xs" } } as const;

/** Dense and calm: 13 px text, small controls, one accent. */
export const theme = createTheme({
  primaryColor: "iris",
  primaryShade: { light: 6, dark: 6 },
  colors: { iris, red, dark },
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace',
  fontSizes: { xs: "0.75rem", sm: "0.8125rem", md: "0.8125rem", lg: "0.9375rem", xl: "1.125rem" },
  fontWeights: { regular: "400", medium: "500", bold: "600" },
  lineHeights: { xs: "1.4", sm: "1.45", md: "1.5", lg: "1.5", xl: "1.5" },
  spacing: { xs: "0.375rem", sm: "0.625rem", md: "0.875rem", lg: "1.25rem", xl: "1.75rem" },
  radius: { xs: "3px", sm: "5px", md: "7px", lg: "10px", xl: "16px" },
  defaultRadius: "sm",
  focusRing: "auto",
  cursorType: "pointer",
  respectReducedMotion: true,
  headings: {
    fontWeight: "600",
    sizes: {
      h1: { fontSize: "1.25rem", lineHeight: "1.3" },
      h2: { fontSize: "1.0625rem", lineHeight: "1.35" },
      h3: { fontSize: "0.9375rem", lineHeight: "1.4" },
      h4: { fontSize: "0.8125rem", lineHeight: "1.45" },
      h5: { fontSize: "0.8125rem", lineHeight: "1.45" },
      h6: { fontSize: "0.75rem", lineHeight: "1.45" },
    },
  },
  components: {
    ActionIcon: { defaultProps: { variant: "subtle", color: "gray", size: "md" } },
    Autocomplete: small,
    Badge: { defaultProps: { variant: "light", size: "sm", tt: "none", fw: 500 } },
    Button: small,
    Checkbox: small,
    // Fields side by side stand in one line, whatever is said below them.
    InputWrapper: { defaultProps: { inputWrapperOrder: ["label", "input", "description", "error"] } },
    Menu: { defaultProps: { shadow: "md", position: "bottom-end", transitionProps: { duration: 80 } } },
    Modal: { styles: { title: { fontSize: "0.9375rem", fontWeight: 600 } }, defaultProps: { centered: false, yOffset: "8vh", transitionProps: { duration: 100 }, overlayProps: { backgroundOpacity: 0.35 }, closeButtonProps: { "aria-label": "Close" } } },
    MultiSelect: small,
    NumberInput: small,
    PasswordInput: small,
    Popover: { defaultProps: { shadow: "md", transitionProps: { duration: 80 } } },
    ScrollArea: { defaultProps: { scrollbarSize: 8, type: "auto" } },
    SegmentedControl: { defaultProps: { size: "xs" } },
    Select: { defaultProps: { size: "xs", allowDeselect: false } },
    Switch: { defaultProps: { size: "xs" } },
    Table: { defaultProps: { borderColor: "var(--line-soft)", verticalSpacing: 5, horizontalSpacing: "sm", highlightOnHover: true } },
    Tabs: { defaultProps: { keepMounted: false } },
    TagsInput: small,
    Text: { defaultProps: { size: "sm" } },
    TextInput: small,
    Textarea: small,
    Tooltip: { defaultProps: { openDelay: 350, transitionProps: { duration: 60 }, withinPortal: true, events: { hover: true, focus: true, touch: true } } },
  },
});

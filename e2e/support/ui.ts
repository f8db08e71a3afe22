/** What a journey does with a page, whatever shows it: a browser or the desktop app. */
export type Ui = {
  /** Shows a page. */
  go: (path: string) => Promise<void>;
  /** Where it is. */
  path: () => Promise<string>;
  /** Presses a key, such as `c` or `Control+Enter`. */
  press: (key: string) => Promise<void>;
  /** Writes into a field, by its label. */
  fill: (label: string, text: string) => Promise<void>;
  /** Clicks what has a role and a name, in a place if one is given. */
  click: (role: Role, name: string | RegExp, within?: Place) => Promise<void>;
  /** Waits until a text is to be seen, in a place if one is given. */
  sees: (text: string | RegExp, within?: Place) => Promise<void>;
  /** Loads the page anew. */
  reload: () => Promise<void>;
};

/** A part of the page. A name in quotes is the whole name. */
export type Place = { role: Role; name?: string | RegExp };

export type Role = "button" | "list" | "row" | "tab" | "dialog" | "heading" | "region" | "menuitem" | "link" | "combobox" | "textbox" | "alert";

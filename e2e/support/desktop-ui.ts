import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

import { expect } from "@playwright/test";

import type { Place, Role, Ui } from "./ui";
import type { WebDriver } from "./webdriver";

const require = createRequire(import.meta.url);
/** Finds elements by what people see of them, in the page itself. */
const FINDER = readFileSync(path.join(path.dirname(require.resolve("@testing-library/dom/package.json")), "dist/@testing-library/dom.umd.js"), "utf8");

const PATIENCE = { timeout: 20_000 };

/** The page in the desktop app. */
export function desktopUi(driver: WebDriver): Ui {
  const find = async <Answer>(body: string, ...words: unknown[]): Promise<Answer> => {
    // A page that is loaded anew, between one call and the next, has no finder.
    for (;;) {
      const { isAbsent, answer } = await driver.run<{ isAbsent: boolean; answer: Answer }>(
        `const dom = window.TestingLibraryDom; const root = document.body;
         if (!dom || !root) return { isAbsent: true };
         ${HELPERS}
         return { isAbsent: false, answer: (function () { ${body} }).apply(null, arguments) };`,
        ...words,
      );
      if (!isAbsent) return answer;
      await driver.run(`(0, function () {${FINDER}}).call(window)`);
    }
  };
  const byRole = (role: Role, name: string | RegExp, within?: Place) =>
    find<unknown>("return places(arguments[2]).flatMap((place) => free(dom.queryAllByRole(place, arguments[0], { name: pattern(arguments[1]) })))[0] ?? null", role, whole(name), placed(within));
  return {
    go: async (path) => {
      await driver.run("window.history.pushState({}, '', arguments[0]); window.dispatchEvent(new PopStateEvent('popstate'))", path);
    },
    path: () => driver.run<string>("return window.location.pathname"),
    press: (key) => driver.press(key),
    fill: async (label, text) => {
      const write = () =>
        find<boolean>(
          `const field = shown(dom.queryAllByLabelText(root, arguments[0], { exact: false })).find((it) => 'value' in it);
           if (!field) return false;
           field.focus();
           // React hears of a value only if it is set past its own setter.
           const kind = field instanceof HTMLTextAreaElement ? HTMLTextAreaElement : HTMLInputElement;
           Object.getOwnPropertyDescriptor(kind.prototype, 'value').set.call(field, arguments[1]);
           field.dispatchEvent(new Event('input', { bubbles: true }));
           return true;`,
          label,
          text,
        );
      await expect.poll(write, PATIENCE).toBe(true);
    },
    click: async (role, name, within) => {
      await expect
        .poll(async () => {
          const element = await byRole(role, name, within);
          if (element === null) return `no ${role} ${String(name)}`;
          // What moves, or is behind something that goes away, is tried again.
          return driver.click(element).then(
            () => "clicked",
            (error: unknown) => String(error),
          );
        }, PATIENCE)
        .toBe("clicked");
    },
    sees: async (text, within) => {
      const look = () => find<boolean>("return places(arguments[1]).some((place) => pattern(arguments[0]).test(place.innerText))", part(text), placed(within));
      await expect.poll(look, { ...PATIENCE, message: `${String(text)} is to be seen` }).toBe(true);
    },
    reload: async () => {
      await driver.run("window.isOld = true; window.location.reload()");
      await expect.poll(() => driver.run<boolean>("return window.isOld !== true && document.readyState === 'complete'"), PATIENCE).toBe(true);
    },
  };
}

/** Patterns travel as text. */
type Pattern = { source: string; flags: string };

function whole(text: string | RegExp): Pattern {
  const pattern = part(text);
  return typeof text === "string" ? { ...pattern, source: `^${pattern.source}$` } : pattern;
}

function part(text: string | RegExp): Pattern {
  return typeof text === "string" ? { source: text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), flags: "" } : { source: text.source, flags: text.flags };
}

function placed(within: Place | undefined): { role: Role; name: Pattern | null } | null {
  return within ? { role: within.role, name: within.name === undefined ? null : whole(within.name) } : null;
}

const HELPERS = `
const pattern = ({ source, flags }) => new RegExp(source, flags);
const shown = (elements) => elements.filter((it) => it.getClientRects().length > 0);
const free = (elements) => shown(elements).filter((it) => !it.disabled && it.getAttribute("aria-disabled") !== "true" && it.dataset.disabled !== "true");
const places = (place) => place === null ? [root] : shown(dom.queryAllByRole(root, place.role, place.name === null ? {} : { name: pattern(place.name) }));
`;

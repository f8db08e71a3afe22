import "@testing-library/jest-dom/vitest";

import { notifications } from "@mantine/notifications";
import { cleanup, configure } from "@testing-library/react";
import { afterEach, vi } from "vitest";

// A busy machine takes its time; nothing waits this long when all is well.
configure({ asyncUtilTimeout: 8_000 });

afterEach(() => {
  cleanup();
  notifications.clean();
});

// What jsdom lacks and the page asks for.
window.matchMedia = vi.fn().mockImplementation((query: string) => ({
  matches: false,
  media: query,
  addEventListener: () => undefined,
  removeEventListener: () => undefined,
  addListener: () => undefined,
  removeListener: () => undefined,
  dispatchEvent: () => false,
  onchange: null,
}));
window.ResizeObserver = class {
  observe() {
    return undefined;
  }
  unobserve() {
    return undefined;
  }
  disconnect() {
    return undefined;
  }
};
Object.defineProperty(document, "fonts", { configurable: true, value: { addEventListener: () => undefined, removeEventListener: () => undefined } });
Element.prototype.scrollIntoView = () => undefined;
Element.prototype.scrollTo = function scrollTo(this: Element, place?: ScrollToOptions | number) {
  if (typeof place === "object" && place.top !== undefined) this.scrollTop = place.top;
  this.dispatchEvent(new Event("scroll"));
};
window.scrollTo = () => undefined;

// Everything has a size, so that lists which show only what is in sight show something.
Object.defineProperty(HTMLElement.prototype, "clientHeight", { configurable: true, get: () => 800 });
Object.defineProperty(HTMLElement.prototype, "clientWidth", { configurable: true, get: () => 1_200 });
Object.defineProperty(HTMLElement.prototype, "scrollHeight", { configurable: true, get: () => 1_000_000_000 });
Object.defineProperty(HTMLElement.prototype, "offsetHeight", { configurable: true, get: () => 800 });
Object.defineProperty(HTMLElement.prototype, "offsetWidth", { configurable: true, get: () => 1_200 });

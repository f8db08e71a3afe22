/** A shop that several agents work on, as a developer finds it in the middle of a day. */
import { appendFileSync, mkdirSync } from "node:fs";
import path from "node:path";

import { session } from "../support/sessions";
import type { World } from "../support/world";
import { type Step, ask, call, edit, read, say, scenario, shell, think, used, workOn, write } from "./scenario";

const CART = `import type { Product } from "../catalog/product";
import { type Money, add, multiply, zero } from "./money";

export type Line = { product: Product; quantity: number };

/** What a customer is about to buy. */
export class Cart {
  readonly #lines = new Map<string, Line>();

  put(product: Product, quantity = 1): void {
    const line = this.#lines.get(product.sku);
    this.#lines.set(product.sku, { product, quantity: (line?.quantity ?? 0) + quantity });
  }

  remove(sku: string): void {
    this.#lines.delete(sku);
  }

  get lines(): Line[] {
    return [...this.#lines.values()];
  }

  total(): Money {
    return this.lines.reduce((sum, { product, quantity }) => add(sum, multiply(product.price, quantity)), zero("EUR"));
  }
}
`;

const PAYMENT = `import type { Money } from "../cart/money";
import { type Gateway, GatewayError } from "./gateway";

export type Receipt = { id: string; amount: Money };

const TIMEOUT_MS = 10_000;

/** Takes the money for an order. */
export async function charge(gateway: Gateway, order: string, amount: Money): Promise<Receipt> {
  const answer = await gateway.post("/charges", { order, amount }, { timeoutMs: TIMEOUT_MS });
  if (answer.status !== 201) {
    throw new GatewayError(\`charge of \${order} was answered with \${answer.status}\`);
  }
  return { id: answer.body.id, amount };
}

/** Gives money back. */
export async function refund(gateway: Gateway, receipt: Receipt): Promise<void> {
  const answer = await gateway.post(\`/charges/\${receipt.id}/refund\`, {}, { timeoutMs: TIMEOUT_MS });
  if (answer.status !== 200) {
    throw new GatewayError(\`refund of \${receipt.id} was answered with \${answer.status}\`);
  }
}
`;

const ADDRESS = `export type Address = {
  name: string;
  street: string;
  postcode: string;
  city: string;
  country: string;
};

const POSTCODES: Record<string, RegExp> = {
  DE: /^\\d{5}$/,
  NL: /^\\d{4} ?[A-Z]{2}$/,
};

/** What is wrong with an address, by field. */
export function problemsOf(address: Address): Partial<Record<keyof Address, string>> {
  const problems: Partial<Record<keyof Address, string>> = {};
  if (address.name.trim() === "") problems.name = "Say who it is for";
  const pattern = POSTCODES[address.country];
  if (pattern && !pattern.test(address.postcode)) {
    problems.postcode = "This is no postcode";
  }
  return problems;
}
`;

const TEST = `cat <<'END'
\x1b[1m RUN \x1b[0m v2.1.8

 \x1b[32m✓\x1b[0m src/cart/cart.test.ts (6 tests) 12ms
 \x1b[32m✓\x1b[0m src/catalog/search.test.ts (4 tests) 8ms
 \x1b[32m✓\x1b[0m src/checkout/payment.test.ts (5 tests) 31ms

 Test Files  \x1b[32m3 passed\x1b[0m (3)
      Tests  \x1b[32m15 passed\x1b[0m (15)
END
`;

const LINT = `cat <<'END'
src/checkout/payment.test.ts
  14:18  \x1b[31merror\x1b[0m  Unsafe member access  no-unsafe-member-access

\x1b[31m✖ 1 problem\x1b[0m (1 error, 0 warnings)
END
exit 1
`;

const FILES: Record<string, string> = {
  "bin/lint": LINT,
  "bin/test": TEST,
  "README.md": "# Storefront\n\nThe shop that customers see.\n\n    npm install\n    npm test\n    npm run dev\n",
  "package.json": '{\n  "name": "storefront",\n  "private": true,\n  "type": "module",\n  "scripts": {\n    "dev": "vite",\n    "lint": "eslint .",\n    "test": "vitest run"\n  },\n  "devDependencies": {\n    "vite": "5.4.11",\n    "vitest": "2.1.8"\n  }\n}\n',
  "src/cart/cart.ts": CART,
  "src/cart/money.ts": 'export type Money = { cents: number; currency: "EUR" | "USD" };\n\nexport const zero = (currency: Money["currency"]): Money => ({ cents: 0, currency });\n\nexport function add(one: Money, other: Money): Money {\n  return { cents: one.cents + other.cents, currency: one.currency };\n}\n\nexport function multiply(price: Money, times: number): Money {\n  return { cents: Math.floor(price.cents * times), currency: price.currency };\n}\n',
  "src/catalog/product.ts": 'import type { Money } from "../cart/money";\n\nexport type Product = { sku: string; title: string; price: Money; picture: string };\n',
  "src/catalog/search.ts": 'import type { Product } from "./product";\n\n/** The products whose title has every word. */\nexport function search(products: readonly Product[], words: string): Product[] {\n  const wanted = words.toLowerCase().split(/\\s+/);\n  return products.filter(({ title }) => wanted.every((word) => title.toLowerCase().includes(word)));\n}\n',
  "src/checkout/address.ts": ADDRESS,
  "src/checkout/gateway.ts": 'export class GatewayError extends Error {}\n\nexport type Answer = { status: number; body: { id: string } };\n\nexport type Gateway = {\n  post(path: string, body: unknown, options: { timeoutMs: number; idempotencyKey?: string }): Promise<Answer>;\n};\n',
  "src/checkout/payment.ts": PAYMENT,
  "src/checkout/payment.test.ts": 'import { expect, test, vi } from "vitest";\n\nimport { charge } from "./payment";\n\ntest("a charge answers with its receipt", async () => {\n  const gateway = { post: vi.fn().mockResolvedValue({ status: 201, body: { id: "ch_1" } }) };\n  const receipt = await charge(gateway, "order-1", { cents: 1299, currency: "EUR" });\n  expect(receipt.id).toBe("ch_1");\n});\n',
};

const RETRY = `import { GatewayError } from "./gateway";

const ATTEMPTS = 3;
const FIRST_PAUSE_MS = 200;

/** Tries again what failed for a reason that may be gone soon; each pause is twice as long. */
export async function withRetry<Result>(attempt: (number: number) => Promise<Result>): Promise<Result> {
  for (let number = 1; ; number += 1) {
    try {
      return await attempt(number);
    } catch (error) {
      if (number === ATTEMPTS || !(error instanceof GatewayError)) throw error;
      await pause(FIRST_PAUSE_MS * 2 ** (number - 1));
    }
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
`;

const TESTED = ` ✓ src/cart/cart.test.ts (6 tests) 12ms
 ✓ src/catalog/search.test.ts (4 tests) 8ms
 ✓ src/checkout/payment.test.ts (3 tests) 31ms

 Test Files  3 passed (3)
      Tests  13 passed (13)`;

/** The session that most pictures show. */
const RETRIES: Step[][] = [
  [
    used(4_210, 380, 12_400),
    think("A charge that is sent twice takes the money twice. The gateway takes an idempotency key, so the same key has to go with every attempt."),
    say("I'll look at how a charge is made today, and what the gateway offers for repeating one safely."),
    read("src/checkout/payment.ts", PAYMENT),
    call("Grep", { pattern: "idempotencyKey", path: "src" }, "src/checkout/gateway.ts:6:  post(path: string, body: unknown, options: { timeoutMs: number; idempotencyKey?: string }): Promise<Answer>;"),
    say("The gateway already takes an `idempotencyKey`. With one key for all attempts a repeated charge is safe:\n\n- three attempts, with pauses of 200 and 400 ms\n- only for errors of the gateway, never for a refused card\n- the order's number is the key"),
    write("src/checkout/retry.ts", RETRY),
    edit("src/checkout/payment.ts", 'import { type Gateway, GatewayError } from "./gateway";', 'import { type Gateway, GatewayError } from "./gateway";\nimport { withRetry } from "./retry";'),
    edit("src/checkout/payment.ts", '  const answer = await gateway.post("/charges", { order, amount }, { timeoutMs: TIMEOUT_MS });\n  if (answer.status !== 201) {\n    throw new GatewayError(`charge of ${order} was answered with ${answer.status}`);\n  }\n  return { id: answer.body.id, amount };', '  return withRetry(async () => {\n    const answer = await gateway.post("/charges", { order, amount }, { timeoutMs: TIMEOUT_MS, idempotencyKey: order });\n    if (answer.status !== 201) {\n      throw new GatewayError(`charge of ${order} was answered with ${answer.status}`);\n    }\n    return { id: answer.body.id, amount };\n  });'),
    used(9_870, 1_240, 31_900),
    shell("npm test", TESTED),
    say("A charge is now tried up to three times. The order's number goes along as the idempotency key, so no customer pays twice. All 13 tests pass."),
  ],
  [
    used(3_120, 610, 44_300),
    say("You are right: a refund has to be repeatable too. I'll use the receipt's number as its key, and add the tests that were missing."),
    edit("src/checkout/payment.ts", '  const answer = await gateway.post(`/charges/${receipt.id}/refund`, {}, { timeoutMs: TIMEOUT_MS });\n  if (answer.status !== 200) {\n    throw new GatewayError(`refund of ${receipt.id} was answered with ${answer.status}`);\n  }', '  await withRetry(async () => {\n    const answer = await gateway.post(`/charges/${receipt.id}/refund`, {}, { timeoutMs: TIMEOUT_MS, idempotencyKey: receipt.id });\n    if (answer.status !== 200) {\n      throw new GatewayError(`refund of ${receipt.id} was answered with ${answer.status}`);\n    }\n  });'),
    edit("src/checkout/payment.test.ts", '  expect(receipt.id).toBe("ch_1");\n});\n', '  expect(receipt.id).toBe("ch_1");\n});\n\ntest("a charge is tried again with the same key", async () => {\n  const post = vi.fn().mockResolvedValueOnce({ status: 503, body: {} }).mockResolvedValue({ status: 201, body: { id: "ch_2" } });\n  await charge({ post }, "order-2", { cents: 500, currency: "EUR" });\n  const keys = post.mock.calls.map(([, , options]) => options.idempotencyKey);\n  expect(keys).toEqual(["order-2", "order-2"]);\n});\n'),
    shell("npm test", TESTED.replaceAll("13", "15")),
    say("Refunds are repeatable as well, and two tests say so."),
  ],
  [
    used(2_050, 190, 51_800),
    edit("src/checkout/retry.ts", "const ATTEMPTS = 3;", "/** More would keep the customer waiting for longer than they stay. */\nconst ATTEMPTS = 3;"),
    edit("README.md", "    npm run dev\n", "    npm run dev\n\nCharges and refunds are tried three times; see `src/checkout/retry.ts`.\n"),
    say("The reason for three attempts is now written next to the number, and the README says it too."),
  ],
];

type Made = { name: string; prompt: string; turns: Step[][]; /** What is said after the first turn. */ more?: string[]; words?: string[] };

/** Starts a session whose agent is still at work when the pictures are taken. */
function start(world: World, { turns: [steps = []], ...made }: Made): void {
  const sign = path.join(world.root, `${made.name}.sign`);
  make(world, { ...made, turns: [[...steps, { do: "touch_file", path: sign }, workOn]], words: ["--detach"] });
  // The next session's agent does something else.
  world.run("sh", ["-c", 'until test -e "$0"; do sleep 0.1; done', sign]);
}

function make(world: World, { name, prompt, turns, more = [], words = [] }: Made): void {
  world.setScenario(scenario(...turns));
  attempt(() => world.orchestra("session", "new", "--name", name, "--prompt", prompt, "--run", ...words));
  for (const text of more) attempt(() => world.orchestra("session", "iterate", name, text));
}

/** An agent or a script that does not come to a good end, as some do here, is an exit code too. */
function attempt(act: () => string): void {
  try {
    act();
  } catch (error) {
    if (![4, 5, 6, 7].includes((error as { status?: number }).status ?? 0)) throw error;
  }
}

/** Fills a world with a repository, sessions in every state, script runs, templates and tools. */
export function openShop(world: World): void {
  for (const [name, text] of Object.entries(FILES)) world.write(name, text);
  world.git("rm", "--quiet", "hello.txt");
  world.git("add", "--all");
  world.git("commit", "--quiet", "--message", "Begin the shop");
  configure(world);

  make(world, { name: "wishlist", prompt: "Let customers keep products for later in a wishlist", turns: [[used(5_300, 900, 18_000), write("src/cart/wishlist.ts", 'import type { Product } from "../catalog/product";\n\n/** Products for later. */\nexport class Wishlist {\n  readonly #products = new Map<string, Product>();\n\n  keep(product: Product): void {\n    this.#products.set(product.sku, product);\n  }\n}\n'), say("There is a wishlist now.")]] });
  world.orchestra("session", "run", "wishlist", "test");
  world.orchestra("session", "merge", "wishlist", "--override", "reviewed");
  make(world, { name: "old-banner", prompt: "Take the summer banner off the home page", turns: [[used(1_100, 90, 4_000), write("src/banner.ts", "export const banner = null;\n"), say("The banner is gone.")]] });
  world.orchestra("session", "cleanup", "old-banner", "--even-unlanded");

  make(world, { name: "postcodes", prompt: "Check postcodes of Austria and Belgium", turns: [[used(2_400, 310, 9_000), edit("src/checkout/address.ts", "  DE: /^\\d{5}$/,\n", "  AT: /^\\d{4}$/,\n  BE: /^\\d{4}$/,\n  DE: /^\\d{5}$/,\n"), edit("src/checkout/address.ts", "This is no postcode", "A postcode of this country looks different"), say("Austria and Belgium are checked too.")]] });
  make(world, { name: "retry-payments", prompt: "Try charges again when the payment gateway is briefly away. No customer may pay twice.", turns: RETRIES, more: ["Refunds need the same. Please add tests.", "Say in the code why there are three attempts"] });
  world.orchestra("session", "run", "retry-payments", "test");
  attempt(() => world.orchestra("session", "run", "retry-payments", "lint"));
  make(world, { name: "payment-timeouts", prompt: "Wait 20 seconds for slow banks", turns: [[used(1_900, 140, 7_500), edit("src/checkout/payment.ts", "const TIMEOUT_MS = 10_000;", "/** Some banks ask the customer for a second factor. */\nconst TIMEOUT_MS = 20_000;"), edit("src/checkout/payment.ts", '  const answer = await gateway.post("/charges", { order, amount }, { timeoutMs: TIMEOUT_MS });', '  const answer = await gateway.post("/charges", { order, amount }, { timeoutMs: 2 * TIMEOUT_MS });'), say("Slow banks get 20 seconds.")]] });
  make(world, { name: "form-labels", prompt: "Give every field of the checkout a label that screen readers find", turns: [[used(3_700, 820, 15_000), write("src/checkout/field.tsx", 'type Props = { label: string; name: string; error?: string };\n\nexport function Field({ label, name, error }: Props) {\n  return (\n    <label htmlFor={name}>\n      {label}\n      <input id={name} aria-invalid={error !== undefined} aria-describedby={`${name}-error`} />\n      <span id={`${name}-error`}>{error}</span>\n    </label>\n  );\n}\n'), say("Fields have labels now.")]] });
  appendFileSync(path.join(session(world, "form-labels").worktree_path, "README.md"), "\nEvery field has a label.\n");
  make(world, { name: "cart-rounding", prompt: "Totals are a cent off when prices have discounts. Find out why and fix it.", turns: [[used(6_400, 740, 22_100), think("multiply() rounds down with Math.floor."), read("src/cart/money.ts", FILES["src/cart/money.ts"] ?? ""), say("`multiply` always rounds down, so a discount of a third loses a cent per line."), ask("Shall I round half up, as the invoice does, or to even, as the bookkeeping does?")]] });
  make(world, { name: "vite-upgrade", prompt: "Upgrade Vite to the newest major version", turns: [[used(8_100, 450, 9_900), shell("npm install vite@latest", "npm error code ERESOLVE\nnpm error Could not resolve dependency: peer vite@\"^5.0.0\" from vitest@2.1.8"), { do: "error", text: "npm could not resolve the dependencies: vitest 2.1.8 wants Vite 5" }]] });
  make(world, { name: "lazy-pictures", prompt: "Load product pictures only when they come into view", turns: [[used(2_200, 300, 8_000), write("src/catalog/picture.tsx", 'export function Picture({ src, title }: { src: string; title: string }) {\n  return <img src={src} alt={title} loading="lazy" decoding="async" />;\n}\n'), { do: "die_by_signal", signal: 9 }]] });
  make(world, { name: "phone-numbers", prompt: "Ask for a phone number where the carrier needs one", turns: [[used(2_900, 260, 11_000), edit("src/checkout/address.ts", "  country: string;\n", "  country: string;\n  phone?: string;\n"), edit("src/checkout/address.ts", '    problems.postcode = "This is no postcode";', '    problems.postcode = `${address.country} has no such postcode`;'), say("The phone number is asked for.")]] });
  world.write("src/checkout/address.ts", ADDRESS.replace("This is no postcode", "Please check the postcode").replace('  if (address.name.trim() === "") problems.name = "Say who it is for";\n', '  if (address.name.trim() === "") problems.name = "Say who it is for";\n  if (address.street.trim() === "") problems.street = "Say where it goes";\n'));
  world.git("commit", "--quiet", "--all", "--message", "Ask for the street");
  attempt(() => world.orchestra("session", "rebase", "phone-numbers"));

  openStatusPage(world);
  world.orchestra("session", "new", "--name", "gift-cards", "--prompt", "Let customers pay with gift cards, also for a part of the total");
  start(world, { name: "typo-search", prompt: "Find products although a letter is wrong", turns: [[used(5_100, 700, 20_000), say("I'll measure how search does with a wrong letter before I change it."), read("src/catalog/search.ts", FILES["src/catalog/search.ts"] ?? ""), edit("src/catalog/search.ts", "/** The products whose title has every word. */", "/** The products whose title has every word, or one with a letter more, less or different. */"), say("Next: a distance of one edit that stops early, so that 20,000 products stay under 5 ms.")]] });
  start(world, { name: "order-emails", prompt: "Send the receipt in the customer's language", turns: [[used(1_300, 120, 6_000), say("Receipts are written in `src/orders/receipt.ts`; I'll start there.")]] });
}

/** A second, smaller repository. */
function openStatusPage(world: World): void {
  const root = path.join(path.dirname(world.repository), "status-page");
  mkdirSync(root, { recursive: true });
  world.run("git", ["init", "--quiet", root]);
  appendFileSync(path.join(root, "feed.go"), "package feed\n\n// Feed lists incidents, newest first.\ntype Feed struct{ Incidents []string }\n");
  world.run("git", ["-C", root, "add", "--all"]);
  world.run("git", ["-C", root, "commit", "--quiet", "--message", "Begin the status page"]);
  make(world, { name: "incident-feed", prompt: "Offer incidents as an Atom feed", words: ["--repo", root], turns: [[used(3_300, 560, 12_000), { do: "append", path: "feed.go", text: "\n// Atom writes the feed as Atom.\nfunc (f Feed) Atom() string { return \"<feed/>\" }\n" }, say("Incidents are offered as Atom.")]] });
}

function configure(world: World): void {
  const set = (key: string, value: string) => world.orchestra("config", "set", key, value);
  set("scripts.test", "sh bin/test");
  set("scripts.lint", "sh bin/lint");
  world.orchestra("template", "save", "fix-component", "--prompt", "Fix {{component}} in {{place}}, with a test", "--var", "place=src", "--description", "A small repair with a test");
  world.orchestra("template", "save", "upgrade", "--prompt", "Upgrade {{package}} to its newest version and repair what breaks", "--description", "One package at a time");
}

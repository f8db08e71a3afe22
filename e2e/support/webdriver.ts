/** The few commands of WebDriver that journeys need, over its own protocol. */
export class WebDriver {
  readonly #base: string;
  #session = "";

  constructor(port: number) {
    this.#base = `http://127.0.0.1:${String(port)}`;
  }

  /** Starts a program that shows pages. */
  async begin(binary: string, words: readonly string[]): Promise<void> {
    const capabilities = { alwaysMatch: { "webkitgtk:browserOptions": { binary, args: words } } };
    const { sessionId } = await this.#send<{ sessionId: string }>("POST", "/session", { capabilities });
    this.#session = sessionId;
  }

  /** Ends the program. */
  async end(): Promise<void> {
    if (this.#session === "") return;
    const session = this.#session;
    this.#session = "";
    await this.#send("DELETE", `/session/${session}`);
  }

  /** Runs a function in the page. */
  run<Answer>(body: string, ...words: unknown[]): Promise<Answer> {
    return this.#ask<Answer>("/execute/sync", { script: body, args: words });
  }

  async click(element: unknown): Promise<void> {
    await this.#ask(`/element/${idOf(element)}/click`, {});
  }

  /** Presses keys together, such as `Control+Enter`. */
  async press(keys: string): Promise<void> {
    const codes = keys.split("+").map((key) => KEYS[key] ?? key);
    const actions = [...codes.map((value) => ({ type: "keyDown", value })), ...codes.reverse().map((value) => ({ type: "keyUp", value }))];
    await this.#ask("/actions", { actions: [{ type: "key", id: "keyboard", actions }] });
  }

  /** A picture of the page, as PNG. */
  async picture(): Promise<Buffer> {
    return Buffer.from(await this.#send<string>("GET", `/session/${this.#session}/screenshot`), "base64");
  }

  async resize(width: number, height: number): Promise<void> {
    await this.#ask("/window/rect", { width, height });
  }

  #ask<Answer>(where: string, body: unknown): Promise<Answer> {
    return this.#send<Answer>("POST", `/session/${this.#session}${where}`, body);
  }

  async #send<Answer>(method: string, where: string, body?: unknown): Promise<Answer> {
    const answer = await fetch(this.#base + where, body === undefined ? { method } : { method, body: JSON.stringify(body) });
    const { value } = (await answer.json()) as { value: Answer & { error?: string; message?: string } };
    if (!answer.ok) throw new Error(`${where}: ${value.error ?? ""} ${value.message ?? ""}`);
    return value;
  }
}

const KEYS: Record<string, string> = { Control: "\uE009", Enter: "\uE007", Escape: "\uE00C", Tab: "\uE004", ArrowDown: "\uE015" };
const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";

function idOf(element: unknown): string {
  return (element as Record<string, string>)[ELEMENT] ?? "";
}

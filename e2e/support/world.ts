/** A world of its own for one journey: home, data folder, repository, scripted agent, server on a free port. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";

import type { Page } from "@playwright/test";

export const BINARIES = path.resolve(process.env["ORCHESTRA_BIN"] ?? path.join(import.meta.dirname, "../../target/debug"));

export const ORCHESTRA = path.join(BINARIES, "orchestra");

const LARGEST_OUTPUT = 64 * 1024 * 1024;

const GIT_CONFIG = `[user]
	name = Test
	email = test@example.com
[init]
	defaultBranch = main
[gc]
	auto = 0
[maintenance]
	auto = false
`;

/** What the scripted agent does; see the scenarios of the testkit. */
export type Wishes = {
  /** A scenario in TOML. */
  scenario?: string;
  /** The pause between its steps. */
  paceMs?: number;
  /** The name of the repository's folder. */
  repository?: string;
};

export class World {
  readonly root = mkdtempSync(path.join(tmpdir(), "orchestra-journey-"));
  readonly repository: string;
  readonly #wishes: Wishes;
  #server: ChildProcess | null = null;
  #address = "";
  #port = 0;

  constructor(wishes: Wishes = {}) {
    this.#wishes = wishes;
    this.repository = path.join(this.root, "repositories", wishes.repository ?? "sample");
    for (const name of ["home", "data", "tmp", "run"]) mkdirSync(path.join(this.root, name));
    mkdirSync(this.repository, { recursive: true });
    chmodSync(path.join(this.root, "data"), 0o700);
    writeFileSync(path.join(this.root, "home/.gitconfig"), GIT_CONFIG);
    if (wishes.scenario !== undefined) this.setScenario(wishes.scenario);
    this.git("init", "--quiet");
    this.write("README.md", "# Sample\n");
    this.write("hello.txt", "hello world\n");
    this.git("add", "--all");
    this.git("commit", "--quiet", "--message", "Begin");
  }

  /** What the agent does from its next turn on. */
  setScenario(text: string): void {
    writeFileSync(path.join(this.root, "scenario.toml"), text);
  }

  /** Writes a file of the repository. */
  write(name: string, text: string): void {
    const file = path.join(this.repository, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  git(...words: string[]): string {
    return this.run("git", words);
  }

  /** The command line, in the repository. */
  orchestra(...words: string[]): string {
    return this.run(ORCHESTRA, words);
  }

  run(program: string, words: string[], env = this.env()): string {
    return execFileSync(program, words, { cwd: this.repository, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], maxBuffer: LARGEST_OUTPUT });
  }

  /** Starts the server; at its old port if there was one. */
  async serve(env = this.env()): Promise<void> {
    const words = ["serve", "--port", String(this.#port)];
    const server = spawn(ORCHESTRA, words, { cwd: this.repository, env, stdio: ["ignore", "pipe", "inherit"] });
    this.#server = server;
    const [line] = (await Promise.race([
      once(createInterface({ input: server.stdout }), "line"),
      once(server, "exit").then(() => Promise.reject(new Error("the server ended"))),
    ])) as [string];
    this.#address = line.trim();
    this.#port = Number(new URL(this.#address).port);
  }

  /** Ends the server, as a crash would with `SIGKILL`. */
  async stop(signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (!server || server.exitCode !== null) return;
    const ended = once(server, "exit");
    server.kill(signal);
    await ended;
  }

  /** The origin that the page has. */
  get origin(): string {
    return new URL(this.#address).origin;
  }

  /** Opens a page of the UI as the printed address does: with the token behind the `#`. */
  async open(page: Page, where = "/"): Promise<void> {
    await page.goto(this.origin + where + new URL(this.#address).hash);
  }

  /** What the API answers to a question. */
  async ask<Answer>(where: string): Promise<Answer> {
    const token = new URLSearchParams(new URL(this.#address).hash.slice(1)).get("token") ?? "";
    const answer = await fetch(this.origin + where, { headers: { authorization: `Bearer ${token}` } });
    if (!answer.ok) throw new Error(`${where} was answered with ${String(answer.status)}`);
    return (await answer.json()) as Answer;
  }

  async end(): Promise<void> {
    await this.stop();
    this.stopAgents();
    rmSync(this.root, { recursive: true, force: true, maxRetries: 30, retryDelay: 200 });
  }

  /** Agents outlive what started them, but not the journey. */
  stopAgents(): void {
    for (const id of this.#working()) this.#stop(id);
  }

  #stop(id: string): void {
    try {
      this.orchestra("session", "stop", id, "--now");
    } catch (error) {
      // It may have ended by itself meanwhile.
      if (this.#working().includes(id)) throw error;
    }
  }

  #working(): string[] {
    const list = JSON.parse(this.orchestra("session", "list", "--json")) as { sessions: { id: string; status: string }[] };
    const working = new Set(["queued", "running", "evaluating", "blocked"]);
    return list.sessions.filter((session) => working.has(session.status)).map((session) => session.id);
  }

  /** Nothing of the caller's but what programs need to be found. */
  env(): NodeJS.ProcessEnv {
    const home = path.join(this.root, "home");
    const agent = [path.join(BINARIES, "fake-amp"), "--fake-home", path.join(this.root, "fake-amp"), "--fake-pace-ms", String(this.#wishes.paceMs ?? 0)];
    if (this.#wishes.scenario !== undefined) agent.push("--fake-scenario", path.join(this.root, "scenario.toml"));
    return {
      PATH: process.env["PATH"],
      HOME: home,
      XDG_CONFIG_HOME: path.join(home, ".config"),
      XDG_DATA_HOME: path.join(home, ".local/share"),
      XDG_STATE_HOME: path.join(home, ".local/state"),
      XDG_CACHE_HOME: path.join(home, ".cache"),
      XDG_RUNTIME_DIR: path.join(this.root, "run"),
      TMPDIR: path.join(this.root, "tmp"),
      LANG: "C.UTF-8",
      TZ: "UTC",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_TERMINAL_PROMPT: "0",
      ORCHESTRA_HOME: path.join(this.root, "data"),
      AMP_API_KEY: "placeholder-key-for-tests",
      ORCHESTRA_AGENTS_AMP_COMMAND: agent.join(" "),
    };
  }
}

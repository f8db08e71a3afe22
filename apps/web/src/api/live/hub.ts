import { platform } from "@/platform/current";
import type { Channel } from "@/platform/platform";

import { answered, api } from "../client";
import { type LiveMessage, type LivePhase, type Place, readMessage } from "./message";

const NAME = "orchestra.events";
/** Messages that come close together are told together. */
const GATHER_MS = 60;
/** Pauses before coming back. */
const PAUSES_MS = [250, 500, 1_000, 2_000, 4_000];
/** After so many failures in a row nobody believes that it is a moment. */
const OFFLINE_AFTER = 3;
/** The largest part of the log that is read to fill a gap; beyond that, everything is read again. */
const PAGE = 500;

type PeerMessage =
  | { kind: "hello" }
  | { kind: "state"; phase: LivePhase; place: Place | null }
  | { kind: "told"; messages: LiveMessage[]; epoch: string | null };

/**
 * The one stream of events that all tabs share. One tab leads: it holds the connection and tells the others. Whoever leads
 * next goes on from the last event it has seen, so nothing is missed.
 */
export class LiveHub {
  #phase: LivePhase = "connecting";
  #place: Place | null = null;
  #isLeader = false;
  #gathered: LiveMessage[] = [];
  #isGathering = false;
  #wake: (() => void) | null = null;
  readonly #listeners = new Set<(messages: LiveMessage[]) => void>();
  readonly #phaseListeners = new Set<() => void>();
  #channel: Channel | null = null;

  get phase(): LivePhase {
    return this.#phase;
  }

  /** Whether this tab holds the connection: it does what must happen once per browser. */
  get isLeader(): boolean {
    return this.#isLeader;
  }

  /** Hears every message, in order. */
  listen(listener: (messages: LiveMessage[]) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  subscribePhase = (listener: () => void): (() => void) => {
    this.#phaseListeners.add(listener);
    return () => void this.#phaseListeners.delete(listener);
  };

  /** Begins to follow; ends, and forgets where it was, when the returned function is called. */
  start(): () => void {
    const ending = new AbortController();
    this.#channel = platform().peers.channel(NAME);
    const unsubscribe = this.#channel.subscribe((message) => this.#hear(message as PeerMessage));
    this.#channel.post({ kind: "hello" } satisfies PeerMessage);
    void platform().peers.elect(NAME, ending.signal, () => this.#lead(ending.signal));
    const wake = () => this.#wake?.();
    window.addEventListener("online", wake);
    document.addEventListener("visibilitychange", wake);
    return () => {
      ending.abort();
      unsubscribe();
      window.removeEventListener("online", wake);
      document.removeEventListener("visibilitychange", wake);
      this.#place = null;
    };
  }

  async #lead(signal: AbortSignal): Promise<void> {
    this.#isLeader = true;
    let failures = 0;
    while (!signal.aborted && platform().access.isGranted()) {
      try {
        await platform().followEvents({
          lastEventId: this.#place ? `${this.#place.epoch}-${this.#place.seq}` : null,
          signal,
          onOpen: () => {
            failures = 0;
            this.#setPhase("live");
          },
          onMessage: ({ event, data }) => this.#take(event, data),
        });
      } catch {
        failures += 1;
      }
      if (isOver(signal)) break;
      this.#setPhase(failures >= OFFLINE_AFTER ? "offline" : "reconnecting");
      await this.#pause(PAUSES_MS[Math.min(failures, PAUSES_MS.length - 1)] ?? 0);
    }
    this.#isLeader = false;
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** A message of the connection. */
  #take(event: string, data: string): void {
    const message = readMessage(event, data);
    if (message === null) return;
    if (message.kind !== "stream_begin") {
      this.#gather(message);
      return;
    }
    const { epoch, seq, is_reset } = message.begin;
    const wasKnown = this.#place !== null;
    this.#place = { epoch, seq };
    this.#gather(is_reset ? { kind: "reset" } : { kind: "begin", seq, wasLost: wasKnown });
    this.#post({ kind: "state", phase: this.#phase, place: this.#place });
  }

  #gather(message: LiveMessage): void {
    this.#gathered.push(message);
    if (this.#isGathering) return;
    this.#isGathering = true;
    setTimeout(() => {
      this.#isGathering = false;
      const messages = this.#gathered;
      this.#gathered = [];
      this.#tell(messages);
      this.#post({ kind: "told", messages, epoch: this.#place?.epoch ?? null });
    }, GATHER_MS);
  }

  /** A message of another tab. */
  #hear(message: PeerMessage): void {
    switch (message.kind) {
      case "hello":
        if (this.#isLeader) this.#post({ kind: "state", phase: this.#phase, place: this.#place });
        return;
      case "state":
        this.#setPhase(message.phase);
        if (message.place) this.#goTo(message.place);
        return;
      case "told":
        void this.#follow(message.messages, message.epoch);
    }
  }

  /** Where the leader is. Numbers of one log say nothing about another, so in another one everything is read again. */
  #goTo(place: Place): void {
    // Without locks every tab leads itself, and knows better.
    if (this.#isLeader || this.#place?.epoch === place.epoch) return;
    const isFirst = this.#place === null;
    this.#place = place;
    this.#tell([isFirst ? { kind: "begin", seq: place.seq, wasLost: false } : { kind: "reset" }]);
  }

  /** What the leader told. A tab that slept may have missed some; the log has it. */
  async #follow(messages: LiveMessage[], epoch: string | null): Promise<void> {
    const first = messages.find((message) => message.kind === "event");
    if (epoch !== null && this.#place !== null) this.#goTo({ epoch, seq: (first?.event.seq ?? 1) - 1 });
    const last = this.#place?.seq;
    if (first && last !== undefined && first.event.seq > last + 1) {
      const missed = await answered(api.GET("/api/v1/log", { params: { query: { after: last, limit: PAGE } } })).catch(() => null);
      const isWhole = missed !== null && missed.events.length < PAGE;
      this.#tell(isWhole ? missed.events.map((event) => ({ kind: "event", event })) : [{ kind: "reset" }]);
    }
    this.#tell(messages);
  }

  #tell(messages: LiveMessage[]): void {
    const news = messages.filter((message) => this.#isNews(message));
    if (news.length === 0) return;
    for (const listener of this.#listeners) listener(news);
  }

  #isNews(message: LiveMessage): boolean {
    if (message.kind !== "event" || this.#place === null) return true;
    if (message.event.seq <= this.#place.seq) return false;
    this.#place = { ...this.#place, seq: message.event.seq };
    return true;
  }

  #post(message: PeerMessage): void {
    this.#channel?.post(message);
  }

  #setPhase(phase: LivePhase): void {
    if (this.#phase === phase) return;
    this.#phase = phase;
    for (const listener of this.#phaseListeners) listener();
    if (this.#isLeader) this.#post({ kind: "state", phase, place: this.#place });
  }
}

/** It may have been aborted while something was waited for. */
function isOver(signal: AbortSignal): boolean {
  return signal.aborted;
}

/** The stream of this page. */
export const live = new LiveHub();

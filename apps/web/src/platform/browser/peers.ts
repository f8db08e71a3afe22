import type { Channel, Peers } from "../platform";

/** Tabs of one browser: a lock decides who leads, a channel tells the others. */
export function browserPeers(): Peers {
  return {
    async elect(name, signal, lead) {
      // Locks exist only on this machine or over TLS; elsewhere every tab leads itself.
      if (!("locks" in navigator)) return lead();
      try {
        await navigator.locks.request(name, { signal }, lead);
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    },
    channel: openChannel,
  };
}

function openChannel(name: string): Channel {
  if (!("BroadcastChannel" in window)) return { post: () => undefined, subscribe: () => () => undefined };
  const channel = new BroadcastChannel(name);
  return {
    post: (message) => channel.postMessage(message),
    subscribe(listener) {
      const hear = (event: MessageEvent<unknown>) => listener(event.data);
      channel.addEventListener("message", hear);
      return () => channel.removeEventListener("message", hear);
    },
  };
}

import type { LiveSource, LiveTopic } from '#client/lib/live.ts';

const TOPICS: readonly LiveTopic[] = ['balance', 'servers', 'notifications', 'session'];

/** One event stream for the page, open while somebody listens and a session exists. The browser itself reconnects. */
export function createLiveSource(signedIn: () => boolean): LiveSource {
  const listeners = new Set<(topic: LiveTopic) => void>();
  let source: EventSource | null = null;
  const open = () => {
    if (source || !signedIn()) return;
    source = new EventSource('/api/events');
    for (const topic of TOPICS) source.addEventListener(topic, () => listeners.forEach((listener) => listener(topic)));
    source.addEventListener('error', () => {
      // CLOSED means that the server refused (session ended): a new listener tries again.
      if (source?.readyState === EventSource.CLOSED) source = null;
    });
  };
  return {
    subscribe: (listener) => {
      listeners.add(listener);
      open();
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        source?.close();
        source = null;
      };
    },
  };
}

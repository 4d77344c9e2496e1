import type { LiveSource, LiveTopic } from '#client/lib/live.ts';

const TOPICS: readonly LiveTopic[] = [
  'balance',
  'servers',
  'notifications',
  'session',
  'attention',
  'tickets',
  'images',
  'typing',
  'webhooks',
  'plugins',
];

/**
 * One event stream for the page, open while it has listeners and a session exists. The browser itself reconnects;
 * `onBroken` is called each time it has to, and afterwards every topic counts as changed, because events may have been
 * missed.
 */
export function createLiveSource(signedIn: () => boolean, onBroken: () => void = () => undefined): LiveSource {
  const listeners = new Set<(topic: LiveTopic) => void>();
  let source: EventSource | null = null;
  let missed = false;
  const open = () => {
    if (source || !signedIn()) return;
    // How long ago the document was requested: it does not show later changes.
    source = new EventSource(`/api/events?within=${Math.ceil(performance.now())}`);
    const notify = (topic: LiveTopic) => listeners.forEach((listener) => listener(topic));
    for (const topic of TOPICS) source.addEventListener(topic, () => notify(topic));
    source.addEventListener('open', () => {
      if (missed) TOPICS.forEach(notify);
      missed = false;
    });
    source.addEventListener('error', () => {
      missed = true;
      // CLOSED: the server refused (the session ended); a new listener tries again.
      if (source?.readyState === EventSource.CLOSED) source = null;
      else onBroken();
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

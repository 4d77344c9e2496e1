import type { Bus, Log, Topic } from '#server/modules/kernel.ts';

/** How long, in ms, the bus remembers that a topic was published, and for how many topics. */
const MEMORY_MS = 60_000;
const MEMORY_TOPICS = 100_000;

/**
 * The bus of one process. Listeners are called at once and in order of subscription; a listener that throws is logged
 * and does not keep the others from hearing. In: the log, and a clock in ms that only goes forward.
 */
export function createBus(log: Log, nowMs: () => number = () => performance.now()): Bus {
  const listeners = new Map<Topic, Set<(topic: Topic) => void>>();
  /** Topic → when it was published last; the oldest come first. */
  const recent = new Map<Topic, number>();
  /** From here on nothing that was published is forgotten. */
  let completeSince = nowMs();

  function remember(topic: Topic, at: number): void {
    recent.delete(topic);
    recent.set(topic, at);
    for (const [oldest, published] of recent) {
      if (at - published < MEMORY_MS && recent.size <= MEMORY_TOPICS) break;
      recent.delete(oldest);
      completeSince = published;
    }
  }

  return {
    publish(topics) {
      for (const topic of topics) {
        remember(topic, nowMs());
        // A copy: who subscribes while being called hears the next time.
        for (const listener of Array.from(listeners.get(topic) ?? [])) {
          try {
            listener(topic);
          } catch (error) {
            log.error('bus.listener_failed', { topic, error: String(error) });
          }
        }
      }
    },
    publishedWithin(topic, ms) {
      const since = nowMs() - ms;
      const at = recent.get(topic);
      return since <= completeSince || (at !== undefined && at >= since);
    },
    subscribe(topic, listener) {
      const own = (heard: Topic) => listener(heard);
      const set = listeners.get(topic) ?? new Set();
      listeners.set(topic, set.add(own));
      return () => {
        set.delete(own);
        if (set.size === 0 && listeners.get(topic) === set) listeners.delete(topic);
      };
    },
  };
}

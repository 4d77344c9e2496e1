import { MISSED_TOPIC, type Bus, type Log, type Topic } from '#server/modules/kernel.ts';

/** How long, in ms, the bus remembers that a topic was published, and for how many topics. */
const MEMORY_MS = 60_000;
const MEMORY_TOPICS = 100_000;

/** Listeners that are called in one go where all of them are. */
const SLICE = 500;

/** The bus of one process of several. */
export interface ProcessBus extends Bus {
  /** As `publish`, of what another process published: it goes no further. */
  deliver(topics: Iterable<Topic>): void;
  /**
   * Calls every listener, each with its own topic: anything may have changed unheard. Caches hear at once
   * (`MISSED_TOPIC`), the others in slices, so that nobody waits for all of them.
   */
  deliverAll(): void;
  /** Has what is published here passed on. Out: ends that. */
  forwardTo(forward: (topics: readonly Topic[]) => void): () => void;
}

/**
 * The bus of one process. Listeners are called at once and in order of subscription; a listener that throws is logged
 * and does not keep the others from hearing. In: the log, and a clock in ms that only goes forward.
 */
export function createBus(log: Log, nowMs: () => number = () => performance.now()): ProcessBus {
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

  function call(topic: Topic): number {
    // A copy: who subscribes while being called hears the next time.
    const called = Array.from(listeners.get(topic) ?? []);
    for (const listener of called) {
      try {
        listener(topic);
      } catch (error) {
        log.error('bus.listener_failed', { topic, error: String(error) });
      }
    }
    return called.length;
  }
  function deliver(topics: Iterable<Topic>): void {
    for (const topic of topics) {
      remember(topic, nowMs());
      call(topic);
    }
  }
  async function callSlices(topics: readonly Topic[]): Promise<void> {
    let called = 0;
    for (const topic of topics) {
      called += call(topic);
      if (called < SLICE) continue;
      called = 0;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  const forwards = new Set<(topics: readonly Topic[]) => void>();

  return {
    publish(topics) {
      const published = [...topics];
      deliver(published);
      for (const forward of forwards) forward(published);
    },
    deliver,
    deliverAll() {
      completeSince = nowMs();
      call(MISSED_TOPIC);
      void callSlices([...listeners.keys()].filter((topic) => topic !== MISSED_TOPIC));
    },
    forwardTo(forward) {
      forwards.add(forward);
      return () => void forwards.delete(forward);
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

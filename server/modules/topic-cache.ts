import { MISSED_TOPIC, type Bus, type Topic } from './kernel.ts';

interface Entry<V> {
  readonly value: V;
  readonly atMs: number;
  readonly stop: () => void;
}
interface Options {
  readonly bus: Bus;
  readonly now: () => number;
  /** Entries kept; the least recently used go first. */
  readonly max: number;
  /** Age in ms at which an entry is read again even without a topic: a safety net. */
  readonly maxAgeMs: number;
  /** Topics that empty the whole cache. */
  readonly clearOn: readonly Topic[];
}
interface TopicCache<V> {
  /**
   * The value of a key. On a miss `topicsOf` gives the topics that make it stale (null: there is no such value, and
   * null is returned), then `load` reads it. A value is not stored when one of its topics is published during the
   * read.
   */
  get(key: string, topicsOf: TopicsOf, load: () => Promise<V | null>): Promise<V | null>;
  /** Entries in the cache now. */
  size(): number;
}

type TopicsOf = () => Promise<readonly Topic[] | null> | readonly Topic[];

/** A cache whose values are dropped when one of their topics is published, or may have been. */
export function createTopicCache<V>({ bus, now, max, maxAgeMs, clearOn }: Options): TopicCache<V> {
  const entries = new Map<string, Entry<V>>();
  let generation = 0;

  function drop(key: string, entry: Entry<V>): void {
    if (entries.get(key) === entry) entries.delete(key);
    entry.stop();
  }
  for (const topic of [MISSED_TOPIC, ...clearOn]) {
    bus.subscribe(topic, () => {
      generation += 1;
      for (const [key, entry] of entries) drop(key, entry);
    });
  }

  /** Subscribes before the value is read, so that no change is missed in between. */
  function watch(key: string, topics: readonly Topic[]) {
    const state: { stale: boolean; entry: Entry<V> | null } = { stale: false, entry: null };
    const stops = topics.map((topic) =>
      bus.subscribe(topic, () => {
        state.stale = true;
        if (state.entry) drop(key, state.entry);
      }),
    );
    return { state, stop: () => stops.forEach((stop) => stop()) };
  }

  function store(key: string, entry: Entry<V>): void {
    const old = entries.get(key);
    if (old) drop(key, old);
    entries.set(key, entry);
    if (entries.size <= max) return;
    const oldest = entries.entries().next().value;
    if (oldest) drop(oldest[0], oldest[1]);
  }

  async function read(key: string, topicsOf: TopicsOf, load: () => Promise<V | null>): Promise<V | null> {
    const topics = await topicsOf();
    if (!topics) return null;
    const generationBefore = generation;
    const { state, stop } = watch(key, topics);
    try {
      const value = await load();
      if (value === null || state.stale || generation !== generationBefore) {
        stop();
        return value;
      }
      state.entry = { value, atMs: now(), stop };
      store(key, state.entry);
      return value;
    } catch (error) {
      stop();
      throw error;
    }
  }

  return {
    size: () => entries.size,
    async get(key, topicsOf, load) {
      const hit = entries.get(key);
      if (hit) {
        if (now() - hit.atMs < maxAgeMs) {
          // The order counts only where entries have to go.
          if (entries.size * 2 > max) {
            entries.delete(key);
            entries.set(key, hit);
          }
          return hit.value;
        }
        drop(key, hit);
      }
      return read(key, topicsOf, load);
    },
  };
}

import type { Bus, Log, Topic } from '#server/modules/kernel.ts';

/**
 * The bus of one process. Listeners are called at once and in order of subscription; a listener that throws is logged and
 * does not keep the others from hearing.
 */
export function createBus(log: Log): Bus {
  const listeners = new Map<Topic, Set<(topic: Topic) => void>>();
  return {
    publish(topics) {
      for (const topic of topics) {
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

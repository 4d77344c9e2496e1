import type { Clock } from '#server/modules/kernel.ts';
import type { Timer } from '#server/modules/rewards/afk/index.ts';

/** A timer that waits by a clock the test moves; `run` calls what is due. */
export function fakeTimer(clock: Clock): Timer & { run(): void; readonly waiting: number } {
  const waiting = new Set<{ dueMs: number; run: () => void }>();
  return {
    after(ms, run) {
      const entry = { dueMs: clock.now() + ms, run };
      waiting.add(entry);
      return () => void waiting.delete(entry);
    },
    run() {
      for (const entry of waiting) {
        if (entry.dueMs > clock.now()) continue;
        waiting.delete(entry);
        entry.run();
      }
    },
    get waiting() {
      return waiting.size;
    },
  };
}

import { MINUTE } from '#shared/time.ts';
import type { Clock, Log, SignedIn } from '../kernel.ts';
import { permitted } from '../permit.ts';
import type { BackupWorker, InstallationFigures, StoredBackup } from './ports.ts';

/** How long what was counted is shown: the page that shows it asks again and again. */
const FRESH_MS = MINUTE;

interface Deps {
  readonly clock: Clock;
  readonly log: Log;
  readonly worker: BackupWorker;
  /** What is known of a backup that lies here; null where it lies elsewhere. Throws NOT_FOUND. */
  readonly factsOf: (id: string) => StoredBackup['facts'];
}

/** What a restore would replace, and by what. */
export function createComparison({ clock, log, worker, factsOf }: Deps) {
  let counted: { atMs: number; figures: Promise<InstallationFigures | null> } | null = null;
  async function count(): Promise<InstallationFigures | null> {
    const outcome = await worker.count();
    if ('done' in outcome) return outcome.done;
    log.warn('backup.count.failed', { fault: outcome.fault, error: outcome.message });
    return null;
  }
  return {
    /**
     * What a backup holds (null: nobody has looked into it yet) beside what this installation holds, as it was counted
     * within the last minute (null: it could not be). Throws NOT_FOUND.
     */
    compare: permitted('admin.root', async (_ctx: SignedIn, id: string) => {
      const backup = factsOf(id)?.figures ?? null;
      const now = clock.now();
      if (!counted || now - counted.atMs > FRESH_MS) counted = { atMs: now, figures: count() };
      return { backup, now: await counted.figures };
    }),
  };
}

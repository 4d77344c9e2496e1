import { DomainError } from '#shared/errors.ts';
import type { Log } from './kernel.ts';

/**
 * Runs what goes with a ban that is committed: where it breaks off, the answer must not say that nothing was done. A
 * fault is logged. Throws BAN_INCOMPLETE, also for a refusal.
 */
export async function afterBan(log: Pick<Log, 'error'>, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof DomainError))
      log.error('ban.broke_off', { error: error instanceof Error ? error.stack : String(error) });
    throw new DomainError('BAN_INCOMPLETE');
  }
}

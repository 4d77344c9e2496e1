import { DomainError, type ErrorCode } from '#shared/errors.ts';
import type { Log } from './kernel.ts';

/** What a command on several came to: how many it was done for, and those it was not done for, with the code. */
export interface EachOutcome {
  readonly done: number;
  readonly refused: { id: string; code: ErrorCode }[];
}

/**
 * Runs a command for each of several, one after the other, each in a transaction of its own: a refusal stops nobody
 * else. With a fault of the server nothing more is tried; it is logged, and those that were not done are refused as
 * SERVER_ERROR, so that the answer says what was done before. In: ids, each counted once; `concernsAll`: which refusals
 * are of the command itself. Throws a fault, or such a refusal, where nothing was done yet.
 */
export async function runEach(
  log: Pick<Log, 'error'>,
  ids: Iterable<string>,
  run: (id: string) => Promise<void>,
  concernsAll: (error: DomainError) => boolean = () => false,
): Promise<EachOutcome> {
  const waiting = [...new Set(ids)];
  const refused: EachOutcome['refused'] = [];
  for (const [done, id] of waiting.entries())
    try {
      await run(id);
    } catch (error) {
      const hasDone = done > refused.length;
      if (error instanceof DomainError) {
        if (concernsAll(error) && !hasDone) throw error;
        refused.push({ id, code: error.code });
        continue;
      }
      if (!hasDone) throw error;
      log.error('bulk.broke_off', { id, error: error instanceof Error ? error.stack : String(error) });
      refused.push(...waiting.slice(done).map((left) => ({ id: left, code: 'SERVER_ERROR' as const })));
      break;
    }
  return { done: waiting.length - refused.length, refused };
}

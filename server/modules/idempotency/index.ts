import { DomainError } from '#shared/errors.ts';
import type { Ctx } from '../kernel.ts';
import type { Tx, UnitOfWork } from '../tx.ts';

/** `runOnce` inside a transaction that is running: the answer is stored with everything else it writes. */
export function runOnceIn<T>(tx: Tx, now: number, ctx: Ctx, work: (tx: Tx) => Promise<T>): Promise<T> {
  return runOnce({ uow: { run: (run) => run(tx), read: (run) => run(tx) }, now }, ctx, work);
}

interface Deps {
  readonly uow: UnitOfWork;
  readonly now: number;
}

/**
 * Runs a command once per Idempotency-Key (behaviour 1). The key, the effect and the answer are one transaction: same
 * key and input gives the stored answer, another input 409 IDEMPOTENCY_MISMATCH. Without a key or an actor it simply
 * runs. The answer must be plain JSON. Throws VIEWING_READ_ONLY where staff view as the actor.
 */
export function runOnce<T>(deps: Deps, ctx: Ctx, work: (tx: Tx) => Promise<T>): Promise<T> {
  const { idempotency, actor } = ctx;
  if (actor?.viewer) return Promise.reject(new DomainError('VIEWING_READ_ONLY'));
  if (!idempotency || !actor) return deps.uow.run(work);
  const { key, hash } = idempotency;
  return deps.uow.run(async (tx) => {
    if (!(await tx.idempotency.claim(actor.userId, key, hash, deps.now))) {
      const found = await tx.idempotency.find(actor.userId, key);
      if (!found || found.hash !== hash || found.answer === null) throw new DomainError('IDEMPOTENCY_MISMATCH');
      // It may be of an earlier version, whose answer had other fields.
      idempotency.replayed = true;
      return JSON.parse(found.answer) as T;
    }
    const answer = await work(tx);
    await tx.idempotency.store(actor.userId, key, JSON.stringify(answer ?? null));
    return answer;
  });
}

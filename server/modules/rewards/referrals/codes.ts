import { DomainError } from '#shared/errors.ts';
import type { SettingValues } from '#shared/settings.ts';
import { runOnce } from '../../idempotency/index.ts';
import type { Clock, Ids, SignedIn } from '../../kernel.ts';
import type { Tx, UnitOfWork } from '../../tx.ts';
import { codeFrom, normaliseReferral } from './policy.ts';

/** Tries to find a code that is free; two of them alike are already a miracle. */
const CODE_TRIES = 5;

interface Deps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly settings: { current(): SettingValues };
}

/** The codes that users bring others with: one each, for good. */
export function createReferralCodes({ uow, clock, ids, settings }: Deps) {
  const enabled = () => settings.current().referrals_enabled;

  /** The user's code; made where there is none. */
  async function codeFor(tx: Tx, userId: string): Promise<string> {
    for (let attempt = 0; attempt < CODE_TRIES; attempt++) {
      await tx.referrals.addCode(userId, codeFrom(ids.hash(ids.token())), clock.now());
      const code = await tx.referrals.codeOf(userId);
      if (code !== null) return code;
    }
    throw new DomainError('CONFLICT');
  }

  /** Gives the caller a code where they have none; the same one ever after. */
  function makeCode(ctx: SignedIn): Promise<{ code: string }> {
    return runOnce({ uow, now: clock.now() }, ctx, async (tx) => ({ code: await codeFor(tx, ctx.actor.userId) }));
  }

  /** What a typed code is: nothing, one that counts, or none that is known (of deleted and banned users neither). */
  async function findOwner(
    tx: Tx,
    typed: string,
  ): Promise<{ state: 'none' | 'known' | 'unknown'; ownerId: string | null; code: string }> {
    const code = normaliseReferral(typed);
    if (code === '' || !enabled()) return { state: 'none', ownerId: null, code };
    const owner = code.length <= 64 ? await tx.referrals.ownerOf(code) : null;
    return owner?.status === 'active'
      ? { state: 'known', ownerId: owner.userId, code }
      : { state: 'unknown', ownerId: null, code };
  }

  /** For the registration form: whether a code counts. */
  const knows = (typed: string) => uow.read(async (tx) => (await findOwner(tx, typed)).state);

  return { codeFor, makeCode, findOwner, knows };
}

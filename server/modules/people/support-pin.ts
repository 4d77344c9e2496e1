import { DomainError } from '#shared/errors.ts';
import { DAY } from '#shared/time.ts';
import { writeAudit } from '../audit/index.ts';
import type { Clock, Ids, SignedIn } from '../kernel.ts';
import type { UnitOfWork } from '../tx.ts';
import type { SupportPin } from './ports.ts';

/** How long a PIN is good, in ms (behaviour 8.3). */
const PIN_LIFE = DAY;
/** Tries to find a number that nobody has; with 1,000,000 of them the first nearly always will. */
const TRIES = 20;

/**
 * The support PIN (behaviour 8.3): six digits that a user reads to support, who finds the account by them. It opens
 * nothing.
 */
export function createSupportPin(deps: { readonly uow: UnitOfWork; readonly clock: Clock; readonly ids: Ids }) {
  const { uow, clock, ids } = deps;

  /** The caller's PIN; null where they have none that is still good. */
  function getOwn({ actor }: SignedIn): Promise<SupportPin | null> {
    return uow.read((tx) => tx.people.findPin(actor.userId, clock.now()));
  }

  /** Gives the caller a new PIN; the one before is void. Throws SERVER_UNAVAILABLE where no number is free. */
  function renew(ctx: SignedIn): Promise<SupportPin> {
    return uow.run(async (tx) => {
      const now = clock.now();
      const { userId } = ctx.actor;
      for (let attempt = 0; attempt < TRIES; attempt += 1) {
        const pin = toPin(ids.hash(ids.token()));
        const expiresMs = now + PIN_LIFE;
        if (!(await tx.people.setPin({ userId, pin, createdMs: now, expiresMs }))) continue;
        await writeAudit(tx, deps, ctx, { action: 'account.support_pin', target: userId });
        return { pin, expiresMs };
      }
      throw new DomainError('SERVER_UNAVAILABLE');
    });
  }

  return { getOwn, renew };
}
export type SupportPins = ReturnType<typeof createSupportPin>;

/** Six digits from a hash in hex: of 52 of its bits, so that no digit is noticeably more likely. */
function toPin(hash: string): string {
  return String(Number.parseInt(hash.slice(0, 13), 16) % 1_000_000).padStart(6, '0');
}

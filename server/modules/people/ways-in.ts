import { DomainError } from '#shared/errors.ts';
import type { SignedIn } from '../kernel.ts';
import { assertMay } from '../permit.ts';
import type { Tx, UnitOfWork } from '../tx.ts';

/** What opens an account beside a session; no secrets, no hashes. */
interface WaysIn {
  readonly password: boolean;
  /** When the second factor was turned on, UTC ms; null: it is off. */
  readonly factorMs: number | null;
  /** Recovery codes that were not used. */
  readonly recoveryCodes: number;
  readonly linked: Awaited<ReturnType<Tx['identities']['listByUser']>>;
  readonly passkeys: Awaited<ReturnType<Tx['passkeys']['list']>>;
  readonly tokens: Awaited<ReturnType<Tx['apiTokens']['list']>>;
}
export type WaysInQuery = ReturnType<typeof createWaysIn>;

/** The ways into a user's account, for staff (behaviour 8.3). */
export function createWaysIn({ uow }: { readonly uow: UnitOfWork }) {
  /** Throws FORBIDDEN, NOT_FOUND. */
  async function list(ctx: SignedIn, userId: string): Promise<WaysIn> {
    assertMay(ctx, 'admin.users.edit');
    return uow.read(async (tx) => {
      const user = await tx.identity.findUser(userId);
      if (!user) throw new DomainError('NOT_FOUND');
      const factor = await tx.factors.find(userId);
      return {
        password: user.passwordHash !== '',
        factorMs: factor?.secret == null ? null : factor.enabledMs,
        recoveryCodes: await tx.factors.countUnusedCodes(userId),
        linked: await tx.identities.listByUser(userId),
        passkeys: await tx.passkeys.list(userId),
        tokens: await tx.apiTokens.list(userId),
      };
    });
  }

  return { list };
}

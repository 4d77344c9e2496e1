import { DomainError } from '#shared/errors.ts';
import type { Identities } from '../identities/index.ts';
import type { SignedIn } from '../kernel.ts';
import { assertMay } from '../permit.ts';
import type { Tx, UnitOfWork } from '../tx.ts';

type IdentityOf = Awaited<ReturnType<Tx['identities']['listByUser']>>[number];
type PasskeyOf = Awaited<ReturnType<Tx['passkeys']['list']>>[number];
interface CanBeLast {
  /** The user cannot log in without it. */
  readonly isLast: boolean;
}

/** What opens an account beside a session; no secrets, no hashes. */
interface WaysIn {
  readonly password: boolean;
  /** When the second factor was turned on, UTC ms; null: it is off. */
  readonly factorMs: number | null;
  /** Recovery codes that were not used. */
  readonly recoveryCodes: number;
  readonly linked: readonly (IdentityOf & CanBeLast)[];
  readonly passkeys: readonly (PasskeyOf & CanBeLast)[];
  readonly tokens: Awaited<ReturnType<Tx['apiTokens']['list']>>;
}
export type WaysInQuery = ReturnType<typeof createWaysIn>;

/** The ways into a user's account, for staff (behaviour 8.3). */
export function createWaysIn(deps: { readonly uow: UnitOfWork; readonly identities: Pick<Identities, 'listLogins'> }) {
  const { uow, identities } = deps;

  /** Throws FORBIDDEN, NOT_FOUND. */
  async function list(ctx: SignedIn, userId: string): Promise<WaysIn> {
    assertMay(ctx, 'admin.users.edit');
    return uow.read(async (tx) => {
      const user = await tx.identity.findUser(userId);
      if (!user) throw new DomainError('NOT_FOUND');
      const logins = await identities.listLogins(tx, userId);
      const withLast = <T extends { readonly id: string }>(way: T): T & CanBeLast => ({
        ...way,
        isLast: logins.every((login) => login === way.id),
      });
      const factor = await tx.factors.find(userId);
      return {
        password: user.passwordHash !== '',
        factorMs: factor?.secret == null ? null : factor.enabledMs,
        recoveryCodes: await tx.factors.countUnusedCodes(userId),
        linked: (await tx.identities.listByUser(userId)).map(withLast),
        passkeys: (await tx.passkeys.list(userId)).map(withLast),
        tokens: await tx.apiTokens.list(userId),
      };
    });
  }

  return { list };
}

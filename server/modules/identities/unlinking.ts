import { DomainError } from '#shared/errors.ts';
import { identityKey } from '#shared/sso.ts';
import { assertConfirmed, lockForStaff } from '../identity/index.ts';
import type { SignedIn } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import type { IdentitiesDeps } from './deps.ts';
import { findServiceName } from './linked-event.ts';
import type { IdentityRow } from './ports.ts';
import type { TokenStore } from './tokens.ts';

/** Ending links to accounts elsewhere (behaviour 3.6), by their user and by staff. */
export function createUnlinking(deps: IdentitiesDeps, tokens: Pick<TokenStore, 'refreshToken'>) {
  const { uow, discord } = deps;

  /**
   * Ends a link and, as well as it can, the consent behind it. Throws NOT_FOUND, LAST_WAY_IN where nobody could log in
   * without it, or CONFIRM_REQUIRED where who sits there did not show a moment ago who they are (attacks T31).
   */
  async function unlink(ctx: SignedIn, id: string): Promise<void> {
    const { userId } = ctx.actor;
    const refresh = await uow.run(async (tx) => {
      await tx.identity.lockUser(userId);
      const row = await getLink(tx, userId, id);
      await assertConfirmed(deps, tx, ctx);
      await tx.identities.remove(id, userId);
      const { provider } = row;
      const service = await findServiceName(tx, provider);
      await deps.events.emit(tx, 'user.identity_unlinked', { userId, provider, service }, ctx);
      tx.touch(`user:${userId}`);
      return tokens.refreshToken(row);
    });
    // After the commit: the link is gone whether or not the provider can be asked to end it. Only Discord's has tokens.
    if (refresh !== null) await discord.revoke(refresh);
  }

  /**
   * Ends a link of a user, for staff, as `unlink` does. `evenLast`: also where the user cannot log in without it.
   * Throws as `lockForStaff`, NOT_FOUND where it is not the user's, LAST_WAY_IN.
   */
  async function unlinkOf(ctx: SignedIn, userId: string, id: string, evenLast: boolean): Promise<void> {
    const refresh = await uow.run(async (tx) => {
      const { username } = await lockForStaff(deps, tx, ctx, userId);
      const row = await getLink(tx, userId, id, evenLast);
      await tx.identities.remove(id, userId);
      const provider = await findServiceName(tx, row.provider);
      // Without what the account is called there: the record outlives the link (attacks T56).
      await deps.events.emit(tx, 'user.identity_taken', { userId, username, provider }, ctx);
      tx.touch(`user:${userId}`);
      return tokens.refreshToken(row);
    });
    if (refresh !== null) await discord.revoke(refresh);
  }

  return { unlink, unlinkOf };
}

/** A link of a user. Throws NOT_FOUND, or LAST_WAY_IN where nobody could log in without it, unless `evenLast`. */
async function getLink(tx: Tx, userId: string, id: string, evenLast = false): Promise<IdentityRow> {
  const row = await tx.identities.find(id);
  if (!row || row.userId !== userId) throw new DomainError('NOT_FOUND');
  if (!evenLast && !(await listLogins(tx, userId)).some((way) => way !== id)) throw new DomainError('LAST_WAY_IN');
  return row;
}

/** Ways a user can log in: `password`, ids of links to providers that are enabled for it, and ids of passkeys. */
export async function listLogins(tx: Tx, userId: string): Promise<string[]> {
  const user = await tx.identity.findUser(userId);
  const enabled = new Set((await tx.sso.listEnabled()).map(identityKey));
  const links = (await tx.identities.listByUser(userId)).filter(({ provider }) => enabled.has(provider));
  const passkeys = await tx.passkeys.list(userId);
  return [...(user && user.passwordHash !== '' ? ['password'] : []), ...[...links, ...passkeys].map(({ id }) => id)];
}

import { DomainError } from '#shared/errors.ts';
import type { CreateTokenInput } from '#shared/schemas/api-token.ts';
import { DAY } from '#shared/time.ts';
import type { TokenScope } from '#shared/token-scopes.ts';
import { subscriber } from '../events/index.ts';
import type { SignedIn } from '../kernel.ts';
import { assertMay, assertOutranks } from '../permit.ts';
import type { Tx } from '../tx.ts';
import type { ApiTokensDeps } from './deps.ts';
import { createIssuer, type CreatedToken } from './issue.ts';
import { createOperator } from './operator.ts';
import { grantableScopes } from './policy.ts';
import type { ApiTokenRow } from './ports.ts';
import { createTokenResolver } from './resolver.ts';
import { createRevoker } from './revoke.ts';

/** How long an expired token is still listed, in ms. */
const KEEP_EXPIRED = 30 * DAY;

export type ApiTokens = ReturnType<typeof createApiTokens>;

/**
 * Keys of the API for scripts and bots (behaviour 3.12; attacks T35): scoped, expiring, shown once, stored as hashes. A
 * token never does more than its user may at that moment, and a new password revokes them all.
 */
export function createApiTokens(deps: ApiTokensDeps) {
  const { uow, clock } = deps;
  const issuer = createIssuer(deps);
  const revoker = createRevoker(deps);

  /** The caller’s tokens, the latest first, and the scopes they may give a new one. */
  function list(ctx: SignedIn): Promise<{ tokens: ApiTokenRow[]; grantable: TokenScope[] }> {
    return uow.read(async (tx) => ({
      tokens: await tx.apiTokens.list(ctx.actor.userId),
      grantable: grantableScopes(ctx.actor.permissions),
    }));
  }

  /**
   * Makes a token for the caller. Throws FORBIDDEN for a caller who is a token itself, UNAUTHENTICATED when the session
   * ended meanwhile, TOO_MANY_TOKENS, and VALIDATION_FAILED with NOT_ALLOWED at `scopes` or INVALID at `addresses`.
   */
  async function create(ctx: SignedIn, input: CreateTokenInput): Promise<CreatedToken> {
    if (ctx.actor.token) throw new DomainError('FORBIDDEN');
    const draft = issuer.toDraft(input);
    return uow.run(async (tx) => {
      const user = await tx.identity.lockUser(ctx.actor.userId);
      // A new password ends sessions and tokens: a command that comes behind it must not leave a token.
      const sessions = await tx.identity.listSessions(ctx.actor.userId, clock.now());
      if (user?.status !== 'active' || !sessions.some(({ id }) => id === ctx.actor.sessionId))
        throw new DomainError('UNAUTHENTICATED');
      return issuer.issue(tx, ctx, user, draft);
    });
  }

  /** Whoever had the old password, or the account before its address was proven or took it back, keeps no token. */
  const revokeAllOf = (tx: Tx, { userId }: { readonly userId: string }) => revoker.all(tx, null, userId);

  return {
    list,
    create,
    /** Revokes a token of the caller. Throws NOT_FOUND when it is not theirs (attacks T24). */
    revoke: (ctx: SignedIn, tokenId: string): Promise<void> =>
      uow.run((tx) => revoker.one(tx, ctx, ctx.actor.userId, tokenId)),
    /** Revokes all tokens of the caller. Out: how many there were. */
    revokeAll: (ctx: SignedIn): Promise<number> => uow.run((tx) => revoker.all(tx, ctx, ctx.actor.userId)),
    /**
     * Revokes a token of a user, for staff. Throws NOT_FOUND when it is not theirs, and FORBIDDEN for a user of the
     * caller's rank or above.
     */
    revokeOf: (ctx: SignedIn, userId: string, tokenId: string): Promise<void> =>
      uow.run(async (tx) => {
        assertMay(ctx, 'admin.users.edit');
        const user = await tx.identity.lockUser(userId);
        if (!user) throw new DomainError('NOT_FOUND');
        await assertOutranks(tx, ctx, user.roleId);
        await revoker.one(tx, ctx, userId, tokenId);
      }),
    operator: createOperator(deps, issuer, revoker),
    resolve: createTokenResolver(deps),
    /** Deletes tokens that expired a while ago. For the scheduler. */
    purge: (): Promise<void> => uow.run((tx) => tx.apiTokens.purge(clock.now() - KEEP_EXPIRED)),
    subscriptions: [
      subscriber('user.password_changed', revokeAllOf),
      subscriber('user.password_reset', revokeAllOf),
      subscriber('user.reclaimed', revokeAllOf),
      subscriber('user.email_restored', revokeAllOf),
    ],
  };
}

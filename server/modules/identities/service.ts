import { DomainError } from '#shared/errors.ts';
import { writeAudit } from '../audit/index.ts';
import { subscriber } from '../events/index.ts';
import type { SignedIn } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import type { IdentitiesDeps } from './deps.ts';
import { createLinking } from './linking.ts';
import type { IdentityRow, Provider } from './ports.ts';
import { snowflakeMs } from './snowflake.ts';
import { createTokens } from './tokens.ts';

/** A link of a user, as other modules see it. */
export interface LinkedIdentity {
  readonly id: string;
  readonly provider: Provider;
  /** The provider's id of the person. */
  readonly subject: string;
  /**
   * What stands for the person in records that outlive the link: a keyed hash, the same for ever, that tells nobody who
   * it is (attacks T56).
   */
  readonly trace: string;
  readonly name: string;
  readonly scopes: readonly string[];
  /** The tokens are worn out: the person has to link again before anything can be asked. */
  readonly broken: boolean;
  /** UTC ms: when it was linked here, and when the account there was made (null where the id does not tell). */
  readonly linkedMs: number;
  readonly accountCreatedMs: number | null;
}
interface LinkPage {
  readonly available: boolean;
  readonly linked: LinkedIdentity | null;
  /** Another way in remains without it. */
  readonly canUnlink: boolean;
}
export type Identities = ReturnType<typeof createIdentities>;

/**
 * Accounts elsewhere that users link to theirs (behaviour 3.6, linking only). An identity belongs to one user at a
 * time.
 */
export function createIdentities(deps: IdentitiesDeps) {
  const { uow, discord } = deps;
  const tokens = createTokens(deps);

  const traceOf = (provider: Provider, subject: string): string => deps.mac(`${provider}:${subject}`);

  /** Identities that a user is linked to now. */
  async function listByUser(tx: Tx, userId: string): Promise<LinkedIdentity[]> {
    return (await tx.identities.listByUser(userId)).map((row) =>
      toLinkedIdentity(row, traceOf(row.provider, row.subject)),
    );
  }

  /** What the account page shows of Discord. */
  function getPage(ctx: SignedIn): Promise<LinkPage> {
    const { userId } = ctx.actor;
    return uow.read(async (tx) => {
      const linked = (await listByUser(tx, userId)).find(({ provider }) => provider === 'discord') ?? null;
      return {
        available: discord.configured(),
        linked,
        canUnlink: linked !== null && (await countOtherLogins(tx, userId)) > 0,
      };
    });
  }

  /**
   * Ends a link and, as well as it can, the consent behind it. Throws NOT_FOUND, or LAST_WAY_IN where nobody could log
   * in without it.
   */
  async function unlink(ctx: SignedIn, id: string): Promise<void> {
    const { userId } = ctx.actor;
    const refresh = await uow.run(async (tx) => {
      await tx.identity.lockUser(userId);
      const row = await tx.identities.find(id);
      if (!row || row.userId !== userId) throw new DomainError('NOT_FOUND');
      if ((await countOtherLogins(tx, userId)) === 0) throw new DomainError('LAST_WAY_IN');
      await tx.identities.remove(id, userId);
      await writeAudit(tx, deps, ctx, { action: 'account.unlink', target: userId, before: { provider: row.provider } });
      tx.touch(`user:${userId}`);
      return tokens.refreshToken(row);
    });
    // After the commit: the link is gone whether or not the provider can be asked to end it.
    if (refresh !== null) await discord.revoke(refresh);
  }

  /** Who proved an address nobody had confirmed gets the account without what others linked to it (attacks T36). */
  const reclaimed = subscriber('user.reclaimed', async (tx, { userId }) => {
    for (const { id } of await tx.identities.listByUser(userId)) await tx.identities.remove(id, userId);
  });

  return {
    subscriptions: [reclaimed],
    listByUser,
    getPage,
    ...createLinking(deps, tokens, traceOf),
    unlink,
    /** Asks Discord something as a linked identity, with a token that is refreshed when it has to be. */
    withAccess: tokens.withAccess,
    /** Users other than this one who are or ever were linked to an identity that this one is or ever was linked to. */
    listUsersSharing: (tx: Tx, userId: string): Promise<string[]> => tx.identities.listUsersSharing(userId),
  };
}

/**
 * Ways in that remain without the linked identities: a password counts, and until one can log in by SSO, nothing else
 * does.
 */
async function countOtherLogins(tx: Tx, userId: string): Promise<number> {
  const user = await tx.identity.findUser(userId);
  return user && user.passwordHash !== '' ? 1 : 0;
}

function toLinkedIdentity(
  { id, provider, subject, name, scopes, tokens, linkedMs }: IdentityRow,
  trace: string,
): LinkedIdentity {
  return {
    id,
    provider,
    subject,
    trace,
    name,
    scopes,
    broken: tokens === null,
    linkedMs,
    accountCreatedMs: snowflakeMs(subject),
  };
}

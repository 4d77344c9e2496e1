import { writeAudit } from '../audit/index.ts';
import { subscriber } from '../events/index.ts';
import type { SignedIn } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import type { IdentitiesDeps } from './deps.ts';
import { emitLinked } from './linked-event.ts';
import { createLinking } from './linking.ts';
import type { IdentityRow, Provider, Tokens } from './ports.ts';
import { snowflakeMs } from './snowflake.ts';
import { createTokens } from './tokens.ts';
import { createUnlinking, listLogins } from './unlinking.ts';

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
/** A link of the caller; `canUnlink`: another way in remains without it. */
type OwnIdentity = LinkedIdentity & { readonly canUnlink: boolean };
/** What is linked to an account. */
interface NewLink {
  readonly userId: string;
  readonly provider: Provider;
  readonly subject: string;
  readonly name: string;
  /** Where the provider can be asked something later. */
  readonly tokens: Tokens | null;
}
export type Identities = ReturnType<typeof createIdentities>;

/**
 * Accounts elsewhere that users link to theirs (behaviour 3.6). An identity belongs to one user at a time. Signing in
 * with them is `sso`.
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

  /** What the account page shows. `discordAvailable`: the host has set Discord up. */
  function getPage(ctx: SignedIn): Promise<{ discordAvailable: boolean; linked: OwnIdentity[] }> {
    const { userId } = ctx.actor;
    return uow.read(async (tx) => {
      const ways = await listLogins(tx, userId);
      const linked = (await listByUser(tx, userId)).map((link) => ({
        ...link,
        canUnlink: ways.some((way) => way !== link.id),
      }));
      return { discordAvailable: discord.configured(), linked };
    });
  }

  /**
   * Links an account elsewhere to a user whose row is locked. One that is linked to them already stays as it is. `ctx`
   * null: the account is being made. Throws IDENTITY_TAKEN, ALREADY_LINKED.
   */
  async function attach(tx: Tx, ctx: SignedIn | null, { userId, provider, subject, name, tokens: given }: NewLink) {
    if ((await tx.identities.findBySubject(provider, subject))?.userId === userId) return;
    const id = deps.ids.uuid();
    const scopes = given?.scopes ?? [];
    const row = { id, userId, provider, subject, name, scopes, linkedMs: deps.clock.now() };
    await tx.identities.add({ ...row, tokens: given && tokens.seal(id, given) }, traceOf(provider, subject));
    await emitLinked(tx, deps, ctx, row);
    // Without id and name: this record outlives the link (attacks T56).
    await writeAudit(tx, deps, ctx, { action: 'account.link', target: userId, after: { provider } });
    tx.touch(`user:${userId}`);
  }

  /** Who proved an address nobody had confirmed gets the account without what others linked to it (attacks T36). */
  const reclaimed = subscriber('user.reclaimed', async (tx, { userId }) => {
    for (const { id } of await tx.identities.listByUser(userId)) await tx.identities.remove(id, userId);
  });

  /** The old address took an account back: what was linked since it was lost goes (attacks T36). */
  const restored = subscriber('user.email_restored', async (tx, { userId, sinceMs }) => {
    for (const { id, linkedMs } of await tx.identities.listByUser(userId))
      if (linkedMs >= sinceMs) await tx.identities.remove(id, userId);
  });

  return {
    subscriptions: [reclaimed, restored],
    listByUser,
    getPage,
    attach,
    ...createLinking(deps, tokens, traceOf),
    ...createUnlinking(deps, tokens),
    /** Asks Discord something as a linked identity, with a token that is refreshed when it has to be. */
    withAccess: tokens.withAccess,
    listLogins,
    /** Users other than this one who are or ever were linked to an identity that this one is or ever was linked to. */
    listUsersSharing: (tx: Tx, userId: string): Promise<string[]> => tx.identities.listUsersSharing(userId),
  };
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
    broken: provider === 'discord' && tokens === null,
    linkedMs,
    accountCreatedMs: provider === 'discord' ? snowflakeMs(subject) : null,
  };
}

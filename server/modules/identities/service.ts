import { DomainError } from '#shared/errors.ts';
import { MINUTE } from '#shared/time.ts';
import { writeAudit } from '../audit/index.ts';
import { subscriber, type Events } from '../events/index.ts';
import type { Ids, SignedIn } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import type { DiscordUser, IdentityRow, Provider, Tokens } from './ports.ts';
import { snowflakeMs } from './snowflake.ts';
import { createTokens, verifierBox, type TokenDeps } from './tokens.ts';

/** How long one may stay at the provider's consent page. */
const ATTEMPT_LIFE = 10 * MINUTE;

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
  readonly madeMs: number | null;
}
export interface LinkPage {
  readonly available: boolean;
  readonly linked: LinkedIdentity | null;
  /** Another way in remains without it. */
  readonly canUnlink: boolean;
}
interface Deps extends TokenDeps {
  /** Keyed hash of a text, under a key of its own. */
  readonly mac: (text: string) => string;
  readonly ids: Ids;
  readonly events: Pick<Events, 'emit'>;
}
export type Identities = ReturnType<typeof createIdentities>;

/**
 * Accounts elsewhere that users link to theirs (behaviour 3.6, linking only). An identity belongs to one user at a
 * time.
 */
export function createIdentities(deps: Deps) {
  const { uow, clock, ids, discord } = deps;
  const tokens = createTokens(deps);
  const verifiers = verifierBox(deps.sealer);

  const traceOf = (provider: Provider, subject: string): string => deps.mac(`${provider}:${subject}`);

  /** Identities that a user is linked to now. */
  async function of(tx: Tx, userId: string): Promise<LinkedIdentity[]> {
    return (await tx.identities.of(userId)).map((row) => shown(row, traceOf(row.provider, row.subject)));
  }

  /** What the account page shows of Discord. */
  function page(ctx: SignedIn): Promise<LinkPage> {
    const { userId } = ctx.actor;
    return uow.read(async (tx) => {
      const linked = (await of(tx, userId)).find(({ provider }) => provider === 'discord') ?? null;
      return {
        available: discord.configured(),
        linked,
        canUnlink: linked !== null && (await waysWithout(tx, userId)) > 0,
      };
    });
  }

  /** S256 challenge of a PKCE verifier, base64url. */
  const challengeOf = (verifier: string): string => Buffer.from(ids.hash(verifier), 'hex').toString('base64url');

  /** Begins a link. Out: the provider's consent page. Throws FEATURE_DISABLED where no application is set up. */
  async function start(ctx: SignedIn): Promise<{ url: string }> {
    if (!discord.configured()) throw new DomainError('FEATURE_DISABLED');
    const [state, verifier] = [ids.token(), ids.token()];
    const stateHash = ids.hash(state);
    const { userId, sessionId } = ctx.actor;
    await uow.run(async (tx) => {
      await tx.identities.purgeAttempts(clock.now());
      await tx.identities.addAttempt({
        stateHash,
        provider: 'discord',
        userId,
        sessionId,
        verifier: verifiers.seal(stateHash, verifier),
        expiresMs: clock.now() + ATTEMPT_LIFE,
      });
    });
    return { url: discord.consentUrl(state, challengeOf(verifier)) };
  }

  /**
   * Ends a link with what the provider sent back. The attempt is used up first, whatever comes of it (attacks T33).
   * Throws LINK_STATE_INVALID (unknown, used, expired, or begun in another session), LINK_REFUSED (the code is no good,
   * or less was allowed than is needed), IDENTITY_TAKEN, ALREADY_LINKED, PROVIDER_UNAVAILABLE.
   */
  async function finish(ctx: SignedIn, back: { code: string; state: string }): Promise<{ name: string }> {
    const stateHash = ids.hash(back.state);
    const attempt = await uow.run((tx) => tx.identities.takeAttempt(stateHash, ctx.actor.sessionId, clock.now()));
    const verifier = attempt && verifiers.open(stateHash, attempt.verifier);
    if (!attempt || !verifier || attempt.userId !== ctx.actor.userId) throw new DomainError('LINK_STATE_INVALID');
    const granted = await discord.exchange(back.code, verifier);
    if (granted.kind === 'unknown') throw unavailable(granted.retryAfterS);
    if (granted.kind === 'no' || !granted.value.scopes.includes('identify')) throw new DomainError('LINK_REFUSED');
    const who = await discord.me(granted.value.access);
    if (who.kind === 'unknown') throw unavailable(who.retryAfterS);
    if (who.kind === 'no') throw new DomainError('LINK_REFUSED');
    await uow.run((tx) => link(tx, ctx, who.value, granted.value));
    return { name: who.value.name };
  }

  async function link(tx: Tx, ctx: SignedIn, who: DiscordUser, granted: Tokens): Promise<void> {
    const { userId } = ctx.actor;
    await tx.identity.lockUser(userId);
    const known = await tx.identities.bySubject('discord', who.id);
    const now = clock.now();
    if (known && known.userId === userId) {
      await tx.identities.renew(
        known.id,
        { name: who.name, tokens: tokens.seal(known.id, granted), scopes: granted.scopes },
        now,
      );
    } else {
      const id = ids.uuid();
      const facts = {
        id,
        userId,
        provider: 'discord',
        subject: who.id,
        name: who.name,
        scopes: granted.scopes,
        linkedMs: now,
      } as const;
      await tx.identities.add({ ...facts, tokens: tokens.seal(id, granted) }, traceOf('discord', who.id));
      await deps.events.emit(tx, 'user.identity_linked', { userId, identityId: id, name: who.name }, ctx);
    }
    // Without id and name: this record outlives the link (attacks T56).
    await writeAudit(tx, deps, ctx, { action: 'account.link', target: userId, after: { provider: 'discord' } });
    tx.touch(`user:${userId}`);
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
      if ((await waysWithout(tx, userId)) === 0) throw new DomainError('LAST_WAY_IN');
      await tx.identities.remove(id, userId);
      await writeAudit(tx, deps, ctx, { action: 'account.unlink', target: userId, before: { provider: row.provider } });
      tx.touch(`user:${userId}`);
      return tokens.refreshToken(row);
    });
    // After the commit: the link is gone whether or not the provider can be told.
    if (refresh !== null) await discord.revoke(refresh);
  }

  /** Who proved an address nobody had confirmed gets the account without what others linked to it (attacks T36). */
  const reclaimed = subscriber('user.reclaimed', async (tx, { userId }) => {
    for (const { id } of await tx.identities.of(userId)) await tx.identities.remove(id, userId);
  });

  return {
    subscriptions: [reclaimed],
    of,
    page,
    start,
    finish,
    unlink,
    /** Asks Discord something as a linked identity, with a token that is refreshed when it has to be. */
    ask: tokens.ask,
    /** Users other than this one who are or ever were linked to an identity that this one is or ever was linked to. */
    sharedWith: (tx: Tx, userId: string): Promise<string[]> => tx.identities.sharedWith(userId),
  };
}

/**
 * Ways in that remain without the linked identities: a password counts, and until one can log in by SSO, nothing else
 * does.
 */
async function waysWithout(tx: Tx, userId: string): Promise<number> {
  const user = await tx.identity.user(userId);
  return user && user.passwordHash !== '' ? 1 : 0;
}

function shown({ id, provider, subject, name, scopes, tokens, linkedMs }: IdentityRow, trace: string): LinkedIdentity {
  return {
    id,
    provider,
    subject,
    trace,
    name,
    scopes,
    broken: tokens === null,
    linkedMs,
    madeMs: snowflakeMs(subject),
  };
}

/** A service that gives no clear answer. */
export function unavailable(retryAfterS: number | null): DomainError {
  return new DomainError('PROVIDER_UNAVAILABLE', { retryAfterS: retryAfterS ?? 10 });
}

import { DomainError } from '#shared/errors.ts';
import { MINUTE } from '#shared/time.ts';
import { writeAudit } from '../audit/index.ts';
import { assertConfirmed } from '../identity/index.ts';
import type { SignedIn } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import { providerUnavailable, type IdentitiesDeps } from './deps.ts';
import { emitLinked } from './linked-event.ts';
import type { DiscordUser, Provider, Tokens } from './ports.ts';
import { createVerifierSealer, type TokenStore } from './tokens.ts';

/** How long the user may stay at the provider's consent page, in ms. */
const ATTEMPT_LIFE = 10 * MINUTE;

/** Linking an account elsewhere, there and back (behaviour 3.6; attacks T33). */
export function createLinking(
  deps: IdentitiesDeps,
  tokens: TokenStore,
  traceOf: (provider: Provider, subject: string) => string,
) {
  const { uow, clock, ids, discord } = deps;
  const verifiers = createVerifierSealer(deps.sealer);

  /** S256 challenge of a PKCE verifier, base64url. */
  const challengeOf = (verifier: string): string => Buffer.from(ids.hash(verifier), 'hex').toString('base64url');

  /**
   * Starts a link, for whoever showed a moment ago who they are: it may be a way in (attacks T31). Returns the URL of
   * the provider's consent page. Throws FEATURE_DISABLED when it is not set up, CONFIRM_REQUIRED.
   */
  async function start(ctx: SignedIn): Promise<{ url: string }> {
    if (!discord.configured()) throw new DomainError('FEATURE_DISABLED');
    const [state, verifier] = [ids.token(), ids.token()];
    const stateHash = ids.hash(state);
    const { userId, sessionId } = ctx.actor;
    await uow.run(async (tx) => {
      await assertConfirmed(deps, tx, ctx);
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
  async function finish(ctx: SignedIn, query: { code: string; state: string }): Promise<{ name: string }> {
    const stateHash = ids.hash(query.state);
    const attempt = await uow.run((tx) => tx.identities.takeAttempt(stateHash, ctx.actor.sessionId, clock.now()));
    const verifier = attempt && verifiers.open(stateHash, attempt.verifier);
    if (!attempt || !verifier || attempt.userId !== ctx.actor.userId) throw new DomainError('LINK_STATE_INVALID');
    const granted = await discord.exchange(query.code, verifier);
    if (granted.kind === 'unknown') throw providerUnavailable(granted.retryAfterS);
    if (granted.kind === 'no' || !granted.value.scopes.includes('identify')) throw new DomainError('LINK_REFUSED');
    const user = await discord.getUser(granted.value.access);
    if (user.kind === 'unknown') throw providerUnavailable(user.retryAfterS);
    if (user.kind === 'no') throw new DomainError('LINK_REFUSED');
    await uow.run((tx) => link(tx, ctx, user.value, granted.value));
    return { name: user.value.name };
  }

  async function link(tx: Tx, ctx: SignedIn, user: DiscordUser, granted: Tokens): Promise<void> {
    const { userId } = ctx.actor;
    await tx.identity.lockUser(userId);
    const existing = await tx.identities.findBySubject('discord', user.id);
    const now = clock.now();
    if (existing && existing.userId === userId) {
      await tx.identities.renew(
        existing.id,
        { name: user.name, tokens: tokens.seal(existing.id, granted), scopes: granted.scopes },
        now,
      );
    } else {
      const id = ids.uuid();
      const facts = {
        id,
        userId,
        provider: 'discord',
        subject: user.id,
        name: user.name,
        scopes: granted.scopes,
        linkedMs: now,
      } as const;
      await tx.identities.add({ ...facts, tokens: tokens.seal(id, granted) }, traceOf('discord', user.id));
      await emitLinked(tx, deps, ctx, facts);
    }
    // Without id and name: this record outlives the link (attacks T56).
    await writeAudit(tx, deps, ctx, { action: 'account.link', target: userId, after: { provider: 'discord' } });
    tx.touch(`user:${userId}`);
  }

  return { start, finish };
}

import { DomainError } from '#shared/errors.ts';
import { MINUTE } from '#shared/time.ts';
import { writeAudit } from '../audit/index.ts';
import type { SignedIn } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import { unavailable, type IdentitiesDeps } from './deps.ts';
import type { DiscordUser, Provider, Tokens } from './ports.ts';
import { createVerifierSealer, type TokenStore } from './tokens.ts';

/** How long one may stay at the provider's consent page. */
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

  return { start, finish };
}

import { DomainError } from '#shared/errors.ts';
import { SSO_PURPOSES, type SsoPurpose } from '#shared/sso.ts';
import { MINUTE } from '#shared/time.ts';
import type { SsoDeps } from './deps.ts';
import type { SsoPerson, SsoProviderRow, SsoReturn } from './ports.ts';
import type { Providers } from './providers.ts';

/** How long one may stay at the provider. */
const ATTEMPT_LIFE = 10 * MINUTE;
/** Purpose of the key that nonce and verifier are sealed with. */
const SECRETS = 'sso.attempt';

/** A provider gave no clear answer. */
const unavailable = (retryAfterS: number | null) =>
  new DomainError('SSO_UNAVAILABLE', { retryAfterS: retryAfterS ?? 10 });

/** The way to a provider and back, for signing in and for linking (behaviour 3.6; attacks T33). */
export function createAttempts(deps: SsoDeps, providers: Providers) {
  const { uow, clock, ids, sealer, clients } = deps;

  /**
   * Begins a way. In: the provider's id, and who alone may end it. Out: the provider's consent page. Throws
   * FEATURE_DISABLED, SSO_UNAVAILABLE.
   */
  async function start(providerId: string, purpose: SsoPurpose, binding: string): Promise<{ url: string }> {
    const { app } = await providers.getUsable(providerId);
    const secrets = { state: SSO_PURPOSES[purpose] + ids.token(), nonce: ids.token(), verifier: ids.token() };
    const page = await clients[app.kind].consentUrl(app, secrets);
    if (page.kind !== 'yes') throw unavailable(page.kind === 'unknown' ? page.retryAfterS : null);
    const stateHash = ids.hash(secrets.state);
    const kept = JSON.stringify({ nonce: secrets.nonce, verifier: secrets.verifier });
    const expiresMs = clock.now() + ATTEMPT_LIFE;
    await uow.run((tx) =>
      tx.sso.addAttempt({
        stateHash,
        providerId,
        purpose,
        binding,
        secrets: sealer.seal(SECRETS, stateHash, kept),
        expiresMs,
      }),
    );
    return { url: page.value };
  }

  /**
   * Ends a way: who the provider says it is. The attempt is used up first, whatever comes of it. Throws
   * LINK_STATE_INVALID (unknown, used, over, or begun by somebody else), FEATURE_DISABLED, SSO_REFUSED,
   * SSO_UNAVAILABLE.
   */
  async function finish(
    back: SsoReturn,
    purpose: SsoPurpose,
    binding: string,
  ): Promise<{ provider: SsoProviderRow; person: SsoPerson }> {
    const stateHash = ids.hash(back.state);
    const attempt = await uow.run((tx) => tx.sso.takeAttempt(stateHash, purpose, binding, clock.now()));
    const opened = attempt && sealer.open(SECRETS, stateHash, attempt.secrets);
    if (!attempt || !opened || !('text' in opened)) throw new DomainError('LINK_STATE_INVALID');
    const kept = JSON.parse(opened.text) as { nonce: string; verifier: string };
    const { row, app } = await providers.getUsable(attempt.providerId);
    const person = await clients[app.kind].identify(app, back, { ...kept, state: back.state });
    if (person.kind === 'unknown') throw unavailable(person.retryAfterS);
    if (person.kind === 'no') throw new DomainError('SSO_REFUSED');
    return { provider: row, person: person.value };
  }

  return { start, finish };
}

import { DomainError } from '#shared/errors.ts';
import { subscriber } from '../events/index.ts';
import type { Browser } from '../identity/index.ts';
import type { Ctx, SignedIn } from '../kernel.ts';
import { createChallenges } from './challenges.ts';
import type { PasskeysDeps } from './deps.ts';
import { createEnrolment } from './enrol.ts';
import type { CeremonyOptions, PasskeyProof } from './ports.ts';
import { createProofs } from './proofs.ts';
import { createStaffPasskeys } from './staff.ts';

export type Passkeys = ReturnType<typeof createPasskeys>;

/** Passkeys: a second way in, and a second factor (behaviour 3.5). */
export function createPasskeys(deps: PasskeysDeps) {
  const { uow, clock, ids, webAuthn, identity } = deps;
  const challenges = createChallenges(deps);
  const { withProof } = createProofs(deps, challenges);

  /**
   * What a browser asks its person for a passkey with, whoever they are. Nothing in it depends on an account. Throws
   * FEATURE_DISABLED where the installation has no domain.
   */
  function beginLogin(device: string): Promise<CeremonyOptions> {
    if (webAuthn.domain() === null) throw new DomainError('FEATURE_DISABLED');
    return webAuthn.requestOptions({ challenge: challenges.issue('login', ids.hash(device)), verified: true });
  }

  /**
   * Opens a session by a passkey alone. The authenticator has verified the person, which makes it two factors: the
   * session has passed the second one (attacks T30). Out: its secret. Throws as `withProof`, and ACCOUNT_BANNED.
   */
  async function login(ctx: Ctx, proof: PasskeyProof, browser: Browser): Promise<string> {
    const wanted = { purpose: 'login', holder: ids.hash(browser.device), verified: true, userId: null } as const;
    const outcome = await withProof(ctx, proof, wanted, async (tx, user) => {
      const opened = await identity.openSessionFor(tx, ctx, user, browser);
      if (opened.kind !== 'opened') return opened;
      const now = clock.now();
      const { sessionId } = opened.opened;
      if ((await tx.factors.find(user.id))?.secret != null) {
        await tx.factors.markPassed(sessionId, now);
        await tx.factors.trustDevice(user.id, ids.hash(browser.device), now);
      }
      await tx.factors.markConfirmed(sessionId, now);
      return opened;
    });
    if (outcome.kind === 'banned') throw identity.bannedError(outcome.user);
    if (outcome.kind !== 'opened') throw new DomainError('PASSKEY_UNKNOWN');
    return outcome.opened.secret;
  }

  /** What the caller's browser is asked with for one of their passkeys. Throws PASSKEY_UNKNOWN where they have none. */
  async function beginOwn(ctx: SignedIn, purpose: 'factor' | 'confirm'): Promise<CeremonyOptions> {
    const { userId, sessionId } = ctx.actor;
    const allowed = webAuthn.domain() === null ? [] : await uow.read((tx) => tx.passkeys.list(userId));
    if (allowed.length === 0) throw new DomainError('PASSKEY_UNKNOWN');
    return webAuthn.requestOptions({
      challenge: challenges.issue(purpose, sessionId),
      verified: purpose === 'confirm',
      allowed,
    });
  }

  /**
   * Passes the second factor of the caller's session by a passkey in place of a code, however many wrong codes there
   * were. Out: the session's new secret (attacks T35). Throws as `withProof`, and TWO_FACTOR_OFF, UNAUTHENTICATED.
   */
  function passFactor(ctx: SignedIn, proof: PasskeyProof, device: string): Promise<string> {
    const { userId, sessionId } = ctx.actor;
    // The password or a provider came before: having the passkey is the other factor.
    const wanted = { purpose: 'factor', holder: sessionId, verified: false, userId } as const;
    return withProof(ctx, proof, wanted, (tx, user) => identity.twoFactor.passFactor(tx, ctx, user, device));
  }

  /** Confirms by a passkey who the caller is, as `confirmation.confirm` does by password. Throws as `withProof`. */
  function confirm(ctx: SignedIn, proof: PasskeyProof, device: string): Promise<void> {
    const { userId, sessionId } = ctx.actor;
    const wanted = { purpose: 'confirm', holder: sessionId, verified: true, userId } as const;
    return withProof(ctx, proof, wanted, (tx) => identity.confirmation.markConfirmed(tx, ctx, device));
  }

  /** Who proved an address nobody had confirmed gets the account without the passkeys of others (attacks T36). */
  const reclaimed = subscriber('user.reclaimed', (tx, { userId }) => tx.passkeys.removeAll(userId));

  /** Who takes an address back gets the account without the passkeys that were added since it was changed. */
  const restored = subscriber('user.email_restored', async (tx, { userId, sinceMs }) => {
    for (const { id, createdMs } of await tx.passkeys.list(userId))
      if (createdMs >= sinceMs) await tx.passkeys.remove(id);
  });

  return {
    subscriptions: [reclaimed, restored],
    /** The domain that passkeys belong to; null where there are none. */
    domain: webAuthn.domain,
    ...createEnrolment(deps, challenges),
    ...createStaffPasskeys(deps),
    beginLogin,
    login,
    beginOwn,
    passFactor,
    confirm,
  };
}

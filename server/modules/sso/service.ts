import { DomainError } from '#shared/errors.ts';
import { identityKey } from '#shared/sso.ts';
import type { Browser } from '../identity/index.ts';
import type { Ctx, SignedIn } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import { createAttempts } from './attempts.ts';
import type { SsoDeps } from './deps.ts';
import type { SsoReturn } from './ports.ts';
import { createProviders } from './providers.ts';
import { createRegistrations } from './registrations.ts';

export type Sso = ReturnType<typeof createSso>;

/** Signing in with services elsewhere (behaviour 3.6): log-in, registration, linking. */
export function createSso(deps: SsoDeps) {
  const { uow, ids, identity, identities } = deps;
  const providers = createProviders(deps);
  const attempts = createAttempts(deps, providers);
  const registrations = createRegistrations(deps);

  /** The user that an account elsewhere is linked to, with their row locked; null where there is none. */
  async function lockLinkedUser(tx: Tx, provider: string, subject: string): Promise<string | null> {
    const known = await tx.identities.findBySubject(provider, subject);
    if (!known) return null;
    await tx.identity.lockUser(known.userId);
    // Unlinking holds the same lock: what was unlinked meanwhile opens nothing.
    return (await tx.identities.findBySubject(provider, subject))?.userId ?? null;
  }

  /**
   * Ends a log-in with what the provider sent back. Out: the opened session; null where nobody is linked to the account
   * there, and this browser may register instead. Accounts are never matched by address (attacks T33). Throws
   * LINK_STATE_INVALID, FEATURE_DISABLED, SSO_REFUSED, SSO_UNAVAILABLE, LOGIN_FAILED, ACCOUNT_BANNED,
   * REGISTRATION_DISABLED.
   */
  async function signIn(ctx: Ctx, back: SsoReturn, browser: Browser) {
    const { provider, person } = await attempts.finish(back, 'signIn', ids.hash(browser.device));
    const opened = await uow.run(async (tx) => {
      const userId = await lockLinkedUser(tx, identityKey(provider), person.subject);
      return userId === null ? null : identity.openRecognised(tx, ctx, userId, browser);
    });
    if (opened) return opened;
    identity.assertRegistrationOpen();
    await uow.run((tx) => registrations.keep(tx, provider, person, browser.device));
    return null;
  }

  /**
   * Begins a link, for whoever showed a moment ago who they are: it is a way in (attacks T31). Throws CONFIRM_REQUIRED,
   * and as `attempts.start`.
   */
  async function startLink(ctx: SignedIn, providerId: string) {
    await uow.read((tx) => identity.confirmation.assertConfirmed(tx, ctx));
    return attempts.start(providerId, 'link', ctx.actor.sessionId);
  }

  /**
   * Ends a link with what the provider sent back. Out: the name there. Throws as `signIn`, and IDENTITY_TAKEN,
   * ALREADY_LINKED.
   */
  async function link(ctx: SignedIn, back: SsoReturn): Promise<{ name: string }> {
    const { provider, person } = await attempts.finish(back, 'link', ctx.actor.sessionId);
    await uow.run(async (tx) => {
      const user = await tx.identity.lockUser(ctx.actor.userId);
      if (user?.status !== 'active') throw new DomainError('UNAUTHENTICATED');
      await identities.attach(tx, ctx, { userId: user.id, provider: identityKey(provider), ...person });
    });
    return { name: person.name };
  }

  return {
    subscriptions: registrations.subscriptions,
    /** Providers that people can sign in with, in their order. */
    listProviders: () => uow.read((tx) => providers.listUsable(tx)),
    test: providers.test,
    startSignIn: (providerId: string, browser: Pick<Browser, 'device'>) =>
      attempts.start(providerId, 'signIn', ids.hash(browser.device)),
    signIn,
    findForm: registrations.findForm,
    register: registrations.register,
    startLink,
    link,
    /** Deletes what is over. For the scheduler. */
    purge: () => uow.run((tx) => tx.sso.purge(deps.clock.now())),
  };
}

import { DomainError } from '#shared/errors.ts';
import { identityKey } from '#shared/sso.ts';
import { DAY, MINUTE } from '#shared/time.ts';
import { subscriber } from '../events/index.ts';
import type { Browser } from '../identity/index.ts';
import type { Ctx } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import type { SsoDeps } from './deps.ts';
import type { SsoPerson, SsoProviderRow, SsoRegistration } from './ports.ts';

/** How long the form may be left open, and what was sent waits for its address: as long as links can be asked for. */
const FORM_LIFE = 30 * MINUTE;
const WAITING_LIFE = 7 * DAY;
/** Purpose of the key that people are sealed with. */
const PERSON = 'sso.person';

/** What is asked for where an account is made through a provider, validated by the shared schema. */
interface SsoRegistrationInput {
  readonly username: string;
  readonly email?: string | undefined;
  readonly first_name: string;
  readonly last_name: string;
  readonly challenge?: string | undefined;
  readonly referral?: string | undefined;
}

/** Registration through a provider (behaviour 3.6): it asks only for what is missing. */
export function createRegistrations(deps: SsoDeps) {
  const { uow, clock, ids, sealer, identity, identities } = deps;

  /** Keeps what a provider said until the form is sent, for this browser alone. */
  async function keep(tx: Tx, provider: SsoProviderRow, person: SsoPerson, device: string): Promise<void> {
    const id = ids.uuid();
    await tx.sso.purge(clock.now());
    await tx.sso.putRegistration({
      id,
      deviceKey: ids.hash(device),
      providerId: provider.id,
      person: sealer.seal(PERSON, id, JSON.stringify(person)),
      expiresMs: clock.now() + FORM_LIFE,
    });
  }

  function open({ id, person }: SsoRegistration): SsoPerson | null {
    const opened = sealer.open(PERSON, id, person);
    return 'text' in opened ? (JSON.parse(opened.text) as SsoPerson) : null;
  }

  async function find(tx: Tx, device: string) {
    const row = device === '' ? null : await tx.sso.findRegistration(ids.hash(device), clock.now());
    const provider = row && (await tx.sso.findProvider(row.providerId));
    const person = row && open(row);
    return row && provider && person ? { row, provider, person } : null;
  }

  /** What the form begins with; null where this browser has nothing to register. */
  function findForm(device: string) {
    return uow.read(async (tx) => {
      const found = await find(tx, device);
      if (!found) return null;
      const { provider, person } = found;
      const { username, email, firstName, lastName } = person;
      // Whoever has proven the address may hear that it has an account: it is theirs.
      const hasAccount = email !== null && (await tx.identity.findUserByLogin(email)) !== null;
      return { provider: provider.name, username, email, firstName, lastName, hasAccount };
    });
  }

  /**
   * Creates an account that is linked to what the provider said. Returns the opened session; null where the address has
   * to be confirmed first. Throws SSO_REGISTRATION_OVER, IDENTITY_TAKEN, VALIDATION_FAILED, and as
   * `Identity.registerExternal`.
   */
  async function register(ctx: Ctx, input: SsoRegistrationInput, browser: Browser) {
    const found = await uow.read((tx) => find(tx, browser.device));
    if (!found) throw new DomainError('SSO_REGISTRATION_OVER');
    const { row, person } = found;
    const email = person.email ?? input.email;
    if (email === undefined) throw new DomainError('VALIDATION_FAILED', { fields: { email: ['REQUIRED'] } });
    const account = { ...input, email, proven: person.email !== null, ssoRegistration: row.id };
    return identity.registerExternal(ctx, account, browser, async (tx) => {
      if (!(await tx.sso.claimRegistration(row.id, ids.hash(browser.device), clock.now() + WAITING_LIFE)))
        throw new DomainError('SSO_REGISTRATION_OVER');
    });
  }

  /** Links a new account to what it was registered with. Throws IDENTITY_TAKEN: then there is no account either. */
  const linkRegistered = subscriber('user.registered', async (tx, { userId, ssoRegistration }) => {
    const row = ssoRegistration === '' ? null : await tx.sso.takeRegistration(ssoRegistration);
    const provider = row && (await tx.sso.findProvider(row.providerId));
    const person = row && open(row);
    if (!provider || !person) return;
    await identities.attach(tx, null, { userId, provider: identityKey(provider), ...person });
  });

  return { subscriptions: [linkRegistered], keep, findForm, register };
}

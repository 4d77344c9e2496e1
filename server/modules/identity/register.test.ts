import { createViewing } from './viewing.ts';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { DomainError } from '#shared/errors.ts';
import { DAY } from '#shared/time.ts';
import { guestCtx } from '#tests/support/browser.ts';
import { codeOf } from '#tests/support/coins.ts';
import { refusal } from '#tests/support/factor.ts';
import { openHarness, type Harness } from '#tests/support/harness.ts';
import { identityDeps, sentMail, type Sent } from '#tests/support/identity.ts';
import type { IdentityDeps } from './deps.ts';
import type { Browser } from './login.ts';
import { createMailBudget } from './mail-budget.ts';
import { createNewAccounts } from './new-accounts.ts';
import { createPendingAccounts } from './pending.ts';
import { createRegister, type RegistrationInput } from './register.ts';
import { createSessions } from './sessions.ts';

let h: Harness;
let sent: Sent[];
beforeEach(async () => {
  h = await openHarness();
  sent = [];
});
afterEach(() => h.close());

const PERSON: RegistrationInput = {
  username: 'annabella',
  email: 'bella.bee@example.com',
  password: 'a whole new sentence',
  first_name: 'Anna',
  last_name: 'Bee',
};
const BROWSER: Browser = { secret: null, device: 'a-browser' };
const CTX = guestCtx({ address: '203.0.113.7' });
/** The parts of registration. `asks`: addresses have to be confirmed. */
function parts({ asks = false, ...over }: Partial<IdentityDeps> & { asks?: boolean } = {}) {
  const settings = { current: () => ({ ...h.host.services.settings.current(), mail_verification: asks }) };
  const deps = identityDeps(h, { mailing: sentMail(sent), settings, ...over });
  const pending = createPendingAccounts(deps, createMailBudget(deps));
  return createRegister(deps, createNewAccounts(deps, createSessions(deps, createViewing(deps)), pending));
}
const register = (change: Partial<RegistrationInput> = {}, over: Parameters<typeof parts>[0] = {}, browser = BROWSER) =>
  parts(over).register(CTX, { ...PERSON, ...change }, browser);
const users = () => h.db.sql<Record<string, unknown>>('SELECT username, verified_ms FROM users');
const field = (name: string, code: string) => ({ code: 'VALIDATION_FAILED', fields: { [name]: [code] } });
const roleOf = async (username: string) =>
  (
    await h.db.sql<{ key: string }>('SELECT roles.key FROM users JOIN roles ON roles.id = role_id WHERE username = ?', [
      username,
    ])
  )[0]?.key;

describe('a registration', () => {
  test('an account is created with a session that replaces the browser’s, a known device, and its event', async () => {
    const heard: unknown[] = [];
    const emit = (async (_: unknown, ...given: unknown[]) => void heard.push(given)) as IdentityDeps['events']['emit'];
    const first = await register({}, { events: { emit } });
    const [user] = await h.db.sql<{ id: string }>('SELECT id FROM users');
    const id = user?.id ?? '';
    expect(await users()).toEqual([{ username: 'annabella', verified_ms: null }]);
    expect(await roleOf('annabella')).toBe('member');
    const payload = { userId: id, role: 'Member', referral: '', address: '203.0.113.7', device: 'a-browser' };
    const actor = { userId: id, sessionId: '', username: 'annabella', permissions: [], verified: false };
    expect(heard).toMatchObject([['user.registered', payload, { actor }]]);
    const knows = (device: string) =>
      h.db.uow.read((tx) => tx.identity.isKnownDevice(id, h.host.services.ids.hash(device)));
    expect([await knows('a-browser'), await knows('another')]).toEqual([true, false]);
    expect(await h.host.services.identity.resolve(first?.secret ?? '')).not.toBeNull();
    const bob = { username: 'bob', email: 'bob@example.com', referral: 'ANN' };
    await register(bob, { events: { emit } }, { ...BROWSER, secret: first?.secret ?? null });
    expect(heard[1]).toMatchObject(['user.registered', { referral: 'ANN' }, {}]);
    expect(await h.host.services.identity.resolve(first?.secret ?? '')).toBeNull();
  });

  test('a registration is refused where the host takes none, but for who holds the set-up link', async () => {
    await h.set({ registration_enabled: false });
    expect(await codeOf(register())).toBe('REGISTRATION_DISABLED');
    const setup = (await parts().createSetupToken()) ?? '';
    expect(await codeOf(register({ setup }))).toBeNull();
  });

  test('a challenge is asked of everybody before anything is looked up, but for who holds the set-up link', async () => {
    const asked: unknown[][] = [];
    const challenge: IdentityDeps['challenge'] = {
      kind: () => 'altcha',
      verify: async (...given) => {
        await Bun.sleep(1);
        asked.push(given);
        throw new DomainError('CHALLENGE_REQUIRED');
      },
    };
    expect(await codeOf(register({ challenge: 'typed', password: 'password123' }, { challenge }))).toBe(
      'CHALLENGE_REQUIRED',
    );
    expect(asked).toEqual([['register', { ctx: CTX, device: 'a-browser' }, 'typed']]);
    expect(await users()).toEqual([]);
    const setup = (await parts().createSetupToken()) ?? '';
    expect(await codeOf(register({ setup }, { challenge }))).toBeNull();
    expect(asked).toHaveLength(1);
  });

  test('a common password, or one made of the own name or address, is refused at its field', async () => {
    for (const password of ['password123', 'annabella', 'bella.bee'])
      expect(await refusal(register({ password }))).toEqual(field('password', 'PASSWORD_COMMON'));
    expect(await users()).toEqual([]);
  });

  test('a name that somebody has, or has reserved, is refused before its password is hashed', async () => {
    await register();
    let hashed = 0;
    const passwords = { verify: async () => false, hash: async (text: string) => `${text}${(hashed += 1)}` };
    const email = 'other@example.com';
    expect(await refusal(register({ email }, { passwords }))).toEqual(field('username', 'USERNAME_TAKEN'));
    expect(await register({ username: 'bob', email }, { asks: true })).toBeNull();
    expect(await refusal(register({ username: 'BOB', email: 'b@example.com' }, { passwords }))).toEqual(
      field('username', 'USERNAME_TAKEN'),
    );
    expect(hashed).toBe(0);
    h.clock.advance(DAY);
    expect(await codeOf(register({ username: 'bob', email: 'b@example.com' }))).toBeNull();
  });

  test('S6 an account waits for the link in its e-mail where addresses have to be confirmed', async () => {
    expect(await register({ referral: 'ANN' }, { asks: true })).toBeNull();
    expect([await users(), await h.db.sql('SELECT id FROM sessions')]).toEqual([[], []]);
    const { ids } = h.host.services;
    expect(await h.db.sql('SELECT * FROM pending_accounts')).toMatchObject([
      {
        username: 'annabella',
        email: 'bella.bee@example.com',
        password_hash: 'plain:a whole new sentence',
        first_name: 'Anna',
        last_name: 'Bee',
        referral: 'ANN',
        device_key: ids.hash('a-browser'),
      },
    ]);
    expect(sent).toMatchObject([{ address: 'bella.bee@example.com', template: 'verify' }]);
    const keys = (await h.db.sql<{ key: string }>('SELECT key FROM attempts')).map(({ key }) => key).join(' ');
    expect(keys).toContain(ids.hash('203.0.113.7'));
  });
});

describe('the set-up link', () => {
  test('T38 the set-up link makes one confirmed owner, whatever the settings require or reserve', async () => {
    await register({}, { asks: true });
    const setup = (await parts().createSetupToken()) ?? '';
    expect(await register({ setup }, { asks: true })).not.toBeNull();
    expect([await users(), await roleOf('annabella')]).toEqual([
      [{ username: 'annabella', verified_ms: h.clock.now() }],
      'owner',
    ]);
    const bob = { username: 'bob', email: 'bob@example.com' };
    expect(await codeOf(register({ ...bob, setup }))).toBe('SETUP_DONE');
    expect(await codeOf(register({ ...bob, setup: 'a guess' }))).toBe('SETUP_DONE');
    expect(await parts().createSetupToken()).toBeNull();
  });

  test('T38 a guess makes no account, a link ends with the next one and after 24 hours, and none is kept as it is', async () => {
    expect(await codeOf(register({ setup: 'a guess' }))).toBe('SETUP_LINK_INVALID');
    const first = (await parts().createSetupToken()) ?? '';
    const second = (await parts().createSetupToken()) ?? '';
    expect(JSON.stringify(await h.db.sql('SELECT * FROM one_time_tokens'))).not.toContain(second);
    expect(await codeOf(register({ setup: first }))).toBe('SETUP_LINK_INVALID');
    h.clock.advance(DAY - 1);
    expect(await parts().getOptions(second)).toMatchObject({ setupValid: true });
    h.clock.advance(1);
    expect(await codeOf(register({ setup: second }))).toBe('SETUP_LINK_INVALID');
    expect(await users()).toEqual([]);
  });

  test('T38 a link that was used, or an owner who came, while the password was hashed makes no second owner', async () => {
    const during = (work: () => Promise<unknown>) => ({
      verify: async () => false,
      hash: async (text: string) => {
        await work();
        return text;
      },
    });
    const setup = (await parts().createSetupToken()) ?? '';
    const ended = during(() => h.db.sql('UPDATE one_time_tokens SET used_ms = 1'));
    expect(await codeOf(register({ setup }, { passwords: ended }))).toBe('SETUP_LINK_INVALID');
    const again = (await parts().createSetupToken()) ?? '';
    const owner = { ...PERSON, username: 'root', email: 'root@example.com', locale: 'en', role: 'owner' } as const;
    const made = during(() => h.host.services.identity.createUser(owner));
    expect(await codeOf(register({ setup: again }, { passwords: made }))).toBe('SETUP_DONE');
    expect((await users()).map(({ username }) => username)).toEqual(['root']);
  });
});

describe('what the pages need to know', () => {
  test('the options say whether anybody may come, how, and whether a set-up link is good', async () => {
    expect(await parts().getOptions(undefined)).toEqual({
      registration: true,
      verification: false,
      sendsMail: true,
      setupValid: false,
      empty: true,
    });
    await h.set({ registration_enabled: false });
    const mailing = sentMail(sent, false);
    expect(await parts({ asks: true, mailing }).getOptions('a guess')).toMatchObject({
      registration: false,
      verification: false,
      sendsMail: false,
      setupValid: false,
    });
    expect(await parts({ asks: true }).getOptions('a guess')).toMatchObject({ verification: true });
    const setup = (await parts().createSetupToken()) ?? '';
    expect(await parts().getOptions(setup)).toMatchObject({ setupValid: true, empty: true });
    const owner = { ...PERSON, locale: 'en', role: 'owner' } as const;
    await h.host.services.identity.createUser(owner);
    expect(await parts().getOptions(setup)).toMatchObject({ setupValid: false, empty: false });
  });
});

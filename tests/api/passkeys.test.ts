import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { SESSION_COOKIE } from '#shared/constants.ts';
import { HOUR, MINUTE } from '#shared/time.ts';
import { openAuthenticator } from '#tests/support/authenticator.ts';
import type { Browser } from '#tests/support/browser.ts';
import { codeAt, freshSession, notificationsOf, switchOn, visitorOf, wrongCode } from '#tests/support/factor.ts';
import { openHarness, PASSWORD, type Harness, type Person } from '#tests/support/harness.ts';
import { openSmtp } from '#tests/support/smtp.ts';
import { addPasskey, optionsOf, proveAt } from '#tests/support/passkeys.ts';

const OWN = '/api/account/passkeys';
const LOGIN = '/api/auth/passkey';
const FACTOR = '/api/auth/2fa/passkey';
const CONFIRM = '/api/auth/confirm/passkey';
const REFUSED = { status: 409, code: 'PASSKEY_REFUSED' };
const UNKNOWN = { status: 404, code: 'PASSKEY_UNKNOWN' };

let h: Harness;
let mirela: Person;
let browser: Browser;
beforeEach(async () => {
  h = await openHarness();
  mirela = await h.person('mirela.v');
  browser = visitorOf(h, mirela.secret);
});
afterEach(() => h.close());

const visitor = (secret?: string) => visitorOf(h, secret);
const session = (who: Browser) => who.send('GET', '/api/user/session');
const confirm = (who: Browser, input: object = { password: PASSWORD }) => who.send('POST', '/api/auth/confirm', input);
const stored = () => h.db.sql<Record<string, unknown>>('SELECT * FROM passkeys ORDER BY created_ms, id');
const audited = async () =>
  (await h.db.sql<{ action: string }>("SELECT action FROM audit WHERE action LIKE '%passkey%' ORDER BY id")).map(
    ({ action }) => action,
  );

describe('passkeys of an account', () => {
  test('T31 adding and removing a passkey asks first who sits there, and for ten minutes no more', async () => {
    expect(await browser.send('POST', `${OWN}/options`)).toMatchObject({ status: 409, code: 'CONFIRM_REQUIRED' });
    expect(await confirm(browser, { password: 'not the password' })).toMatchObject({
      status: 422,
      body: { fields: { password: ['PASSWORD_WRONG'] } },
    });
    expect(await confirm(browser)).toMatchObject({ status: 200 });
    const options = await optionsOf(browser, OWN);
    expect(options).toMatchObject({
      rp: { id: 'panel.example.com', name: 'Spawnpoint' },
      user: { name: 'mirela.v' },
      attestation: 'none',
      excludeCredentials: [],
      authenticatorSelection: { userVerification: 'preferred', residentKey: 'preferred' },
    });
    const made = openAuthenticator().create(options);
    h.clock.advance(10 * MINUTE);
    expect(await browser.send('POST', `${OWN}/options`)).toMatchObject({ code: 'CONFIRM_REQUIRED' });
    expect(await browser.send('POST', OWN, { name: 'Phone', ...made })).toMatchObject({ code: 'PASSKEY_EXPIRED' });
    expect(await stored()).toEqual([]);
    const { id } = await addPasskey(browser);
    h.clock.advance(10 * MINUTE);
    expect(await browser.send('DELETE', `${OWN}/${id}`)).toMatchObject({ status: 409, code: 'CONFIRM_REQUIRED' });
    expect(await stored()).toHaveLength(1);
    await confirm(browser);
    expect(await browser.send('DELETE', `${OWN}/${id}`)).toMatchObject({ status: 200 });
    expect(await stored()).toEqual([]);
    expect(await audited()).toEqual(['account.passkey_add', 'account.passkey_remove']);
    expect(await notificationsOf(h)).toEqual(['passkeyAdded', 'passkeyRemoved']);
    expect(
      (await h.db.sql<{ template: string }>('SELECT template FROM mails ORDER BY id')).map(({ template }) => template),
    ).toEqual(['passkeyAdded', 'passkeyRemoved']);
  });

  test('T31 a confirmation is that of one session, and asks for a code where the second factor is on', async () => {
    const other = visitor(await freshSession(h, mirela));
    await confirm(other);
    expect(await browser.send('POST', `${OWN}/options`)).toMatchObject({ code: 'CONFIRM_REQUIRED' });
    const on = await switchOn(h, mirela);
    expect(await confirm(browser)).toMatchObject({ status: 422, body: { fields: { code: ['REQUIRED'] } } });
    const wrong = { password: PASSWORD, code: wrongCode(on.secret, h.clock.now()) };
    expect(await confirm(browser, wrong)).toMatchObject({ status: 422, body: { fields: { code: ['CODE_WRONG'] } } });
    expect((await browser.send('GET', OWN)).body).toMatchObject({ confirmed: false, needs_code: true });
    expect(await confirm(browser, { password: PASSWORD, code: codeAt(on.secret, h.clock.now()) })).toMatchObject({
      status: 200,
    });
    expect((await browser.send('GET', OWN)).body).toMatchObject({ confirmed: true });
  });

  test('the list names what there is, oldest first, and a passkey gets another name', async () => {
    const { id, authenticator } = await addPasskey(browser, { name: 'Phone', synced: true });
    h.clock.advance(1);
    await addPasskey(browser, { name: 'Blue key' });
    await proveAt(visitor(), LOGIN, authenticator);
    expect(await browser.send('PATCH', `${OWN}/${id}`, { name: '  Pixel 8 ' })).toMatchObject({ status: 200 });
    expect((await browser.send('GET', OWN)).body).toMatchObject({
      domain: 'panel.example.com',
      confirmed: true,
      needs_password: true,
      needs_code: false,
      passkeys: [
        { name: 'Pixel 8', synced: true, copied: false, used_at: new Date(h.clock.now()).toISOString() },
        { name: 'Blue key', synced: false, copied: false, used_at: null },
      ],
    });
    expect(await browser.send('PATCH', `${OWN}/${id}`, { name: ' ' })).toMatchObject({ status: 422 });
  });

  test('T24 nobody names or removes a passkey of somebody else', async () => {
    const { id } = await addPasskey(browser);
    const tobi = visitor((await h.person('tobi')).secret);
    await confirm(tobi);
    expect(await tobi.send('DELETE', `${OWN}/${id}`)).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    expect(await tobi.send('PATCH', `${OWN}/${id}`, { name: 'Mine' })).toMatchObject({ status: 404 });
    expect(await stored()).toMatchObject([{ name: 'Phone' }]);
  });

  test('T35 a credential belongs to one account, and what a browser made is added once', async () => {
    const authenticator = openAuthenticator();
    await confirm(browser);
    const made = { name: 'Phone', ...authenticator.create(await optionsOf(browser, OWN)) };
    expect(await browser.send('POST', OWN, made)).toMatchObject({ status: 200 });
    expect(await browser.send('POST', OWN, made)).toMatchObject(REFUSED);
    const tobi = visitor((await h.person('tobi')).secret);
    await confirm(tobi);
    const taken = { name: 'Phone', ...authenticator.create(await optionsOf(tobi, OWN)) };
    expect(await tobi.send('POST', OWN, taken)).toMatchObject(REFUSED);
    expect(await stored()).toMatchObject([{ user_id: mirela.id }]);
  });

  test('T33 what was made elsewhere, for another session or for another purpose is not added', async () => {
    await confirm(browser);
    const other = visitor(await freshSession(h, mirela));
    await confirm(other);
    const add = async (options: object, behaviour: object = {}) =>
      browser.send('POST', OWN, {
        name: 'Phone',
        ...openAuthenticator().create({ challenge: '', ...options }, behaviour),
      });
    const user = { id: 'x' };
    expect(await add(await optionsOf(other, OWN))).toMatchObject(REFUSED);
    expect(await add({ user, ...(await optionsOf(visitor(), LOGIN)) })).toMatchObject(REFUSED);
    expect(await add(await optionsOf(browser, OWN), { origin: 'https://panel.example.com.evil.test' })).toMatchObject(
      REFUSED,
    );
    expect(await add(await optionsOf(browser, OWN), { domain: 'evil.test' })).toMatchObject(REFUSED);
    expect(await add(await optionsOf(browser, OWN), { crossOrigin: true })).toMatchObject(REFUSED);
    expect(await add({ user, challenge: 'bm90IG91cnM' })).toMatchObject(REFUSED);
    expect(await stored()).toEqual([]);
  });

  test('T52 an account has twenty passkeys at most', async () => {
    for (let at = 0; at < 20; at += 1) await addPasskey(browser);
    expect(await browser.send('POST', `${OWN}/options`)).toMatchObject({ status: 409, code: 'PASSKEY_LIMIT' });
  });
});

test('3.1 who has not proven the address adds no passkey', async () => {
  const smtp = await openSmtp();
  const mailing = await openHarness({ config: { mail: smtp.config } });
  const ann = await mailing.person('ann');
  await mailing.set({ mail_verification: true });
  await mailing.db.sql('UPDATE users SET verified_ms = NULL');
  const unproven = visitorOf(mailing, ann.secret);
  await confirm(unproven);
  expect(await unproven.send('POST', `${OWN}/options`)).toMatchObject({ code: 'ACCOUNT_UNVERIFIED' });
  await mailing.close();
  await smtp.close();
});

describe('a log-in by passkey', () => {
  test('T30 a log-in needs no name and no code: the authenticator has verified the person', async () => {
    const { authenticator } = await addPasskey(browser);
    await switchOn(h, mirela);
    const fresh = visitor();
    const options = await optionsOf(fresh, LOGIN);
    expect(options).toMatchObject({ rpId: 'panel.example.com', userVerification: 'required' });
    expect(options.allowCredentials).toBeUndefined();
    const answer = await fresh.send('POST', LOGIN, authenticator.prove(options));
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.lines.some((line) => line.startsWith(`${SESSION_COOKIE}=`) && line.includes('HttpOnly'))).toBe(true);
    expect((await session(fresh)).body).toMatchObject({ success: true, user_info: { username: 'mirela.v' } });
    // It is a confirmation as well: what is dangerous may be done at once.
    expect(await fresh.send('POST', `${OWN}/options`)).toMatchObject({ status: 200 });
  });

  test('T30 a log-in by a passkey without fingerprint, face or PIN is refused', async () => {
    const { authenticator } = await addPasskey(browser);
    expect(await proveAt(visitor(), LOGIN, authenticator, { verified: false })).toMatchObject(REFUSED);
  });

  test('T33 T35 a proof counts once, for the browser, the purpose and the page that it was asked for', async () => {
    const { authenticator } = await addPasskey(browser);
    const [mine, other] = [visitor(), visitor()];
    const proof = authenticator.prove(await optionsOf(mine, LOGIN));
    await optionsOf(other, LOGIN);
    expect(await other.send('POST', LOGIN, proof)).toMatchObject(REFUSED);
    expect(await mine.send('POST', LOGIN, proof)).toMatchObject({ status: 200 });
    expect(await mine.send('POST', LOGIN, proof)).toMatchObject(REFUSED);
    const confirming = authenticator.prove(await optionsOf(browser, CONFIRM));
    expect(await mine.send('POST', LOGIN, confirming)).toMatchObject(REFUSED);
    for (const change of [
      { origin: 'https://evil.test' },
      { origin: 'http://panel.example.com' },
      { domain: 'evil.test' },
      { crossOrigin: true },
      { challenge: 'bm90IG91cnM' },
    ])
      expect(await proveAt(mine, LOGIN, authenticator, change)).toMatchObject(REFUSED);
    const stranger = openAuthenticator();
    const signed = authenticator.prove(await optionsOf(mine, LOGIN));
    const forged = { ...signed, signature: stranger.prove(await optionsOf(mine, LOGIN)).signature };
    expect(await mine.send('POST', LOGIN, forged)).toMatchObject(REFUSED);
    expect(await mine.send('POST', LOGIN, { ...signed, id: stranger.id })).toMatchObject(UNKNOWN);
  });

  test('T33 the authenticator has to have the passkey for the account that the passkey is of', async () => {
    const { authenticator } = await addPasskey(browser);
    const tobi = await h.person('tobi');
    const handle = Buffer.from(tobi.id).toString('base64url');
    expect(await proveAt(visitor(), LOGIN, authenticator, { handle })).toMatchObject(UNKNOWN);
    expect(await proveAt(visitor(), LOGIN, authenticator, { handle: null })).toMatchObject(UNKNOWN);
    expect(await proveAt(visitor(), LOGIN, authenticator)).toMatchObject({ status: 200 });
  });

  test('T32 a counter that goes back is that of a copy: it is refused and announced, and the account stays open', async () => {
    const { authenticator } = await addPasskey(browser);
    expect(await proveAt(visitor(), LOGIN, authenticator, { counter: 6 })).toMatchObject({ status: 200 });
    for (const counter of [6, 2, 0])
      expect(await proveAt(visitor(), LOGIN, authenticator, { counter })).toMatchObject(REFUSED);
    expect((await browser.send('GET', OWN)).body).toMatchObject({ passkeys: [{ copied: true }] });
    expect((await notificationsOf(h)).filter((kind) => kind === 'passkeyCopied')).toHaveLength(1);
    expect(await proveAt(visitor(), LOGIN, authenticator, { counter: 7 })).toMatchObject({ status: 200 });
    const synced = await addPasskey(browser, { counter: 0, synced: true });
    for (let at = 0; at < 2; at += 1)
      expect(await proveAt(visitor(), LOGIN, synced.authenticator)).toMatchObject({ status: 200 });
  });

  test('T31 a passkey stands in for the password where the address is changed or the account deleted', async () => {
    const { authenticator } = await addPasskey(browser);
    h.clock.advance(11 * MINUTE);
    const change = (who: Browser) => who.send('POST', '/api/account/email', { email: 'new@mirela.example' });
    const leave = (who: Browser) => who.send('POST', '/api/account/deletion', {});
    const asked = { status: 422, body: { fields: { password: ['REQUIRED'] } } };
    expect(await change(browser)).toMatchObject(asked);
    expect(await leave(browser)).toMatchObject(asked);
    expect((await proveAt(browser, CONFIRM, authenticator)).status).toBe(200);
    // Of the session that was confirmed, and for ten minutes.
    const other = visitor(await freshSession(h, mirela));
    expect([await change(other), await leave(other)]).toMatchObject([asked, asked]);
    h.clock.advance(9 * MINUTE);
    expect(await browser.send('POST', '/api/account/deletion', { password: 'wrong' })).toMatchObject({
      body: { fields: { password: ['PASSWORD_WRONG'] } },
    });
    expect([(await change(browser)).status, (await leave(browser)).status]).toEqual([200, 200]);
    await browser.send('DELETE', '/api/account/deletion');
    h.clock.advance(MINUTE);
    expect(await leave(browser)).toMatchObject(asked);
  });

  test('T32 a passkey of one device does not become one that is synced', async () => {
    const { authenticator } = await addPasskey(browser);
    expect(await proveAt(visitor(), LOGIN, authenticator, { synced: true })).toMatchObject(REFUSED);
  });

  test('T34 a ban shuts this way in as well, and a removed passkey and a deleted account have none', async () => {
    const { authenticator, id } = await addPasskey(browser);
    await h.db.sql("UPDATE users SET status = 'banned', ban_reason = 'spam'");
    expect(await proveAt(visitor(), LOGIN, authenticator)).toMatchObject({
      status: 403,
      code: 'ACCOUNT_BANNED',
      body: { ban: { reason: 'spam', until: null } },
    });
    await h.db.sql("UPDATE users SET status = 'deleted'");
    expect(await proveAt(visitor(), LOGIN, authenticator)).toMatchObject(UNKNOWN);
    await h.db.sql("UPDATE users SET status = 'active'");
    await h.db.sql('DELETE FROM passkeys WHERE id = ?', [id]);
    expect(await proveAt(visitor(), LOGIN, authenticator)).toMatchObject(UNKNOWN);
  });

  test('a page of the log-in is good for an hour, and then says that it took too long', async () => {
    const { authenticator } = await addPasskey(browser);
    const late = visitor();
    const [before, after] = [await optionsOf(late, LOGIN), await optionsOf(late, LOGIN)];
    h.clock.advance(HOUR - 1);
    expect(await late.send('POST', LOGIN, authenticator.prove(before))).toMatchObject({ status: 200 });
    h.clock.advance(1);
    expect(await late.send('POST', LOGIN, authenticator.prove(after))).toMatchObject({
      status: 410,
      code: 'PASSKEY_EXPIRED',
    });
  });

  test('T36 the page of the log-in says nothing of accounts, and writes nothing', async () => {
    await addPasskey(browser);
    const before = await h.db.sql('SELECT * FROM used_challenges');
    const { challenge, ...options } = await optionsOf(visitor(), LOGIN);
    expect(typeof challenge).toBe('string');
    expect(options).toEqual({ rpId: 'panel.example.com', timeout: 60_000, userVerification: 'required' });
    expect(await h.db.sql('SELECT * FROM used_challenges')).toEqual(before);
  });

  test('T36 who proves an address that nobody had confirmed gets the account without the passkeys of others', async () => {
    const { authenticator } = await addPasskey(browser);
    await h.db.uow.run((tx) => h.host.services.events.emit(tx, 'user.reclaimed', { userId: mirela.id }));
    expect(await stored()).toEqual([]);
    expect(await proveAt(visitor(), LOGIN, authenticator)).toMatchObject(UNKNOWN);
  });
});

test('T36 who takes an address back gets the account without the passkeys that were added since', async () => {
  await addPasskey(browser, { name: 'Mine' });
  h.clock.advance(MINUTE);
  const sinceMs = h.clock.now();
  await addPasskey(browser, { name: 'A thief’s' });
  const restored = { userId: mirela.id, from: 'thief@example.com', to: 'mirela.v@example.com', sinceMs };
  await h.db.uow.run((tx) => h.host.services.events.emit(tx, 'user.email_restored', restored));
  expect(await stored()).toMatchObject([{ name: 'Mine' }]);
});

describe('a passkey as the second factor', () => {
  test('T30 T32 a passkey passes the second factor, also while codes are slowed by wrong ones', async () => {
    const { authenticator } = await addPasskey(browser);
    const on = await switchOn(h, mirela);
    const waiting = visitor(await freshSession(h, mirela));
    const code = wrongCode(on.secret, h.clock.now());
    for (let at = 0; at < 6; at += 1) await waiting.send('POST', '/api/auth/2fa/verify', { code });
    const right = { code: codeAt(on.secret, h.clock.now()) };
    expect(await waiting.send('POST', '/api/auth/2fa/verify', right)).toMatchObject({ status: 429 });
    expect((await waiting.send('GET', '/api/auth/2fa/waiting')).body).toMatchObject({
      waiting: true,
      passkey_domain: 'panel.example.com',
    });
    const before = waiting.cookies.get(SESSION_COOKIE);
    const options = await optionsOf(waiting, FACTOR);
    expect(options).toMatchObject({
      userVerification: 'discouraged',
      allowCredentials: [{ id: authenticator.id, transports: ['internal'] }],
    });
    const proof = authenticator.prove(options, { verified: false, handle: null });
    expect(await waiting.send('POST', FACTOR, proof)).toMatchObject({ status: 200 });
    expect(waiting.cookies.get(SESSION_COOKIE)).not.toBe(before);
    expect((await session(waiting)).code).toBeNull();
    expect(await waiting.send('POST', FACTOR, proof)).toMatchObject({ status: 409 });
  });

  test('T30 recovery codes still pass while codes of the app are slowed', async () => {
    const on = await switchOn(h, mirela);
    const waiting = visitor(await freshSession(h, mirela));
    const code = wrongCode(on.secret, h.clock.now());
    for (let at = 0; at < 6; at += 1) await waiting.send('POST', '/api/auth/2fa/verify', { code });
    expect(await waiting.send('POST', '/api/auth/2fa/verify', { code: on.codes[0] })).toMatchObject({ status: 200 });
  });

  test('T30 a passkey of somebody else passes nothing, nor does one that was only asked for a log-in', async () => {
    const { authenticator } = await addPasskey(browser);
    const tobi = await h.person('tobi');
    const others = await addPasskey(visitor(tobi.secret));
    await switchOn(h, mirela);
    const waiting = visitor(await freshSession(h, mirela));
    expect(await proveAt(waiting, FACTOR, others.authenticator)).toMatchObject(UNKNOWN);
    const proof = authenticator.prove(await optionsOf(waiting, LOGIN));
    expect(await waiting.send('POST', FACTOR, proof)).toMatchObject(REFUSED);
    expect((await session(waiting)).code).toBe('TW0_FA_BLOCKED');
    expect(await waiting.send('POST', `${CONFIRM}/options`)).toMatchObject({ code: 'TW0_FA_BLOCKED' });
    expect(await visitor().send('POST', `${FACTOR}/options`)).toMatchObject(UNKNOWN);
    expect((await visitor().send('GET', '/api/auth/2fa/waiting')).body).toMatchObject({ passkey_domain: null });
  });

  test('a session that needs no second factor cannot pass it', async () => {
    const { authenticator } = await addPasskey(browser);
    expect(await proveAt(browser, FACTOR, authenticator)).toMatchObject({ status: 409, code: 'TWO_FACTOR_OFF' });
  });
});

describe('a passkey as a confirmation', () => {
  test('T31 a passkey confirms who sits there, if the authenticator verified the person', async () => {
    const { authenticator } = await addPasskey(browser);
    h.clock.advance(10 * MINUTE);
    expect(await proveAt(browser, CONFIRM, authenticator, { verified: false })).toMatchObject(REFUSED);
    expect((await browser.send('GET', OWN)).body).toMatchObject({ confirmed: false });
    expect(await proveAt(browser, CONFIRM, authenticator)).toMatchObject({ status: 200 });
    expect((await browser.send('GET', OWN)).body).toMatchObject({ confirmed: true });
    const tobi = visitor((await h.person('tobi')).secret);
    expect(await tobi.send('POST', `${CONFIRM}/options`)).toMatchObject(UNKNOWN);
    expect(await tobi.send('POST', CONFIRM, authenticator.prove(await optionsOf(browser, CONFIRM)))).toMatchObject(
      REFUSED,
    );
  });
});

describe('an account without a password', () => {
  test('3.6 a passkey is a way in, and the last one is not removed', async () => {
    await h.db.sql("UPDATE users SET password_hash = ''");
    expect((await browser.send('GET', OWN)).body).toMatchObject({ needs_password: false });
    const { id, authenticator } = await addPasskey(browser);
    expect(await browser.send('DELETE', `${OWN}/${id}`)).toMatchObject({ status: 409, code: 'LAST_WAY_IN' });
    const other = await addPasskey(browser);
    expect(await browser.send('DELETE', `${OWN}/${other.id}`)).toMatchObject({ status: 200 });
    expect(await proveAt(visitor(), LOGIN, authenticator)).toMatchObject({ status: 200 });
    // Signing in stands in for the password for a quarter of an hour.
    h.clock.advance(HOUR);
    expect(await confirm(browser, {})).toMatchObject({
      status: 422,
      body: { fields: { password: ['SIGN_IN_AGAIN'] } },
    });
  });
});

describe('a second factor whose app is lost', () => {
  test('T31 a passkey does for password and code to renew the recovery codes and to switch the factor off', async () => {
    const { authenticator } = await addPasskey(browser);
    await switchOn(h, mirela);
    h.clock.advance(10 * MINUTE);
    const off = (input: object = {}) => browser.send('POST', '/api/auth/2fa/disable', input);
    expect(await off()).toMatchObject({
      status: 422,
      body: { fields: { password: ['REQUIRED'], code: ['REQUIRED'] } },
    });
    expect(await off({ password: PASSWORD })).toMatchObject({ status: 422, body: { fields: { code: ['REQUIRED'] } } });
    expect((await browser.send('GET', '/api/auth/2fa')).body).toMatchObject({
      confirmed: false,
      passkey_domain: 'panel.example.com',
    });
    expect(await proveAt(browser, CONFIRM, authenticator)).toMatchObject({ status: 200 });
    expect((await browser.send('GET', '/api/auth/2fa')).body).toMatchObject({ enabled: true, confirmed: true });
    const renewed = await browser.send('POST', '/api/auth/2fa/recovery', {});
    expect(renewed.body.recovery_codes).toHaveLength(10);
    // What is typed is checked all the same.
    expect(await off({ password: PASSWORD, code: '000000' })).toMatchObject({ status: 422 });
    expect(await off()).toMatchObject({ status: 200 });
    expect(await off()).toMatchObject({ status: 409, code: 'TWO_FACTOR_OFF' });
  });

  test('T31 a session that waits for its second factor confirms nothing', async () => {
    await addPasskey(browser);
    await switchOn(h, mirela);
    const waiting = visitor(await freshSession(h, mirela));
    expect(await confirm(waiting)).toMatchObject({ status: 403, code: 'TW0_FA_BLOCKED' });
    expect(await waiting.send('POST', '/api/auth/2fa/disable', {})).toMatchObject({ code: 'TW0_FA_BLOCKED' });
  });
});

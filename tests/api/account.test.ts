import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { toCredits } from '#shared/credits.ts';
import type { ApiError } from '#shared/contract/client.ts';
import { SESSION_COOKIE } from '#shared/constants.ts';
import { HOUR, iso, SECOND } from '#shared/time.ts';
import { ctxOf, openBrowser, type Browser } from '#tests/support/browser.ts';
import { atOnce } from '#tests/support/coins.ts';
import { freshSession, switchOn } from '#tests/support/factor.ts';
import { openHarness, PASSWORD, type Harness, type Person } from '#tests/support/harness.ts';

// Shows behaviour 3.8.

let h: Harness;
let mirela: Person;
beforeEach(async () => {
  h = await openHarness();
  mirela = await h.person('mirela.v');
});
afterEach(() => h.close());

const NEW = 'a whole new sentence';
function browserOf(secret: string): Browser {
  const browser = openBrowser(h);
  browser.cookies.set(SESSION_COOKIE, secret);
  return browser;
}
const identity = () => h.host.services.identity;
const another = async () =>
  (
    await identity().openSession(mirela.id, {
      address: '192.0.2.7',
      userAgent: 'Mozilla/5.0 (Android 16; Mobile; rv:150.0) Gecko/150.0 Firefox/150.0',
    })
  ).secret;
const works = async (secret: string) => (await identity().resolve(secret)) !== null;

describe('the profile', () => {
  test('the profile is read and changed, with a row of the audit log', async () => {
    expect(await mirela.api.account.get()).toMatchObject({
      username: 'mirela.v',
      email: 'mirela.v@example.com',
      verified: true,
      role: { name: 'Member' },
      locale: 'en',
    });
    await mirela.api.account.update({ body: { first_name: 'Mirela', last_name: 'Vasile', locale: 'de' } });
    expect(await mirela.api.account.get()).toMatchObject({ first_name: 'Mirela', last_name: 'Vasile', locale: 'de' });
    const [row] = await h.db.sql<{ before: string; after: string }>(
      "SELECT before, after FROM audit WHERE action = 'account.profile'",
    );
    expect([JSON.parse(row?.before ?? ''), JSON.parse(row?.after ?? '')]).toEqual([
      { first_name: 'Test', last_name: 'Person', locale: 'en', time_zone: null },
      { first_name: 'Mirela', last_name: 'Vasile', locale: 'de', time_zone: null },
    ]);
  });

  test('a time zone of one’s own is kept until another is chosen, and none follows the installation', async () => {
    await h.set({ app_timezone: 'Europe/Bucharest' });
    const shown = async () => (await mirela.api.session.get()).user_info.time_zone;
    const names = { first_name: 'Mirela', last_name: 'Vasile', locale: 'en' } as const;
    const update = (time_zone?: string | null) =>
      mirela.api.account.update({ body: time_zone === undefined ? names : { ...names, time_zone } });
    expect(await shown()).toBe('Europe/Bucharest');
    await update('Asia/Tokyo');
    // A change of the language alone leaves it.
    await update();
    expect([await shown(), (await mirela.api.account.get()).time_zone]).toEqual(['Asia/Tokyo', 'Asia/Tokyo']);
    for (const wrong of ['Mars/Olympus', '+02:00', 'Europe/Bucharest<b>'])
      expect(await update(wrong).catch((error: ApiError) => error.fields)).toEqual({ time_zone: ['UNKNOWN'] });
    await update(null);
    expect([await shown(), (await mirela.api.account.get()).time_zone]).toEqual(['Europe/Bucharest', null]);
  });

  test('new names are followed by the panels at once, in one job, and a language alone is not', async () => {
    const wakes = async () =>
      (
        await h.db.sql<{ payload: string }>(
          "SELECT payload FROM jobs WHERE kind = 'servers.account' AND state = 'ready'",
        )
      ).map((job) => JSON.parse(job.payload) as unknown);
    await mirela.api.account.update({ body: { first_name: 'Test', last_name: 'Person', locale: 'de' } });
    expect(await wakes()).toEqual([]);
    await atOnce(50, (at) =>
      mirela.api.account.update({ body: { first_name: `Mirela ${at}`, last_name: 'Vasile', locale: 'de' } }),
    );
    expect(await wakes()).toEqual([{ userId: mirela.id }]);
  });

  test('T40 the profile takes nothing but what it names', async () => {
    const body = { first_name: 'M', last_name: 'V', locale: 'en', role_id: 'owner', username: 'admin', verified_ms: 1 };
    expect(await browserOf(mirela.secret).send('PATCH', '/api/account', body)).toMatchObject({
      status: 422,
      code: 'VALIDATION_FAILED',
    });
    expect(
      await browserOf(mirela.secret).send('PATCH', '/api/account', { first_name: 'M', last_name: 'V', locale: 'xx' }),
    ).toMatchObject({ status: 422 });
  });
});

describe('the password', () => {
  const change = (browser: Browser, current: string, password: string) =>
    browser.send('POST', '/api/account/password', { current, password });

  test('T35 a change gives this session a new secret and ends all others', async () => {
    const other = await another();
    const browser = browserOf(mirela.secret);
    expect(await change(browser, PASSWORD, NEW)).toMatchObject({ status: 200, code: null });
    const fresh = browser.cookies.get(SESSION_COOKIE) ?? '';
    expect(fresh).not.toBe(mirela.secret);
    expect([await works(fresh), await works(mirela.secret), await works(other)]).toEqual([true, false, false]);
    const login = (password: string) =>
      openBrowser(h, '192.0.2.99').send('POST', '/api/auth/login', { login: 'mirela.v', password });
    expect((await login(PASSWORD)).code).toBe('LOGIN_FAILED');
    expect((await login(NEW)).code).toBeNull();
    expect(await h.db.sql("SELECT kind FROM notifications WHERE kind = 'passwordChanged'")).toHaveLength(1);
    expect(JSON.stringify(await h.db.sql('SELECT * FROM audit'))).not.toContain(NEW);
  });

  test('a change asks for the current password, and a wrong one stands at its field and is slowed after five', async () => {
    const browser = browserOf(mirela.secret);
    for (let i = 0; i < 5; i += 1)
      expect(await change(browser, 'wrong', NEW)).toMatchObject({
        status: 422,
        body: { fields: { current: ['PASSWORD_WRONG'] } },
      });
    const slowed = await change(browser, PASSWORD, NEW);
    expect(slowed).toMatchObject({ status: 429, code: 'RATE_LIMITED' });
    expect(await works(mirela.secret)).toBe(true);
    h.clock.advance(10 * SECOND);
    expect(await change(browser, PASSWORD, NEW)).toMatchObject({ status: 200 });
  });

  test('a common password is refused, and does not count as a wrong try', async () => {
    const browser = browserOf(mirela.secret);
    expect(await change(browser, PASSWORD, 'Minecraft2026')).toMatchObject({
      status: 422,
      body: { fields: { password: ['PASSWORD_COMMON'] } },
    });
    expect(await h.db.sql('SELECT key FROM attempts')).toEqual([]);
    expect(await works(mirela.secret)).toBe(true);
  });

  test('one of several changes at once counts', async () => {
    const ctx = await ctxOf(h, mirela.secret);
    const tally = await atOnce(5, (i) =>
      identity().changePassword(ctx, { current: PASSWORD, password: `${NEW} ${i}` }),
    );
    expect(tally).toEqual({ ok: 1, VALIDATION_FAILED: 4 });
    expect(await h.db.sql('SELECT password_version FROM users')).toEqual([{ password_version: 2 }]);
  });

  test('T34 a session that a ban has ended changes no password', async () => {
    const ctx = await ctxOf(h, mirela.secret);
    await identity().ban(null, mirela.id, { reason: 'spam', untilMs: null });
    expect(await atOnce(1, () => identity().changePassword(ctx, { current: PASSWORD, password: NEW }))).toEqual({
      UNAUTHENTICATED: 1,
    });
    expect(await h.db.sql('SELECT password_version FROM users')).toEqual([{ password_version: 1 }]);
  });
});

describe('sessions', () => {
  test('sessions are listed with device and address, the latest used first', async () => {
    h.clock.advance(HOUR);
    await another();
    const { sessions } = await mirela.api.account.sessions();
    expect(sessions.map(({ device, address, current }) => ({ device, address, current }))).toEqual([
      { device: 'Firefox · Android', address: '192.0.2.7', current: false },
      { device: 'Test', address: '203.0.113.7', current: true },
    ]);
    expect(JSON.stringify(sessions)).not.toMatch(/token|hash/);
  });

  test('a session says when the second factor was passed in it', async () => {
    const factors = async () => (await mirela.api.account.sessions()).sessions.map(({ factor_at }) => factor_at);
    expect(await factors()).toEqual([null]);
    const onMs = h.clock.now();
    await switchOn(h, mirela);
    // Whoever turns it on has shown it; where it was not asked for yet, nothing is said.
    await freshSession(h, mirela);
    expect((await factors()).toSorted()).toEqual([iso(onMs), null].toSorted());
  });

  test('a user ends one session, or all others', async () => {
    const secrets = [await another(), await another(), await another()];
    const { sessions } = await mirela.api.account.sessions();
    const first = (await ctxOf(h, secrets[0] ?? '')).actor.sessionId;
    expect(sessions.map(({ id }) => id)).toContain(first);
    await mirela.api.account.endSession({ params: { id: first } });
    expect(await Promise.all(secrets.map(works))).toEqual([false, true, true]);
    expect(await mirela.api.account.endOtherSessions()).toMatchObject({ ended: 2 });
    expect(await Promise.all([...secrets, mirela.secret].map(works))).toEqual([false, false, false, true]);
    expect(await mirela.api.account.endOtherSessions()).toMatchObject({ ended: 0 });
  });

  test('T24 somebody else’s session is not there', async () => {
    const other = await h.person('other.o');
    const id = (await ctxOf(h, other.secret)).actor.sessionId;
    expect(await browserOf(mirela.secret).send('DELETE', `/api/account/sessions/${id}`)).toMatchObject({
      status: 404,
      code: 'NOT_FOUND',
    });
    expect(await works(other.secret)).toBe(true);
  });

  test('T52 fifty sessions are open at most, and the longest unused ends', async () => {
    for (let i = 0; i < 50; i += 1) {
      h.clock.advance(SECOND);
      await another();
    }
    expect((await h.db.sql('SELECT id FROM sessions')).length).toBe(50);
    expect(await works(mirela.secret)).toBe(false);
  });
});

describe('the statement', () => {
  const book = (kind: string, amount: number, subject: string | null, reference: string) => {
    const wallet = `user:${mirela.id}` as const;
    const posting =
      amount > 0
        ? ({ source: 'system:reward.redeem', destination: wallet, amount: toCredits(amount) } as const)
        : ({ source: wallet, destination: 'system:store', amount: toCredits(-amount) } as const);
    return h.db.uow.run((tx) => h.host.services.ledger.transfer(tx, { kind, reference, subject, postings: [posting] }));
  };
  beforeEach(async () => {
    await book('reward.redeem', 500, 'WELCOME', 'a');
    h.clock.set(Date.parse('2026-03-11T23:30:00Z'));
    await book('store.buy', -150, 'memory', 'b');
    h.clock.set(Date.parse('2026-03-12T08:00:00Z'));
    await book('reward.redeem', 20, '=HYPERLINK("http://evil.example","click")', 'c');
  });

  test('the statement shows what, how much, and what was left', async () => {
    const { rows, balance, held, paging } = await mirela.api.account.statement();
    expect(
      rows.map(({ at, kind, subject, amount, balance_after, counterpart }) => [
        at,
        kind,
        subject,
        amount,
        balance_after,
        counterpart,
      ]),
    ).toEqual([
      [
        '2026-03-12T08:00:00.000Z',
        'reward.redeem',
        '=HYPERLINK("http://evil.example","click")',
        20,
        370,
        'system:reward.redeem',
      ],
      ['2026-03-11T23:30:00.000Z', 'store.buy', 'memory', -150, 350, 'system:store'],
      ['2026-03-10T12:00:00.000Z', 'reward.redeem', 'WELCOME', 500, 500, 'system:reward.redeem'],
    ]);
    expect({ balance, held, paging }).toEqual({
      balance: 370,
      held: 0,
      paging: { per_page: 25, newer: null, older: null },
    });
  });

  test('the statement is filtered by kind, direction and days of one’s own time zone or the installation’s, and paged', async () => {
    const subjects = async (query: object) =>
      (await mirela.api.account.statement({ query })).rows.map(({ kind }) => kind);
    expect(await subjects({ kind: 'store.buy' })).toEqual(['store.buy']);
    expect(await subjects({ direction: 'in' })).toEqual(['reward.redeem', 'reward.redeem']);
    expect(await subjects({ from: '2026-03-11', to: '2026-03-11' })).toEqual(['store.buy']);
    await h.set({ app_timezone: 'Europe/Bucharest' });
    expect(await subjects({ from: '2026-03-11', to: '2026-03-11' })).toEqual([]);
    const body = { first_name: 'M', last_name: 'V', locale: 'en' as const };
    await mirela.api.account.update({ body: { ...body, time_zone: 'America/Lima' } });
    expect(await subjects({ from: '2026-03-11', to: '2026-03-11' })).toEqual(['store.buy']);
    await mirela.api.account.update({ body: { ...body, time_zone: null } });
    expect(await subjects({ from: '2026-03-12' })).toEqual(['reward.redeem', 'store.buy']);
    const first = await mirela.api.account.statement({ query: { per_page: '2' } });
    expect([first.paging.newer, typeof first.paging.older]).toEqual([null, 'string']);
    const second = await mirela.api.account.statement({ query: { before: first.paging.older ?? '', per_page: '2' } });
    expect(second.rows.map(({ subject }) => subject)).toEqual(['WELCOME']);
    expect([second.paging.older, typeof second.paging.newer]).toEqual([null, 'string']);
    // Two lines are newer: the first page again, full.
    expect(await mirela.api.account.statement({ query: { after: second.paging.newer ?? '', per_page: '2' } })).toEqual(
      first,
    );
    const fields = async (query: string) =>
      (await browserOf(mirela.secret).send('GET', `/api/account/statement?${query}`)).body.fields;
    expect(await fields('before=somewhere')).toEqual({ before: ['INVALID'] });
    // A place that nobody gave out leads to the newest lines.
    expect((await mirela.api.account.statement({ query: { before: '1.x.0' } })).rows).toHaveLength(3);
  });

  test('a day that does not exist and a span that ends before it begins are refused at their field', async () => {
    const fields = async (query: string) =>
      (await browserOf(mirela.secret).send('GET', `/api/account/statement?${query}`)).body.fields;
    expect(await fields('from=2026-02-30')).toEqual({ from: ['INVALID_DATE'] });
    expect(await fields('from=2026-03-12&to=2026-03-11')).toEqual({ to: ['END_BEFORE_START'] });
    expect(await fields('per_page=1000000')).toEqual({ per_page: ['TOO_LARGE'] });
  });

  test('T29 the CSV has amounts as numbers, and a text that looks like a formula as text', async () => {
    const response = await browserOf(mirela.secret).get('/api/account/statement.csv?from=2026-03-11');
    expect(response.headers.get('content-type')).toContain('text/csv');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="statement-2026-03-12.csv"');
    const text = await response.text();
    const lines = text
      .replace('\uFEFF', '')
      .split('\r\n')
      .map((line) => line.replace(/,[0-9a-f-]{36},$/, ''));
    expect(lines).toEqual([
      'date,kind,subject,amount,balance_after,counterpart,id,reason',
      `2026-03-12T08:00:00.000Z,reward.redeem,"'=HYPERLINK(""http://evil.example"",""click"")",20,370,system:reward.redeem`,
      '2026-03-11T23:30:00.000Z,store.buy,memory,-150,350,system:store',
      '',
    ]);
  });

  test('T24 the statement is one’s own', async () => {
    const other = await h.person('other.o', { credits: 5 });
    expect((await other.api.account.statement()).rows.map(({ amount }) => amount)).toEqual([5]);
  });

  test('the CSV holds every line, however many', async () => {
    const posting = { source: 'system:reward.redeem', destination: `user:${mirela.id}`, amount: toCredits(1) } as const;
    await h.db.uow.run(async (tx) => {
      for (let i = 0; i < 1003; i += 1)
        await h.host.services.ledger.transfer(tx, {
          kind: 'reward.redeem',
          reference: `many:${i}`,
          postings: [posting],
        });
    });
    const text = await (await browserOf(mirela.secret).get('/api/account/statement.csv')).text();
    expect(text.trim().split('\r\n')).toHaveLength(1007);
  });
});

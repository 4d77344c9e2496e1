import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { ROUTE_LIST } from '#shared/routes/table.ts';
import { codeAt, freshSession, switchOn, wrongCode, type FactorOf } from '#tests/support/factor.ts';
import { nth } from '#tests/support/coins.ts';
import { openHarness, PASSWORD, type Harness, type Person } from '#tests/support/harness.ts';
import { openPages, type Pages } from '#tests/support/pages.ts';

let harness: Harness;
let pages: Pages;
let mirela: Person;
beforeEach(async () => {
  harness = await openHarness();
  pages = await openPages(harness);
  mirela = await harness.person('mirela.v');
});
afterEach(() => harness.close());

const VERIFY = '/auth/2fa/verify';
const SETUP = '/auth/2fa/setup';
const REMEMBERED = 'redirect_after_login';

async function read(response: Response) {
  const html = await response.text();
  const lines = response.headers.getSetCookie();
  const valueOf = (name: string) =>
    lines
      .find((line) => line.startsWith(`${name}=`))
      ?.split(';')[0]
      ?.slice(name.length + 1);
  const wanted = valueOf(REMEMBERED);
  const boot = JSON.parse(/self\.__boot=(\{.*?\})<\/script>/s.exec(html)?.[1] ?? 'null') as {
    session: unknown;
    refusedMarker: unknown;
  } | null;
  return {
    status: response.status,
    to: response.headers.get('location'),
    wanted: wanted === undefined ? null : decodeURIComponent(wanted),
    valueOf,
    html,
    session: boot?.session,
    refusedMarker: boot?.refusedMarker,
  };
}
const get = async (path: string, options: { secret?: string; headers?: Record<string, string> } = {}) =>
  read(await pages.get(path, options));

/** A browser without scripts: sends forms, keeps cookies. */
function plain() {
  const jar = new Map<string, string>();
  const asked = async (send: (options: { headers: Record<string, string> }) => Promise<Response>) => {
    const response = await send({
      headers: jar.size > 0 ? { Cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') } : {},
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/Max-Age=0(;|$)/.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    return read(response);
  };
  return {
    jar,
    get: (path: string) => asked((options) => pages.get(path, options)),
    post: (path: string, fields: Record<string, string>) => asked((options) => pages.post(path, fields, options)),
  };
}

describe('a guest', () => {
  test('a guest finds the page of verification, which says that nothing waits', async () => {
    const page = await get(VERIFY);
    expect([page.status, page.session]).toEqual([200, null]);
    expect(page.html).toContain(
      'There’s no login to confirm. Log in first; if two-factor authentication is on, you’ll come back here.',
    );
    expect(page.html).not.toContain('name="code"');
  });

  test.each([[SETUP], ['/auth/2fa/setup/disband']])('a guest goes from %s to the login', async (path) => {
    expect(await get(path)).toMatchObject({ status: 302, to: '/auth/login', wanted: path });
  });
});

describe('T30 a visitor who waits for the second factor', () => {
  let on: FactorOf;
  let secret: string;
  beforeEach(async () => {
    on = await switchOn(harness, mirela);
    secret = await freshSession(harness, mirela);
  });

  test('a waiting visitor goes from every page of an account to the verification, and the page is remembered', async () => {
    for (const row of ROUTE_LIST.filter(({ guard }) => guard !== 'open' && guard !== 'guest-only')) {
      const path = row.path.replace(/:\w+/g, '01890000-0000-7000-8000-000000000000');
      expect([path, await get(`${path}?tab=2`, { secret })]).toMatchObject([
        path,
        { status: 302, to: VERIFY, wanted: `${path}?tab=2` },
      ]);
    }
  });

  test('a waiting visitor sees the verification with its form, as a guest, and the marker cookie stays', async () => {
    const page = await get(VERIFY, { secret });
    expect([page.status, page.session, page.valueOf('user_token')]).toEqual([200, null, undefined]);
    expect(page.html).toContain('name="code"');
    expect(page.html).not.toContain('mirela');
  });

  test('a waiting visitor may see what is open to all, and the log-in for another account', async () => {
    for (const path of ['/terms-of-service', '/auth/login'])
      expect(await get(path, { secret })).toMatchObject({ status: 200, session: null, refusedMarker: null });
  });

  test('a waiting visitor does not read that they are logged out while they are not', async () => {
    expect(await get('/auth/logout', { secret })).toMatchObject({ status: 302, to: VERIFY, wanted: null });
  });

  test('a waiting visitor goes without scripts from the wanted page through password and code to it', async () => {
    const browser = plain();
    expect(await browser.get('/store?q=1')).toMatchObject({ status: 302, to: '/auth/login' });
    expect(await browser.post('/auth/login', { login: 'mirela.v', password: PASSWORD })).toMatchObject({
      status: 302,
      to: VERIFY,
    });
    const refused = await browser.post(VERIFY, { code: wrongCode(on.secret, harness.clock.now()) });
    expect(refused.status).toBe(200);
    expect(refused.html).toContain('aria-invalid="true"');
    expect([browser.jar.has('user_token'), refused.session]).toEqual([true, null]);
    expect(await browser.post(VERIFY, { code: codeAt(on.secret, harness.clock.now()) })).toMatchObject({
      status: 302,
      to: '/store?q=1',
    });
    expect(browser.jar.has(REMEMBERED)).toBe(false);
    expect(await browser.get('/store?q=1')).toMatchObject({
      status: 200,
      session: { user_info: { username: 'mirela.v', second_factor: 'on' } },
    });
  });

  test('a waiting visitor goes without scripts through a log-in elsewhere first, then to the page that was asked for meanwhile', async () => {
    const browser = plain();
    await browser.post('/auth/login', { login: 'mirela.v', password: PASSWORD });
    expect(await browser.get('/account?tab=sessions')).toMatchObject({ status: 302, to: VERIFY });
    expect(await browser.post(VERIFY, { code: nth(on.codes, 0) })).toMatchObject({
      status: 302,
      to: '/account?tab=sessions',
    });
  });

  test('a waiting visitor logs out from there without scripts', async () => {
    const browser = plain();
    await browser.post('/auth/login', { login: 'mirela.v', password: PASSWORD });
    const { html } = await browser.get(VERIFY);
    expect(html).toContain('action="/auth/logout"');
    expect(await browser.post('/auth/logout', {})).toMatchObject({ status: 302, to: '/auth/login?logout=done' });
    expect(browser.jar.has('user_token')).toBe(false);
    expect((await browser.get(VERIFY)).html).toContain(
      'There’s no login to confirm. Log in first; if two-factor authentication is on, you’ll come back here.',
    );
  });
});

describe('somebody who is logged in', () => {
  test('a user goes from the verification home, with a factor as without', async () => {
    expect(await get(VERIFY, { secret: mirela.secret })).toMatchObject({ status: 302, to: '/dashboard' });
    await switchOn(harness, mirela);
    expect(await get(VERIFY, { secret: mirela.secret })).toMatchObject({ status: 302, to: '/dashboard' });
  });

  test('T31 a user goes from the page that cancels to the one change by GET', async () => {
    expect(await get('/auth/2fa/setup/disband', { secret: mirela.secret })).toMatchObject({
      status: 302,
      to: '/api/auth/2fa/setup/kill',
    });
  });

  test('a user sets it up without scripts, sees the codes once, and switches it off', async () => {
    const post = async (fields: Record<string, string>) =>
      read(await pages.post(SETUP, fields, { secret: mirela.secret }));
    expect((await get(SETUP, { secret: mirela.secret })).html).toContain('value="begin"');
    const begun = await post({ _intent: 'begin', password: PASSWORD });
    const secret = /<code>((?:[A-Z2-7]{4} ?){8})<\/code>/.exec(begun.html)?.[1]?.replaceAll(' ', '') ?? '';
    expect(begun.html).toContain('<svg class="sp-qr"');
    const done = await post({ _intent: 'confirm', code: codeAt(secret, harness.clock.now()) });
    expect(done.html.match(/<code>[A-Z2-9]{5}-[A-Z2-9]{5}<\/code>/g)).toHaveLength(10);
    const later = await get(SETUP, { secret: mirela.secret });
    expect(later.html).not.toMatch(/<code>/);
    expect(later.html).toContain('value="disable"');
    harness.clock.advance(30_000);
    const off = await post({ _intent: 'disable', password: PASSWORD, code: codeAt(secret, harness.clock.now()) });
    expect(off.html).toContain('Two-factor authentication is off.');
    expect(off.html).toContain('value="begin"');
  });

  test('T30 every page leads to the set-up first where the host asks for a factor, and the set-up is there', async () => {
    await harness.set({ force_2fa: 'all' });
    for (const path of ['/dashboard', '/account?tab=security', '/store', '/mc-admin'])
      expect(await get(path, { secret: mirela.secret })).toMatchObject({ status: 302, to: SETUP, wanted: path });
    const page = await get(SETUP, { secret: mirela.secret });
    expect(page.status).toBe(200);
    expect(page.html).toContain('This host requires two-factor authentication. Set it up to continue.');
    expect(await get('/auth/login', { secret: mirela.secret })).toMatchObject({ status: 302, to: '/dashboard' });
    await switchOn(harness, mirela);
    expect(await get('/dashboard', { secret: mirela.secret })).toMatchObject({ status: 200 });
  });
});

import type { Page, Route } from '@playwright/test';
import { call, configure, expect, PASSPHRASE, ready, test, watch, type Installation } from './fixtures.ts';

/** Every page that listens to the stream of events, while it is being read: what changes meanwhile shows in the end. */

interface Egg {
  readonly id: string;
  readonly min_memory: number;
  readonly min_disk: number;
  readonly min_cpu: number;
  readonly variables: readonly { env: string; default_value: string }[];
}

/** An owner with credits, a server and an order; another user to give to. */
async function furnish(
  page: Page,
  host: Installation,
): Promise<{ id: string; other: string; server: string; order: string }> {
  const register = (username: string, more: object) =>
    call(page, 'POST', '/api/auth/register', {
      username,
      email: `${username}@example.com`,
      password: PASSPHRASE,
      first_name: 'Mirela',
      last_name: 'Vega',
      terms: true,
      ...more,
    });
  const self = async () => (await call<{ user_info: { id: string } }>(page, 'GET', '/api/user/session')).user_info.id;
  await configure(host, {
    manual_payments_enabled: true,
    manual_payment_text: 'At the desk.',
    gift_min_account_days: 0,
    allow_public_profiles: true,
  });
  await page.goto('/auth/login');
  await register('tobi_k', {});
  const other = await self();
  await call(page, 'POST', '/api/auth/logout');
  await page.goto('/auth/login');
  await register('mirela', { setup: new URL(host.setupLink).searchParams.get('setup') });
  const id = await self();
  await call(page, 'POST', `/api/admin/users/${id}/adjust`, { direction: 'in', amount: 500, reason: 'To begin with' });
  const options = await call<{ locations: { id: string }[]; categories: { id: string; eggs: Egg[] }[] }>(
    page,
    'GET',
    '/api/servers/options',
  );
  const [choice] = options.categories
    .flatMap((category) => category.eggs.map((egg) => ({ category, egg })))
    .toSorted((a, b) => a.egg.min_memory - b.egg.min_memory);
  if (!choice) throw new Error('no sample data');
  const { category, egg } = choice;
  const server = await call<{ id: string }>(page, 'POST', '/api/servers', {
    name: 'Lanternwood',
    description: '',
    location_id: options.locations[0]?.id,
    category_id: category.id,
    egg_id: egg.id,
    memory: egg.min_memory,
    disk: egg.min_disk,
    cpu: egg.min_cpu,
    ports: 1,
    databases: 0,
    backups: 0,
    variables: Object.fromEntries(egg.variables.map(({ env, default_value: value }) => [env, value])),
    auto_renew: false,
  });
  await expect
    .poll(
      async () => (await call<{ server: { state: string } }>(page, 'GET', `/api/servers/${server.id}`)).server.state,
      { timeout: 90_000 },
    )
    .toBe('active');
  const price = { price_minor: 500, currency: 'EUR' };
  const offer = await call<{ id: string }>(page, 'POST', '/api/admin/credit-packages', {
    ...price,
    name: 'Starter',
    credits: 1000,
    bonus: 200,
    position: 0,
    visible: true,
  });
  const order = await call<{ id: string }>(page, 'POST', '/api/payments/orders', {
    ...price,
    provider: 'manual',
    package_id: offer.id,
    credits: 1200,
  });
  return { id, other, server: server.id, order: order.id };
}

/** Holds the answers to a page's questions: asked of the server at once, given to the page when it is let go. */
async function holdReadings(page: Page): Promise<{ readonly asked: string[]; release(): void; end(): Promise<void> }> {
  const asked: string[] = [];
  const held: Promise<void>[] = [];
  const gate = Promise.withResolvers<void>();
  const hold = async (route: Route) => {
    const request = route.request();
    const { pathname, search } = new URL(request.url());
    // What the shell asks for is not the page's reading; nor is what the create page asks by itself every 20 s.
    const isOfPage =
      request.method() === 'GET' &&
      !['/api/user/session', '/api/events', '/api/notifications', '/api/servers/availability'].includes(pathname) &&
      !pathname.startsWith('/api/system/');
    if (!isOfPage || pathname.endsWith('/stream')) return route.continue();
    asked.push(pathname + search);
    const answer = async () => {
      const response = await route.fetch();
      await gate.promise;
      await route.fulfill({ response });
    };
    const answered = answer();
    held.push(answered);
    return answered;
  };
  await page.route('**/api/**', hold);
  return {
    asked,
    release: gate.resolve,
    end: async () => {
      await Promise.all(held);
      await page.unroute('**/api/**', hold);
    },
  };
}

test('T64 Screen 12 every page that listens shows what changed while it was being read', async ({ browser, host }) => {
  const context = await browser.newContext({ baseURL: host.url, viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  const complaints = watch(page);
  const { id, other, server, order } = await furnish(page, host);
  /** A change of the balance, made elsewhere; waits until the page has heard of it: it asks for the session then. */
  const change = async () => {
    const heard = page.waitForRequest((request) => new URL(request.url()).pathname === '/api/user/session');
    const headers = { 'Content-Type': 'application/json', Origin: host.url, 'Idempotency-Key': crypto.randomUUID() };
    const answer = await context.request.post(`/api/admin/users/${id}/adjust`, {
      headers,
      data: { direction: 'in', amount: 1, reason: 'A change elsewhere' },
    });
    expect(answer.status()).toBe(200);
    await heard;
  };
  const pages = [
    '/dashboard',
    '/store',
    '/store/add-credits',
    `/store/orders/${order}`,
    '/leaderboard',
    `/profile/${other}/gift-coins`,
    '/earn/afk',
    '/earn/redeem',
    '/earn/links',
    '/earn/referrals',
    '/earn/j4r',
    '/server/create',
    `/server/${server}`,
    `/server/${server}/renew`,
    `/mc-admin/payments/${order}`,
  ];
  for (const path of pages) {
    await test.step(path, async () => {
      await page.goto(path);
      await ready(page);
      expect(new URL(page.url()).pathname, path).toBe(path);
      const readings = await holdReadings(page);
      await change();
      await expect.poll(() => readings.asked.length, { message: `${path} reads again` }).toBeGreaterThan(0);
      const first = readings.asked[0] ?? '';
      const times = () => readings.asked.filter((each) => each === first).length;
      const before = times();
      await change();
      expect(times(), `${path}: one reading at a time`).toBe(before);
      readings.release();
      await expect
        .poll(times, { message: `${path} reads once more what changed meanwhile`, timeout: 90_000 })
        .toBeGreaterThan(before);
      await readings.end();
    });
  }
  expect(complaints).toEqual([]);
  await context.close();
});

import { packedPlugin } from '../support/plugin-packages.ts';
import type { Browser, BrowserContext, Page } from '@playwright/test';
import { RESOURCES } from '../../shared/resources/index.ts';
import type { AnyResource } from '../../shared/resources/types.ts';
import type { Layout } from '../../shared/routes/row.ts';
import { ROUTE_LIST, type RouteId } from '../../shared/routes/table.ts';
import {
  accessible,
  call,
  configure,
  expect,
  install,
  ready,
  setupCode,
  signUp,
  test,
  uploadImage,
  watch,
  type Installation,
} from './fixtures.ts';

/**
 * Every route of the table, as a guest, a player and the owner: its status, nothing on the console (hydration is loud),
 * nothing that sticks out sideways at three widths, and nothing that axe finds, in both themes, on each frame with both
 * panels open.
 */
/** The last one is the phone's, on which axe looks for the second time. */
const WIDTHS = [1440, 768, 360] as const;
const DESKTOP = 1440;
const PHONE = 360;
const SLUG = 'our-discord';
/** Routes that are not answered with 200 where they may be seen: no payment of the sample is unknown. */
const STATUS: Partial<Record<RouteId, number>> = {
  'errors.403': 403,
  'errors.500': 500,
  plugin: 404,
  // The sample does without the plugin; it has a test of its own.
  statusPage: 404,
  'admin.payments.unknown': 404,
  // Its owner has another page of it: that of sub-users has a test of its own.
  'server.shared': 404,
  // No image of the sample is reported: pages of reports have a test of their own.
  'images.report.state': 404,
  'admin.imageReports.edit': 404,
  // Nothing was sent to the webhook of the sample: a delivery has a test of its own.
  'admin.webhooks.delivery': 404,
  // Nobody here signed its token.
  unsubscribe: 404,
};

/** Parameters of the routes' addresses, by area. */
type Ids = Readonly<Record<string, string>> & { readonly server: string };

interface Visitor {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly complaints: string[];
  /** The frames whose pages were looked at with both panels open. */
  readonly framesSeen: Set<Layout>;
}

/**
 * Notes where everything stands that can be pressed, each time a page begins to be hydrated: what reads the page's data
 * then is its script.
 */
function notePlaces(selector: string): void {
  let boot: unknown;
  Object.defineProperty(window, '__boot', {
    set: (given: unknown) => {
      boot = given;
    },
    get: () => {
      // What is still to come from the server makes room for itself.
      const isWhole = document.querySelector('template[id^="B:"]') === null;
      const elements = isWhole ? [...document.querySelectorAll(selector)] : [];
      const places = elements.map((element) => [element, element.getBoundingClientRect()] as const);
      Object.assign(window, { placesBefore: places.filter(([, { width }]) => width > 0) });
      return boot;
    },
  });
}

/** What stands elsewhere now than when the page began to be hydrated. */
function findMoved(): string[] {
  // `notePlaces` has put it there: the type of a window does not know it.
  const { placesBefore } = window as unknown as { placesBefore: [Element, DOMRect][] };
  return placesBefore.flatMap(([element, before]) => {
    const now = element.getBoundingClientRect();
    const by = [now.x - before.x, now.y - before.y].map(Math.round);
    // What scripts put something else in the place of has nowhere to be.
    if (!element.isConnected || by.every((pixels) => Math.abs(pixels) <= 1)) return [];
    return [
      `${element.tagName} ${element.getAttribute('name') ?? element.textContent.slice(0, 30)} by ${by.join(', ')}`,
    ];
  });
}

async function visitor(browser: Browser, host: Installation): Promise<Visitor> {
  const context = await browser.newContext({ baseURL: host.url });
  await context.addInitScript(notePlaces, 'main :is(a, button, input, select, textarea, summary, label)');
  await context.addCookies([{ name: 'theme', value: 'light', url: host.url }]);
  const page = await context.newPage();
  return { context, page, complaints: watch(page), framesSeen: new Set() };
}

/** A code among the sample data, and a server of the player. */
async function fill(owner: Visitor, player: Visitor): Promise<Ids> {
  const code = {
    code: 'WINTER-24',
    note: 'For the winter event',
    credits: 50,
    uses_total: 10,
    min_age_days: 0,
    starts_at: null,
    ends_at: null,
    enabled: true,
  };
  await call(owner.page, 'POST', '/api/admin/redeem-codes', code);
  const joined = {
    name: 'Moldova Craft',
    description: '',
    invite: 'moldova',
    credits: 45,
    min_account_days: 0,
    pays_members: false,
    position: 0,
    enabled: true,
  };
  await call(owner.page, 'POST', '/api/admin/j4r-servers', joined);
  // It leads to another host, so that its page asks first.
  await call(owner.page, 'POST', '/api/admin/redirect-links', {
    name: 'Our Discord',
    slug: SLUG,
    target: 'https://discord.gg/moldova',
    note: '',
    audience: 'everyone',
    menu: 'community',
    icon: 'chat',
    position: 0,
    enabled: true,
  });
  // Signing in elsewhere is offered on the log-in; nobody uses it.
  await call(owner.page, 'POST', '/api/admin/sso-providers', {
    name: 'GitHub',
    kind: 'github',
    issuer: '',
    client_id: 'Iv1.0123456789abcdef',
    client_secret: 'a-secret-of-a-sample',
    scopes: '',
    icon: 'key',
    position: 0,
    enabled: true,
  });
  await call(player.page, 'POST', '/api/earn/redeem', { code: code.code });
  interface Options {
    locations: { id: string; state: string }[];
    categories: {
      id: string;
      eggs: {
        id: string;
        min_memory: number;
        min_disk: number;
        min_cpu: number;
        variables: { env: string; default_value: string }[];
      }[];
    }[];
  }
  const options = await call<Options>(player.page, 'GET', '/api/servers/options');
  const wanted = options.categories
    .flatMap((category) => category.eggs.map((egg) => ({ category, egg })))
    .toSorted((a, b) => a.egg.min_memory - b.egg.min_memory)[0];
  if (!wanted || !options.locations[0]) throw new Error('no sample data');
  const { category, egg } = wanted;
  const made = await call<{ id: string }>(player.page, 'POST', '/api/servers', {
    name: 'Lanternwood',
    description: '',
    location_id: options.locations[0].id,
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
  // Nobody listens there: its pages say so.
  const panel = await call<{ id: string }>(owner.page, 'POST', '/api/admin/panels', {
    name: 'Main',
    url: 'http://127.0.0.1:9',
    dialect: 'pterodactyl',
    enabled: true,
    key: 'ptla_0123456789abcdef',
    client_key: '',
  });
  const first = async (path: string) =>
    (await call<{ rows: { id: string }[] }>(owner.page, 'GET', `/api/admin/${path}`)).rows[0]?.id ?? '';
  const { user_info: other } = await call<{ user_info: { id: string } }>(owner.page, 'GET', '/api/user/session');
  const paid = await pay(owner, player);
  const areas: Record<string, string> = {};
  for (const definition of Object.values<AnyResource>(RESOURCES))
    areas[definition.area] =
      (await first(definition.path.replace('/api/admin/', ''))) || (await addSample(owner.page, definition, areas));
  await call(owner.page, 'POST', '/api/admin/users/write', { ids: [other.id], subject: 'Hello', text: 'Welcome.' });
  return {
    images: await uploadImage(player.page, '/api/images'),
    libraryImages: await uploadImage(owner.page, '/api/admin/images'),
    mails: await first('mails'),
    mailTemplates: await first('mail-templates'),
    ownMails: (await call<{ id: string }>(owner.page, 'POST', '/api/admin/own-mails', { name: 'Winter', kind: 'news' }))
      .id,
    plugins: await installPlugin(owner.page),
    webhooks: (
      await call<{ id: string }>(owner.page, 'POST', '/api/admin/webhooks', {
        name: 'Shop',
        url: 'https://shop.example.com/webhooks',
        events: ['order.*', 'server.ready'],
        ordered: true,
        enabled: true,
      })
    ).id,
    serverQueue: await first('server-queue'),
    panels: panel.id,
    payments: paid,
    store: paid,
    users: await first('users'),
    // The lowest one, which the owner may change.
    roles: await first('roles?sort=rank'),
    profile: other.id,
    server: made.id,
    ...(await askForHelp(player, areas.departments ?? '')),
    ...(await announce(owner)),
    ...areas,
  };
}

/** A ticket of the player, as its own page and staff's name it. */
async function askForHelp(player: Visitor, department: string): Promise<{ ticket: string; tickets: string }> {
  const { id } = await call<{ id: string }>(player.page, 'POST', '/api/tickets', {
    department,
    priority: 'normal',
    subject: 'Cannot join',
    text: 'Nobody can **join**.',
  });
  return { ticket: id, tickets: id };
}

/** An announcement for everybody, as the board's page and staff's name it; visitors read it as well. */
async function announce({ page }: Visitor): Promise<{ announcement: string; announcements: string; news: string }> {
  const { id } = await call<{ id: string }>(page, 'POST', '/api/admin/announcements', {
    texts: [{ locale: 'en', title: 'Faster disks', summary: 'On Tuesday.', body: '## What\n\nAll of **them**.' }],
    tags: ['Maintenance'],
    picture: '',
    audience: 'everyone',
    targets: [],
    pinned: true,
    urgent: false,
    notifies: false,
    publish_at: 'now',
    end_at: null,
  });
  return { announcement: id, announcements: id, news: id };
}

/** A row of an area that the sample data has none of. In: the rows there are already, by area. Out: its id. */
async function addSample(page: Page, { path, fields, references }: AnyResource, rows: Ids | Record<string, string>) {
  const values = Object.entries(fields).map(([name, { kind }]) => {
    const value = { number: 1, switch: true, datetime: null, select: rows[references[name] ?? ''] ?? null }[
      kind as string
    ];
    return [name, value === undefined ? 'Sample' : value];
  });
  return (await call<{ id: string }>(page, 'POST', path, Object.fromEntries(values))).id;
}

/** A package on sale, and an order of it that was paid. */
async function pay(owner: Visitor, player: Visitor): Promise<string> {
  const price = { price_minor: 500, currency: 'EUR' };
  const { id } = await call<{ id: string }>(owner.page, 'POST', '/api/admin/credit-packages', {
    ...price,
    name: 'Starter',
    credits: 1000,
    bonus: 200,
    position: 0,
    visible: true,
  });
  // A server that runs notices after some seconds what was set from the command line.
  await expect
    .poll(async () => (await call<{ providers: string[] }>(player.page, 'GET', '/api/payments/offer')).providers, {
      timeout: 90_000,
    })
    .toContain('manual');
  const order = await call<{ id: string }>(player.page, 'POST', '/api/payments/orders', {
    ...price,
    provider: 'manual',
    package_id: id,
    credits: 1200,
  });
  await call(owner.page, 'POST', `/api/admin/payments/${order.id}/confirm`, { reason: 'Paid in cash' });
  return order.id;
}

/** A plugin of others, and an update of it that waits for a decision. Out: the update's id. */
async function installPlugin(page: Page): Promise<string> {
  const upload = (version: string): Promise<string> => {
    const settings = { greeting: { type: 'text' as const, default: 'Hello', max: 40 } };
    const bytes = packedPlugin({ version, settings, permissions: { credits: 500, hosts: ['votes.example'] } });
    return page.evaluate(async (sent) => {
      const headers = { 'Content-Type': 'application/zip' };
      const body = Uint8Array.from(sent);
      const response = await fetch('/api/admin/plugin-uploads', { method: 'POST', headers, body });
      return ((await response.json()) as { id: string }).id;
    }, Array.from(bytes));
  };
  const grant = { granted: ['credits', 'hosts'], credits: 100, unsigned: true };
  await call(page, 'POST', `/api/admin/plugin-uploads/${await upload('1.0.0')}/install`, grant);
  return upload('1.1.0');
}

/** The address of a route, with the sample data's ids in it. */
function addressOf({ id, path }: { id: RouteId; path: string }, ids: Ids): string {
  const area = id.startsWith('admin.images.') ? 'libraryImages' : /^(?:admin\.(?=\w+\.))?(\w+)/.exec(id)?.[1];
  return path
    .replace(/:id\b/, (area === undefined ? undefined : ids[area]) ?? ids.server)
    .replace(':token', 'unknown')
    .replace(':slug', SLUG)
    .replace(':identifier', 'votes')
    .replace('/*', '');
}

/** Nothing may be scrolled sideways. Measured after the layout has settled at a width. */
async function fits(page: Page, what: string, widths: readonly number[]): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    const over = await page.evaluate(
      () =>
        new Promise<number>((done) =>
          requestAnimationFrame(() =>
            done(document.documentElement.scrollWidth - document.documentElement.clientWidth),
          ),
        ),
    );
    expect(over, `${what}: nothing sticks out sideways at ${width} px`).toBeLessThanOrEqual(0);
  }
}

/** Opens both panels: the drawer of the customization and, with the keyboard, the debug panel over it. */
async function openPanels(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'UI Customization' }).click();
  await expect(page.getByRole('dialog', { name: 'UI Customization' })).toBeVisible();
  await page.keyboard.press('Control+i');
  await expect(page.getByRole('region', { name: 'Debug panel' })).toBeVisible();
}

/**
 * Opens a page: axe looks at it on a desktop in the light and on a phone in the dark, and the first time that the
 * visitor meets its frame also with both panels open. A theme is colours in the stylesheet, so that the same document
 * is given the other one; the panels lie over a frame and are the same on each of its pages.
 */
async function look(
  { page, complaints, framesSeen }: Visitor,
  host: Installation,
  path: string,
  layout: Layout,
  status: number,
): Promise<void> {
  // Where what can be pressed moves under the finger, another thing is pressed: staff sit at desks, others have phones.
  await page.setViewportSize({ width: path.startsWith('/mc-admin') ? DESKTOP : PHONE, height: 900 });
  const response = await page.goto(path);
  expect(response?.status(), path).toBe(status);
  expect(new URL(page.url()).pathname, path).toBe(new URL(path, host.url).pathname);
  await ready(page);
  expect(
    await page.evaluate(findMoved),
    `${path}: nothing that can be pressed moves when the page is hydrated`,
  ).toEqual([]);
  await page.setViewportSize({ width: DESKTOP, height: 900 });
  await accessible(page, `${path} (light, ${DESKTOP} px)`);
  await fits(page, path, WIDTHS);
  await page.evaluate(() => (document.documentElement.dataset.theme = 'dark'));
  await accessible(page, `${path} (dark, ${PHONE} px)`);
  if (!framesSeen.has(layout)) {
    framesSeen.add(layout);
    await openPanels(page);
    await accessible(page, `${path} (dark, ${PHONE} px) with both panels open`);
    await fits(page, `${path} with both panels open`, [PHONE]);
  }
  // The browser notes the refused document itself; everything else is a fault.
  expect(
    complaints
      .splice(0)
      .filter((each) => !(status >= 400 && each.includes(`status of ${status}`) && each.includes(path))),
    path,
  ).toEqual([]);
}

/** The status of a document without following where it leads. */
async function statusOf(
  { context }: Visitor,
  host: Installation,
  path: string,
): Promise<{ status: number; to: string | null }> {
  const cookie = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
  const response = await fetch(`${host.url}${path}`, {
    redirect: 'manual',
    headers: { Cookie: cookie, Accept: 'text/html' },
  });
  await response.body?.cancel();
  return { status: response.status, to: response.headers.get('location') };
}

// Last the one that ends the session.
const forAll = ROUTE_LIST.filter(({ guard }) => guard === 'open').toSorted(
  (a, b) => Number(a.id === 'auth.logout') - Number(b.id === 'auth.logout'),
);
const forGuests = ROUTE_LIST.filter(({ guard }) => guard === 'guest-only');
/** Never seen: they lead away. */
const cancel = '/auth/2fa/setup/disband';
const endOfViewing = '/view-as/end';
const forUsers = ROUTE_LIST.filter(
  ({ guard, path }) => guard === 'signed-in' && ![cancel, endOfViewing].includes(path),
);
const forStaff = ROUTE_LIST.filter(({ guard }) => !['open', 'guest-only', 'signed-in'].includes(guard));

// None needs another one: each worker makes an installation and three visitors of its own, so that all have their share
// of the longest file; a worker that takes two shares makes them twice.
test.describe.configure({ mode: 'parallel' });

let host: Awaited<ReturnType<typeof install>>;
let guest: Visitor;
let player: Visitor;
let owner: Visitor;
let ids: Ids;

test.beforeAll(async ({ browser }) => {
  host = await install();
  // The server is installed at once, so that its pages show what they show most of the time; and nobody outside is
  // asked: an address where nothing answers.
  await configure(host, {
    embedded_install_seconds: 0,
    discord_api_url: 'http://127.0.0.1:9',
    manual_payments_enabled: true,
    redirect_link_notice: true,
    image_hosting_enabled: true,
    image_price: 0,
    announcements_public: true,
  });
  [guest, player, owner] = [await visitor(browser, host), await visitor(browser, host), await visitor(browser, host)];
  await signUp(owner.page, 'mirela', setupCode(host));
  await signUp(player.page, 'tobi_k');
  ids = await fill(owner, player);
});

test.afterAll(async () => {
  for (const each of [guest, player, owner]) await each.context.close();
  await host.stop();
});

test('a guest opens pages for everybody and for guests, and all others lead to the log-in or are refused', async () => {
  for (const route of [...forGuests, ...forAll])
    await look(guest, host, addressOf(route, ids), route.layout, STATUS[route.id] ?? 200);
  await look(guest, host, '/no/such/page', 'plain', 404);
  for (const path of [...[...forUsers, ...forStaff].map((route) => addressOf(route, ids)), cancel, endOfViewing]) {
    expect(await statusOf(guest, host, path), path).toEqual({ status: 302, to: '/auth/login' });
  }
});

test('a player opens own pages, pages for guests lead home, and those of the staff are refused', async () => {
  await expect
    .poll(
      async () =>
        (await call<{ server: { state: string } }>(player.page, 'GET', `/api/servers/${ids.server}`)).server.state,
      { timeout: 90_000 },
    )
    .toBe('active');
  for (const route of forGuests)
    expect(await statusOf(player, host, route.path), route.path).toEqual({ status: 302, to: '/dashboard' });
  for (const route of forStaff)
    expect((await statusOf(player, host, addressOf(route, ids))).status, route.path).toBe(403);
  await look(player, host, '/server/01900000-0000-7000-8000-000000000000', 'plain', 404);
  expect(await statusOf(player, host, cancel), cancel).toEqual({ status: 302, to: '/api/auth/2fa/setup/kill' });
  expect(await statusOf(player, host, endOfViewing)).toEqual({ status: 302, to: '/dashboard' });
  for (const route of [...forUsers, ...forAll])
    await look(player, host, addressOf(route, ids), route.layout, STATUS[route.id] ?? 200);
});

test('the owner opens pages of the staff', async () => {
  for (const route of forStaff) await look(owner, host, addressOf(route, ids), route.layout, STATUS[route.id] ?? 200);
});

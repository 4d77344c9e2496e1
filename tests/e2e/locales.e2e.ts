import type { Browser, BrowserContext, Page } from '@playwright/test';
import { LOCALES, type Locale } from '#shared/i18n/locales.ts';
import { SETTING_GROUPS } from '#shared/setting-rows.ts';
import {
  call,
  configure,
  expect,
  installCopy,
  ready,
  setupCode,
  signUp,
  test,
  uploadImage,
  watch,
  type Installation,
} from './fixtures.ts';

/**
 * The screens on which people talk with each other, and those on which staff look after the installation, in every
 * language: they fit on a phone and on a desktop, and complain of nothing. How each looks otherwise, the test of all
 * routes sees.
 */
const WIDTHS = [360, 1440];
/** Of the windows, in pixels: what is below is laid out all the same. */
const HEIGHT = 300;

/** Ids of what the screens show. */
interface Filled {
  readonly department: string;
  readonly reply: string;
  readonly link: string;
  readonly ticket: string;
  readonly news: string;
  readonly image: string;
  readonly libraryImage: string;
  readonly report: string;
  readonly complaint: string;
}

/** A ticket with an answer to keep, an announcement, images, a link that asks first, and a report of an image. */
async function fill(page: Page, browser: Browser, host: Installation): Promise<Filled> {
  const kept = { position: 0, enabled: true };
  const add = async (path: string, body: object) => (await call<{ id: string }>(page, 'POST', path, body)).id;
  const department = await add('/api/admin/departments', {
    ...kept,
    name: 'Technical',
    description: '',
    hours: 'Mon–Sat, 10:00–22:00',
  });
  const image = await uploadImage(page, '/api/images');
  const complaint = await report(browser, host, image);
  const { rows } = await call<{ rows: { id: string }[] }>(page, 'GET', '/api/admin/image-reports');
  return {
    department,
    image,
    complaint,
    report: rows[0]?.id ?? '',
    libraryImage: await uploadImage(page, '/api/admin/images'),
    reply: await add('/api/admin/canned-replies', {
      ...kept,
      name: 'Port',
      text: 'Hi {{user}}, set the port of #{{number}}.',
    }),
    link: await add('/api/admin/redirect-links', {
      ...kept,
      name: 'Our Discord',
      slug: 'discord',
      target: 'https://discord.gg/moldova',
      note: '',
      audience: 'everyone',
      menu: 'community',
      icon: 'chat',
    }),
    ticket: await add('/api/tickets', {
      department,
      priority: 'high',
      subject: 'Cannot join on port 25588',
      text: 'Since **16:50** nobody can join.',
    }),
    news: await add('/api/admin/announcements', {
      texts: [{ locale: 'en', title: 'Faster disks', summary: 'On Tuesday.', body: 'All of **them**.' }],
      tags: ['update'],
      picture: '',
      audience: 'everyone',
      targets: [],
      pinned: true,
      urgent: true,
      notifies: true,
      publish_at: 'now',
      end_at: null,
    }),
  };
}

/** A visitor reports an image. Out: the id of what they said. */
async function report(browser: Browser, host: Installation, image: string): Promise<string> {
  const context = await browser.newContext({ baseURL: host.url });
  const page = await context.newPage();
  await page.goto(`/i/${image}`);
  await ready(page);
  await page.getByRole('link', { name: 'Report' }).click();
  await page.getByLabel('What’s wrong with it?').selectOption('Violence or threats');
  await page.getByRole('button', { name: 'Send report' }).click();
  await page.getByText('The team hasn’t looked at it yet.').waitFor();
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  await context.close();
  return id;
}

/** Where people talk with each other, and where staff see to it. */
const talkPaths = (ids: Filled): readonly string[] => [
  '/ticket',
  '/ticket/create',
  `/ticket/${ids.ticket}`,
  '/announcements',
  `/announcements/${ids.news}`,
  '/news',
  `/news/${ids.news}`,
  '/account?tab=notifications',
  '/images',
  '/images/upload',
  '/images/config',
  `/images/${ids.image}/delete`,
  `/i/${ids.image}`,
  `/images/report?image=${ids.image}`,
  `/images/report/${ids.complaint}`,
  '/go/discord',
  '/mc-admin/tickets',
  `/mc-admin/tickets/${ids.ticket}`,
  '/mc-admin/tickets/reports',
  '/mc-admin/departments',
  '/mc-admin/departments/create',
  `/mc-admin/departments/${ids.department}/edit`,
  '/mc-admin/canned-replies',
  '/mc-admin/canned-replies/create',
  `/mc-admin/canned-replies/${ids.reply}/edit`,
  '/mc-admin/announcements',
  '/mc-admin/announcements/create',
  `/mc-admin/announcements/${ids.news}/edit`,
  '/mc-admin/images',
  '/mc-admin/images/create',
  `/mc-admin/images/${ids.libraryImage}/delete`,
  '/mc-admin/image-reports',
  `/mc-admin/image-reports/${ids.report}/edit`,
  '/mc-admin/redirect-links',
  '/mc-admin/redirect-links/create',
  `/mc-admin/redirect-links/${ids.link}/edit`,
];

/** Where staff look after the installation. Every second one is a group of settings: they share their heading. */
const STAFF_PATHS = [
  '',
  '/setup',
  '/settings/old',
  '/settings/history',
  '/settings/transfer',
  '/mails',
  '/mail-templates',
  '/mail-templates/create',
  '/health',
  '/machine',
  '/logs',
  '/audit',
  '/backups',
  '/plugins',
  '/plugins/welcome-gifts/config',
  '/webhooks',
  '/webhooks/create',
  '/import',
].flatMap((path, index) => [
  `/mc-admin${path}`,
  ...SETTING_GROUPS.slice(index, index + 1).map((group) => `/mc-admin/settings?group=${group}`),
]);

/** What users see of their own account, and what staff see of it, by turns: tabs of one page share its heading. */
const ACCOUNT_TABS = [
  'profile',
  'security',
  'sessions',
  'linked',
  'tokens',
  'privacy',
  'statement',
  'held',
  'payments',
  'mails',
  'activity',
];
const USER_TABS = [
  'overview',
  'profile',
  'access',
  'ways',
  'servers',
  'payments',
  'tickets',
  'signals',
  'activity',
  'notes',
];
function peoplePaths(user: string, role: string): readonly string[] {
  const edit = `/mc-admin/users/${user}/edit`;
  const staff = [
    '/mc-admin/users',
    ...USER_TABS.map((tab) => `${edit}?tab=${tab}`),
    `/mc-admin/users/${user}/delete`,
    '/mc-admin/roles',
    '/mc-admin/roles/create',
    `/mc-admin/roles/${role}/edit`,
    `/mc-admin/roles/${role}/permissions`,
    `/mc-admin/roles/${role}/delete`,
  ];
  return staff.flatMap((path, index) => [path, `/account?tab=${ACCOUNT_TABS[index % ACCOUNT_TABS.length]}`]);
}

/** Where somebody comes in who has no session. */
const GUEST_PATHS = ['/auth/login', '/auth/register', '/auth/forgot-password'];

/**
 * Goes to another screen as a link of the application does, without loading the document anew, and waits until it
 * stands. The heading of the former screen tells that it still does.
 */
async function go(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => {
    document.querySelector('h1')?.setAttribute('data-former', '');
    const index = ((history.state as { idx?: number } | null)?.idx ?? 0) + 1;
    history.pushState({ idx: index, key: crypto.randomUUID(), usr: null }, '', to);
    dispatchEvent(new PopStateEvent('popstate', { state: history.state }));
  }, path);
  await page.waitForFunction(
    () =>
      document.querySelector('h1:not([data-former])') !== null &&
      document.querySelector('h1[data-former], .sp-route-progress[data-busy]') === null,
  );
}

/**
 * What is wrong with how a screen stands: it is that of an error, something sticks out, or words of buttons are cut.
 * The window begins with the width that the former screen ended with, and is low: a new width is laid out and drawn
 * anew.
 */
async function faultsOf(page: Page): Promise<readonly string[]> {
  const faults: string[] = [];
  if ((await page.locator('h1.sp-empty__title').count()) > 0) faults.push('a screen of an error');
  for (const width of page.viewportSize()?.width === WIDTHS[0] ? WIDTHS : WIDTHS.toReversed()) {
    if (width !== page.viewportSize()?.width) await page.setViewportSize({ width, height: HEIGHT });
    const { over, cut } = await page.evaluate(() => ({
      over: document.documentElement.scrollWidth - document.documentElement.clientWidth,
      cut: [...document.querySelectorAll('.sp-btn')]
        .filter((each) => each.scrollWidth > each.clientWidth + 1)
        .map((each) => each.textContent),
    }));
    if (over > 0) faults.push(`${over} pixels stick out at ${width}`);
    faults.push(...cut.map((words) => `cut at ${width}: ${words}`));
  }
  return faults;
}

// One user may read 600 times a minute: with an installation for each half of the languages nobody comes near it, however
// fast a machine is.
for (const locales of [LOCALES.slice(0, 3), LOCALES.slice(3)]) {
  test(`screens of tickets, news, images and links, and those of the installation, fit in ${locales.join(', ')}`, async ({
    browser,
  }) => {
    const host = await installCopy();
    const context = await browser.newContext({ baseURL: host.url });
    const page = await context.newPage();
    await configure(host, {
      image_hosting_enabled: true,
      image_price: 0,
      altcha_cost: 100,
      announcements_public: true,
      redirect_link_notice: true,
    });
    await signUp(page, 'oana', setupCode(host));
    const paths = [...talkPaths(await fill(page, browser, host)), ...STAFF_PATHS];
    await expectFits(context, page, host, locales, paths);
    await context.close();
    await host.stop();
  });

  test(`screens of accounts, users and roles, and those of the log-in, fit in ${locales.join(', ')}`, async ({
    browser,
  }) => {
    const host = await installCopy();
    const context = await browser.newContext({ baseURL: host.url });
    const page = await context.newPage();
    await signUp(page, 'oana', setupCode(host));
    const { user_info: me } = await call<{ user_info: { id: string } }>(page, 'GET', '/api/user/session');
    const made = { name: 'Community', color: '#3b82f6', rank: 10, is_default: false, template: null };
    const role = await call<{ id: string }>(page, 'POST', '/api/admin/roles', made);
    await expectFits(context, page, host, locales, peoplePaths(me.id, role.id));
    await context.close();
    const guest = await browser.newContext({ baseURL: host.url });
    await expectFits(guest, await guest.newPage(), host, locales, GUEST_PATHS);
    await guest.close();
    await host.stop();
  });
}

/** Goes through screens in some languages: each is the one that was meant, in that language, and nothing is wrong. */
async function expectFits(
  context: BrowserContext,
  page: Page,
  host: Installation,
  locales: readonly Locale[],
  paths: readonly string[],
): Promise<void> {
  const complaints = watch(page);
  await page.goto(paths[0] ?? '/');
  for (const locale of locales) {
    await page.evaluate((saved) => localStorage.setItem('preferredLocale', saved), locale.toUpperCase());
    await context.addCookies([{ name: 'locale', value: locale, url: host.url }]);
    for (const [index, path] of paths.entries()) {
      if (index === 0) {
        await page.goto(path);
        await ready(page);
      } else await go(page, path);
      const shown = `${path} in ${locale}`;
      expect(await page.evaluate(() => [document.documentElement.lang, location.pathname]), shown).toEqual([
        locale === 'md' ? 'ro-MD' : locale,
        path.split('?')[0],
      ]);
      expect(await faultsOf(page), shown).toEqual([]);
      expect(complaints, shown).toEqual([]);
    }
  }
}

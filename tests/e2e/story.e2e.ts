import type { Browser } from '@playwright/test';
import {
  DESKTOP,
  expect,
  expectWhole,
  install,
  openVisitor,
  overflowOf,
  PASSPHRASE,
  PHONE,
  ready,
  test,
  watch,
  type Installation,
  type Size,
  type Visitor,
} from './fixtures.ts';

/**
 * One person becomes the owner and sets up what the host offers, on a desktop; a second one earns, buys, creates,
 * changes, renews and deletes, on a phone.
 */
interface Person extends Visitor {
  /**
   * Opens a page and waits for hydration: nothing complains, nothing sticks out. How pages are when they are opened,
   * axe sees in the test of all routes.
   */
  visit(path: string): Promise<void>;
}

async function person(browser: Browser, host: Installation, size: Size): Promise<Person> {
  return asPerson(await openVisitor(browser, host, size));
}

/** One more tab of the same browser. */
async function tabOf({ context }: Visitor): Promise<Person> {
  const page = await context.newPage();
  const complaints = watch(page);
  return asPerson({ context, page, complaints, seen: (what) => expectWhole(page, complaints, what) });
}

function asPerson(who: Visitor): Person {
  const { page, complaints } = who;
  return {
    ...who,
    visit: async (path) => {
      await page.goto(path);
      await ready(page);
      expect(await overflowOf(page), `${path}: nothing sticks out sideways`).toBeLessThanOrEqual(0);
      expect(complaints, path).toEqual([]);
    },
  };
}

async function register({ page, seen }: Person, path: string, name: string): Promise<void> {
  await page.goto(path);
  await seen(`register ${name}`);
  await page.getByLabel('First name').fill('Mirela');
  await page.getByLabel('Last name').fill('Vega');
  await page.getByLabel('Username').fill(name);
  await page.getByLabel('E-mail').fill(`${name}@example.com`);
  await page.getByLabel('Password', { exact: true }).fill(PASSPHRASE);
  await page.getByRole('checkbox').check();
  await page.getByRole('button', { name: /^Create (account|owner account)/ }).click();
  await page.waitForURL(path.includes('setup=') ? '**/mc-admin/setup' : '**/dashboard');
  await seen(`the first page of ${name}`);
}

async function setUp(owner: Person): Promise<void> {
  const { page, visit, seen } = owner;
  await visit('/mc-admin');
  await visit('/mc-admin/locations');
  await visit('/mc-admin/locations/create');
  await page.getByRole('textbox', { name: /^Name/ }).fill('Iași');
  await page.getByRole('textbox', { name: /^Country/ }).fill('RO');
  await page.getByRole('textbox', { name: /^Address/ }).fill('ias.play.example');
  await page.getByLabel(/^Slots/).fill('5');
  await page.getByRole('button', { name: 'Add location' }).click();
  await page.waitForURL(/\/mc-admin\/locations(\?.*)?$/);
  await expect(page.getByText('ias.play.example')).toBeVisible();
  await seen('locations with the new one');

  await visit('/mc-admin/egg-categories');
  await visit('/mc-admin/egg-categories/create');
  await page.getByRole('textbox', { name: /^Name/ }).fill('Robots');
  await page.getByRole('button', { name: 'Add category' }).click();
  await page.waitForURL(/\/mc-admin\/egg-categories(\?.*)?$/);

  await visit('/mc-admin/eggs');
  await visit('/mc-admin/eggs/create');
  await page.getByLabel(/^Category/).selectOption({ label: 'Robots' });
  await page.getByRole('textbox', { name: /^Name/ }).first().fill('Robot');
  await page.getByRole('textbox', { name: /^Image/ }).fill('ghcr.io/example/robot:1');
  await page.getByRole('textbox', { name: /^Start command/ }).fill('./robot');
  await page.getByLabel(/^Memory/).fill('256');
  await page.getByLabel(/^Disk/).fill('256');
  await page.getByLabel(/^CPU/).fill('10');
  await page.getByRole('button', { name: 'Add egg' }).click();
  await page.waitForURL(/\/mc-admin\/eggs(\?.*)?$/);
  await seen('eggs with the new one');

  await visit('/mc-admin/redeem-codes/create');
  await page.getByRole('textbox', { name: /^Code/ }).fill('FIRST-DAY');
  await page.getByLabel(/^Credits/).fill('900');
  await page.getByRole('button', { name: 'Create code' }).click();
  await page.waitForURL(/\/mc-admin\/redeem-codes(\?.*)?$/);
  await seen('redeem codes');
  await page.getByRole('link', { name: 'FIRST-DAY' }).first().click();
  await page.waitForURL('**/edit');
  await seen('editing a code');
  await page.getByLabel(/^Uses/).fill('5');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.waitForURL(/\/mc-admin\/redeem-codes(\?.*)?$/);
}

/** AFK, in a tab of its own: it takes a real minute by the server's clock, in which everybody does something else. */
async function startEarning(player: Person): Promise<Person> {
  const afk = await tabOf(player);
  const { page, visit, seen } = afk;
  await visit('/earn/afk');
  await page.getByRole('button', { name: 'Start earning' }).click();
  await expect(page.getByText('Running', { exact: true })).toBeVisible();
  await seen('AFK running');
  return afk;
}

/** The minute is over: the first credit. */
async function stopEarning({ page, complaints }: Person): Promise<void> {
  const earned = page.locator('dl > div').filter({ has: page.getByText('Earned this session', { exact: true }) });
  await expect(earned.locator('dd')).toHaveText(/^[1-9]/, { timeout: 100_000 });
  await page.getByRole('button', { name: 'Stop' }).click();
  await expect(page.getByRole('status').getByText('Not running')).toBeVisible();
  expect(complaints).toEqual([]);
  await page.close();
}

async function redeem({ page, visit, seen }: Person): Promise<void> {
  await visit('/earn/redeem');
  await page.getByLabel('Code', { exact: true }).fill('no such code');
  await page.getByRole('button', { name: 'Redeem' }).click();
  await expect(page.getByText('This code doesn’t exist.')).toBeVisible();
  await seen('a refused code');
  await page.getByLabel('Code', { exact: true }).fill('first day');
  await page.getByRole('button', { name: 'Redeem' }).click();
  // Not yet, or already with what AFK pays.
  await expect(page.getByText(/Your balance is now 90[0-9]/)).toBeVisible();
  await seen('a redeemed code');
}

async function buy({ page, visit, seen }: Person): Promise<void> {
  await visit('/store');
  await page
    .getByRole('button', { name: /^Buy for/ })
    .first()
    .click();
  const dialog = page.getByRole('alertdialog');
  await expect(dialog).toBeVisible();
  await seen('confirming a purchase');
  await dialog.getByRole('button', { name: /^Buy/ }).click();
  await expect(page.getByText(/^Bought\./)).toBeVisible();
  await seen('after a purchase');
}

async function createServer({ page, visit, seen }: Person): Promise<string> {
  await visit('/server/create');
  await page.getByRole('textbox', { name: /^Name/ }).fill('Lanternwood');
  await page.getByRole('radio', { name: /Iași/ }).check({ force: true });
  await page.getByText('Robots').first().click();
  await page.getByRole('radio', { name: /^Robot\b(?!s)/ }).check({ force: true });
  await seen('a filled create page');
  await page.getByRole('button', { name: 'Create server' }).click();
  await page.waitForURL(/\/server\/[0-9a-f-]{36}$/);
  await seen('a server on its way');
  await expect(page.getByText('Active', { exact: true }).first()).toBeVisible();
  await expect(page.getByText(/ias\.play\.example:\d+/).first()).toBeVisible();
  await seen('an active server');
  return new URL(page.url()).pathname;
}

async function keep({ page, visit, seen }: Person, path: string): Promise<void> {
  await visit(`${path}/renew`);
  await page.getByRole('button', { name: /^Renew/ }).click();
  await page
    .getByRole('link', { name: /Lanternwood/ })
    .last()
    .click();
  await page.waitForURL(`**${path}`);
  await seen('a renewed server');

  await visit(`${path}/update`);
  await page.getByRole('textbox', { name: /^Name/ }).fill('Lanternwood Two');
  await page.getByRole('button', { name: 'Save', exact: false }).click();
  await page.waitForURL(`**${path}`);
  await expect(page.getByRole('heading', { name: 'Lanternwood Two' })).toBeVisible();

  await visit('/dashboard');
  await expect(page.getByText('Lanternwood Two').first()).toBeVisible();
  await visit('/account?tab=statement');
  await expect(page.getByRole('table').getByText('Renewal').first()).toBeVisible();
  await expect(page.getByRole('table').getByText('AFK').first()).toBeVisible();
  // The test of all routes sees the first tab of the account.
  await seen('the statement');
  for (const tab of ['sessions', 'security']) {
    await visit(`/account?tab=${tab}`);
    await seen(tab);
  }
}

async function remove({ page, visit, seen }: Person, path: string): Promise<void> {
  await visit(`${path}/delete`);
  await page.getByRole('textbox').first().fill('Lanternwood');
  await page.getByRole('button', { name: /^Delete/ }).click();
  await expect(page.getByText(/isn’t the (server’s )?name/).first()).toBeVisible();
  await page.getByRole('textbox').first().fill('Lanternwood Two');
  await page.getByRole('button', { name: /^Delete/ }).click();
  await page.waitForURL('**/dashboard');
  await expect(page.getByText('No server yet')).toBeVisible();
  await seen('the dashboard without servers');
}

test('an owner goes from the one-time link to the deleted server', async ({ browser }) => {
  const host = await install();
  try {
    const owner = await person(browser, host, DESKTOP);
    await owner.visit('/auth/login');
    await register(owner, host.setupLink, 'mirela');
    const player = await person(browser, host, PHONE);
    await register(player, '/auth/register', 'tobi_k');
    const afk = await startEarning(player);
    await setUp(owner);
    await owner.page.goto(host.setupLink);
    await owner.page.waitForURL('**/dashboard');

    await redeem(player);
    await buy(player);
    const path = await createServer(player);
    await stopEarning(afk);
    await keep(player, path);
    // Somebody else's server does not exist for the owner's player side (attacks T24).
    const other = await owner.page.request.get(`${host.url}/api${path.replace('/server', '/servers')}`);
    expect(other.status()).toBe(404);
    await remove(player, path);
    await player.page.goto('/auth/logout');
    await expect(player.page.getByRole('heading', { name: /logged out|Log in/ })).toBeVisible();
    expect(player.complaints).toEqual([]);
    expect(owner.complaints).toEqual([]);
  } finally {
    await host.stop();
  }
});

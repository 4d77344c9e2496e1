import type { Browser, Page } from '@playwright/test';
import { openFakePanel, type FakePanel } from '../support/panels/index.ts';
import {
  accessible,
  call,
  expect,
  overflowOf,
  PASSPHRASE,
  ready,
  setupCode,
  signUp,
  test,
  watch,
  type Installation,
} from './fixtures.ts';

/**
 * The staff's side of servers: a server for a user on the built-in panel, its way through the queue, its suspension and
 * end; and a server of a panel that is taken over.
 */
const SIZES = [
  { width: 1440, height: 900, theme: 'dark' },
  { width: 360, height: 740, theme: 'light' },
] as const;

async function visitor(browser: Browser, host: Installation) {
  const context = await browser.newContext({ viewport: SIZES[0], baseURL: host.url });
  const page = await context.newPage();
  const complaints = watch(page);
  const seen = async (what: string) => {
    for (const { width, height, theme } of SIZES) {
      await page.setViewportSize({ width, height });
      await page.evaluate((name) => document.documentElement.setAttribute('data-theme', name), theme);
      await ready(page);
      await accessible(page, `${what} (${width})`);
      const overflow = await overflowOf(page);
      expect(overflow, `${what}: nothing sticks out sideways at ${width}`).toBeLessThanOrEqual(0);
    }
    await page.setViewportSize(SIZES[0]);
    expect(complaints, what).toEqual([]);
  };
  return { page, seen };
}

async function open(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await ready(page);
}

/** A panel with two servers on it that somebody made by hand. */
async function openPanel(): Promise<FakePanel> {
  const panel = await openFakePanel({ dialect: 'pterodactyl', installMs: 0 });
  const place = panel.addLocation({ short: 'Nuremberg', long: 'In the south of Germany' });
  const node = panel.addNode({ name: 'nue-1', locationId: place.id, memory: 32_768, fqdn: 'nue1.play.example' });
  panel.addAllocations(node.id, { ports: [25_565, 25_566], alias: 'nue1.play.example' });
  panel.addEgg({ nestId: panel.addNest({ name: 'Minecraft' }).id, name: 'Paper', variables: [] });
  const ask = async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(`${panel.url}/api/application/${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${panel.applicationKey}`,
        Accept: 'application/json',
        'Content-Type': 'application/json',
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as { attributes: { id: number }; data: { attributes: { id: number } }[] };
  };
  const user = await ask('POST', 'users', {
    username: 'host',
    email: 'host@example.net',
    first_name: 'H',
    last_name: 'H',
  });
  const free = await ask('GET', `nodes/${node.id}/allocations`);
  const [egg] = [...panel.state.eggs.values()];
  for (const [at, name] of ['Old hall', 'Spare hall'].entries()) {
    await ask('POST', 'servers', {
      name,
      user: user.attributes.id,
      egg: egg?.id,
      docker_image: 'ghcr.io/x/java:21',
      startup: 'java',
      environment: {},
      limits: { memory: 512, swap: 0, disk: 512, io: 500, cpu: 50 },
      feature_limits: { databases: 0, backups: 0, allocations: 1 },
      allocation: { default: free.data[at]?.attributes.id },
    });
  }
  panel.finishInstalls();
  return panel;
}

/** Connects the panel and takes over what it offers. */
async function connect(page: Page, panel: FakePanel): Promise<void> {
  const { id } = await call<{ id: string }>(page, 'POST', '/api/admin/panels', {
    name: 'Main panel',
    url: panel.url,
    dialect: 'auto',
    enabled: true,
    key: panel.applicationKey,
    client_key: '',
  });
  await call(page, 'POST', `/api/admin/panels/${id}/sync`);
  const catalogue = () =>
    call<{ panel: { syncing: boolean; synced: { state: string } | null }; offers: { kind: string; ref: string }[] }>(
      page,
      'GET',
      `/api/admin/panels/${id}/catalogue`,
    );
  await expect.poll(async () => (await catalogue()).panel.synced?.state).toBe('ok');
  await call(page, 'POST', `/api/admin/panels/${id}/take`, {
    offers: (await catalogue()).offers.map(({ kind, ref }) => ({ kind, ref })).filter(({ kind }) => kind !== 'nest'),
    nests: [],
  });
}

test('a server for a user goes from the queue to its end', async ({ browser, host }) => {
  const { page, seen } = await visitor(browser, host);
  await signUp(page, 'mirela', setupCode(host));
  const player = await browser.newContext({ baseURL: host.url });
  await signUp(await player.newPage(), 'tobi_k');
  await open(page, '/mc-admin/servers');
  await expect(page.getByText('No servers yet')).toBeVisible();
  await seen('no servers');

  await open(page, '/mc-admin/server-queue');
  await page.getByRole('link', { name: 'Create for a user' }).click();
  await page.getByRole('textbox', { name: 'User' }).fill('nobody');
  await page.getByRole('button', { name: 'Choose' }).click();
  await expect(page.getByText('User not found.')).toBeVisible();
  await page.getByRole('textbox', { name: 'User' }).fill('tobi_k');
  await page.getByRole('button', { name: 'Choose' }).click();
  await page.getByRole('textbox', { name: /^Name/ }).fill('Lanternwood');
  await page.getByRole('spinbutton', { name: /^Memory/ }).fill('900000');
  await page.getByRole('button', { name: 'Add to queue' }).click();
  await expect(page.getByText('The user doesn’t have that much memory left.').first()).toBeVisible();
  await seen('a server for a user, refused');
  await page.getByRole('checkbox', { name: /^Ignore the user’s limits/ }).check();
  await page.getByRole('spinbutton', { name: /^Memory/ }).fill('65536');
  await page.getByRole('button', { name: 'Add to queue' }).click();
  await page.waitForURL(/server-queue\/[0-9a-f-]{36}$/);
  await expect(page.getByText('Installed', { exact: true })).toBeVisible();
  await seen('an entry that is done');
  await open(page, '/mc-admin/server-queue/logs');
  await expect(page.getByRole('row', { name: /Joined the queue/ })).toBeVisible();

  await open(page, '/mc-admin/servers?q=lantern');
  await page.getByRole('link', { name: 'Lanternwood' }).click();
  await page.getByLabel('Reason').fill('Mining coins');
  await page.getByRole('button', { name: 'Suspend', exact: true }).click();
  await expect(page.getByText('Suspended by staff: Mining coins')).toBeVisible();
  await seen('a suspended server');
  await open(page, '/mc-admin/servers');
  await expect(page.getByText('by staff')).toBeVisible();
  await page.getByRole('link', { name: 'Lanternwood' }).click();
  await page.getByRole('button', { name: 'Lift suspension' }).click();
  await expect(page.getByText('Suspension lifted.')).toBeVisible();
  await page.getByRole('button', { name: 'Reinstall' }).click();
  const question = page.getByRole('alertdialog', { name: 'Reinstall Lanternwood?' });
  await expect(question.getByText('the installation’s files are overwritten', { exact: false })).toBeVisible();
  await question.getByRole('button', { name: 'Reinstall' }).click();
  await expect(page.getByText('Reinstall requested.', { exact: false })).toBeVisible();
  await expect(page.getByText('Reinstall started')).toBeVisible();
  await seen('a server that is installed anew');
  await page.getByLabel('Type “Lanternwood” to confirm').fill('Lanternwood');
  await page.getByRole('button', { name: 'Delete server' }).click();
  await page.waitForURL('**/mc-admin/servers?done=delete');
  await expect(page.getByText('Deletion started.', { exact: false })).toBeVisible();
});

test('one of two servers that only a panel has is deleted there and one is taken over', async ({ browser, host }) => {
  const panel = await openPanel();
  try {
    const { page, seen } = await visitor(browser, host);
    await page.goto('/auth/login');
    await call(page, 'POST', '/api/auth/login', { login: 'mirela', password: PASSPHRASE });
    await connect(page, panel);
    await open(page, '/mc-admin/servers/drift');
    await page.getByRole('button', { name: 'Compare now' }).click();
    await expect(page.getByRole('link', { name: 'Adopt: Old hall' })).toBeVisible();
    await seen('the differences');
    await page.getByRole('link', { name: 'Delete from the panel: Spare hall' }).click();
    const name = page.getByLabel('Type “Spare hall” to confirm');
    await name.fill('Old hall');
    await page.getByRole('button', { name: 'Delete from the panel' }).click();
    await expect(page.getByText('That isn’t the name.').first()).toBeVisible();
    await seen('deleting at the panel, refused');
    await name.fill('Spare hall');
    await page.getByRole('button', { name: 'Delete from the panel' }).click();
    await expect(page.getByText('Server deleted from its panel.')).toBeVisible();
    await expect(page.getByRole('link', { name: 'Delete from the panel: Spare hall' })).toHaveCount(0);
    expect([...panel.state.servers.values()].map((server) => server.name)).toEqual(['Old hall']);
    await page.getByRole('link', { name: 'Adopt: Old hall' }).click();
    await page.getByRole('textbox', { name: 'User' }).fill('tobi_k');
    await page.getByLabel('Paid days').fill('14');
    await seen('adopting');
    await page.getByRole('button', { name: 'Adopt', exact: true }).click();
    await page.waitForURL(/\/mc-admin\/servers\/[0-9a-f-]{36}$/);
    await expect(page.getByText('nue1.play.example:25565')).toBeVisible();
    await expect(page.getByText('Added from the panel')).toBeVisible();
  } finally {
    await panel.close();
  }
});

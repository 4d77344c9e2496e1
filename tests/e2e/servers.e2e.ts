import type { Browser, BrowserContext, Page } from '@playwright/test';
import { openFakePanel, type FakePanel } from '../support/panels/index.ts';
import {
  accessible,
  expect,
  install,
  overflowOf,
  PASSPHRASE,
  ready,
  test,
  watch,
  type Installation,
} from './fixtures.ts';

/**
 * Servers on a real panel (its stand-in over HTTP), as their owner sees them: create page, waiting list, server page,
 * live usage, power, settings.
 */
const DESKTOP = { width: 1440, height: 900 };
const PHONE = { width: 360, height: 740 };

interface Person {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly complaints: string[];
}
async function person(browser: Browser, host: Installation, theme: 'dark' | 'light' = 'dark'): Promise<Person> {
  const context = await browser.newContext({ viewport: DESKTOP, baseURL: host.url });
  await context.addCookies([{ name: 'theme', value: theme, url: host.url }]);
  const page = await context.newPage();
  return { page, context, complaints: watch(page) };
}

/** The page as it stands has no fault, on a desktop and on a phone. */
async function seen({ page, complaints }: Person, what: string): Promise<void> {
  for (const viewport of [PHONE, DESKTOP]) {
    await page.setViewportSize(viewport);
    await ready(page);
    await accessible(page, `${what} (${viewport.width})`);
    const overflow = await overflowOf(page);
    expect(overflow, `${what}: nothing sticks out sideways`).toBeLessThanOrEqual(0);
  }
  expect(complaints, what).toEqual([]);
}

async function register({ page }: Person, path: string, name: string): Promise<void> {
  await page.goto(path);
  await ready(page);
  await page.getByLabel('First name').fill('Mirela');
  await page.getByLabel('Last name').fill('Vega');
  await page.getByLabel('Username').fill(name);
  await page.getByLabel('E-mail').fill(`${name}@example.com`);
  await page.getByLabel('Password', { exact: true }).fill(PASSPHRASE);
  await page.getByRole('checkbox').check();
  await page.getByRole('button', { name: /^Create (account|owner account)/ }).click();
  await page.waitForURL(path.includes('setup=') ? '**/mc-admin/setup' : '**/dashboard');
}

/** Asks the API as the person of this page. */
async function api<T>({ page }: Person, method: string, path: string, body?: unknown): Promise<T> {
  return page.evaluate(
    async ([how, where, what]) => {
      const answer = await fetch(where, {
        method: how,
        headers: what === null ? {} : { 'Content-Type': 'application/json' },
        ...(what === null ? {} : { body: what }),
      });
      return (await answer.json()) as never;
    },
    [method, path, body === undefined ? null : JSON.stringify(body)] as const,
  );
}

/** A panel with room in Nuremberg and hardly any in Chisinau, and a game to run on it. */
async function openPanel(): Promise<FakePanel> {
  const panel = await openFakePanel({ dialect: 'pterodactyl', installMs: 3000 });
  const [nuremberg, chisinau] = [
    panel.addLocation({ short: 'Nuremberg', long: 'In the south of Germany' }),
    panel.addLocation({ short: 'Chisinau', long: 'Short ways to Moldova' }),
  ];
  const large = panel.addNode({ name: 'nue-1', locationId: nuremberg.id, memory: 32_768, fqdn: 'nue1.play.example' });
  const small = panel.addNode({ name: 'kiv-1', locationId: chisinau.id, memory: 512, fqdn: 'kiv1.play.example' });
  panel.addAllocations(large.id, { ports: [25_565, 25_566, 25_567, 25_568], alias: 'nue1.play.example' });
  panel.addAllocations(small.id, { ports: [25_565] });
  const nest = panel.addNest({ name: 'Minecraft' });
  panel.addEgg({
    nestId: nest.id,
    name: 'Paper',
    description: 'Fast, with plugins.',
    variables: [
      {
        env: 'SERVER_JARFILE',
        name: 'Server file',
        rules: 'required|regex:/^([\\w\\d._-]+)(\\.jar)$/',
        defaultValue: 'server.jar',
      },
      // Could take long on a long text, so we leave it to the panel.
      { env: 'GREETING', name: 'Greeting', rules: 'nullable|regex:/^(?!admin)[\\w ]*$/', defaultValue: '' },
    ],
  });
  return panel;
}

/** The owner takes over what the panel offers. */
async function takeOver(owner: Person): Promise<void> {
  const panels = async () =>
    (
      await api<{ panels: { id: string; syncing: boolean; synced: { state: string } | null }[] }>(
        owner,
        'GET',
        '/api/admin/panels',
      )
    ).panels;
  await expect.poll(async () => (await panels()).length).toBe(1);
  const [panel] = await panels();
  const id = panel?.id ?? '';
  await api(owner, 'POST', `/api/admin/panels/${id}/sync`);
  await expect.poll(async () => (await panels())[0]?.synced?.state).toBe('ok');
  const { offers } = await api<{ offers: { kind: string; ref: string }[] }>(
    owner,
    'GET',
    `/api/admin/panels/${id}/catalogue`,
  );
  const taken = await api<{ created: number }>(owner, 'POST', `/api/admin/panels/${id}/take`, {
    offers: offers.map(({ kind, ref }) => ({ kind, ref })).filter(({ kind }) => kind !== 'nest'),
    nests: [],
  });
  expect(taken.created).toBe(3);
  // What was taken over is offered to nobody until staff say so.
  const { rows } = await api<{ rows: { id: string; panel_id: string | null }[] }>(
    owner,
    'GET',
    '/api/admin/locations?per_page=100',
  );
  const ids = rows.filter(({ panel_id }) => panel_id === id).map((row) => row.id);
  expect(await api(owner, 'POST', '/api/admin/locations/set-enabled', { ids, enabled: true })).toMatchObject({
    done: 2,
  });
}

async function createPage(player: Person): Promise<string> {
  const { page } = player;
  await page.goto('/server/create');
  await ready(page);
  await expect(page.getByText('4 left').first()).toBeVisible();
  await expect(page.getByRole('radio', { name: /Chisinau/ })).toBeDisabled();
  await page.getByRole('textbox', { name: /^Name/ }).fill('Lanternwood');
  await page.getByLabel('Server file').fill('evil.sh');
  await page.getByLabel('Server file').blur();
  await expect(page.getByText('Only the panel can check this: regex:', { exact: false })).toBeVisible();
  await page.getByRole('button', { name: 'Join the waiting list: Chisinau' }).click();
  await expect(page.getByText('You’re number 1 on the waiting list', { exact: false })).toBeVisible();
  await expect(page.getByRole('textbox', { name: /^Name/ })).toHaveValue('Lanternwood');
  await seen(player, 'the create page with a waiting list');
  await page.getByRole('button', { name: 'Create server' }).click();
  await expect(
    page.getByRole('region', { name: 'Please fix 1 field' }).getByRole('link', { name: /^Server file/ }),
  ).toBeVisible();
  await page.getByLabel('Server file').fill('paper.jar');
  await page.getByRole('button', { name: 'Create server' }).click();
  await page.waitForURL(/\/server\/[0-9a-f-]{36}$/);
  await expect(page.getByText('Memory, disk and allocations reserved', { exact: false })).toBeVisible();
  await seen(player, 'a server on its way');
  await expect(page.getByText('Active', { exact: true }).first()).toBeVisible();
  return new URL(page.url()).pathname;
}

async function power(player: Person, panel: FakePanel): Promise<void> {
  const { page } = player;
  await expect(page.getByText('nue1.play.example:25565').first()).toBeVisible();
  await expect(page.getByRole('status').getByText('Stopped')).toBeVisible();
  await expect(page.getByRole('link', { name: /^Open panel/ }).first()).toHaveAttribute(
    'href',
    new RegExp(`^${panel.url}/server/`),
  );
  await seen(player, 'a stopped server');
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Starting…' })).toBeVisible();
  // The panel's own cache of usage is 20 s old at most; the test does not wait for it.
  await expect.poll(() => panel.state.usage.size).toBeGreaterThan(0);
  panel.forgetLimits();
  await expect(page.getByRole('status').getByText('Running')).toBeVisible();
  const activity = page.getByRole('list', { name: 'Activity' }).getByRole('listitem');
  await expect(activity.filter({ hasText: 'Started' }).first()).toContainText('by you');
  await seen(player, 'a running server');
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  const dialog = page.getByRole('alertdialog');
  await expect(dialog.getByText('Stop Lanternwood?')).toBeVisible();
  await seen(player, 'asking before a stop');
  await dialog.getByRole('button', { name: 'Stop' }).click();
  await expect.poll(() => [...panel.state.usage.values()][0]?.power).toBe('offline');
}

async function settings(player: Person, path: string, panel: FakePanel): Promise<void> {
  const { page } = player;
  await page.goto(`${path}/update`);
  await seen(player, 'changing a server');
  await expect(page.getByLabel('Server file')).toHaveValue('paper.jar');
  await page.getByLabel('Server file').fill('purpur.jar');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.waitForURL(`**${path}`);
  await expect
    .poll(() =>
      panel.calls
        .filter((each) => each.path.endsWith('/startup') && each.status === 200)
        .map((each) => JSON.stringify(each.body))
        .join('\n'),
    )
    .toContain('purpur.jar');
}

/** Installing anew is asked about, ordered, and waits for a panel that is down. */
async function anew(player: Person): Promise<void> {
  const { page } = player;
  await page.getByRole('button', { name: 'Reinstall' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Reinstall Lanternwood?' });
  await expect(dialog.getByText('the installation’s files are overwritten', { exact: false })).toBeVisible();
  await seen(player, 'asking before an installation anew');
  await dialog.getByRole('button', { name: 'Reinstall' }).click();
  await expect(page.getByText('Reinstall started')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Reinstalling' })).toBeDisabled();
  await seen(player, 'a server that is installed anew');
}

test('a server on a real panel goes from the create page to a panel that is down', async ({ browser }) => {
  const panel = await openPanel();
  const host = await install({
    PANEL_DRIVER: 'pterodactyl',
    PANEL_URL: panel.url,
    PANEL_KEY: panel.applicationKey,
    PANEL_CLIENT_KEY: panel.clientKey,
  });
  try {
    const owner = await person(browser, host);
    await register(owner, host.setupLink, 'mirela');
    await takeOver(owner);
    const player = await person(browser, host, 'light');
    await register(player, '/auth/register', 'tobi_k');
    const path = await createPage(player);
    await power(player, panel);
    await settings(player, path, panel);
    await panel.stopListening();
    await player.page.goto(path);
    await expect(
      player.page.getByText('The panel isn’t responding right now.', { exact: false }).first(),
    ).toBeVisible();
    await seen(player, 'a panel that is down');
    await anew(player);
    await player.page.goto('/dashboard');
    await expect(player.page.getByText('Lanternwood').first()).toBeVisible();
  } finally {
    await host.stop();
    await panel.close();
  }
});

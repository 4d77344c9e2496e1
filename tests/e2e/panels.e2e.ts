import type { Browser, Page } from '@playwright/test';
import { openFakePanel, type FakePanel } from '../support/panels/index.ts';
import { accessible, expect, overflowOf, ready, setupCode, test, watch, type Installation } from './fixtures.ts';

test.use({ file: 'panels' });

/**
 * Staff connect a panel over HTTP, read its test, take over its catalogue and bind a location; who is no staff sees
 * none of it.
 */
const DESKTOP = { width: 1440, height: 900 };
const PHONE = { width: 360, height: 740 };

/** A panel of Pterodactyl's kind with a location, two nodes and a nest of eggs. */
async function openPanel(): Promise<FakePanel> {
  const panel = await openFakePanel({ dialect: 'pterodactyl', seed: 7 });
  panel.addLocation({ short: 'de-fra', long: 'Frankfurt am Main' });
  panel.addNest({ name: 'Minecraft' });
  for (const maintenance of [false, true]) panel.addAllocations(panel.addNode({ maintenance }).id);
  const jar = {
    env: 'SERVER_JARFILE',
    name: 'Server file',
    rules: 'required|string|max:40',
    defaultValue: 'server.jar',
  };
  panel.addEgg({
    name: 'Paper',
    description: 'The fast one',
    variables: [jar, { env: 'WORLD', rules: 'nullable|dimensions:min=1' }],
  });
  panel.addEgg({ name: 'Forge', description: 'With mods', variables: [jar] });
  return panel;
}

interface Staff {
  readonly page: Page;
  /** Nothing complains, nothing sticks out, axe finds nothing; on a phone in the light and on a desktop in the dark. */
  seen(what: string): Promise<void>;
}

async function signIn(
  browser: Browser,
  host: Installation,
  username: string,
  setup?: string,
): Promise<Staff & { close(): Promise<void> }> {
  const context = await browser.newContext({ viewport: DESKTOP, baseURL: host.url });
  const page = await context.newPage();
  const complaints = watch(page);
  await page.goto('/auth/login');
  const person = {
    username,
    email: `${username}@example.com`,
    password: 'plough lantern meadow seven',
    first_name: 'Mirela',
    last_name: 'Vega',
    terms: true,
    ...(setup === undefined ? {} : { setup }),
  };
  const status = await page.evaluate(
    async (body) =>
      (
        await fetch('/api/auth/register', {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify(body),
        })
      ).status,
    person,
  );
  expect(status).toBe(200);
  const seen = async (what: string): Promise<void> => {
    for (const [size, theme] of [
      [PHONE, 'light'],
      [DESKTOP, 'dark'],
    ] as const) {
      await page.setViewportSize(size);
      await page.evaluate((name) => document.documentElement.setAttribute('data-theme', name), theme);
      await ready(page);
      await accessible(page, `${what} at ${size.width} px`);
      const over = await overflowOf(page);
      expect(over, `${what}: nothing sticks out sideways at ${size.width} px`).toBeLessThanOrEqual(0);
    }
    expect(complaints.splice(0), what).toEqual([]);
  };
  return { page, seen, close: () => context.close() };
}

async function connect({ page, seen }: Staff, panel: FakePanel): Promise<void> {
  await page.goto('/mc-admin/panels');
  await expect(page.getByRole('heading', { name: 'No panel connected' })).toBeVisible();
  await page.getByRole('link', { name: 'Connect panel' }).first().click();
  await page.waitForURL(/\/create$/);
  await page.getByLabel(/^Name/).fill('Main');
  await page.getByLabel(/^Panel address/).fill(`${panel.url}/api`);
  await page
    .getByLabel(/^Application key/)
    .fill(
      panel.addKey({ rights: { servers: 3, users: 1, nodes: 1, allocations: 1, locations: 1, nests: 1, eggs: 1 } })
        .token,
    );
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  await expect(page.getByText(/^Only scheme, host and port/).first()).toBeVisible();
  await seen('a form that was refused');
  await page.getByLabel(/^Panel address/).fill(panel.url);
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  await page.waitForURL(/\/edit\?done=create$/);
  await expect(page.getByText('1 permission is missing.')).toBeVisible();
  await expect(page.getByText('Players get no panel account.')).toBeVisible();
  await expect(page.getByText(/without encryption/)).toBeVisible();
  await seen('a panel whose key lacks a right');
  await page.getByLabel(/^Application key/).fill(panel.applicationKey);
  await page.getByLabel(/^Client key/).fill(panel.clientKey);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.waitForURL(/\?done=edit$/);
  await expect(page.getByText('The key has every permission it needs.')).toBeVisible();
  expect(await page.content()).not.toContain(panel.applicationKey);
}

async function takeOver({ page, seen }: Staff, panel: FakePanel): Promise<void> {
  await page.getByRole('link', { name: 'Catalogue', exact: true }).click();
  await page.waitForURL(/\/sync$/);
  await page.getByRole('button', { name: 'Sync now' }).click();
  await expect(page.getByRole('rowheader', { name: 'Paper' })).toBeVisible();
  await expect(page.getByText(/Syncing the catalogue/)).toBeHidden();
  await page.locator('summary', { hasText: 'Paper' }).click();
  await expect(page.getByText('dimensions:min=1')).toBeVisible();
  await seen('a catalogue full of news');
  await page.getByRole('button', { name: 'Import 2 eggs: Minecraft' }).click();
  await expect(page.getByText('2 entries added. Nothing changed.')).toBeVisible();
  await page.getByRole('checkbox', { name: 'Select de-fra' }).check();
  await page.getByRole('button', { name: 'Import 1' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Import' }).click();
  await expect(page.getByText('1 entry added. Nothing changed.')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Nothing new' })).toBeVisible();

  for (const egg of panel.state.eggs.values())
    if (egg.name === 'Paper') egg.startup = 'java -XX:+UseG1GC -jar {{SERVER_JARFILE}}';
  for (const [id, egg] of panel.state.eggs) if (egg.name === 'Forge') panel.state.eggs.delete(id);
  await page.getByRole('button', { name: 'Sync now' }).click();
  await expect(page.getByRole('rowheader', { name: 'Forge' })).toBeVisible();
  await page.locator('summary', { hasText: 'Paper' }).click();
  await expect(page.getByText('java -XX:+UseG1GC -jar {{SERVER_JARFILE}}')).toBeVisible();
  await seen('a catalogue with what changed and vanished');
  await page.getByRole('button', { name: 'Import changes: Paper' }).click();
  await expect(page.getByText('Nothing added. 1 entry updated.')).toBeVisible();
  // The answer is there before the list without it is.
  await expect(page.getByRole('rowheader', { name: 'Paper' })).toBeHidden();
  await page.locator('summary', { hasText: 'Forge' }).click();
  await page.getByRole('button', { name: 'Turn off: Forge' }).click();
  await expect(page.getByText('1 entry turned off.')).toBeVisible();
}

async function bind({ page, seen }: Staff): Promise<void> {
  await page.goto('/mc-admin/locations?q=de-fra');
  await page.getByRole('link', { name: 'de-fra' }).click();
  await page.waitForURL(/\/edit$/);
  await expect(page.getByLabel(/Panel location/)).toHaveValue(/:1$/);
  await page.getByLabel(/^Placement/).selectOption('pack');
  await page.getByLabel(/^Country/).fill('DE');
  await page.getByRole('switch', { name: 'Online' }).check();
  await seen('a location at a panel');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.waitForURL(/\/mc-admin\/locations\?/);
  await expect(page.getByText('de-fra was saved.')).toBeVisible();
  await page.goto('/mc-admin/eggs?q=Paper');
  await expect(page.getByRole('row', { name: /Paper.*Minecraft.*Main/ })).toBeVisible();
}

test('staff connect a panel, read its test, import a nest, follow its changes and bind a location', async ({
  browser,
  host,
}) => {
  const panel = await openPanel();
  const owner = await signIn(browser, host, 'mirela', setupCode(host));
  await connect(owner, panel);
  await takeOver(owner, panel);
  await bind(owner);

  const { page } = owner;
  await page.goto('/mc-admin/panels');
  await expect(page.getByText('Connected')).toBeVisible();
  await owner.seen('the list of panels');
  await page.getByRole('button', { name: 'Actions for Main' }).click();
  await page.getByRole('menuitem', { name: 'Remove' }).click();
  await page.waitForURL(/\/delete$/);
  await expect(page.getByText(/so it can’t be removed/)).toBeVisible();
  await owner.seen('a panel that is in use');

  // A player meets none of it.
  const player = await signIn(browser, host, 'tobi_k');
  expect((await player.page.goto('/mc-admin/panels'))?.status()).toBe(403);
  await player.close();
  await owner.close();
  await panel.close();
});

import { packedPlugin, signingKey } from '../support/plugin-packages.ts';
import { configure, expect, expectWhole, install, ready, setupCode, signUp, test, watch } from './fixtures.ts';

const DESK = { width: 1440, height: 900 };
const SERVER = `export default { endpoints: {
  'GET /greet': async ({ input }, host) => {
    const { greeting } = await host.settings();
    const count = ((await host.storage.get('count')) ?? 0) + 1;
    await host.storage.set('count', count);
    await host.log('greeted ' + input);
    return { text: greeting + ' ' + input, count };
  },
} };`;
const CLIENT = `export default { id: 'greeter', setup(host) {
  host.addTexts({ en: { title: 'Greetings', wave: 'Wave to everybody' } });
  host.addMenuEntry({ label: 'title', page: '', group: 'community' });
  host.addPanel('dashboard.side', { id: 'today', title: 'title', mount: (element) => { element.textContent = 'Salut!'; } });
  host.addPage('', { title: 'title', mount: (element) => { element.textContent = 'Who greets whom'; } });
  host.addCommand({ id: 'wave', label: 'wave', run: () => { document.querySelector('h1').textContent = 'Waved'; } });
} };`;
const MANIFEST = {
  identifier: 'greeter',
  name: 'Greeter',
  client: 'client.js',
  text: 'Greets whoever asks.',
  permissions: { endpoints: true, storage: true, credits: 100, hosts: ['greetings.example'] },
  settings: { greeting: { type: 'text', default: 'Hello', max: 40 } },
  texts: { en: { 'settings.greeting.label': 'Greeting', 'settings.greeting.hint': 'What it begins with.' } },
} as const;
const manifest = (version: string, more: object = {}) => ({
  ...MANIFEST,
  version,
  settings: { ...MANIFEST.settings },
  permissions: { ...MANIFEST.permissions, hosts: [...MANIFEST.permissions.hosts], ...more },
});

test('staff install a plugin of others, grant it something, set it, use it, update it, turn it off and remove it', async ({
  browser,
  host,
}) => {
  await configure(host, { app_name: 'Lanternhost' });
  const context = await browser.newContext({ baseURL: host.url, viewport: DESK });
  const staff = await context.newPage();
  const complaints = watch(staff);
  await signUp(staff, 'oana', setupCode(host));
  const key = signingKey();
  const choose = async (name: string, bytes: Uint8Array) => {
    await staff.goto('/mc-admin/plugins');
    await staff
      .locator('input[type=file]')
      .setInputFiles({ name, mimeType: 'application/zip', buffer: Buffer.from(bytes) });
    await staff.getByRole('button', { name: 'Check the file' }).click();
  };
  const greet = () => staff.evaluate(async () => (await fetch('/api/plugin/greeter/greet?q=Mirela')).json());

  await test.step('what is no plugin is refused at the field', async () => {
    await choose('notes.zip', new TextEncoder().encode('no archive'));
    await expect(staff.getByText('This is not a plugin').first()).toBeVisible();
    complaints.splice(0);
    await expectWhole(staff, complaints, 'the list of plugins with a fault');
  });

  await test.step('a package shows what it asks for, and is installed with what is ticked', async () => {
    await choose('greeter.spawnpoint', packedPlugin(manifest('1.0.0'), SERVER, key, CLIENT));
    await expect(staff.getByRole('heading', { name: 'Install Greeter 1.0.0?' })).toBeVisible();
    await expect(staff.getByText('Signed with a key that is new here.')).toBeVisible();
    await expectWhole(staff, complaints, 'what a plugin asks for');
    await staff.getByRole('checkbox', { name: 'Answer at addresses of its own' }).check();
    await staff.getByRole('checkbox', { name: 'Keep data' }).check();
    await staff.getByRole('checkbox', { name: 'Give credits' }).check();
    await staff.getByRole('spinbutton', { name: 'Credits a day' }).fill('30');
    await staff.getByRole('checkbox', { name: 'Run code in every visitor’s browser' }).check();
    await staff.getByRole('button', { name: 'Install and turn on' }).click();
    await expect(staff.getByText('The plugin is installed.')).toBeVisible();
    await expect(staff.getByText('greetings.example')).toHaveCount(0);
  });

  await test.step('it runs apart from the product, and answers with what staff set', async () => {
    await staff.getByRole('textbox', { name: 'Greeting' }).fill('Salut');
    await staff.getByRole('button', { name: 'Save' }).click();
    await expect(staff.getByText('Saved.')).toBeVisible();
    await expect
      .poll(async () => (await greet()) as unknown)
      .toMatchObject({ success: true, answer: expect.stringContaining('"text":"Salut Mirela"') });
    complaints.splice(0);
    await staff.reload();
    await expect(staff.getByText('greeted Mirela').first()).toBeVisible();
    await expectWhole(staff, complaints, 'the page of an installed plugin');
  });

  await test.step('its module for browsers adds a card, an entry of the menu, a page and a command', async () => {
    complaints.splice(0);
    await staff.goto('/dashboard');
    await expect(staff.getByText('Salut!')).toBeVisible();
    await expectWhole(staff, complaints, 'the dashboard with a card of a plugin');
    await staff.getByRole('link', { name: 'Greetings' }).click();
    await expect(staff.getByText('Who greets whom')).toBeVisible();
    await expect(staff).toHaveURL(/\/plugin\/greeter$/);
    await staff.keyboard.press('Control+k');
    await staff.getByRole('combobox').fill('wave');
    await staff.getByRole('option', { name: 'Wave to everybody' }).click();
    await expect(staff.getByRole('heading', { name: 'Waved' })).toBeVisible();
    expect(complaints).toEqual([]);
  });

  await test.step('an update asks for what is new alone, and one by somebody else has to be confirmed', async () => {
    await choose(
      'greeter.spawnpoint',
      packedPlugin(manifest('1.1.0', { notifications: true }), SERVER, signingKey(), CLIENT),
    );
    await expect(staff.getByRole('heading', { name: 'Update Greeter to 1.1.0?' })).toBeVisible();
    await expect(staff.getByRole('checkbox', { name: 'Keep data' })).toBeChecked();
    await expect(staff.getByRole('checkbox', { name: 'Notify users' })).not.toBeChecked();
    await expect(staff.getByRole('checkbox', { name: 'Give credits' })).toBeChecked();
    await expect(staff.getByRole('spinbutton', { name: 'Credits a day' })).toHaveValue('30');
    await staff.getByRole('button', { name: 'Update' }).click();
    await expect(staff.getByText('Confirm this change.').first()).toBeVisible();
    complaints.splice(0);
    await staff.getByRole('checkbox', { name: 'Install it anyway' }).check();
    await staff.getByRole('button', { name: 'Update' }).click();
    // The version is on the page of the question as well.
    await expect(staff.getByText('The plugin is installed.')).toBeVisible();
    await expect(staff.getByText('greeter 1.1.0')).toBeVisible();
  });

  await test.step('an older version is not called an update', async () => {
    await choose('greeter.spawnpoint', packedPlugin(manifest('1.0.0'), SERVER, key, CLIENT));
    await expect(staff.getByRole('heading', { name: 'Go back to Greeter 1.0.0?' })).toBeVisible();
    await expect(staff.getByText('It’s older than the installed version 1.1.0.')).toBeVisible();
    complaints.splice(0);
    await expectWhole(staff, complaints, 'an older version of a plugin');
    await staff.getByRole('button', { name: 'Don’t install' }).click();
    await expect(staff.getByRole('heading', { name: 'Plugins', level: 1 })).toBeVisible();
  });

  await test.step('it is off at once, and gone with its data', async () => {
    await staff.goto('/mc-admin/plugins');
    await staff.getByRole('button', { name: 'Turn off Greeter' }).click();
    await expect(staff.getByText('Greeter is off.')).toBeVisible();
    expect(await greet()).toMatchObject({ success: false, error_code: 'NOT_FOUND' });
    await staff.goto('/dashboard');
    await expect(staff.getByText('Salut!')).toHaveCount(0);
    await expect(staff.getByRole('link', { name: 'Greetings' })).toHaveCount(0);
    await staff.goto('/mc-admin/plugins');
    complaints.splice(0);
    await expectWhole(staff, complaints, 'the list of plugins');
    await staff.getByRole('link', { name: 'Settings: Greeter' }).click();
    await staff.getByRole('link', { name: 'Remove' }).click();
    await expectWhole(staff, complaints, 'the page that removes a plugin');
    await staff.getByRole('button', { name: 'Remove the plugin' }).click();
    await expect(staff.getByText('The plugin was removed.')).toBeVisible();
    await expect(staff.getByText('Greeter')).toHaveCount(0);
  });
});

test('what a plugin does shows without a reload, and takes nothing away from who types', async ({ browser }) => {
  // The installation of the other story has its owner.
  const host = await install();
  const context = await browser.newContext({ baseURL: host.url, viewport: DESK });
  const staff = await context.newPage();
  const complaints = watch(staff);
  await signUp(staff, 'oana', setupCode(host));
  await staff.goto('/mc-admin/plugins');
  const file = packedPlugin(manifest('1.0.0'), 'throw new Error("no greetings today");', signingKey(), CLIENT);
  await staff
    .locator('input[type=file]')
    .setInputFiles({ name: 'greeter.spawnpoint', mimeType: 'application/zip', buffer: Buffer.from(file) });
  await staff.getByRole('button', { name: 'Check the file' }).click();
  await staff.getByRole('button', { name: 'Install and turn on' }).click();
  await expect(staff.getByText('The plugin is installed.')).toBeVisible();
  const list = await context.newPage();
  await list.goto('/mc-admin/plugins');
  await ready(list);
  for (const page of [staff, list]) await page.evaluate(() => (document.documentElement.dataset.same = 'yes'));
  const greeting = staff.getByRole('textbox', { name: 'Greeting' });
  await greeting.fill('Bun venit');

  await test.step('each fault is counted and its words are shown, on both pages', async () => {
    for (const page of [staff, list]) await expect(page.getByText('Restarting after fault 3 of 5')).toBeVisible();
    await expect(staff.getByText('no greetings today').nth(2)).toBeVisible();
    complaints.splice(0);
    await expectWhole(staff, complaints, 'the page of a plugin that breaks');
  });

  await test.step('settings that somebody else saved leave what is typed, and saving says so', async () => {
    const saved = await list.evaluate(async () => {
      const { revision } = (await (await fetch('/api/admin/plugins/greeter')).json()) as { revision: number };
      const init = (body: object) => ({ headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
      const answers = [
        await fetch('/api/admin/plugins/greeter', {
          method: 'PATCH',
          ...init({ values: { greeting: 'Servus' }, revision }),
        }),
        await fetch('/api/admin/plugins/greeter/on', { method: 'PUT', ...init({ on: false }) }),
      ];
      return answers.map(({ status }) => status);
    });
    expect(saved).toEqual([200, 200]);
    await expect(staff.getByText('This plugin is off. Its settings take effect once you turn it on.')).toBeVisible();
    await expect(list.getByRole('button', { name: 'Turn on Greeter' })).toBeVisible();
    await expect(greeting).toHaveValue('Bun venit');
    for (const page of [staff, list])
      expect(await page.evaluate(() => document.documentElement.dataset.same)).toBe('yes');
    await staff.getByRole('button', { name: 'Save' }).click();
    await expect(staff.getByText('This was changed in the meantime.').first()).toBeVisible();
    await expect(greeting).toHaveValue('Bun venit');
    await staff.getByRole('button', { name: 'Save' }).click();
    await expect(staff.getByText('Saved.')).toBeVisible();
    await expect(greeting).toHaveValue('Bun venit');
  });
  await context.close();
  await host.stop();
});

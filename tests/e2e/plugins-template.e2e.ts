import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configure, expect, expectWhole, setupCode, signUp, test, watch } from './fixtures.ts';
import { BINARY } from '../process/installation.ts';

test('the plugin that the binary writes and packs is installed, granted, set, seen on the dashboard and turned off', async ({
  browser,
  host,
}) => {
  const folder = mkdtempSync(join(tmpdir(), 'spawnpoint-template-'));
  const run = async (...argv: string[]): Promise<void> => {
    const child = Bun.spawn([BINARY, 'plugin', ...argv], { cwd: folder, stdout: 'pipe', stderr: 'inherit' });
    expect(await child.exited).toBe(0);
  };
  await run('new', 'my-greeter');
  await run('check', 'my-greeter');
  await run('pack', 'my-greeter');
  const buffer = readFileSync(join(folder, 'my-greeter-1.0.0.spawnpoint'));
  rmSync(folder, { recursive: true });
  await configure(host, { app_name: 'Lanternhost' });
  const context = await browser.newContext({ baseURL: host.url, viewport: { width: 1440, height: 900 } });
  const staff = await context.newPage();
  const complaints = watch(staff);
  await signUp(staff, 'oana', setupCode(host));

  await test.step('the list leads to the guide', async () => {
    await staff.goto('/mc-admin/plugins');
    await staff.getByRole('link', { name: 'Make your own in ten minutes' }).click();
    await expect(staff.getByRole('heading', { name: 'A plugin in ten minutes' })).toBeVisible();
  });

  await test.step('it is installed with what is ticked', async () => {
    await staff.goto('/mc-admin/plugins');
    const file = { name: 'my-greeter-1.0.0.spawnpoint', mimeType: 'application/zip', buffer };
    await staff.locator('input[type=file]').setInputFiles(file);
    await staff.getByRole('button', { name: 'Check the file' }).click();
    await expect(staff.getByRole('heading', { name: 'Install My greeter 1.0.0?' })).toBeVisible();
    await staff.getByRole('checkbox', { name: 'Answer at addresses of its own' }).check();
    await staff.getByRole('checkbox', { name: 'Keep data' }).check();
    await staff.getByRole('checkbox', { name: 'Run code in every visitor’s browser' }).check();
    await staff.getByRole('checkbox', { name: 'Install it anyway' }).check();
    await staff.getByRole('button', { name: 'Install and turn on' }).click();
    await expect(staff.getByText('The plugin is installed.')).toBeVisible();
  });

  await test.step('its setting is saved, and its card asks its endpoint', async () => {
    await staff.getByRole('textbox', { name: 'Greeting' }).fill('Salut');
    await staff.getByRole('button', { name: 'Save' }).click();
    await expect(staff.getByText('Saved.')).toBeVisible();
    await staff.goto('/dashboard');
    await expect(staff.getByText('Your greeting is on its way.')).toBeVisible();
    await expectWhole(staff, complaints, 'the dashboard with the card of the template');
  });

  await test.step('turned off, it leaves nothing behind', async () => {
    await staff.goto('/mc-admin/plugins');
    await staff.getByRole('button', { name: 'Turn off My greeter' }).click();
    await expect(staff.getByText('My greeter is off.')).toBeVisible();
    await staff.goto('/dashboard');
    await expect(staff.getByText('Your greeting is on its way.')).toHaveCount(0);
  });
});

import { PTDL_FILE } from '../support/egg-files.ts';
import {
  accessible,
  call,
  expect,
  expectWhole,
  overflowOf,
  ready,
  setupCode,
  signUp,
  test,
  watch,
} from './fixtures.ts';

/** A file of an egg is read, says where its servers run, and becomes an egg. */
const LONG = {
  ...PTDL_FILE,
  name: 'Paper with a name that is as long as a name may be, or longer',
  variables: Array.from({ length: 12 }, (_, n) => ({
    ...PTDL_FILE.variables[0],
    name: `Variable ${n} ${'of many words '.repeat(n % 4)}`,
    env_variable: `VARIABLE_${n}`,
    default_value: 'x'.repeat(n * 20),
  })),
};
const fileOf = (content: string) => ({
  name: 'egg-paper.json',
  mimeType: 'application/json',
  buffer: Buffer.from(content),
});

test('staff import a file of an egg after they saw what it holds and where its servers run', async ({
  browser,
  host,
}) => {
  const context = await browser.newContext({ baseURL: host.url, viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  const complaints = watch(page);
  await signUp(page, 'oana', setupCode(host));
  await call(page, 'POST', '/api/admin/egg-categories', {
    name: 'Minecraft',
    description: '',
    picture: '',
    enabled: true,
    position: 1,
  });
  await page.goto('/mc-admin/eggs/import');
  await ready(page);
  await accessible(page, 'the choice of a file');
  if (process.env.E2E_LOOK) await page.screenshot({ path: `${process.env.E2E_LOOK}-choose.png`, fullPage: true });
  await page.getByLabel('Egg file').setInputFiles(fileOf('no egg'));
  await page.getByRole('button', { name: 'Read the file' }).click();
  await expect(page.getByText('This file can’t be read as an egg.')).toBeVisible();

  await page.getByLabel('Egg file').setInputFiles(fileOf(JSON.stringify(LONG)));
  await page.getByRole('button', { name: 'Read the file' }).click();
  await expect(page.getByText('Pterodactyl or Pelican', { exact: true })).toBeVisible();
  await expect(page.getByText('A script in another image installs them.')).toBeVisible();
  await expect(page.getByText(/Minecraft Paper\. Add an egg with the image spawnpoint\/minecraft-paper/)).toBeVisible();
  for (const width of [1440, 768, 360]) {
    await page.setViewportSize({ width, height: 900 });
    await accessible(page, `what a file holds at ${width}`);
    expect(await overflowOf(page), `nothing sticks out at ${width}`).toBeLessThanOrEqual(0);
    if (process.env.E2E_LOOK) await page.screenshot({ path: `${process.env.E2E_LOOK}-${width}.png`, fullPage: true });
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByLabel('Category').selectOption({ label: 'Minecraft' });
  await page.getByRole('button', { name: 'Create egg' }).click();
  await page.waitForURL(/\/mc-admin\/eggs\/[0-9a-f-]{36}\/edit$/);
  await expect(page.getByLabel('Image', { exact: true })).toHaveValue('ghcr.io/pterodactyl/yolks:java_21');
  const files = page.getByRole('heading', { name: 'Config files' }).locator('xpath=ancestor::section');
  await expect(files.getByRole('term')).toHaveText(['server.properties']);
  await expect(files.getByRole('definition')).toHaveText(['properties']);
  await expectWhole(page, complaints, 'the egg of a file');
  if (process.env.E2E_LOOK) await page.screenshot({ path: `${process.env.E2E_LOOK}-egg.png`, fullPage: true });
  await context.close();
});

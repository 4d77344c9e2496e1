import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from '@playwright/test';
import { startDiscord, type DiscordStandIn, type Guild } from '../support/discord/stand-in.ts';
import { configure, DESKTOP, expect, openVisitor, PASSPHRASE, PHONE, setupCode, signUp, test } from './fixtures.ts';

/**
 * Join for rewards in a real browser: staff add a Discord server, players link their Discord account and are paid for
 * joining.
 */
const PLAYER = 'ioana';

test.describe.configure({ mode: 'serial' });

let discord: DiscordStandIn;
let guild: Guild;
let discordId: string;

test.beforeAll(async ({ host }) => {
  discord = await startDiscord({ startMs: Date.now(), redirects: [`${host.url}/account/linked/discord`] });
  guild = discord.guild('Moldova Craft', 'moldova-craft');
  discordId = discord.person(PLAYER).id;
  await configure(host, discord.settings);
  const { stdout } = await promisify(execFile)(host.binary, ['settings', 'get', 'discord_client_secret'], {
    env: { PATH: process.env.PATH ?? '', DATA_DIR: host.dataDir },
  });
  expect(stdout).not.toContain(discord.settings.discord_client_secret);
});
test.afterAll(() => discord.close());

/** Confirms by password on the tab of linked accounts who sits there. */
async function confirmWho(page: Page): Promise<void> {
  await page.getByLabel('Your password', { exact: true }).fill(PASSPHRASE);
  await page.getByRole('button', { name: 'Confirm', exact: true }).click();
  await expect(page.getByText('You confirmed that it’s you.', { exact: false })).toBeVisible();
}

test('staff add a Discord server by its invite, and see where it leads', async ({ browser, host }) => {
  const { context, page, seen } = await openVisitor(browser, host, DESKTOP);
  await signUp(page, 'mirela', setupCode(host));
  await page.goto('/mc-admin/j4r-servers/create');
  await page.getByLabel(/^Name/).fill('Moldova Craft');
  await page.getByLabel(/^Invite/).fill('https://discord.gg/moldova-craft');
  await page.getByLabel(/^Credits/).fill('45');
  await seen('a new server');
  await page.getByRole('button', { name: 'Add server' }).click();
  await page.waitForURL(/\/mc-admin\/j4r-servers(\?.*)?$/);
  await expect(async () => {
    await page.reload();
    await expect(page.getByRole('row', { name: 'Moldova Craft' }).getByText('Active')).toBeVisible({ timeout: 2000 });
  }).toPass({ timeout: 90_000 });
  await page.setViewportSize(PHONE.viewport);
  await seen('the list on a phone');
  await page.getByRole('link', { name: 'Moldova Craft' }).first().click();
  await page.waitForURL('**/edit');
  await page.goto(page.url().replace(/edit$/, 'delete'));
  await seen('before deleting');
  await context.close();
});

test('a player links Discord, joins and is paid', async ({ browser, host }) => {
  const { context, page, seen } = await openVisitor(browser, host, PHONE);
  await signUp(page, `${PLAYER}_p`);
  await page.goto('/earn/j4r');
  await expect(page.getByRole('link', { name: /^Join on Discord/ })).toHaveAttribute(
    'href',
    'https://discord.gg/moldova-craft',
  );
  await seen('not linked yet');

  await page.getByRole('link', { name: 'Link Discord' }).click();
  await expect(page.getByText('Not linked')).toBeVisible();
  await page.getByRole('button', { name: /^Link/ }).click();
  await expect(page.getByRole('heading', { name: 'First confirm that it’s you' })).toBeVisible();
  await seen('T31 linking asks who sits there');
  await confirmWho(page);
  await page.getByRole('button', { name: /^Link/ }).click();
  await page.waitForURL('**/oauth2/authorize?**');
  await page.getByRole('link', { name: 'Cancel' }).click();
  await expect(page.getByText('you declined on Discord', { exact: false })).toBeVisible();
  await page.getByRole('link', { name: 'Back to linked accounts' }).click();
  await page.getByRole('button', { name: /^Link/ }).click();
  await page.waitForURL('**/oauth2/authorize?**');
  await page.getByRole('link', { name: PLAYER, exact: true }).click();
  await page.waitForURL(/\/account\?tab=linked$/);
  await expect(page.getByText(`${PLAYER}, linked on`, { exact: false })).toBeVisible();
  await seen('linked');

  await page.goto('/earn/j4r');
  const claim = page.getByRole('button', { name: /^I’ve joined/ });
  await claim.click();
  await expect(page.getByText('you aren’t a member yet', { exact: false })).toBeVisible();
  await seen('not a member');
  discord.join(discordId, guild.id, { atMs: Date.now() });
  await claim.click();
  await expect(page.getByRole('status').filter({ hasText: 'for joining Moldova Craft' })).toBeVisible();
  await expect(page.getByText('Yours to keep on', { exact: false })).toBeVisible();
  await expect(claim).toHaveCount(0);
  await seen('paid');
  await context.close();
});

test('linking and claiming are plain forms without scripts', async ({ browser, host }) => {
  const { context, page } = await openVisitor(browser, host, DESKTOP);
  await signUp(page, 'plain_p');
  const own = discord.person('plain');
  const plain = await browser.newContext({
    baseURL: host.url,
    javaScriptEnabled: false,
    storageState: await context.storageState(),
  });
  const still = await plain.newPage();
  await still.goto('/account?tab=linked');
  await still.getByRole('button', { name: /^Link/ }).click();
  await confirmWho(still);
  await still.getByRole('button', { name: /^Link/ }).click();
  await still.getByRole('link', { name: 'Continue to Discord' }).click();
  await still.getByRole('link', { name: 'plain', exact: true }).click();
  await still.getByRole('button', { name: 'Link now' }).click();
  await expect(still.getByText('plain, linked on', { exact: false })).toBeVisible();
  discord.join(own.id, guild.id, { atMs: Date.now() });
  await still.goto('/earn/j4r');
  await still.getByRole('button', { name: /^I’ve joined/ }).click();
  await expect(still.getByText('for joining Moldova Craft', { exact: false })).toBeVisible();
  await still.getByRole('link', { name: 'Manage' }).click();
  await still.getByRole('button', { name: /^Unlink/ }).click();
  await expect(still.getByText('Account unlinked.')).toBeVisible();
  await plain.close();
  await context.close();
});

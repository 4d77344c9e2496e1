import type { Browser, BrowserContext, Page } from '@playwright/test';
import { CLIENT, startOidc, type OidcStandIn } from '../support/sso/oidc.ts';
import { accessible, configure, expect, ready, setupCode, test, watch, type Installation } from './fixtures.ts';

test.use({ file: 'sso' });

/** Signing in with a service elsewhere in a real browser: staff add it; people register, log in and link with it. */
test.describe.configure({ mode: 'serial' });

const DESKTOP = { viewport: { width: 1440, height: 900 }, theme: 'dark' } as const;
const PHONE = { viewport: { width: 360, height: 740 }, theme: 'light' } as const;

let oidc: OidcStandIn;
test.beforeAll(async ({ host }) => {
  oidc = await startOidc();
  oidc.person('vlad', { name: 'Vlad Munteanu', preferred_username: 'vlad.m' });
  await configure(host, { outbound_private_networks: true });
});
test.afterAll(() => oidc.close());

interface Visitor {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Nothing is wrong with the page as it stands. */
  seen(what: string): Promise<void>;
}

async function visitor(browser: Browser, host: Installation, size: typeof DESKTOP | typeof PHONE): Promise<Visitor> {
  const context = await browser.newContext({ viewport: size.viewport, baseURL: host.url });
  await context.addCookies([{ name: 'theme', value: size.theme, url: host.url }]);
  const page = await context.newPage();
  const complaints = watch(page);
  const seen = async (what: string) => {
    await ready(page);
    await accessible(page, what);
    const over = () => document.documentElement.scrollWidth - document.documentElement.clientWidth;
    expect(await page.evaluate(over), `${what}: nothing sticks out sideways`).toBeLessThanOrEqual(0);
    expect(complaints, what).toEqual([]);
  };
  return { context, page, seen };
}

test('staff add a service, and its secret is never shown again', async ({ browser, host }) => {
  const { context, page, seen } = await visitor(browser, host, DESKTOP);
  await page.goto('/auth/login');
  const owner = {
    username: 'mirela',
    email: 'mirela@example.com',
    password: 'plough lantern meadow seven',
    first_name: 'Mirela',
    last_name: 'Vega',
    terms: true,
    setup: setupCode(host),
  };
  await page.evaluate(
    (body) => fetch('/api/auth/register', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body }),
    JSON.stringify(owner),
  );
  await page.goto('/mc-admin/sso-providers');
  await seen('no service yet');
  await page.goto('/mc-admin/sso-providers/create');
  await page.getByLabel(/^Name/).fill('Nordlicht ID');
  await page.getByLabel(/^Address/).fill(oidc.issuer);
  await page.getByLabel(/^Client ID/).fill(CLIENT.id);
  await page.getByLabel(/^Client secret/).fill(CLIENT.secret);
  await seen('a new service');
  await page.getByRole('button', { name: 'Add service' }).click();
  await page.waitForURL(/\/mc-admin\/sso-providers(\?.*)?$/);
  await page.setViewportSize(PHONE.viewport);
  await seen('the list on a phone');
  await page.getByRole('link', { name: 'Nordlicht ID' }).first().click();
  await page.waitForURL('**/edit');
  await expect(page.getByLabel(/^Client secret/)).toHaveValue('');
  await expect(page.getByText(/^Set on/)).toBeVisible();
  expect(await page.content()).not.toContain(CLIENT.secret);
  await seen('the service on a phone');
  await context.close();
});

test('a newcomer registers with it, unlinks only once there is a password, and logs in with it', async ({
  browser,
  host,
}) => {
  const { context, page, seen } = await visitor(browser, host, PHONE);
  await page.goto('/auth/login');
  await seen('the log-in with a service');
  await page.getByRole('button', { name: 'Log in with Nordlicht ID' }).click();
  await page.waitForURL('**/authorize?**');
  await page.getByRole('link', { name: 'Cancel' }).click();
  await expect(page.getByText('you declined at the service', { exact: false })).toBeVisible();
  await seen('declined');
  await page.getByRole('link', { name: 'Go to log in' }).click();
  await page.getByRole('button', { name: 'Log in with Nordlicht ID' }).click();
  await page.waitForURL('**/authorize?**');
  await page.getByRole('link', { name: 'vlad', exact: true }).click();
  await page.waitForURL('**/auth/sso/register');
  await expect(page.getByLabel(/^Username/)).toHaveValue('vlad.m');
  await expect(page.getByText('vlad@mail.example, confirmed by Nordlicht ID.')).toBeVisible();
  await seen('what is missing');
  await page.getByLabel(/^I have read/).check();
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.waitForURL('**/dashboard');

  await page.goto('/account?tab=linked');
  await expect(page.getByText('Set a password first', { exact: false })).toBeVisible();
  await seen('the only way in');
  await page.goto('/account?tab=security');
  await page.getByLabel(/^New password/).fill('willow harbour copper nine');
  await seen('a first password');
  await page.getByRole('button', { name: 'Set password' }).click();
  await expect(page.getByRole('button', { name: 'Change password' })).toBeVisible();
  await page.goto('/account?tab=linked');
  await expect(page.getByRole('button', { name: /^Unlink/ })).toBeVisible();

  const again = await visitor(browser, host, DESKTOP);
  await again.page.goto('/auth/login');
  await again.page.getByRole('button', { name: 'Log in with Nordlicht ID' }).click();
  await again.page.getByRole('link', { name: 'vlad', exact: true }).click();
  await again.page.waitForURL('**/dashboard');
  await again.context.close();
  await context.close();
});

test('registering and logging in are plain forms without scripts', async ({ browser, host }) => {
  oidc.person('ioana', { preferred_username: 'ioana', given_name: 'Ioana', family_name: 'Rusu' });
  const arrive = async (from: string): Promise<{ context: BrowserContext; page: Page }> => {
    const context = await browser.newContext({ baseURL: host.url, javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(from);
    await page.getByRole('button', { name: 'Log in with Nordlicht ID' }).click();
    await page.getByRole('link', { name: 'Continue to the service' }).click();
    await page.getByRole('link', { name: 'ioana', exact: true }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    return { context, page };
  };
  const newcomer = await arrive('/auth/register');
  await newcomer.page.getByLabel(/^I have read/).check();
  await newcomer.page.getByRole('button', { name: 'Create account' }).click();
  await newcomer.page.waitForURL('**/dashboard');
  await newcomer.context.close();
  const again = await arrive('/auth/login');
  await again.page.waitForURL('**/dashboard');
  await again.page.goto('/account?tab=linked');
  await expect(again.page.getByText('ioana, linked on', { exact: false })).toBeVisible();
  await again.context.close();
});

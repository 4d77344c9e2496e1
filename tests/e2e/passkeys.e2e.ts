import type { BrowserContext, CDPSession, Page } from '@playwright/test';
import { call, expect, openVisitor, PASSPHRASE, PHONE, ready, test, type Installation } from './fixtures.ts';

/** Passkeys belong to a domain: the page is at `localhost`, which needs no certificate. */
const addressOf = ({ url }: Installation): string => url.replace('127.0.0.1', 'localhost');

/** An authenticator of this device, that verifies its person by itself. */
async function plugIn(context: BrowserContext, page: Page): Promise<{ session: CDPSession; authenticatorId: string }> {
  const session = await context.newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      ctap2Version: 'ctap2_1',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { session, authenticatorId };
}

test('T30 T31 a user adds a passkey, logs in with it without a name, renames and removes it', async ({
  browser,
  host,
}) => {
  const { context, page, complaints, seen } = await openVisitor(browser, { ...host, url: addressOf(host) }, PHONE);
  await page.goto('/auth/login');
  await call(page, 'POST', '/api/auth/register', {
    username: 'with_key',
    email: 'with_key@example.com',
    password: PASSPHRASE,
    first_name: 'Mirela',
    last_name: 'Vega',
    terms: true,
  });
  const { session, authenticatorId } = await plugIn(context, page);
  await page.goto('/account?tab=security');
  await ready(page);
  const card = page.locator('#passkeys');
  await expect(card.getByText('You have no passkeys yet.')).toBeVisible();
  await seen('no passkeys');
  await card.getByLabel('Your password').fill('not the password');
  await card.getByRole('button', { name: 'Confirm' }).click();
  await expect(card.getByText('Please fix 1 field')).toBeVisible();
  await card.getByLabel('Your password').fill(PASSPHRASE);
  await card.getByRole('button', { name: 'Confirm' }).click();
  await card.getByLabel('Name').fill('Phone');
  await seen('confirmed');
  await card.getByRole('button', { name: 'Add passkey' }).click();
  await expect(card.getByText('Passkey added. You can log in with it from now on.')).toBeVisible();
  await expect(card.getByRole('listitem')).toHaveCount(1);
  await card.getByRole('button', { name: 'Add passkey' }).click();
  await expect(card.getByText('This device already has a passkey for your account.')).toBeVisible();
  await card.getByRole('button', { name: /^Rename/ }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Pixel 8');
  await page.getByRole('dialog').getByRole('button', { name: 'Save name' }).click();
  await expect(card.getByText('Pixel 8', { exact: true }).first()).toBeVisible();
  await seen('a passkey');

  // The list of the name's field offers it; the virtual authenticator picks it by itself.
  await page.goto('/auth/logout');
  await page.waitForURL('**/dashboard');
  await ready(page);

  // By the button, while nothing is offered in the list.
  await page.addInitScript(() => {
    Object.defineProperty(PublicKeyCredential, 'isConditionalMediationAvailable', { value: async () => false });
  });
  await page.goto('/auth/logout');
  await page.waitForURL('**/auth/login?logout=done');
  await ready(page);
  await seen('the log-in with passkeys');
  await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await expect(page.getByText('No passkey was used: it was cancelled, or it took too long.')).toBeVisible();
  await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true });
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.waitForURL('**/dashboard');

  // In the place of the password: whoever logged in with one has confirmed nothing yet. The dashboard asks for its
  // session as it comes, and would take the end of that one for its own: a page that came with its session does not.
  await page.goto('/account');
  await ready(page);
  await call(page, 'POST', '/api/auth/login', { login: 'with_key', password: PASSPHRASE });
  await page.goto('/account');
  await ready(page);
  await expect(page.getByLabel('Your password')).toBeVisible();
  await seen('a passkey in the place of the password');
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await expect(page.getByText('You confirmed that it’s you.', { exact: false })).toBeVisible();
  await page.getByLabel('New address').fill('new@example.com');
  await seen('confirmed by a passkey');
  await page.getByRole('button', { name: 'Send confirmation link' }).click();
  await expect(page.getByText('new@example.com', { exact: false })).toBeVisible();

  // That was a confirmation for the passkeys as well.
  await page.goto('/account?tab=security');
  await ready(page);
  await card.getByRole('button', { name: /^Remove/ }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
  await expect(card.getByText('Passkey removed.')).toBeVisible();
  await expect(card.getByText('You have no passkeys yet.')).toBeVisible();
  expect(complaints).toEqual([]);
  await context.close();
});

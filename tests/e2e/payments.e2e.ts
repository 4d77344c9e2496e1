import type { Browser, BrowserContext, Page } from '@playwright/test';
import type { Notice } from '../support/gateways/stripe.ts';
import { STRIPE_KEY, STRIPE_SECRET, stripeStandIn } from '../support/gateways/stripe.ts';
import {
  accessible,
  configure,
  expect,
  overflowOf,
  ready,
  setupCode,
  signUp,
  test,
  watch,
  type Installation,
} from './fixtures.ts';

/**
 * Credits for money: the host sells a package, a player pays it at a gateway that stands in, staff look at it and give
 * money back.
 */
const SIZES = { desktop: { width: 1440, height: 900 }, phone: { width: 360, height: 740 } } as const;

interface Person {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Finds nothing wrong with the page as it stands. */
  seen(what: string): Promise<void>;
  visit(path: string): Promise<void>;
}

async function person(
  browser: Browser,
  host: Installation,
  size: keyof typeof SIZES,
  theme: 'dark' | 'light',
): Promise<Person> {
  const context = await browser.newContext({ viewport: SIZES[size], baseURL: host.url });
  await context.addCookies([{ name: 'theme', value: theme, url: host.url }]);
  const page = await context.newPage();
  const complaints = watch(page);
  const seen = async (what: string) => {
    await ready(page);
    await accessible(page, what);
    expect(await overflowOf(page), `${what}: nothing sticks out sideways`).toBeLessThanOrEqual(0);
    expect(complaints, what).toEqual([]);
  };
  return {
    page,
    context,
    seen,
    visit: async (path) => {
      await page.goto(path);
      await seen(path);
    },
  };
}

/** Sends a notice as the gateway does: from anywhere, without a session. */
async function tell(host: Installation, { body, headers }: Notice): Promise<void> {
  expect((await fetch(`${host.url}/api/webhooks/stripe`, { method: 'POST', headers, body })).status).toBe(200);
}

const orderIdIn = (page: Page): string => new URL(page.url()).pathname.split('/').at(-1) ?? '';

/** Screen 7: on paper the receipt is alone, black on white, on one page, also in the dark theme. */
async function printed(page: Page): Promise<void> {
  await page.emulateMedia({ media: 'print' });
  await expect(page.getByRole('heading', { name: 'Receipt R-000001' })).toBeVisible();
  for (const gone of [
    page.locator('.sp-plain__top'),
    page.locator('.sp-plain__foot'),
    page.locator('.sp-fab'),
    page.locator('.sp-receipt__tools'),
  ])
    await expect(gone).toBeHidden();
  const paints = await page.evaluate(() =>
    [document.documentElement, document.body, ...document.querySelectorAll('.sp-receipt, .sp-receipt *')]
      .filter((each) => each.checkVisibility())
      .map((each) => getComputedStyle(each))
      .map(({ color, backgroundColor }) => [color, backgroundColor]),
  );
  for (const [ink, paper] of paints.slice(2))
    expect([ink, ['rgb(255, 255, 255)', 'rgba(0, 0, 0, 0)'].includes(paper ?? '')]).toEqual(['rgb(0, 0, 0)', true]);
  expect(paints.slice(0, 2).map(([, paper]) => paper)).toEqual(['rgb(255, 255, 255)', 'rgb(255, 255, 255)']);
  const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
  expect(pdf.match(/\/Type\s*\/Page\b(?!s)/g)).toHaveLength(1);
  await page.emulateMedia({ media: 'screen' });
}

test.describe.configure({ mode: 'serial' });

test('a player adds credits, on the way from the package to the receipt', async ({ browser, host }) => {
  const stripe = stripeStandIn({ now: Date.now });
  await configure(host, {
    stripe_secret_key: STRIPE_KEY,
    stripe_webhook_secret: STRIPE_SECRET,
    stripe_api_url: stripe.url,
    outbound_private_networks: 'true',
    stripe_enabled: 'true',
    manual_payments_enabled: 'true',
    manual_payment_text: 'Bring it to the desk.',
    manual_payment_account: 'DE02 1203 0000 0000 2020 51',
    tax_rate: '19',
    company_name: 'Lanternwood SRL',
  });
  const owner = await person(browser, host, 'phone', 'light');
  const player = await person(browser, host, 'desktop', 'dark');
  await signUp(owner.page, 'mirela', setupCode(host));
  await signUp(player.page, 'tobi_k');

  await test.step('staff make a package', async () => {
    const { page, seen, visit } = owner;
    await visit('/mc-admin/payments');
    await visit('/mc-admin/credit-packages');
    await visit('/mc-admin/credit-packages/create');
    await page.getByRole('textbox', { name: /^Name/ }).fill('Starter');
    await page.getByLabel(/^Credits/).fill('1000');
    await page.getByLabel(/^Bonus credits/).fill('200');
    await page.getByLabel(/^Price/).fill('5,00');
    // Screen 8: what players will see of it, as it is typed.
    await expect(page.getByText('Players see €5.00, incl. €0.80 tax.')).toBeVisible();
    await page.getByRole('button', { name: 'Add package' }).click();
    await page.waitForURL(/\/mc-admin\/credit-packages(\?.*)?$/);
    await expect(page.getByText('€5.00')).toBeVisible();
    await seen('packages with the new one');
  });

  await test.step('a player orders, pays, and the page notices by itself', async () => {
    const { page, seen, visit } = player;
    await visit('/store/add-credits');
    await expect(page.getByText('incl. €0.80 tax (19 %)')).toBeVisible();
    // A free amount out of bounds is refused at its field; one within them says what it gives.
    await page.getByLabel('Amount in EUR').fill('0,10');
    await page.getByRole('button', { name: /^Pay by card.*Custom amount$/ }).click();
    await expect(page.getByLabel('Amount in EUR')).toHaveAttribute('aria-invalid', 'true');
    await page.getByLabel('Amount in EUR').fill('12,34');
    await expect(page.getByText('You get 1,234 credits.')).toBeVisible();
    await seen('a refused amount');
    await page.getByRole('button', { name: /^Pay by card.*Starter$/ }).click();
    await page.waitForURL(/\/store\/orders\//);
    const id = orderIdIn(page);
    await expect(page.getByRole('link', { name: 'Pay €5.00 now' })).toHaveAttribute(
      'href',
      stripe.session(id).url ?? '',
    );
    await seen('the order');
    await page.getByRole('button', { name: 'Check payment' }).click();
    await expect(page.getByText('Checking.')).toBeVisible();
    await tell(host, await stripe.event('checkout.session.completed', stripe.pay(id)));
    await expect(page.getByText('The credits are in your balance.')).toBeVisible();
    await seen('the paid order');
    await page.getByRole('link', { name: 'Receipt', exact: true }).click();
    await expect(page.getByRole('heading', { name: 'Receipt R-000001' })).toBeVisible();
    await expect(page.getByText('Lanternwood SRL')).toBeVisible();
    await seen('the receipt');
    await printed(page);
    const pdf = await player.context.request.get(`/api/payments/orders/${id}/receipt.pdf`);
    expect([pdf.headers()['content-type'], (await pdf.body()).subarray(0, 5).toString()]).toEqual([
      'application/pdf',
      '%PDF-',
    ]);
    await visit('/account?tab=payments');
    await expect(page.getByRole('link', { name: 'R-000001' })).toBeVisible();
    await page.setViewportSize(SIZES.phone);
    for (const path of [
      '/account?tab=payments',
      '/store/add-credits',
      `/store/orders/${id}`,
      `/store/orders/${id}/receipt`,
    ])
      await visit(path);
  });

  await test.step('without scripts it is ordered all the same; staff confirm, and give back', async () => {
    const plain = await browser.newContext({
      javaScriptEnabled: false,
      baseURL: host.url,
      storageState: await player.context.storageState(),
    });
    const page = await plain.newPage();
    await page.goto('/store/add-credits');
    await page.getByRole('button', { name: /^Pay the host directly.*Starter$/ }).click();
    await expect(page.getByText('Bring it to the desk.')).toBeVisible();
    await expect(page.getByRole('list').getByText('DE02 1203 0000 0000 2020 51')).toBeVisible();
    const id = orderIdIn(page);
    const { page: desk, seen, visit } = owner;
    await visit('/mc-admin/payments');
    await expect(desk.getByText('tobi_k')).toHaveCount(2);
    await visit(`/mc-admin/payments/${id}`);
    await desk.getByLabel('Reason').fill('Paid in cash');
    await desk.getByRole('button', { name: 'Confirm payment received' }).click();
    await expect(desk.getByText('Payment confirmed. The credits were added.')).toBeVisible();
    await seen('the confirmed payment');
    await desk.getByLabel('Amount in EUR').fill('2.50');
    await desk.getByLabel('Reason').fill('Half of it back');
    await desk.getByRole('button', { name: 'Refund', exact: true }).click();
    await expect(desk.getByText('Refund recorded.')).toBeVisible();
    await expect(desk.getByText('Partly refunded')).toBeVisible();
    await desk.setViewportSize(SIZES.desktop);
    await seen('the refunded payment');
    await page.reload();
    await expect(page.getByText('Partly refunded')).toBeVisible();
    await plain.close();
  });

  await test.step('what does not fit stands before staff, who have it tried again', async () => {
    const { page, seen, visit } = owner;
    const id = await player.page.evaluate(async () => {
      const body = JSON.stringify({ provider: 'stripe', price_minor: 300, currency: 'EUR', rate: 100 });
      const answer = await fetch('/api/payments/orders', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() },
        body,
      });
      return ((await answer.json()) as { id: string }).id;
    });
    await tell(host, await stripe.event('checkout.session.completed', { ...stripe.pay(id), amount_total: 1 }));
    await expect(async () => {
      await page.goto('/mc-admin/payments');
      await expect(page.getByText('Needs attention')).toBeVisible({ timeout: 1000 });
    }).toPass({ timeout: 90_000 });
    for (const size of ['desktop', 'phone'] as const) {
      await page.setViewportSize(SIZES[size]);
      await visit('/mc-admin/payments');
    }
    await page.getByRole('button', { name: /^Try again/ }).click();
    await expect(page.getByText('Trying again.')).toBeVisible();
    await seen('what is tried again');
  });

  for (const { context } of [owner, player]) await context.close();
  await stripe.stop();
});

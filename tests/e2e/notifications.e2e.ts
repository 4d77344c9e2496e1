import type { Page } from '@playwright/test';
import { expect, expectWhole, ready, signUp, test, watch, type Installation } from './fixtures.ts';

/** A push service of browsers, as far as the page sees one: a real browser has none without the internet. */
async function withoutPushService(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const made = {
      unsubscribe: async () => true,
      toJSON: () => ({
        endpoint: 'https://fcm.googleapis.com/fcm/send/test',
        keys: { p256dh: `B${'A'.repeat(86)}`, auth: 'A'.repeat(22) },
      }),
    };
    // Without a window it says no, whatever was granted.
    Object.defineProperty(Notification, 'permission', { get: () => 'granted' });
    Notification.requestPermission = async () => 'granted';
    Object.assign(PushManager.prototype, { subscribe: async () => made, getSubscription: async () => null });
  });
}

/** Hands the worker of pushes a push, as the browser does when one comes. */
async function deliver(page: Page, host: Installation, text: object): Promise<void> {
  const browser = await page.context().newCDPSession(page);
  const registered = new Promise<string>((resolve) => {
    browser.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [own] = registrations.filter(({ scopeURL }) => scopeURL === `${host.url}/assets/`);
      if (own) resolve(own.registrationId);
    });
  });
  await browser.send('ServiceWorker.enable');
  const data = JSON.stringify(text);
  const registrationId = await registered;
  await browser.send('ServiceWorker.deliverPushMessage', { origin: host.url, registrationId, data });
}

/** Has the worker note what it would show: without a window the browser shows nothing. Out: reads what it noted. */
async function noteShown(page: Page): Promise<() => Promise<unknown>> {
  const [running] = page.context().serviceWorkers();
  const worker = running ?? (await page.context().waitForEvent('serviceworker'));
  await worker.evaluate(() => {
    const shown: unknown[] = [];
    Object.assign(globalThis, { shown });
    const show = async (title: string, options: object) => void shown.push({ title, ...options });
    Object.assign(ServiceWorkerRegistration.prototype, { showNotification: show });
  });
  // The name was added above, in the worker, which no type knows of.
  return () => worker.evaluate(() => (globalThis as unknown as { shown: unknown[] }).shown);
}

/**
 * Has something happen in the worker of pushes that only a browser with windows and a push service lets happen. In: the
 * event and what it brings. Out: how often a notification was closed, and what was to be opened.
 */
async function happen(page: Page, name: string, facts: object): Promise<{ closed: number; opened: string[] }> {
  const [worker] = page.context().serviceWorkers();
  if (!worker) throw new Error('no worker of pushes');
  const isSubscription = name === 'pushsubscriptionchange';
  return worker.evaluate(
    async ([kind, brought, isNew]) => {
      const [opened, work, close]: [string[], Promise<unknown>[], { count: number }] = [[], [], { count: 0 }];
      // The scope of the worker, which the types of a page do not have.
      const scope = globalThis as unknown as { clients: object; registration: { pushManager: object } };
      Object.assign(scope.clients, { openWindow: async (url: string) => void opened.push(url) });
      const keys = { p256dh: `B${'B'.repeat(86)}`, auth: 'B'.repeat(22) };
      const endpoint = 'https://fcm.googleapis.com/fcm/send/second';
      const made = { toJSON: () => ({ endpoint, keys }) };
      if (isNew) Object.assign(scope.registration.pushManager, { subscribe: async () => made });
      const event = Object.assign(new Event(kind), brought, {
        waitUntil: (promise: Promise<unknown>) => void work.push(promise),
      });
      if ('notification' in event) Object.assign(event.notification as object, { close: () => (close.count += 1) });
      dispatchEvent(event);
      await Promise.all(work);
      return { closed: close.count, opened };
    },
    [name, facts, isSubscription] as const,
  );
}

test('a player chooses how what concerns them comes, and a browser takes pushes', async ({ browser, host }) => {
  const viewport = { width: 1440, height: 900 };
  const context = await browser.newContext({ baseURL: host.url, viewport, permissions: ['notifications'] });
  const page = await context.newPage();
  const complaints = watch(page);
  await withoutPushService(page);
  await signUp(page, 'nora');
  await page.goto('/account?tab=notifications');
  await expectWhole(page, complaints, 'how notifications come');
  const gifts = page.getByRole('combobox', { name: 'Gifts, E-mail' });

  await test.step('what is chosen is kept, and a reset brings the defaults back', async () => {
    await expect(page.getByText('Security, E-mail: always on')).toBeAttached();
    await expect(page.getByText('Tickets assigned to you')).toHaveCount(0);
    await gifts.selectOption('Daily');
    await page.getByRole('checkbox', { name: 'Rewards, In the app' }).uncheck();
    await page.getByLabel('It comes at').selectOption('18:00');
    await page.getByRole('switch', { name: 'Keep quiet hours' }).check();
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByRole('status').filter({ hasText: 'Saved.' })).toBeVisible();
    await page.reload();
    await expect(gifts).toHaveValue('daily');
    await expect(page.getByRole('checkbox', { name: 'Rewards, In the app' })).not.toBeChecked();
    await expect(page.getByRole('switch', { name: 'Keep quiet hours' })).toBeChecked();
    await ready(page);
    await page.getByRole('button', { name: 'Reset to default' }).click();
    await expect(gifts).toHaveValue('off');
    await expect(page.getByLabel('It comes at')).toHaveValue('8');
  });

  await test.step('the browser is asked after a click, shows what is pushed, and is forgotten again', async () => {
    const list = page.getByRole('list', { name: 'Browsers that take push' });
    await page.getByRole('button', { name: 'Turn on in this browser' }).click();
    await expect(list.getByText('This browser')).toBeVisible();
    const shown = await noteShown(page);
    await deliver(page, host, { title: 'Host', body: 'ann sent you 5 credits.', path: '/dashboard', tag: 'n1' });
    const push = { title: 'Host', body: 'ann sent you 5 credits.', tag: 'n1', icon: '/assets/icon.svg' };
    await expect.poll(shown).toEqual([{ ...push, data: '/dashboard' }]);
    await page.setViewportSize({ width: 360, height: 780 });
    await expectWhole(page, complaints, 'how notifications come, on a phone');
    await list.getByRole('button', { name: /^Remove: / }).click();
    await expect(list).toHaveCount(0);
    await expect(page.getByRole('button', { name: 'Turn on in this browser' })).toBeVisible();
  });

  await test.step('what is clicked opens its place in this product, and nothing else', async () => {
    const clicked = (path: unknown) => happen(page, 'notificationclick', { notification: { data: path } });
    expect(await clicked('/dashboard')).toEqual({ closed: 1, opened: [`${host.url}/dashboard`] });
    expect(await clicked('https://elsewhere.example/')).toEqual({ closed: 1, opened: [] });
    expect(await clicked('//elsewhere.example/')).toEqual({ closed: 1, opened: [] });
    expect(await clicked(null)).toEqual({ closed: 1, opened: [`${host.url}/`] });
  });

  await test.step('a browser that has taken another address for its pushes says so by itself', async () => {
    await happen(page, 'pushsubscriptionchange', {
      oldSubscription: { options: { applicationServerKey: [4] } },
    });
    await page.reload();
    await ready(page);
    await expect(page.getByRole('list', { name: 'Browsers that take push' }).getByRole('listitem')).toHaveCount(1);
  });
  await context.close();
});

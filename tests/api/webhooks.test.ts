import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { Webhook } from 'standardwebhooks';
import { createWebhooks } from '#server/modules/webhooks/index.ts';
import { createWebhookSender } from '#server/webhooks/standard.ts';
import type { WebhookInput } from '#shared/schemas/webhook.ts';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import type { TokenScope } from '#shared/token-scopes.ts';
import { BACKLOG_MAX, DELIVERY_LIFE_MS, FAILING_MS, RETRY_PAUSES_MS } from '#shared/webhooks.ts';
import { emitAdjustment } from '#tests/support/adjustment.ts';
import { codeOf, nth } from '#tests/support/coins.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { openReceiver, status, type Receiver, type TakenWebhook } from '#tests/support/webhook-receiver.ts';

// Shows behaviour 8.8.

setDefaultTimeout(300_000);

describe.each(ENGINES)('outgoing webhooks on %s', (engine) => {
  let h: Harness;
  let staff: Person;
  let receiver: Receiver;
  beforeAll(async () => {
    h = await openHarness({ engine });
    staff = await h.person('petra', { permissions: ['admin.plugins.list', 'admin.plugins.edit'] });
    await h.set({ outbound_private_networks: true });
    await turn(true);
  });
  afterAll(() => h.close());
  beforeEach(() => {
    receiver = openReceiver();
  });
  afterEach(async () => {
    await receiver.close();
    for (const { id } of await rows()) await staff.api.adminWebhooks.remove({ params: { id } });
    await pass(0);
  });

  const turn = (on: boolean) => staff.api.adminPlugins.setOn({ params: { identifier: 'webhooks' }, body: { on } });
  const rows = async () => (await staff.api.adminWebhooks.list()).rows;
  const input = (change: Partial<WebhookInput> = {}): WebhookInput => ({
    name: 'Shop',
    url: receiver.url,
    events: ['credits.adjusted'],
    ordered: false,
    enabled: true,
    ...change,
  });
  const add = (change: Partial<WebhookInput> = {}) => staff.api.adminWebhooks.create({ body: input(change) });
  const get = async (id: string) => (await staff.api.adminWebhooks.get({ params: { id } })).webhook;
  const save = (id: string, webhook: WebhookInput, revision = 1) =>
    staff.api.adminWebhooks.save({ params: { id }, body: { webhook, revision } });
  const deliveries = async (id: string) => (await staff.api.adminWebhooks.deliveries({ params: { id } })).rows;
  const shown = (id: string) => staff.api.adminWebhooks.delivery({ params: { id } });
  /** Something happens: staff give credits. */
  const adjust = (userId: string, amount: number) => emitAdjustment(h, userId, amount);
  /** So many deliveries wait for an endpoint. */
  const fill = (endpointId: string, count: number) =>
    h.db.uow.run(async (tx) => {
      const nowMs = h.clock.now();
      await tx.webhooks.addEvent(
        { id: 'old', name: 'credits.adjusted', object: '', body: '{}', createdMs: nowMs },
        true,
      );
      const one = {
        endpointId,
        event: 'credits.adjusted',
        object: '',
        state: 'waiting',
        fault: null,
        tries: 0,
        triesBefore: 0,
        resentMs: null,
      } as const;
      const made = Array.from({ length: count }, (_, index) => ({
        ...one,
        id: `01990000-0000-7000-8000-${String(index).padStart(12, '0')}`,
        // Each of an event of its own.
        eventId: `old-${index}`,
        nextMs: nowMs,
        createdMs: nowMs,
        doneMs: null,
      }));
      await tx.webhooks.addDeliveries(made);
    });
  /** Everything that is due is done. Sessions outlive the days that pass. */
  const pass = async (ms: number) => {
    h.clock.advance(ms);
    const now = h.clock.now();
    await h.db.sql('UPDATE sessions SET seen_ms = ?, expires_ms = ? RETURNING id', [now, now + 30 * DAY]);
    await h.host.services.webhooks.sweep();
    await h.host.runner.runDue();
  };
  const verify = (secret: string, { body, headers }: TakenWebhook): unknown => {
    // The library refuses what is older than five minutes by this machine's clock; the test's stands still.
    const seconds = Number(headers['webhook-timestamp']);
    const now = Date.now;
    Date.now = () => seconds * 1000;
    try {
      return new Webhook(secret).verify(body, headers);
    } finally {
      Date.now = now;
    }
  };

  test('an event arrives signed as Standard Webhooks says, with the declared fields and no others', async () => {
    const { id, secret } = await add();
    expect(secret).toMatch(/^whsec_[\w+/]{43}=$/);
    await adjust('u1', 25);
    await pass(0);
    const taken = nth(receiver.taken, 0);
    expect(verify(secret, taken)).toEqual({
      type: 'credits.adjusted',
      version: 1,
      timestamp: new Date(h.clock.now()).toISOString(),
      data: { userId: 'u1', amount: 25 },
    });
    expect(() => verify('whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', taken)).toThrow();
    const [delivery] = await deliveries(id);
    expect(delivery).toMatchObject({ event: 'credits.adjusted', object: 'userId:u1', state: 'delivered', tries: 1 });
    expect(await shown(delivery?.id ?? '')).toMatchObject({
      body: taken.body,
      event_id: taken.headers['webhook-id'],
      attempts: [{ number: 1, status: 204, fault: null, took_ms: expect.any(Number) as number }],
    });
    expect(await get(id)).toMatchObject({ waiting: 0, failed: 0, enabled: true });
  });

  test('only events that were chosen arrive, by name, by group, or all of them', async () => {
    const other = openReceiver();
    await add({ events: ['user.*'] });
    await add({ url: other.url, events: ['*'] });
    await adjust('u1', 25);
    await h.db.uow.run((tx) => h.host.services.events.emit(tx, 'user.renamed', { userId: 'u1' }));
    await h.db.uow.run((tx) => h.host.services.events.emit(tx, 'user.two_factor_enabled', { userId: 'u1' }));
    await pass(0);
    expect(receiver.taken.map(({ type }) => type)).toEqual(['user.renamed']);
    expect(other.taken.map(({ type }) => type).toSorted()).toEqual(['credits.adjusted', 'user.renamed']);
    await other.close();
    expect(await codeOf(add({ events: ['nothing.happened'] }))).toBe('VALIDATION_FAILED');
    expect(await codeOf(add({ events: ['user.two_factor_enabled'] }))).toBe('VALIDATION_FAILED');
  });

  test('nothing is written for an event that nobody wants, and nothing of a transaction that is rolled back', async () => {
    await add({ events: ['user.*'] });
    await adjust('u1', 25);
    const rolledBack = h.db.uow.run(async (tx) => {
      await h.host.services.events.emit(tx, 'user.renamed', { userId: 'u1' });
      throw new Error('no');
    });
    expect(await rolledBack.catch(String)).toBe('Error: no');
    await pass(0);
    expect([receiver.taken, await h.db.sql('SELECT id FROM webhook_events WHERE dispatched = 0')]).toEqual([[], []]);
  });

  test('a failed attempt is made again after growing pauses, under the same id, until it is given up', async () => {
    const { id, secret } = await add();
    receiver.answerAlways(status(500));
    await adjust('u1', 25);
    await pass(0);
    for (const pause of RETRY_PAUSES_MS) await pass(pause + MINUTE);
    const [delivery] = await deliveries(id);
    expect(delivery).toMatchObject({ state: 'failed', fault: 'status', tries: RETRY_PAUSES_MS.length + 1 });
    expect(receiver.taken).toHaveLength(RETRY_PAUSES_MS.length + 1);
    expect(new Set(receiver.taken.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    for (const taken of receiver.taken) verify(secret, taken);
    const { attempts } = await shown(delivery?.id ?? '');
    expect(attempts.map(({ status: code, answer }) => [code, answer])).toEqual(
      receiver.taken.map(() => [500, 'answer 500']),
    );
    // All that took longer than three days: the endpoint is off, and staff know.
    expect(await get(id)).toMatchObject({ enabled: false, disabled_cause: 'failing' });
    const { notifications } = await staff.api.notifications.list();
    expect(notifications.map(({ kind, data }) => [kind, data])).toContainEqual([
      'webhookDisabled',
      { name: 'Shop', webhook: id },
    ]);
  });

  test('an endpoint that answers 410 is off at once, and what waits for it is given up', async () => {
    const { id } = await add({ ordered: true });
    receiver.answer(status(410));
    for (const amount of [1, 2, 3]) await adjust('u1', amount);
    await pass(0);
    await pass(MINUTE);
    expect(await get(id)).toMatchObject({ enabled: false, disabled_cause: 'gone', waiting: 0, failed: 3 });
    expect(receiver.taken).toHaveLength(1);
    await adjust('u1', 4);
    await pass(MINUTE);
    expect(await deliveries(id)).toHaveLength(3);
  });

  test('staff send what failed once more, one delivery or all of them since a moment', async () => {
    const { id } = await add();
    expect(await codeOf(staff.api.adminWebhooks.resend({ params: { id } }))).toBe('NOT_FOUND');
    receiver.answer(status(410));
    for (const amount of [1, 2, 3]) await adjust('u1', amount);
    await pass(0);
    await pass(MINUTE);
    const first = (await deliveries(id)).find(({ state }) => state === 'failed');
    const resend = () => staff.api.adminWebhooks.resend({ params: { id: first?.id ?? '' } });
    expect(await codeOf(resend())).toBe('WEBHOOK_OFF');
    await save(id, input());
    const failed = (await deliveries(id)).filter(({ state }) => state === 'failed').length;
    expect(failed).toBeGreaterThan(0);
    expect(await staff.api.adminWebhooks.resendFailed({ params: { id }, body: { hours: 1 } })).toMatchObject({
      count: failed,
    });
    expect(await codeOf(resend())).toBe('DELIVERY_WAITING');
    await pass(0);
    expect((await deliveries(id)).map(({ state }) => state)).toEqual(['delivered', 'delivered', 'delivered']);
    const before = receiver.taken.length;
    await resend();
    await pass(0);
    expect(receiver.taken.length).toBe(before + 1);
  });

  test('what staff send again has all its attempts once more, and its whole time', async () => {
    const { id } = await add();
    receiver.answerAlways(status(500));
    await adjust('u1', 1);
    await pass(0);
    for (const pause of RETRY_PAUSES_MS) await pass(pause + MINUTE);
    const all = RETRY_PAUSES_MS.length + 1;
    const one = nth(await deliveries(id), 0);
    expect(one).toMatchObject({ state: 'failed', tries: all });
    // The endpoint was switched off meanwhile, and more days go by than a delivery may wait.
    await pass(DELIVERY_LIFE_MS);
    await save(id, input());
    await staff.api.adminWebhooks.resend({ params: { id: one.id } });
    await pass(0);
    await pass(MINUTE);
    expect(nth(await deliveries(id), 0)).toMatchObject({ state: 'waiting', fault: 'status', tries: all + 2 });
    for (const pause of RETRY_PAUSES_MS.slice(1)) await pass(pause + MINUTE);
    expect(nth(await deliveries(id), 0)).toMatchObject({ state: 'failed', fault: 'status', tries: 2 * all });
    // The same where all that failed is sent again at once.
    await save(id, input(), 2);
    await staff.api.adminWebhooks.resendFailed({ params: { id }, body: { hours: 24 * 30 } });
    await pass(0);
    expect(nth(await deliveries(id), 0)).toMatchObject({ state: 'waiting', tries: 2 * all + 1 });
    receiver.answerAlways(status(204));
    await pass(MINUTE);
    expect(nth(await deliveries(id), 0)).toMatchObject({ state: 'delivered', fault: null, tries: 2 * all + 2 });
    const { attempts } = await shown(one.id);
    expect(attempts.map(({ number }) => number)).toEqual(Array.from({ length: 2 * all + 2 }, (_, index) => index + 1));
  });

  test('what was sent again expires as a new one does, counted from then', async () => {
    const { id } = await add();
    receiver.answer(status(410));
    await adjust('u1', 1);
    await pass(0);
    await save(id, input());
    await pass(DELIVERY_LIFE_MS);
    const one = nth(await deliveries(id), 0);
    await staff.api.adminWebhooks.resend({ params: { id: one.id } });
    await turn(false);
    await pass(DELIVERY_LIFE_MS - HOUR);
    expect(nth(await deliveries(id), 0)).toMatchObject({ state: 'waiting', fault: null });
    await pass(HOUR);
    await turn(true);
    expect(nth(await deliveries(id), 0)).toMatchObject({ state: 'failed', fault: 'expired' });
  });

  test('what happens to one object arrives in its order where that is asked for, and others do not wait', async () => {
    const { id } = await add({ ordered: true });
    receiver.answer(({ body }) => new Response(null, { status: body.includes('"u1"') ? 503 : 204 }));
    await adjust('u1', 1);
    await pass(0);
    // An answer that got lost would have the endpoint left alone for a while.
    expect((await deliveries(id)).map(({ state, fault }) => [state, fault])).toEqual([['waiting', 'status']]);
    for (const amount of [2, 3]) await adjust('u1', amount);
    await adjust('u2', 4);
    await pass(0);
    const amounts = () =>
      receiver.taken.map(({ body }) => (JSON.parse(body) as { data: { amount: number } }).data.amount);
    expect(amounts()).toEqual([1, 4]);
    await pass(MINUTE);
    expect(amounts()).toEqual([1, 4, 1, 2, 3]);
  });

  test('both secrets sign for a day after a rotation, and afterwards the new one alone', async () => {
    const { id, secret: old } = await add();
    const { secret } = await staff.api.adminWebhooks.rotate({ params: { id } });
    expect(secret).not.toBe(old);
    await adjust('u1', 1);
    await pass(0);
    for (const each of [old, secret]) verify(each, nth(receiver.taken, 0));
    expect(nth(receiver.taken, 0).headers['webhook-signature']?.split(' ')).toHaveLength(2);
    await pass(DAY);
    await adjust('u1', 2);
    await pass(0);
    verify(secret, nth(receiver.taken, 1));
    expect(() => verify(old, nth(receiver.taken, 1))).toThrow();
  });

  test('an address at another origin gets a new secret, and the old one never signs towards it', async () => {
    const { id, secret: old } = await add();
    expect(await save(id, input({ url: `${receiver.url}/other` }))).toMatchObject({
      revision: 2,
      secret: null,
    });
    const other = openReceiver();
    const moved = await save(id, input({ url: other.url }), 2);
    expect(moved.secret).toMatch(/^whsec_/);
    await adjust('u1', 1);
    await pass(0);
    verify(moved.secret ?? '', nth(other.taken, 0));
    expect(() => verify(old, nth(other.taken, 0))).toThrow();
    expect(await codeOf(save(id, input(), 2))).toBe('CONFLICT');
    await other.close();
  });

  test('a secret is stored sealed, and nothing of it stands in the audit log', async () => {
    const { secret } = await add({ url: `${receiver.url}?key=hush` });
    const stored = await h.db.sql<{ secret: string }>('SELECT secret FROM webhook_endpoints WHERE removed_ms IS NULL');
    expect(stored.every(({ secret: sealed }) => sealed.startsWith('sealed:1:'))).toBe(true);
    const log = JSON.stringify(await h.db.sql('SELECT * FROM audit'));
    expect([log.includes(secret), log.includes('hush'), log.includes('webhooks.create')]).toEqual([false, false, true]);
  });

  test('a redirect is not followed, an endless answer is cut, and a receiver that hangs is given up in time', async () => {
    const { id } = await add();
    receiver.answer(
      () => new Response(null, { status: 302, headers: { location: 'http://169.254.169.254/latest' } }),
      () => new Response(new Uint8Array(10 * 1024 * 1024).fill(97), { status: 400 }),
      () => new Promise<Response>(() => {}),
    );
    await adjust('u1', 1);
    await pass(0);
    await pass(MINUTE);
    await h.set({ webhook_timeout_ms: 1000 });
    await pass(10 * MINUTE);
    await h.set({ webhook_timeout_ms: 10_000 });
    const { attempts } = await shown((await deliveries(id))[0]?.id ?? '');
    expect(attempts.map(({ fault }) => fault)).toEqual(['redirect', 'status', 'timeout']);
    expect(attempts[1]?.answer).toHaveLength(2000);
    await pass(HOUR);
    expect((await deliveries(id))[0]).toMatchObject({ state: 'delivered', tries: 4 });
  });

  test('a receiver that hangs holds up no command: what happens meanwhile commits, and arrives as well', async () => {
    const { id } = await add();
    const hanging = Promise.withResolvers<Response>();
    receiver.answer(() => hanging.promise);
    await adjust('u1', 1);
    const sending = pass(0);
    while (receiver.taken.length === 0) await Bun.sleep(5);
    // Did a transaction wait for the answer, these would end after the time of the attempt, which would be made again.
    for (const amount of [2, 3]) await adjust('u1', amount);
    hanging.resolve(new Response(null, { status: 204 }));
    await sending;
    await pass(MINUTE);
    expect((await deliveries(id)).map(({ state, tries }) => `${state} ${tries}`)).toEqual(Array(3).fill('delivered 1'));
    const amounts = receiver.taken.map(({ body }) => (JSON.parse(body) as { data: { amount: number } }).data.amount);
    expect(amounts.toSorted()).toEqual([1, 2, 3]);
  });

  test('an address inside is not asked, and one without encryption is refused, unless the host allows both', async () => {
    const { id } = await add();
    await h.set({ outbound_private_networks: false });
    await adjust('u1', 1);
    await pass(0);
    expect(receiver.taken).toEqual([]);
    expect((await shown((await deliveries(id))[0]?.id ?? '')).attempts).toMatchObject([{ fault: 'forbidden' }]);
    const refused = (url: string) => add({ url }).catch((error: { fields: unknown }) => error.fields);
    expect(await refused('http://example.com/')).toEqual({ url: ['ADDRESS_INSECURE'] });
    expect(await refused('ftp://example.com/')).toEqual({ url: ['INVALID_URL'] });
    expect(await refused('https://ann:pw@example.com/')).toEqual({ url: ['INVALID_URL'] });
    await h.set({ outbound_private_networks: true });
  });

  test('an endpoint that is not reached is left alone for a while, and nothing is lost', async () => {
    const { id } = await add();
    const port = Number(new URL(receiver.url).port);
    await receiver.close();
    for (let each = 1; each <= 30; each += 1) await adjust(`u${each}`, each);
    await pass(0);
    // One attempt, not thirty: after it the endpoint is left alone.
    expect((await deliveries(id)).reduce((sum, { tries }) => sum + tries, 0)).toBeLessThanOrEqual(10);
    expect(await get(id)).toMatchObject({ waiting: 30, failing_since: expect.any(String) as string });
    receiver = openReceiver(port);
    for (let hour = 0; hour < 3; hour += 1) await pass(HOUR);
    expect(await get(id)).toMatchObject({ waiting: 0, failed: 0, failing_since: null });
    expect(new Set(receiver.taken.map(({ headers }) => headers['webhook-id'])).size).toBe(30);
  });

  test('a receiver that asks to be left alone is left alone for so long', async () => {
    const { id } = await add();
    receiver.answer(status(429, { 'retry-after': '600' }));
    await adjust('u1', 1);
    await pass(0);
    await adjust('u2', 2);
    await pass(5 * MINUTE);
    expect(receiver.taken).toHaveLength(1);
    await pass(6 * MINUTE);
    expect(receiver.taken).toHaveLength(3);
    expect(await get(id)).toMatchObject({ waiting: 0 });
  });

  test('a test arrives under a type of its own', async () => {
    const { id, secret } = await add();
    const test = await staff.api.adminWebhooks.test({ params: { id } });
    await pass(0);
    expect(verify(secret, nth(receiver.taken, 0))).toMatchObject({ type: 'webhook.test', data: { endpointId: id } });
    expect((await shown(test.id)).delivery.state).toBe('delivered');
    await save(id, input({ enabled: false }));
    expect(await codeOf(staff.api.adminWebhooks.test({ params: { id } }))).toBe('WEBHOOK_OFF');
  });

  test('what is over is deleted when its days are, and everything of an endpoint that was removed', async () => {
    const { id } = await add();
    await adjust('u1', 1);
    await pass(0);
    await h.set({ webhook_retention_days: 1 });
    const count = async () => (await h.db.sql('SELECT id FROM webhook_deliveries')).length;
    await h.host.services.webhooks.purge();
    expect(await count()).toBeGreaterThan(0);
    await staff.api.adminWebhooks.remove({ params: { id } });
    expect(await codeOf(get(id))).toBe('NOT_FOUND');
    await pass(2 * DAY);
    await h.host.services.webhooks.purge();
    expect([await count(), await h.db.sql('SELECT delivery_id FROM webhook_attempts')]).toEqual([0, []]);
    expect(await h.db.sql('SELECT id FROM webhook_events')).toEqual([]);
  });

  test('an endpoint without a success for three days is off even where its deliveries are young', async () => {
    const { id } = await add();
    receiver.answerAlways(status(500));
    await adjust('u1', 1);
    await pass(0);
    await pass(FAILING_MS);
    await adjust('u1', 2);
    await pass(0);
    expect(await get(id)).toMatchObject({ enabled: false, disabled_cause: 'failing' });
    receiver.answerAlways(status(204));
    await save(id, input());
    await adjust('u1', 3);
    await pass(0);
    expect(await get(id)).toMatchObject({ enabled: true, disabled_cause: null, failing_since: null });
  });

  test('nothing is kept or sent while the plugin is off, and what waits goes out once it is on again', async () => {
    const { id } = await add();
    receiver.answer(status(500));
    await adjust('u1', 1);
    await pass(0);
    await turn(false);
    expect((await staff.api.adminWebhooks.list()).on).toEqual({ standard: false, discord: false });
    await adjust('u1', 2);
    await pass(HOUR);
    expect(receiver.taken).toHaveLength(1);
    expect(await codeOf(staff.api.adminWebhooks.test({ params: { id } }))).toBe('PLUGIN_OFF');
    await turn(true);
    await pass(MINUTE);
    expect(receiver.taken).toHaveLength(2);
    expect(await get(id)).toMatchObject({ waiting: 0, failed: 0 });
    expect(await deliveries(id)).toHaveLength(1);
  });

  test('an endpoint for which 20,000 deliveries wait is off, staff are notified, and the lists stay quick', async () => {
    const { id } = await add();
    const other = await add({ name: 'Other' });
    await fill(id, BACKLOG_MAX);
    await adjust('u1', 1);
    await h.host.services.webhooks.jobs['webhooks.dispatch']();
    expect(await get(id)).toMatchObject({ enabled: false, disabled_cause: 'backlog' });
    expect(await get(other.id)).toMatchObject({ enabled: true, waiting: 1 });
    const { notifications } = await staff.api.notifications.list();
    expect(notifications.map(({ kind, data }) => [kind, data])).toContainEqual([
      'webhookDisabled',
      { name: 'Shop', webhook: id },
    ]);
    await pass(0);
    // Counts end at a bound, pages do not.
    expect(await get(id)).toMatchObject({ waiting: 0, failed: 1000 });
    const seen = new Set<string>();
    let before: string | null = null;
    for (let page = 0; page < 5; page += 1) {
      const found: Awaited<ReturnType<typeof staff.api.adminWebhooks.deliveries>> =
        await staff.api.adminWebhooks.deliveries({
          params: { id },
          query: { state: 'failed', ...(before === null ? {} : { before }) },
        });
      for (const row of found.rows) seen.add(row.id);
      before = found.older;
    }
    expect(seen.size).toBe(125);
    expect(receiver.taken).toHaveLength(1);
  });

  test('four processes that send at once lose nothing, and each object keeps its order', async () => {
    await add({ ordered: true });
    for (let amount = 1; amount <= 15; amount += 1) for (const user of ['u1', 'u2']) await adjust(user, amount);
    const sender = createWebhookSender({
      fetch: (url, init) => fetch(url, init),
      userAgent: () => 'test',
      timeoutMs: () => 1000,
    });
    const processes = Array.from({ length: 4 }, () =>
      createWebhooks({
        ...h.host.services,
        senders: { standard: sender, discord: sender },
        random: () => 0.5,
        plugin: { isOn: () => true },
      }),
    );
    const { id } = (await rows())[0] ?? { id: '' };
    await Promise.all(processes.map((each) => each.jobs['webhooks.dispatch']()));
    await Promise.all(processes.map((each) => each.jobs['webhooks.send']({ endpointId: id })));
    await pass(MINUTE);
    expect(await get(id)).toMatchObject({ waiting: 0, failed: 0 });
    for (const user of ['u1', 'u2']) {
      const amounts = receiver.taken
        .map(({ body }) => (JSON.parse(body) as { data: { userId: string; amount: number } }).data)
        .filter(({ userId }) => userId === user)
        .map(({ amount }) => amount);
      // Some may have arrived twice; the first of each are in their order.
      expect([...new Set(amounts)]).toEqual(Array.from({ length: 15 }, (_, index) => index + 1));
    }
  });

  test('T35 T40 a token with the scope of webhooks keeps them, is given a secret once, and stops with the right', async () => {
    const bot = await h.person('bot', { permissions: ['admin.plugins.list', 'admin.plugins.edit'] });
    const create = async (scope: TokenScope) =>
      (
        await bot.api.apiTokens.create({
          body: { name: 'Bot', scopes: [scope], expires_in_days: null, addresses: '' },
        })
      ).token;
    const [reads, writes] = [await create('admin.webhooks:read'), await create('admin.webhooks:write')];
    const send = async (token: string, method: string, path = '', body?: object) => {
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
      const answer = await h.http(path.startsWith('/') ? path : `/api/admin/webhooks${path && `/${path}`}`, {
        method,
        headers,
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      return (await answer.json()) as Record<string, unknown>;
    };
    expect(await send(reads, 'POST', '', input())).toMatchObject({ error_code: 'TOKEN_SCOPE_MISSING' });
    expect(await send(writes, 'GET', '/api/admin/plugins')).toMatchObject({ error_code: 'TOKEN_SCOPE_MISSING' });

    const made = await send(writes, 'POST', '', input());
    const id = String(made.id);
    const rotated = await send(writes, 'POST', `${id}/rotate`);
    const test = await send(writes, 'POST', `${id}/test`);
    await pass(0);
    const taken = nth(receiver.taken, 0);
    expect(verify(String(rotated.secret), taken)).toMatchObject({ type: 'webhook.test' });
    const one = `/api/admin/webhook-deliveries/${String(test.id)}`;
    expect(await send(reads, 'GET', one)).toMatchObject({ delivery: { state: 'delivered' }, body: taken.body });
    expect(await send(writes, 'POST', `${one}/resend`)).toMatchObject({ success: true });
    await pass(0);
    expect(receiver.taken).toHaveLength(2);

    const seen = [];
    for (const path of ['', 'new', id, `${id}/edit`, `${id}/deliveries`, one])
      seen.push(await send(writes, 'GET', path));
    expect(seen.every(({ success }) => success === true)).toBe(true);
    const shown = JSON.stringify(seen);
    for (const { secret } of [made, rotated]) expect(shown).not.toContain(String(secret).slice('whsec_'.length));

    await h.db.sql(
      `DELETE FROM role_permissions WHERE permission = 'admin.plugins.edit'
       AND role_id = (SELECT role_id FROM users WHERE id = ?)`,
      [bot.id],
    );
    h.db.bus.publish(['roles']);
    const refused = { error_code: 'FORBIDDEN' };
    expect(await send(writes, 'POST', `${id}/rotate`)).toMatchObject(refused);
    expect(await send(writes, 'DELETE', id)).toMatchObject(refused);
    expect(await send(writes, 'GET', id)).toMatchObject({ webhook: { id } });
    expect((await get(id)).enabled).toBe(true);
  });

  test('the catalogue names every event with its schema', async () => {
    const { events } = await h.guest.webhookEvents.list();
    expect(events.length).toBeGreaterThan(40);
    expect(events.find(({ name }) => name === 'server.renewed')).toMatchObject({
      version: 1,
      object: 'serverId',
      schema: { type: 'object', required: ['userId', 'serverId', 'cost', 'expiresMs', 'automatic'] },
    });
  });
});

import { beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { HOUR, MINUTE } from '#shared/time.ts';
import { BACKLOG_MAX, DELIVERY_LIFE_MS, FAILING_MS, RETRY_PAUSES_MS } from '#shared/webhooks.ts';
import { codeOf, nth } from '#tests/support/coins.ts';
import { ENGINES } from '#tests/support/db.ts';
import type { Harness, Person } from '#tests/support/harness.ts';
import { useWebhookHost, verifyWebhook } from '#tests/support/webhook-host.ts';
import { status, type Receiver } from '#tests/support/webhook-receiver.ts';

// Shows behaviour 8.8.

setDefaultTimeout(300_000);

describe.each(ENGINES)('outgoing webhooks on %s', (engine) => {
  const { turn, input, add, get, save, deliveries, shown, adjust, amounts, pass, reopen, opened } =
    useWebhookHost(engine);
  let h: Harness;
  let staff: Person;
  let receiver: Receiver;
  beforeEach(() => void ({ h, staff, receiver } = opened()));

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
    for (const taken of receiver.taken) verifyWebhook(secret, taken);
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
    expect(amounts().toSorted()).toEqual([1, 2, 3]);
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
    receiver = reopen(port);
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
});

import { expect, setDefaultTimeout, test } from 'bun:test';
import { createWebhooks, DISPATCH_JOB, SEND_JOB, type WebhookSender } from '#server/modules/webhooks/index.ts';
import { MINUTE } from '#shared/time.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness } from '#tests/support/harness.ts';
import { mortalProcess } from '#tests/support/kill.ts';

// Shows behaviour 8.8: nothing is lost, whenever the process dies.

setDefaultTimeout(300_000);

/** Dispatching and sending an event have fewer moments than these. */
const MOMENTS = 8;

test.each(ENGINES)('an event arrives whenever the process that sends it dies, on %s', async (engine) => {
  const h = await openHarness({ engine });
  const staff = await h.person('petra', { permissions: ['admin.plugins.list', 'admin.plugins.edit'] });
  const arrived: string[] = [];
  const sender: WebhookSender = {
    send: async ({ body }) => {
      arrived.push((JSON.parse(body) as { data: { userId: string } }).data.userId);
      return { fault: null, status: 204, answer: '', tookMs: 1, retryAfterMs: null, isGone: false };
    },
  };
  await staff.api.adminPlugins.setOn({ params: { identifier: 'webhooks' }, body: { on: true } });
  const senders = { standard: sender, discord: sender };
  const plugin = { isOn: () => true };
  const { id: endpointId } = await staff.api.adminWebhooks.create({
    body: { name: 'Shop', url: 'https://shop.example.com/', events: ['*'], ordered: true, enabled: true },
  });
  let died = 0;
  for (let moment = 1; moment <= MOMENTS; moment += 1) {
    const userId = `u${moment}`;
    await h.db.uow.run((tx) => h.host.services.events.emit(tx, 'user.renamed', { userId }));
    const mortal = mortalProcess(moment);
    const process = createWebhooks({
      ...h.host.services,
      uow: mortal.uow(h.db.uow),
      senders,
      plugin,
      random: () => 0.5,
    });
    const work = async () => {
      await process.jobs[DISPATCH_JOB]();
      await process.jobs[SEND_JOB]({ endpointId });
    };
    await Promise.race([work(), mortal.died]);
    await mortal.whenEnded();
    if (mortal.dead()) died += 1;
    // Another process takes up what it left, by the clock alone.
    h.clock.advance(MINUTE);
    const next = createWebhooks({ ...h.host.services, senders, plugin, random: () => 0.5 });
    await next.sweep();
    await next.jobs[DISPATCH_JOB]();
    await next.jobs[SEND_JOB]({ endpointId });
    expect([moment, arrived.includes(userId)]).toEqual([moment, true]);
  }
  expect(died).toBeGreaterThanOrEqual(4);
  expect(died).toBeLessThan(MOMENTS);
  const { webhook } = await staff.api.adminWebhooks.get({ params: { id: endpointId } });
  expect([webhook.waiting, webhook.failed]).toEqual([0, 0]);
  await h.close();
});

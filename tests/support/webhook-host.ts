import { afterAll, afterEach, beforeAll, beforeEach } from 'bun:test';
import { Webhook } from 'standardwebhooks';
import type { WebhookInput } from '#shared/schemas/webhook.ts';
import { DAY } from '#shared/time.ts';
import { emitAdjustment } from './adjustment.ts';
import type { Engine } from './db.ts';
import { openHarness, type Harness, type Person } from './harness.ts';
import { openReceiver, type Receiver, type TakenWebhook } from './webhook-receiver.ts';

/** Whether a secret signed what a receiver took. Out: its content. Throws where it did not. */
export function verifyWebhook(secret: string, { body, headers }: TakenWebhook): unknown {
  // The library refuses what is older than five minutes by this machine's clock; the test's stands still.
  const seconds = Number(headers['webhook-timestamp']);
  const now = Date.now;
  Date.now = () => seconds * 1000;
  try {
    return new Webhook(secret).verify(body, headers);
  } finally {
    Date.now = now;
  }
}

/**
 * A host that sends webhooks, for the tests of the `describe` that calls this, and a receiver for each of them. After
 * each test there is no endpoint. Out: what tests do with it, and `opened`, which gives host, staff and receiver once
 * they are there.
 */
export function useWebhookHost(engine: Engine) {
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
  /** The amounts that arrived, in their order. */
  const amounts = () =>
    receiver.taken.map(({ body }) => (JSON.parse(body) as { data: { amount: number } }).data.amount);
  /** Everything that is due is done. Sessions outlive the days that pass. */
  const pass = async (ms: number) => {
    h.clock.advance(ms);
    const now = h.clock.now();
    await h.db.sql('UPDATE sessions SET seen_ms = ?, expires_ms = ? RETURNING id', [now, now + 30 * DAY]);
    await h.host.services.webhooks.sweep();
    await h.host.runner.runDue();
  };
  /** A receiver that was closed listens again at its port. */
  const reopen = (port: number) => (receiver = openReceiver(port));

  const opened = () => ({ h, staff, receiver });
  return { turn, rows, input, add, get, save, deliveries, shown, adjust, amounts, pass, reopen, opened };
}

import { beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createWebhooks } from '#server/modules/webhooks/index.ts';
import { createWebhookSender } from '#server/webhooks/standard.ts';
import { DAY, MINUTE } from '#shared/time.ts';
import type { TokenScope } from '#shared/token-scopes.ts';
import { codeOf, nth } from '#tests/support/coins.ts';
import { ENGINES } from '#tests/support/db.ts';
import type { Harness, Person } from '#tests/support/harness.ts';
import { useWebhookHost, verifyWebhook } from '#tests/support/webhook-host.ts';
import { openReceiver, type Receiver } from '#tests/support/webhook-receiver.ts';

// Shows behaviour 8.8.

setDefaultTimeout(300_000);

describe.each(ENGINES)('outgoing webhooks on %s', (engine) => {
  const { rows, input, add, get, save, deliveries, shown, adjust, amounts, pass, opened } = useWebhookHost(engine);
  let h: Harness;
  let staff: Person;
  let receiver: Receiver;
  beforeEach(() => void ({ h, staff, receiver } = opened()));

  test('an event arrives signed as Standard Webhooks says, with the declared fields and no others', async () => {
    const { id, secret } = await add();
    expect(secret).toMatch(/^whsec_[\w+/]{43}=$/);
    await adjust('u1', 25);
    await pass(0);
    const taken = nth(receiver.taken, 0);
    expect(verifyWebhook(secret, taken)).toEqual({
      type: 'credits.adjusted',
      version: 1,
      timestamp: new Date(h.clock.now()).toISOString(),
      data: { userId: 'u1', amount: 25 },
    });
    expect(() => verifyWebhook('whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', taken)).toThrow();
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
    for (const each of [old, secret]) verifyWebhook(each, nth(receiver.taken, 0));
    expect(nth(receiver.taken, 0).headers['webhook-signature']?.split(' ')).toHaveLength(2);
    await pass(DAY);
    await adjust('u1', 2);
    await pass(0);
    verifyWebhook(secret, nth(receiver.taken, 1));
    expect(() => verifyWebhook(old, nth(receiver.taken, 1))).toThrow();
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
    verifyWebhook(moved.secret ?? '', nth(other.taken, 0));
    expect(() => verifyWebhook(old, nth(other.taken, 0))).toThrow();
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

  test('a test arrives under a type of its own', async () => {
    const { id, secret } = await add();
    const test = await staff.api.adminWebhooks.test({ params: { id } });
    await pass(0);
    expect(verifyWebhook(secret, nth(receiver.taken, 0))).toMatchObject({
      type: 'webhook.test',
      data: { endpointId: id },
    });
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
    expect(verifyWebhook(String(rotated.secret), taken)).toMatchObject({ type: 'webhook.test' });
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

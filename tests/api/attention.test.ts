import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { AttentionKey } from '#shared/attention.ts';
import { ApiError } from '#shared/contract/client.ts';
import type { Permission } from '#shared/permissions.ts';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import { ENGINES } from '#tests/support/db.ts';
import type { Person } from '#tests/support/harness.ts';
import { openPayWorld, type PayWorld } from '#tests/support/payments.ts';

// Shows behaviour 8.2: what needs a person.

setDefaultTimeout(300_000);

/** The code that a call is refused with; null where it is not. */
const codeOf = (call: Promise<unknown>): Promise<string | null> =>
  call.then(
    () => null,
    (error: unknown) => (error instanceof ApiError ? error.code : Promise.reject(error)),
  );

describe.each(ENGINES)('what needs a person (%s)', (engine) => {
  let world: PayWorld;
  let root: Person;
  beforeAll(async () => {
    world = await openPayWorld(engine);
    root = await world.harness.person('olga', { permissions: ['admin.root'] });
  }, 300_000);
  afterAll(() => world.close(), 60_000);

  const items = async (person = root) => (await person.api.adminAttention.list()).items;
  const find = async (key: AttentionKey, person = root) => (await items(person)).find((item) => item.key === key);
  const holder = (name: string, ...permissions: Permission[]) =>
    world.harness.person(name, { permissions: ['admin.dashboard.view', ...permissions] });
  const sql = (text: string, params: readonly (string | number | null)[] = []) => world.harness.db.sql(text, params);
  /** What changed behind the product's back is seen once what was found is too old. */
  const later = () => world.harness.clock.advance(16_000);
  // Each test makes what it looks at.
  afterEach(async () => {
    for (const table of [
      'server_queue',
      'servers',
      'payment_events',
      'panel_drift',
      'mails',
      'health_samples',
      'held_rewards',
      'notifications',
      'attention_reports',
      'attention_snoozes',
      'image_reports',
      'tickets',
    ])
      await sql(`DELETE FROM ${table}`);
    await sql('UPDATE payment_orders SET failure = NULL');
    later();
  });
  /** A server whose work in the queue failed. */
  const server = async (name: string, state: string, failedMs: number) => {
    const id = crypto.randomUUID();
    await sql(
      `INSERT INTO servers (id, user_id, name, description, location_id, category_id, egg_id, memory, disk, cpu, ports, databases, backups, variables, state, desired,
       revision, synced_revision, auto_renew, auto_renew_order, periods, created_ms, updated_ms)
       VALUES (?, ?, ?, '', '', '', '', 256, 256, 5, 1, 0, 0, '{}', ?, 'running', 1, 1, 0, 0, 0, ?, ?) RETURNING id`,
      [id, world.ann.id, name, state, failedMs, failedMs],
    );
    await sql(
      "INSERT INTO server_queue (id, server_id, user_id, state, priority, attempts, created_ms) VALUES (?, ?, ?, 'failed', 0, 3, ?) RETURNING id",
      [crypto.randomUUID(), id, world.ann.id, failedMs],
    );
  };
  /** A difference with a panel. */
  const drift = (kind: 'orphan' | 'ghost', firstMs = 0) =>
    sql(
      "INSERT INTO panel_drift (panel, kind, ref, server_id, name, detail, first_ms, seen_ms) VALUES ('', ?, ?, NULL, 'x', '', ?, ?) RETURNING ref",
      [kind, kind, firstMs, world.harness.clock.now()],
    );
  /** Two rewards of five credits that are held for review. */
  async function holdTwoRewards(): Promise<void> {
    const { harness } = world;
    const { ledger } = harness.host.services;
    await harness.db.uow.run(async (tx) => {
      for (let n = 0; n < 2; n += 1) {
        const reference = `held:${crypto.randomUUID()}`;
        const { holdId, txId } = await ledger.holdReward(tx, {
          userId: world.ann.id,
          amount: 5,
          reference,
          kind: 'reward.held',
          subject: null,
          source: 'system:reward.redeem',
        });
        await tx.abuse.addHeld({
          id: crypto.randomUUID(),
          userId: world.ann.id,
          source: 'redeem',
          amount: 5,
          reference,
          subject: null,
          pool: null,
          holdId,
          txId,
          cause: 'score',
          score: 80,
          reasons: [],
          releaseMs: null,
          createdMs: harness.clock.now(),
          countedDay: '2026-01-01',
        });
      }
      tx.touch('attention');
    });
  }

  const notified = async (person: Person, kind: string) =>
    (await person.api.notifications.list()).notifications.filter((each) => each.kind === kind);

  test('an installation in which all is well needs nobody', async () => {
    expect(await items()).toEqual([]);
  });

  test('an order that staff have to confirm is there at once with its sum and buyer, and gone once it is confirmed', async () => {
    const id = await world.order('manual');
    expect(await find('ordersToConfirm')).toMatchObject({
      id: 'ordersToConfirm',
      count: 1,
      since: new Date(world.harness.clock.now()).toISOString(),
      data: { total: 500, currency: 'EUR', username: 'ann' },
      snoozed_until: null,
    });
    await root.api.adminPayments.confirm({ params: { id }, body: { reason: 'Paid in cash' } });
    expect(await find('ordersToConfirm')).toBeUndefined();
    const cancelled = await world.order('manual');
    expect((await find('ordersToConfirm'))?.count).toBe(1);
    await world.ann.api.payments.cancel({ params: { id: cancelled } });
    expect(await find('ordersToConfirm')).toBeUndefined();
    // What waits at a gateway waits for its payer, not for staff.
    await world.order('stripe');
    later();
    expect(await find('ordersToConfirm')).toBeUndefined();
  });

  test('each kind is found with its count and its oldest, as far back as its page shows it', async () => {
    const now = world.harness.clock.now();
    await server('One', 'failed', now - 3 * HOUR);
    await server('Two', 'failed', now - 2 * HOUR);
    await server('Three', 'failed', now - HOUR);
    await server('Mended', 'active', now - HOUR);
    await server('Forgotten', 'failed', now - 15 * DAY);
    const event = (outcome: string, atMs: number, reason: string | null = 'UNKNOWN_ORDER') => {
      const id = crypto.randomUUID();
      return sql(
        "INSERT INTO payment_events (id, provider, event_id, type, order_id, outcome, reason, content, payload, received_ms) VALUES (?, 'stripe', ?, 'x', NULL, ?, ?, '{}', '{}', ?) RETURNING id",
        [id, id, outcome, reason, atMs],
      );
    };
    await event('unknown', now - DAY);
    await event('unknown', now - 91 * DAY);
    await event('unknown', now, null);
    await event('received', now - 2 * DAY, 'SYNC');
    const order = await world.order('stripe');
    await sql("UPDATE payment_orders SET failure = 'MISMATCH' WHERE id = ?", [order]);
    await drift('orphan', now - HOUR);
    const mail = (state: string, bounced: number, atMs: number) => {
      const id = crypto.randomUUID();
      return sql(
        "INSERT INTO mails (id, address, template, locale, subject, text, html, state, attempts, message_id, created_ms, bounced) VALUES (?, 'a@mail.example', 'verify', 'en', '', '', '', ?, 1, ?, ?, ?) RETURNING id",
        [id, state, id, atMs, bounced],
      );
    };
    await mail('failed', 0, now - DAY);
    await mail('failed', 0, now - 2 * DAY);
    await mail('failed', 0, now - 4 * DAY);
    await mail('failed', 1, now);
    await mail('sent', 0, now);
    later();
    const iso = (ms: number) => new Date(ms).toISOString();
    expect(await find('failedServers')).toMatchObject({
      count: 3,
      since: iso(now - 3 * HOUR),
      data: { names: 'Three, Two', more: 1 },
    });
    expect(await find('unknownPayments')).toMatchObject({ count: 1, since: iso(now - DAY) });
    expect(await find('paymentProblems')).toMatchObject({ count: 2, since: iso(now - 2 * DAY) });
    expect(await find('drift')).toMatchObject({ count: 1, since: iso(now - HOUR) });
    expect(await find('failedMails')).toMatchObject({ count: 2, since: iso(now - 2 * DAY) });
  });

  test('a backup that has been missing for half a day needs a person, and one that is there again does not', async () => {
    const now = world.harness.clock.now();
    const sample = (atMs: number, rank: number) =>
      sql(
        "INSERT INTO health_samples (at_ms, check_key, subject, status_rank, figure) VALUES (?, 'backup', '', ?, NULL)",
        [atMs, rank],
      );
    await sample(now - HOUR, 2);
    later();
    expect(await find('backups')).toBeUndefined();
    await sample(now - 11.9 * HOUR, 2);
    later();
    expect(await find('backups')).toMatchObject({ count: 1 });
    await sample(now, 0);
    later();
    expect(await find('backups')).toBeUndefined();
  });

  test('a reward on hold counts with its credits and users, and a panel that is away with its name', async () => {
    const { harness } = world;
    await holdTwoRewards();
    expect(await find('heldRewards')).toMatchObject({ count: 2, data: { credits: 10, users: 1 } });
    const panel = crypto.randomUUID();
    await sql(
      "INSERT INTO panels (id, name, dialect, url, key_sealed, enabled, created_ms, updated_ms) VALUES (?, 'Frankfurt', 'pterodactyl', 'https://p.example', '', 1, 0, 0) RETURNING id",
      [panel],
    );
    await sql(
      "INSERT INTO panel_outages (panel, node, cause, reason, since_ms, next_ms, tries, notified_ms) VALUES (?, '', 'panel', NULL, ?, 0, 1, NULL) RETURNING panel",
      [panel, harness.clock.now() - MINUTE],
    );
    later();
    expect(await find('panelOutages')).toMatchObject({
      id: `panelOutages:${panel}/`,
      count: 1,
      data: { panel: 'Frankfurt', cause: 'panel', waiting: 0 },
    });
    await sql('DELETE FROM panel_outages RETURNING panel');
    await sql('DELETE FROM panels WHERE id = ? RETURNING id', [panel]);
  });

  test('each of staff sees what their permissions are for, and a player nothing', async () => {
    await holdTwoRewards();
    await drift('orphan');
    later();
    const support = await holder('sup', 'admin.rewards.held.list');
    expect((await items(support)).map(({ key }) => key)).toEqual(['heldRewards']);
    expect(await items(await holder('bare'))).toEqual([]);
    expect(await codeOf(world.ann.api.adminAttention.list())).toBe('FORBIDDEN');
    const hidden = support.api.adminAttention.snooze({ body: { item: 'drift', hours: 4 } });
    expect(await codeOf(hidden)).toBe('NOT_FOUND');
  });

  test('what is put off stays off for that member of staff alone, until its time or until there is more of it', async () => {
    const other = await holder('nora', 'admin.servers.list');
    await drift('orphan');
    later();
    const until = async (person = root) => (await find('drift', person))?.snoozed_until;
    await root.api.adminAttention.snooze({ body: { item: 'drift', hours: 4 } });
    expect(await until()).toBe(new Date(world.harness.clock.now() + 4 * HOUR).toISOString());
    expect(await until(other)).toBeNull();
    await drift('ghost');
    later();
    expect(await find('drift')).toMatchObject({ count: 2, snoozed_until: null });
    await root.api.adminAttention.snooze({ body: { item: 'drift', hours: 24 } });
    expect(await until()).not.toBeNull();
    await root.api.adminAttention.unsnooze({ body: { item: 'drift' } });
    expect(await until()).toBeNull();
    await root.api.adminAttention.snooze({ body: { item: 'drift', hours: 4 } });
    world.harness.clock.advance(4 * HOUR);
    expect(await until()).toBeNull();
    expect(await codeOf(root.api.adminAttention.snooze({ body: { item: 'nothing', hours: 4 } }))).toBe('NOT_FOUND');
    expect(await codeOf(root.api.adminAttention.snooze({ body: { item: 'drift', hours: 5 as 4 } }))).toBe(
      'VALIDATION_FAILED',
    );
  });

  test('staff are notified once of what begins to need them, and again when it comes back after half a day', async () => {
    const { attention } = world.harness.host.services;
    const reader = await holder('rita', 'admin.rewards.held.list');
    await holdTwoRewards();
    await server('One', 'failed', world.harness.clock.now());
    later();
    await Promise.all([attention.report(), attention.report()]);
    await attention.report();
    expect(await notified(reader, 'rewardsToReview')).toHaveLength(1);
    expect((await notified(reader, 'rewardsToReview'))[0]).toMatchObject({ data: { count: 2 } });
    expect(await notified(reader, 'serversFailed')).toEqual([]);
    expect(await notified(root, 'serversFailed')).toHaveLength(1);
    const turn = async (state: string) => {
      await sql('UPDATE held_rewards SET state = ?, decided_ms = ? RETURNING id', [state, state === 'open' ? null : 1]);
      later();
      await attention.report();
    };
    // Gone and back within half a day is the same matter.
    await turn('released');
    await turn('open');
    expect(await notified(reader, 'rewardsToReview')).toHaveLength(1);
    await turn('released');
    world.harness.clock.advance(12 * HOUR);
    await turn('open');
    expect(await notified(reader, 'rewardsToReview')).toHaveLength(2);
  });

  test('tickets, reports, failed mails, missing backups and differences reach those of staff who may act on them, once', async () => {
    const { harness } = world;
    const { attention } = harness.host.services;
    const now = harness.clock.now();
    const people = {
      ticketsWaiting: await holder('tina', 'admin.tickets.list', 'admin.tickets.view'),
      imagesReported: await holder('ines', 'admin.image.reports.list'),
      mailsFailed: await holder('mara', 'admin.mails.list'),
      backupMissing: await holder('bob', 'admin.backups.list'),
      driftFound: await holder('dora', 'admin.servers.list'),
    };
    // Whoever sees the list of tickets alone can answer none of them.
    const onlooker = await holder('otto', 'admin.tickets.list');
    const { id: department } = await root.api.adminDepartments.create({
      body: { name: 'Technical', description: '', hours: '', position: 0, enabled: true },
    });
    await world.ann.api.tickets.create({
      body: { department, priority: 'normal', subject: 'Cannot join', text: 'Since noon', attachments: [] },
    });
    await sql(
      "INSERT INTO image_reports (id, image_id, owner_id, hash, name, state, reason, complaints, note, created_ms, last_ms) VALUES ('r1', 'i1', ?, '', 'x', 'open', 'other', 1, '', ?, ?) RETURNING id",
      [world.ann.id, now, now],
    );
    await sql(
      "INSERT INTO mails (id, address, template, locale, subject, text, html, state, attempts, message_id, created_ms, bounced) VALUES ('m1', 'a@mail.example', 'verify', 'en', '', '', '', 'failed', 1, 'm1', ?, 0) RETURNING id",
      [now],
    );
    await sql(
      "INSERT INTO health_samples (at_ms, check_key, subject, status_rank, figure) VALUES (?, 'backup', '', 2, NULL)",
      [now - 11.9 * HOUR],
    );
    await drift('orphan');
    later();
    await attention.report();
    await attention.report();
    const kinds = async (person: Person) =>
      (await person.api.notifications.list()).notifications.map(({ kind }) => kind).toSorted();
    for (const [kind, person] of Object.entries(people)) expect([kind, await kinds(person)]).toEqual([kind, [kind]]);
    expect(await kinds(onlooker)).toEqual([]);
    expect(await kinds(root)).toEqual(Object.keys(people).toSorted());
    expect(await kinds(world.ann)).toEqual([]);
  });

  test('many who ask at once are answered by one look at the database, and after a change by another', async () => {
    const { harness } = world;
    const { attention } = harness.host.services;
    let looks = 0;
    const long = harness.host.database.long as { read: typeof harness.host.database.long.read };
    const read = long.read;
    long.read = ((work: Parameters<typeof read>[0], options: Parameters<typeof read>[1]) => {
      looks += 1;
      return read(work, options);
    }) as typeof read;
    const ctx = { actor: { userId: root.id, permissions: ['admin.root'] } } as unknown as Parameters<
      typeof attention.list
    >[0];
    try {
      later();
      await Promise.all(Array.from({ length: 50 }, () => attention.list(ctx)));
      expect(looks).toBe(1);
      harness.db.bus.publish(['attention']);
      await Promise.all(Array.from({ length: 50 }, () => attention.list(ctx)));
      expect(looks).toBe(2);
      // One who asks after a change does not get what was looked for before it.
      harness.db.bus.publish(['attention']);
      const before = attention.list(ctx);
      harness.db.bus.publish(['attention']);
      await Promise.all([before, attention.list(ctx)]);
      expect(looks).toBe(4);
    } finally {
      long.read = read;
    }
  });
});

import { afterEach, describe, expect, test } from 'bun:test';
import { DAY } from '#shared/time.ts';
import { ENGINES, type Engine } from '#tests/support/db.ts';
import { openHarness, type Harness } from '#tests/support/harness.ts';

let h: Harness;
afterEach(() => h.close());

/** An installation in which one task is due once a day. */
const withTask = async (engine: Engine, tasks: string) => (h = await openHarness({ engine, tasks }));
const idsOf = async (table: string) =>
  (await h.db.sql<{ id: string }>(`SELECT id FROM ${table} ORDER BY id`)).map(({ id }) => id);

describe.each(ENGINES)('what is old enough goes, on %s', (engine) => {
  test('T52 e-mails that are done with go after the days of the setting, and those to be sent stay', async () => {
    await withTask(engine, 'mails.purge');
    await h.set({ mail_days: 40 });
    const add = (id: string, state: string, ageDays: number) =>
      h.db.sql(
        `INSERT INTO mails (id, user_id, address, template, locale, subject, text, html, state, attempts, message_id, created_ms)
         VALUES (?, NULL, 'a@example.com', 'verify', 'en', 's', 't', 'h', ?, 0, ?, ?)`,
        [id, state, id, h.clock.now() - ageDays * DAY],
      );
    for (const state of ['sent', 'failed', 'unknown', 'cancelled', 'kept']) await add(`old-${state}`, state, 39.5);
    for (const state of ['queued', 'sending']) await add(`open-${state}`, state, 39.5);
    await add('young', 'sent', 38);
    for (let at = 0; at < 600; at += 1) await add(`many-${at}`, 'sent', 50);
    h.clock.advance(DAY);
    await h.drainJobs();
    expect(await idsOf('mails')).toEqual(['open-queued', 'open-sending', 'young']);
  });

  test('T52 steps of the build queue go after the days of the setting', async () => {
    await withTask(engine, 'queue.log.purge');
    await h.set({ queue_log_days: 30 });
    const add = (id: string, ageDays: number) =>
      h.db.sql(
        "INSERT INTO server_queue_log (id, queue_id, server_id, at_ms, code) VALUES (?, 'q', 's', ?, 'started')",
        [id, h.clock.now() - ageDays * DAY],
      );
    for (let at = 0; at < 600; at += 1) await add(`old-${at}`, 29.5);
    await add('young', 28);
    h.clock.advance(DAY);
    await h.drainJobs();
    expect(await idsOf('server_queue_log')).toEqual(['young']);
  });

  test('T52 usage of servers goes after the days of the setting', async () => {
    await withTask(engine, 'servers.usage.purge');
    await h.set({ server_usage_days: 10 });
    const figures = { memory: 1, cpu: 1, disk: 1, received: 1, sent: 1 };
    const add = (ageDays: number, count: number) =>
      h.db.uow.run((tx) =>
        tx.serverUsage.add(
          h.clock.now() - ageDays * DAY,
          Array.from({ length: count }, (_, at) => ({ serverId: `s${at}`, figures })),
        ),
      );
    await add(9.5, 600);
    await add(8, 2);
    h.clock.advance(DAY);
    await h.drainJobs();
    const left = await h.db.sql<{ id: string }>('SELECT server_id AS id FROM server_usage_hours ORDER BY server_id');
    expect(left.map(({ id }) => id)).toEqual(['s0', 's1']);
  });

  test('T52 notifications go after the days of the setting', async () => {
    await withTask(engine, 'notifications.purge');
    await h.set({ notification_days: 20 });
    const ann = await h.person('ann');
    const add = (id: string, ageDays: number) =>
      h.db.sql(
        "INSERT INTO notifications (id, user_id, kind, data, created_ms) VALUES (?, ?, 'creditsAdded', '{}', ?)",
        [id, ann.id, h.clock.now() - ageDays * DAY],
      );
    await add('old', 19.5);
    await add('young', 18);
    h.clock.advance(DAY);
    await h.drainJobs();
    const left = await idsOf('notifications');
    expect([left.includes('old'), left.includes('young')]).toEqual([false, true]);
  });
});

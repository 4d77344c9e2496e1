import { afterEach, describe, expect, test } from 'bun:test';
import { DAY, dayIn, HOUR } from '#shared/time.ts';
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

  test('T52 transactions are archived after the days of the setting, and every way to read them shows the same', async () => {
    await withTask(engine, 'ledger.archive');
    const ann = await h.person('ann');
    const owner = await h.person('owner', { permissions: ['admin.root'] });
    const now = h.clock.now();
    const give = async (ageDays: number, times: number) => {
      h.clock.set(now - ageDays * DAY);
      for (let at = 0; at < times; at += 1) await h.creditPerson(ann.id, 1 + at);
      h.clock.set(now);
    };
    await give(500, 70);
    await give(300, 1);
    const shown = async () => {
      const first = await ann.api.account.statement({ query: { per_page: '50' } });
      const older = await ann.api.account.statement({ query: { per_page: '50', before: first.paging.older ?? '' } });
      const headers = { Cookie: `__Host-spawnpoint=${ann.secret}` };
      const csv = await (await h.http('/api/account/statement.csv', { headers })).text();
      const staff = await owner.api.adminUsers.statement({ params: { id: ann.id }, query: { kind: 'adjustment' } });
      return { first, older, csv, staff };
    };
    const before = await shown();
    expect([before.first.rows.length, before.older.rows.length, before.csv.split('\r\n').length]).toEqual([50, 21, 73]);
    await h.set({ ledger_archive_days: 1000 });
    h.clock.advance(HOUR);
    await h.drainJobs();
    expect(await idsOf('ledger_transactions')).toHaveLength(71);
    await h.set({ ledger_archive_days: 400 });
    h.clock.advance(HOUR);
    await h.drainJobs();
    expect(await idsOf('ledger_transactions')).toHaveLength(1);
    expect(await shown()).toEqual(before);
    // What there was at the end of a day, and so of a month: the newest line until then.
    const balanceAt = async (ageDays: number) => {
      const to = dayIn(now - ageDays * DAY, 'UTC');
      return (await ann.api.account.statement({ query: { to, per_page: '10' } })).rows[0]?.balance_after;
    };
    expect([await balanceAt(501), await balanceAt(400), await balanceAt(200)]).toEqual([undefined, 2485, 2486]);
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

  test('T52 answers of commands go after the days of the setting', async () => {
    await withTask(engine, 'housekeeping');
    await h.set({ stored_answer_days: 3 });
    const add = (key: string, ageDays: number) =>
      h.db.sql(
        "INSERT INTO idempotency_keys (user_id, key, input_hash, answer, created_ms) VALUES ('u', ?, 'h', '1', ?)",
        [key, h.clock.now() - ageDays * DAY],
      );
    for (let at = 0; at < 600; at += 1) await add(`old-${at}`, 2.5);
    await add('young', 1);
    h.clock.advance(DAY);
    await h.drainJobs();
    const left = await h.db.sql<{ key: string }>("SELECT key FROM idempotency_keys WHERE user_id = 'u'");
    expect(left.map(({ key }) => key)).toEqual(['young']);
  });

  test('T52 jobs that are done go after the days of the setting, and those that failed or wait stay', async () => {
    await withTask(engine, 'housekeeping');
    await h.set({ finished_job_days: 3 });
    const add = (id: string, state: string, ageDays: number) =>
      h.db.sql(
        `INSERT INTO jobs (id, kind, payload, run_at_ms, attempts, max_attempts, lease_until_ms, rerun, state, created_ms, done_ms)
         VALUES (?, 'nobody', '{}', ?, 0, 1, 0, 0, ?, 0, ?)`,
        [id, h.clock.now() + 100 * DAY, state, state === 'ready' ? null : h.clock.now() - ageDays * DAY],
      );
    for (let at = 0; at < 600; at += 1) await add(`old-${at}`, 'done', 2.5);
    await add('young', 'done', 1);
    await add('failed', 'dead', 50);
    await add('waiting', 'ready', 50);
    h.clock.advance(DAY);
    await h.drainJobs();
    const left = await h.db.sql<{ id: string }>("SELECT id FROM jobs WHERE kind = 'nobody' ORDER BY id");
    expect(left.map(({ id }) => id)).toEqual(['failed', 'waiting', 'young']);
  });

  test('T52 sums of a day that caps were counted by go after the days of the setting, and gifts stay', async () => {
    await withTask(engine, 'counters.purge');
    await h.set({ counter_days: 10 });
    const dayOf = (ageDays: number) => dayIn(h.clock.now() - ageDays * DAY, 'UTC');
    const [young, old] = [dayOf(8), dayOf(20)];
    // More users than one slice has, of whom some have only what goes, and the others both.
    const users = Array.from({ length: 600 }, (_, at) => `u${String(at).padStart(3, '0')}`);
    for (const [at, user] of users.entries())
      for (const day of at % 2 === 0 ? [young, old] : [old]) {
        await h.db.sql("INSERT INTO earn_counters (user_id, source, day, credits) VALUES (?, 'afk', ?, 5)", [
          user,
          day,
        ]);
        await h.db.sql("INSERT INTO gift_days (user_id, side, day, credits) VALUES (?, 'sent', ?, 5)", [user, day]);
      }
    await h.db.sql(
      "INSERT INTO gifts (id, sender_id, recipient_id, amount, fee, note, tx_id, created_ms) VALUES ('g', 'u', 'v', 5, 0, '', 't', ?)",
      [h.clock.now() - 20 * DAY],
    );
    h.clock.advance(DAY);
    await h.drainJobs();
    const left = users.filter((_, at) => at % 2 === 0).map((user) => ({ user_id: user, day: young }));
    for (const table of ['earn_counters', 'gift_days'])
      expect(await h.db.sql(`SELECT user_id, day FROM ${table} ORDER BY user_id`)).toEqual(left);
    expect(await idsOf('gifts')).toEqual(['g']);
  });

  test('T52 sessions, links in e-mails and counts of attempts that are over go, however many, and the others stay', async () => {
    await withTask(engine, 'identity.purge');
    const ann = await h.person('ann');
    const now = h.clock.now();
    const add = async (name: string, ms: number) => {
      await h.db.sql(
        `INSERT INTO sessions (id, user_id, token_hash, device, user_agent, address, created_ms, seen_ms, expires_ms)
         VALUES (?, ?, ?, '', '', '', 0, 0, ?)`,
        [name, ann.id, name, ms],
      );
      await h.db.sql(
        "INSERT INTO one_time_tokens (id, kind, token_hash, created_ms, expires_ms) VALUES (?, 'reset', ?, 0, ?)",
        [name, name, ms],
      );
      await h.db.sql('INSERT INTO attempts (key, window_start_ms, count) VALUES (?, ?, 1)', [name, ms]);
    };
    for (let at = 0; at < 600; at += 1) await add(`old-${at}`, now - 2 * DAY);
    await add('young', now + 2 * DAY);
    h.clock.advance(DAY);
    await h.drainJobs();
    for (const [table, key] of [
      ['sessions', 'id'],
      ['one_time_tokens', 'id'],
      ['attempts', 'key'],
    ] as const) {
      const left = await h.db.sql<{ n: string }>(
        `SELECT ${key} AS n FROM ${table} WHERE ${key} LIKE 'old-%' OR ${key} = 'young'`,
      );
      expect([table, ...left.map(({ n }) => n)]).toEqual([table, 'young']);
    }
  });

  test('T52 verdicts on networks and used challenges that are over go, however many, and the others stay', async () => {
    await withTask(engine, 'abuse.forget');
    const now = h.clock.now();
    const add = async (name: string, ms: number) => {
      await h.db.sql("INSERT INTO network_verdicts (value, verdict, until_ms) VALUES (?, 'clean', ?)", [name, ms]);
      await h.db.sql('INSERT INTO used_challenges (id, until_ms) VALUES (?, ?)', [name, ms]);
    };
    for (let at = 0; at < 600; at += 1) await add(`old-${at}`, now);
    for (const name of ['a-young', 'z-young']) await add(name, now + 2 * DAY);
    h.clock.advance(DAY);
    await h.drainJobs();
    expect(await idsOf('used_challenges')).toEqual(['a-young', 'z-young']);
    const left = await h.db.sql<{ value: string }>('SELECT value FROM network_verdicts ORDER BY value');
    expect(left.map(({ value }) => value)).toEqual(['a-young', 'z-young']);
  });

  test('T52 a transaction takes no more sums of a day than its slice has', async () => {
    await withTask(engine, 'counters.purge');
    for (const user of ['a', 'b', 'c'])
      for (const day of ['2026-01-01', '2026-01-02']) {
        await h.db.sql("INSERT INTO earn_counters (user_id, source, day, credits) VALUES (?, 'afk', ?, 5)", [
          user,
          day,
        ]);
        await h.db.sql("INSERT INTO gift_days (user_id, side, day, credits) VALUES (?, 'sent', ?, 5)", [user, day]);
      }
    const before = '2026-01-02';
    const counters: number[] = [];
    for (let round = 0; round < 3; round += 1) counters.push(await h.db.uow.run((tx) => tx.counters.purge(before, 2)));
    const keys: (string | null)[] = [];
    for (let key: string | null = ''; key !== null; keys.push(key)) {
      const after: string = key;
      key = await h.db.uow.run((tx) => tx.gifts.purgeDays(before, after, 2));
      const gone = await h.db.sql<{ n: number }>('SELECT COUNT(*) AS n FROM gift_days WHERE day < ?', [before]);
      expect(gone[0]?.n).toBe(Math.max(0, 2 - keys.length));
    }
    expect([counters, keys]).toEqual([
      [2, 1, 0],
      ['a', 'b', 'c', null],
    ]);
  });
});

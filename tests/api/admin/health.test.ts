import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { HEALTH_CHECKS } from '#shared/health.ts';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import { ENGINES } from '#tests/support/db.ts';
import { archiveBefore } from '#tests/support/archive.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';

describe.each(ENGINES)('the health of the installation on %s', (engine) => {
  let harness: Harness;
  let staff: Person;
  beforeEach(async () => {
    const mail = { host: 'smtp.example.com', port: 587, security: 'none', username: null, password: null } as const;
    harness = await openHarness({
      engine,
      tasks: '',
      config: {
        dataDir: join(import.meta.dir, '../../..'),
        mail: { ...mail, fromAddress: 'host@example.com', fromName: 'Host' },
      },
    });
    staff = await harness.person('olga', { permissions: ['admin.health.view'] });
  }, 300_000);
  afterEach(() => harness.close());

  /** The codes of a check, run anew. */
  async function codesOf(key: string) {
    await staff.api.adminHealth.check({});
    const { rows } = await staff.api.adminHealth.get({});
    return rows.filter((row) => row.key === key).map(({ code, status }) => `${status}: ${code}`);
  }
  const codeOf = async (key: string) => (await codesOf(key))[0];

  test('behaviour 8.7 every check says what it found, and what runs by itself stands beside it', async () => {
    await harness.host.scheduler.tick();
    await staff.api.adminHealth.check({});
    const { rows, jobs, day, checked_at } = await staff.api.adminHealth.get({});
    expect(checked_at).toBe(new Date(harness.clock.now()).toISOString());
    // All of the registry, in its order; no Redis is set, and nothing serves that others could hear.
    expect(rows.map(({ key }) => key)).toEqual(HEALTH_CHECKS.filter((key) => !['redis', 'processes'].includes(key)));
    const codes = Object.fromEntries(rows.map(({ key, code }) => [key, code]));
    expect(codes).toMatchObject({
      ledger: 'ok',
      database: 'ok',
      migrations: 'ok',
      size: 'ok',
      jobs: 'ok',
      queue: 'ok',
      panels: 'embedded',
      mail: 'ok',
      version: 'ok',
    });
    expect(jobs.map(({ name }) => name).toSorted()).toEqual(
      harness.host.services.tasks.map(({ name }) => name).toSorted(),
    );
    expect(jobs.find(({ name }) => name === 'ledger.verify')).toMatchObject({ recent: [true], error: null });
    expect(day.statuses).toHaveLength(48);
    // The tick has written down what was found.
    expect(day.statuses.at(-1)).not.toBeNull();
  });

  test('behaviour 8.7 the ledger is proven on demand, never twice at once, and the outcome is shown', async () => {
    await harness.host.scheduler.tick();
    harness.clock.advance(HOUR);
    const provenAt = async () =>
      (await staff.api.adminHealth.get({})).jobs.find(({ name }) => name === 'ledger.verify')?.last_at;
    const before = await provenAt();
    const asked = await Promise.all(Array.from({ length: 20 }, () => staff.api.adminHealth.proveLedger({})));
    expect(asked.filter(({ started }) => started)).toHaveLength(1);
    expect(await harness.db.sql("SELECT action FROM audit WHERE action = 'health.proveLedger'")).toHaveLength(1);
    // Two processes: one of them runs it.
    await Promise.all([harness.host.scheduler.tick(), harness.host.scheduler.tick()]);
    expect(await provenAt()).not.toBe(before);
    const runs = await harness.db.sql<{ recent: string }>("SELECT recent FROM schedules WHERE name = 'ledger.verify'");
    expect(runs).toEqual([{ recent: 'oo' }]);
    expect(await staff.api.adminHealth.proveLedger({})).toMatchObject({ started: true });

    const ann = await harness.person('ann', { credits: 10 });
    await harness.db.sql('UPDATE ledger_balances SET balance = balance + 5 WHERE account = ?', [`user:${ann.id}`]);
    await harness.host.scheduler.tick();
    expect(await codesOf('ledger')).toEqual(['critical: faults']);
    expect(await codesOf('jobs')).toEqual(['warning: failing']);
    await harness.db.sql('UPDATE ledger_balances SET balance = balance - 5 WHERE account = ?', [`user:${ann.id}`]);
  });

  test('a proof that runs is not begun again, and one that was cut off an hour ago is', async () => {
    await harness.host.scheduler.tick();
    harness.clock.advance(MINUTE);
    await harness.db.sql("UPDATE schedules SET last_ms = ?, took_ms = NULL WHERE name = 'ledger.verify'", [
      harness.clock.now(),
    ]);
    expect((await staff.api.adminHealth.get({})).proving).toBe(true);
    expect(await codeOf('ledger')).toBe('ok: running');
    expect(await staff.api.adminHealth.proveLedger({})).toMatchObject({ started: false });
    harness.clock.advance(HOUR + 1);
    expect((await staff.api.adminHealth.get({})).proving).toBe(false);
    expect(await staff.api.adminHealth.proveLedger({})).toMatchObject({ started: true });
  });

  test('the proof says how much of the ledger is archived, and how far', async () => {
    await harness.person('cyd', { credits: 5 });
    await harness.host.scheduler.tick();
    harness.clock.advance(MINUTE);
    await archiveBefore(harness.db.uow, harness.clock.now());
    expect(await codeOf('ledger')).toBe('ok: archived');
    const { rows } = await staff.api.adminHealth.get({});
    expect(rows.find(({ key }) => key === 'ledger')?.facts).toMatchObject({ count: { value: 1 } });
  });

  test('a proof of two days ago is old, and a scheduler that stands still is reported', async () => {
    await harness.host.scheduler.tick();
    harness.clock.advance(2 * DAY + 1);
    expect(await codeOf('ledger')).toBe('warning: old');
    expect(await codeOf('jobs')).toBe('critical: stopped');
    await harness.host.scheduler.tick();
    expect(await codeOf('jobs')).toBe('ok: ok');
  });

  test('what waits too long, and what was given up, is reported', async () => {
    await harness.host.scheduler.tick();
    const add = (id: string, state: string, runAtMs: number, leaseMs = 0) =>
      harness.db.sql(
        `INSERT INTO jobs (id, kind, payload, run_at_ms, attempts, max_attempts, lease_until_ms, rerun, state, created_ms)
         VALUES (?, 'nothing', '{}', ?, 0, 5, ?, 0, ?, 0)`,
        [id, runAtMs, leaseMs, state],
      );
    const now = harness.clock.now();
    await add('later', 'ready', now + HOUR);
    await add('held', 'ready', now - 2 * HOUR, now + HOUR);
    expect(await codeOf('queue')).toBe('ok: ok');
    await add('slow', 'ready', now - 10 * MINUTE - 1);
    expect(await codeOf('queue')).toBe('warning: slow');
    await add('stuck', 'ready', now - HOUR - 1);
    expect(await codeOf('queue')).toBe('critical: stuck');
    expect(await codeOf('jobs')).toBe('ok: ok');
    await add('dead', 'dead', now);
    expect(await codeOf('jobs')).toBe('warning: dead');
  });

  test('mails that wait and mails that failed are reported, those of long ago are not', async () => {
    const add = (id: string, state: string, createdMs: number) =>
      harness.db.sql(
        `INSERT INTO mails (id, user_id, address, template, locale, subject, text, html, state, attempts, message_id, created_ms)
         VALUES (?, NULL, 'a@example.com', 'welcome', 'en', 's', 't', 'h', ?, 0, ?, ?)`,
        [id, state, id, createdMs],
      );
    const now = harness.clock.now();
    await add('old', 'failed', now - DAY - 1);
    await add('new', 'queued', now - MINUTE);
    expect(await codeOf('mail')).toBe('ok: ok');
    await add('failed', 'failed', now - HOUR);
    expect(await codeOf('mail')).toBe('warning: failing');
    await add('stuck', 'queued', now - 11 * MINUTE);
    expect(await codeOf('mail')).toBe('warning: stuck');
  });

  test('a database that a newer version has migrated and one that misses something are reported', async () => {
    await harness.db.sql("INSERT INTO schema_migrations (name, applied_ms) VALUES ('9999_future', 0)");
    expect(await codeOf('migrations')).toBe('critical: newer');
    await harness.db.sql("DELETE FROM schema_migrations WHERE name IN ('9999_future', '0055_health')");
    expect(await codeOf('migrations')).toBe('critical: missing');
  });

  test('T61 nobody without the right sees it or has anything done', async () => {
    const other = await harness.person('nora', { permissions: ['admin.dashboard.view'] });
    for (const ask of [
      () => other.api.adminHealth.get({}),
      () => other.api.adminHealth.check({}),
      () => other.api.adminHealth.proveLedger({}),
    ])
      expect(await ask().catch((error: { code?: string }) => error.code)).toBe('FORBIDDEN');
  });
});

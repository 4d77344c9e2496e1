import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createSettingEffects } from '#server/modules/settings/effects.ts';
import { createSettingsRepo } from '#server/data/repos/settings.ts';
import { DomainError } from '#shared/errors.ts';
import type { Param } from '#server/data/raw.ts';
import type { SettingKey } from '#shared/settings.ts';
import { dayIn, MINUTE } from '#shared/time.ts';
import { ENGINES, openTestDb } from '#tests/support/db.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { plansOf } from '#tests/support/plans.ts';

// Shows behaviour 8.4: a change of a setting says whom it affects before it is saved.

setDefaultTimeout(300_000);

describe.each(ENGINES)('whom a change of a setting affects on %s', (engine) => {
  let h: Harness;
  let admin: Person;
  beforeEach(async () => {
    h = await openHarness({ engine });
    admin = await h.person('admin', { permissions: ['admin.settings.view', 'admin.settings.edit'] });
    const ann = await h.person('ann');
    const bob = await h.person('bob');
    await seed(ann.id, bob.id);
  });
  afterEach(() => h.close());

  /** Adds a row. In: its columns. */
  const add = (table: string, row: Readonly<Record<string, Param>>) =>
    h.db.sql(
      `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${Object.keys(row)
        .map(() => '?')
        .join(', ')})`,
      Object.values(row),
    );
  /** One of everything that is counted, beside one that is not. */
  async function seed(ann: string, bob: string): Promise<void> {
    const now = h.clock.now();
    await h.db.sql('UPDATE users SET verified_ms = NULL WHERE id = ?', [ann]);
    const { id: gone } = await h.person('gone');
    await h.db.sql("UPDATE users SET status = 'deleted', verified_ms = NULL WHERE id = ?", [gone]);
    await h.db.sql("UPDATE users SET factor = 1, time_zone = 'Europe/Berlin' WHERE id = ?", [bob]);
    const afk = { session_id: 's', device: 'd', started_ms: now, last_beat_ms: now, counted_ms: 0, minutes: 0 };
    await add('afk_sessions', { ...afk, id: 'a1', user_id: ann, earned: 0, ended_ms: null });
    await add('afk_sessions', { ...afk, id: 'a2', user_id: bob, earned: 0, ended_ms: now });
    const [day, before] = [dayIn(now, 'UTC'), dayIn(now - 24 * 60 * MINUTE, 'UTC')];
    for (const [user, of, credits] of [[ann, day, 300] as const, [bob, day, 100] as const, [bob, before, 480] as const])
      await add('earn_counters', { user_id: user, source: 'afk', day: of, credits });
    await add('earn_counters', { user_id: '*', source: 'afk', day, credits: 400 });
    const server = {
      user_id: ann,
      name: 'hub',
      description: '',
      location_id: '',
      category_id: '',
      egg_id: '',
      memory: 256,
      disk: 256,
      cpu: 5,
      ports: 1,
      databases: 0,
      backups: 0,
      variables: '{}',
      desired: 'running',
      revision: 1,
      synced_revision: 1,
      auto_renew: 0,
      auto_renew_order: 0,
      periods: 0,
      created_ms: now,
      updated_ms: now,
    };
    await add('servers', { ...server, id: 's1', state: 'active', expires_ms: now });
    await add('servers', { ...server, id: 's2', state: 'suspended', suspend_reason: 'expired', expires_ms: now });
    await add('servers', { ...server, id: 's3', state: 'deleted', expires_ms: now });
    const entry = { user_id: ann, priority: 0, attempts: 0, created_ms: now };
    await add('server_queue', { ...entry, id: 'q1', server_id: 's1', state: 'queued' });
    await add('server_queue', { ...entry, id: 'q2', server_id: 's2', state: 'failed' });
    const mail = { address: 'a@mail.example', template: 'verify', locale: 'en', subject: '', text: '', html: '' };
    for (const state of ['queued', 'sent'])
      await add('mails', { ...mail, id: state, state, attempts: 0, message_id: state, created_ms: now, bounced: 0 });
    const code = { note: '', credits: 5, min_age_days: 0, enabled: 1, created_ms: now, updated_ms: now };
    await add('redeem_codes', { ...code, id: 'c1', code: 'ONE', code_key: 'one', uses_total: 2, uses_count: 1 });
    await add('redeem_codes', { ...code, id: 'c2', code: 'TWO', code_key: 'two', uses_total: 2, uses_count: 2 });
    const order = {
      user_id: ann,
      currency: 'EUR',
      amount: 500,
      tax: 0,
      tax_rate: 0,
      credits: 5,
      bonus: 0,
      locale: 'en',
      refunded: 0,
      created_ms: now,
      updated_ms: now,
    };
    await add('payment_orders', { ...order, id: 'o1', provider: 'stripe', state: 'pending' });
    await add('payment_orders', { ...order, id: 'o2', provider: 'manual', state: 'created' });
    await add('payment_orders', { ...order, id: 'o3', provider: 'stripe', state: 'cancelled' });
    const ticket = { user_id: ann, department_id: 'd', subject: 'Help', priority: 'normal', messages: 1 };
    const seen = { answered_seq: 0, read_seq: 0, created_ms: now, since_ms: now, updated_ms: now };
    await add('tickets', { ...ticket, ...seen, id: 't1', number: 1, status: 'answered' });
    await add('tickets', { ...ticket, ...seen, id: 't2', number: 2, status: 'closed', closed_ms: now });
    const referral = {
      referrer_id: ann,
      code: 'x',
      created_ms: now,
      next_check_ms: now,
      newcomer_state: 'open',
      newcomer_credits: 0,
      referrer_state: 'open',
      referrer_credits: 0,
    };
    await add('referrals', { ...referral, newcomer_id: bob, state: 'pending' });
    await add('referrals', { ...referral, newcomer_id: admin.id, state: 'rejected' });
  }

  /** What a review says of one change: whom, how many. */
  async function affected(key: SettingKey, value: string | number | boolean): Promise<readonly unknown[] | null> {
    const { differences } = await admin.api.adminSettings.review({ body: { changes: [{ key, value, revision: 0 }] } });
    const [found] = differences;
    expect(found?.key).toBe(key);
    return found?.affected ? [found.affected.who, found.affected.count, found.affected.more] : null;
  }

  test('a review counts who and what is affected at once, by the value that is wanted', async () => {
    expect(await affected('app_timezone', 'Europe/Bucharest')).toEqual(['usersWithoutZone', 2, false]);
    expect(await affected('force_2fa', 'all')).toEqual(['usersWithoutFactor', 2, false]);
    expect(await affected('force_2fa', 'staff')).toEqual(['usersWithoutFactor', 1, false]);
    expect(await affected('zero_trust_enabled', true)).toEqual(['signedInStaff', 1, false]);
    expect(await affected('afk_enabled', false)).toEqual(['afkSessions', 1, false]);
    expect(await affected('afk_per_minute', 2)).toEqual(['afkSessions', 1, false]);
    expect(await affected('afk_daily_cap', 300)).toEqual(['usersAtCap', 1, false]);
    expect(await affected('afk_daily_cap', 100)).toEqual(['usersAtCap', 2, false]);
    expect(await affected('server_renew_cost', 250)).toEqual(['renewedServers', 2, false]);
    expect(await affected('renew_grace_days', 1)).toEqual(['expiredServers', 1, false]);
    expect(await affected('allow_servers', false)).toEqual(['queueEntries', 1, false]);
    expect(await affected('allow_tickets', false)).toEqual(['openTickets', 1, false]);
    expect(await affected('credits_recharge_enabled', false)).toEqual(['openOrders', 2, false]);
    expect(await affected('referrals_enabled', false)).toEqual(['openReferrals', 1, false]);
    expect(await affected('mail_per_minute', 60)).toEqual(['queuedMails', 1, false]);
    expect(await affected('code_redemption_enabled', false)).toEqual(['usableCodes', 1, false]);
  });

  test('a change that nobody notices now counts nobody: a higher cap, a longer text, limits of new users', async () => {
    expect(await affected('afk_daily_cap', 600)).toBeNull();
    expect(await affected('afk_daily_cap', 0)).toBeNull();
    expect(await affected('app_name', 'Lantern')).toBeNull();
    expect(await affected('default_ram', 2048)).toBeNull();
  });

  test('undoing a change says whom it affects as a change does', async () => {
    const changes = (value: boolean, revision: number) => ({ changes: [{ key: 'afk_enabled', value, revision }] });
    await admin.api.adminSettings.save({ body: { ...changes(false, 0), confirmed: true } });
    await admin.api.adminSettings.save({ body: { ...changes(true, 1), confirmed: true } });
    const { entries } = await admin.api.adminSettings.history({ query: { key: 'afk_enabled' } });
    const undone = await Promise.all(
      entries.map(async ({ id, after }) => [
        after.value,
        (await admin.api.adminSettings.change({ params: { id } })).affected,
      ]),
    );
    expect(Object.fromEntries(undone)).toEqual({
      true: { who: 'afkSessions', count: 1, more: false },
      false: null,
    });
  });

  test('counting stops at its limit, and users who have left do not count', async () => {
    const count = (limit: number) =>
      h.db.uow.read((tx) => tx.settings.countAffected({ who: 'usersWithoutFactor', staffOnly: false }, limit));
    expect([await count(1), await count(10)]).toEqual([1, 2]);
    expect(await h.db.uow.read((tx) => tx.settings.countAffected({ who: 'unconfirmedUsers' }, 10))).toBe(1);
    const orders = (provider: 'stripe' | 'paypal') =>
      h.db.uow.read((tx) => tx.settings.countAffected({ who: 'openOrders', provider }, 10));
    expect([await orders('stripe'), await orders('paypal')]).toEqual([1, 0]);
  });

  test('where nothing can be counted now, a change is reviewed without figures, and other faults are not hidden', async () => {
    const count = (error: Error) => {
      const read = async (): Promise<never> => {
        throw error;
      };
      const { clock } = h;
      const effects = createSettingEffects({
        clock,
        settings: h.host.services.settings,
        long: { read },
        appUrl: () => 'https://panel.example.com',
        countDroppedBackups: () => 0,
      });
      return effects(new Map([['afk_enabled', { before: true, after: false }]]));
    };
    expect((await count(new DomainError('SERVER_UNAVAILABLE'))).size).toBe(0);
    expect(count(new Error('broken'))).rejects.toThrow('broken');
  });
});

test('T66 whom a change affects is counted along an index of every table that grows without bound', async () => {
  const db = await openTestDb();
  const plans = await plansOf(db, async (kysely, raw) => {
    const repo = createSettingsRepo(kysely, raw);
    await repo.countAffected({ who: 'usersAtCap', source: 'afk', day: '2026-11-23', cap: 5 }, 9);
    await repo.countAffected({ who: 'usersWithoutFactor', staffOnly: false }, 9);
    for (const who of [
      'usersWithPasskey',
      'unconfirmedUsers',
      'afkSessions',
      'openReferrals',
      'queuedMails',
      'queueEntries',
    ] as const)
      await repo.countAffected({ who }, 9);
    for (const who of ['renewedServers', 'expiredServers'] as const) await repo.countAffected({ who }, 9);
    await repo.countAffected({ who: 'openOrders', provider: null }, 9);
    await repo.countAffected({ who: 'openOrders', provider: 'stripe' }, 9);
  });
  await db.close();
  expect(plans).toHaveLength(12);
  const walked = plans.filter(({ plan }) => !/(?:SCAN|SEARCH) \w+ USING (?:COVERING )?INDEX /.test(plan));
  expect(walked).toEqual([]);
});

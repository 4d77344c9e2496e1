import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { createEconomyRepo } from '#server/data/repos/economy.ts';
import { toCredits } from '#shared/credits.ts';
import { DAY } from '#shared/time.ts';
import { ENGINES, openTestDb } from '#tests/support/db.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { plansOf } from '#tests/support/plans.ts';

describe.each(ENGINES)('the economy on %s', (engine) => {
  let harness: Harness;
  let staff: Person;
  let one: Person;
  let other: Person;
  beforeEach(async () => {
    harness = await openHarness({ engine });
    staff = await harness.person('radu', { permissions: ['admin.economy.view', 'admin.economy.edit'] });
    [one, other] = [await harness.person('one'), await harness.person('other')];
  }, 300_000);
  afterEach(() => harness.close());

  const move = (kind: string, source: string, destination: string, amount: number) =>
    harness.db.uow.run((tx) =>
      harness.host.services.ledger.transfer(tx, {
        kind,
        reference: `${kind}:${crypto.randomUUID()}`,
        postings: [
          { source: source as 'system:store', destination: destination as 'system:renewal', amount: toCredits(amount) },
        ],
      }),
    );
  /** Credits of two days, 10 and 11 March: earned, spent and given. */
  async function moveOnTwoDays(): Promise<void> {
    await move('reward.afk', 'system:reward.afk', `user:${one.id}`, 100);
    await move('reward.redeem', 'system:reward.redeem', `user:${other.id}`, 50);
    harness.clock.advance(DAY);
    await move('reward.afk', 'system:reward.afk', `user:${one.id}`, 30);
    await move('store.buy', `user:${one.id}`, 'system:store', 40);
    await move('gift', `user:${one.id}`, `user:${other.id}`, 20);
  }
  /** A reward on 12 March of Auckland, where noon of 11 March in UTC is past midnight already; the zone stays. */
  async function moveInAuckland(): Promise<void> {
    await harness.set({ app_timezone: 'Pacific/Auckland' });
    await move('reward.link', 'system:reward.link', `user:${one.id}`, 9);
  }
  /** Credits of the two days, one reward of the third, by another zone; it is noon of 12 March after it, in UTC. */
  async function moveOnThreeDays(): Promise<void> {
    await moveOnTwoDays();
    await moveInAuckland();
    await harness.set({ app_timezone: 'UTC' });
    harness.clock.advance(DAY);
  }
  /** Fifty rewards at once, then a reversal, a captured hold and a charge-back. */
  async function moveInEveryWay(): Promise<void> {
    const { ledger } = harness.host.services;
    await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        move('reward.afk', 'system:reward.afk', `user:${index % 2 ? one.id : other.id}`, 1 + index),
      ),
    );
    await harness.db.uow.run(async (tx) => {
      const { id } = await ledger.transfer(tx, {
        kind: 'store.buy',
        reference: 'sum:1',
        postings: [{ source: `user:${one.id}`, destination: 'system:store', amount: toCredits(10) }],
      });
      await ledger.reverse(tx, id, { reason: 'x' });
      const { holdId } = await ledger.hold(tx, { userId: one.id, amount: 20, reference: 'sum:2', kind: 'images' });
      await ledger.capture(tx, holdId, { destination: 'system:images', kind: 'images', reference: 'sum:3' });
      await ledger.chargeBack(tx, {
        userId: other.id,
        amount: 5000,
        destination: 'system:payment.stripe',
        kind: 'payment.refund',
        reference: 'sum:4',
      });
    });
  }
  const view = (days = 7) => staff.api.adminEconomy.get({ query: { days: String(days) } });

  test('an empty installation has no figures, and says so', async () => {
    const { days, flows, circulation, velocity, forecast, reserved, held, earners } = await view();
    expect(days).toHaveLength(7);
    expect({ flows, velocity, forecast, reserved, held, earners }).toEqual({
      flows: [],
      velocity: null,
      forecast: null,
      reserved: { count: 0, credits: 0 },
      held: { count: 0, credits: 0 },
      earners: [],
    });
    expect(circulation).toEqual([0, 0, 0, 0, 0, 0, 0]);
  });

  test('the figures show minted and burnt by account and day, circulation, velocity and forecast', async () => {
    await moveOnTwoDays();
    const { days, flows, circulation, velocity, forecast } = await view();
    const last = days.length - 1;
    const of = (account: string) => flows.find((flow) => flow.account === account);
    expect(of('reward.afk')?.minted.slice(-2)).toEqual([100, 30]);
    expect(of('reward.redeem')?.minted.slice(-2)).toEqual([50, 0]);
    expect(of('store')?.burnt.slice(-2)).toEqual([0, 40]);
    expect(flows.map(({ account }) => account)).not.toContain('users');
    expect(circulation.slice(-3)).toEqual([0, 150, 140]);
    // 40 spent and 20 handed on, of 290 / 7 on average.
    expect(velocity).toBeCloseTo(60 / (290 / 7));
    expect(forecast).toEqual({ per_day: 150, later: 140 + 30 * 150, basis: 1 });
    expect(days[last]).toBe('2026-03-11');
  });

  test('a day is a day of the installation’s time zone', async () => {
    await moveOnTwoDays();
    await moveInAuckland();
    const { days, flows } = await view();
    expect(days.at(-1)).toBe('2026-03-12');
    expect(flows.find(({ account }) => account === 'reward.link')?.minted.at(-1)).toBe(9);
    await harness.set({ app_timezone: 'UTC' });
    expect(
      await harness.db.sql(
        "SELECT day, CAST(SUM(minted) AS BIGINT) AS minted FROM ledger_days WHERE account = 'system:reward.link' GROUP BY day",
      ),
    ).toEqual([{ day: '2026-03-12', minted: 9 }]);
  });

  test('the sums of the days are what the postings make, also after reversals, holds and charge-backs, fifty at once', async () => {
    const { ledger } = harness.host.services;
    await moveOnThreeDays();
    await moveInEveryWay();
    const sums = await harness.db.sql<{ account: string; minted: number; burnt: number }>(
      "SELECT account, CAST(SUM(minted) AS BIGINT) AS minted, CAST(SUM(burnt) AS BIGINT) AS burnt FROM ledger_days WHERE account <> 'users' GROUP BY account",
    );
    const made = sums.reduce((all, { minted, burnt }) => all + minted - burnt, 0);
    expect((await view()).circulation.at(-1)).toBe(made);
    expect((await harness.balance(one.id)) + (await harness.balance(other.id))).toBe(made);
    expect(await harness.db.uow.read((tx) => ledger.verify(tx))).toEqual([]);
  });

  test('days from before the table was are filled by the migration, by the zone that is set', async () => {
    const { economy } = await import('#server/data/migrations/0015_economy.ts');
    await moveOnThreeDays();
    await moveInEveryWay();
    const sums = ['minted', 'burnt', 'moved', 'other', 'moves'].map(
      (name) => `CAST(SUM(${name}) AS BIGINT) AS ${name}`,
    );
    const days = `SELECT day, account, kind, ${sums.join(', ')} FROM ledger_days GROUP BY day, account, kind ORDER BY day, account, kind`;
    const before = await harness.db.sql(days);
    expect(before.length).toBeGreaterThan(8);
    const again = await openTestDb(engine);
    const rows = async <T>(table: string) => harness.db.sql<T>(`SELECT * FROM ${table}`);
    for (const row of await rows<Record<string, string | number | null>>('ledger_transactions'))
      await insert(again, 'ledger_transactions', row);
    for (const row of await rows<Record<string, string | number | null>>('ledger_postings'))
      await insert(again, 'ledger_postings', row);
    for (const sql of [
      'DROP TABLE ledger_days',
      'DROP TABLE ledger_balances',
      'CREATE TABLE ledger_balances (account TEXT PRIMARY KEY, balance INTEGER)',
      'DROP INDEX leaderboard_scores_hidden',
      'DROP INDEX store_items_position',
      'DROP INDEX store_items_name',
      'ALTER TABLE store_items DROP COLUMN name',
    ])
      await again.sql(sql);
    await again.database.write(({ raw }) => economy.up({ raw, dialect: engine, nowMs: 0 }));
    // One of them was booked under another zone than is set now.
    const utc = before.map((row) =>
      Reflect.get(row, 'day') === '2026-03-12' && Reflect.get(row, 'kind') === 'reward.link'
        ? { ...row, day: '2026-03-11' }
        : row,
    );
    expect(await again.sql(days)).toEqual(utc.toSorted(byKey));
    await again.close();
  });

  test('T29 the export has every sum by day, account and kind', async () => {
    await moveOnThreeDays();
    const response = await harness.http('/api/admin/economy/export.csv?days=30', {
      headers: { Cookie: `__Host-spawnpoint=${staff.secret}` },
    });
    const [head, ...lines] = (await response.text()).replace('\uFEFF', '').trimEnd().split('\r\n');
    expect(head).toBe('day,account,kind,minted,burnt,between_users,movements');
    expect(lines).toContain('2026-03-11,store,store.buy,0,40,0,1');
    expect(lines).toContain('2026-03-11,users,gift,0,0,20,1');
    expect(response.headers.get('content-disposition')).toContain('economy-2026-03-12.csv');
  });

  test('each source has its kill switch: it works at once, stands in the audit log, and needs its own permission', async () => {
    const viewer = await harness.person('viewer', { permissions: ['admin.economy.view'] });
    const on = {
      afk: 'afk_enabled',
      redeem: 'code_redemption_enabled',
      j4r: 'j4r_enabled',
      referral: 'referrals_enabled',
      link: 'links_enabled',
    } as const;
    for (const source of ['afk', 'redeem', 'j4r', 'referral', 'link'] as const) {
      await expect(viewer.api.adminEconomy.setEnabled({ body: { source, enabled: false } })).rejects.toMatchObject({
        code: 'FORBIDDEN',
      });
      await staff.api.adminEconomy.setEnabled({ body: { source, enabled: false } });
      expect(harness.host.services.settings.current()[on[source]]).toBe(false);
      expect((await view()).sources.find((each) => each.source === source)?.enabled).toBe(false);
      await staff.api.adminEconomy.setEnabled({ body: { source, enabled: true } });
      const trail = await harness.db.sql(
        'SELECT actor_id, before, after FROM audit WHERE action = ? AND target = ? ORDER BY id',
        ['settings.set', on[source]],
      );
      expect(trail).toEqual([
        { actor_id: staff.id, before: 'true', after: 'false' },
        { actor_id: staff.id, before: 'false', after: 'true' },
      ]);
    }
    await staff.api.adminEconomy.setEnabled({ body: { source: 'redeem', enabled: false } });
    await expect(one.api.redeem.redeem({ body: { code: 'ANY-CODE-1' } })).rejects.toMatchObject({
      code: 'FEATURE_DISABLED',
    });
    await staff.api.adminEconomy.setEnabled({ body: { source: 'redeem', enabled: true } });
  });

  test('the page shows budgets and what is used of them, reservations, and who earned most this month', async () => {
    await moveOnThreeDays();
    await harness.set({ afk_daily_budget: 500 });
    await harness.db.sql(
      "INSERT INTO earn_counters (user_id, source, day, credits) VALUES ('*', 'afk', '2026-03-12', 120)",
    );
    await harness.db.uow.run((tx) =>
      harness.host.services.ledger.hold(tx, { userId: one.id, amount: 15, reference: 'open:1', kind: 'images' }),
    );
    await harness.db.sql('DELETE FROM leaderboard_scores');
    await harness.db.sql(
      "INSERT INTO leaderboard_scores (board, user_id, score, listed, linked) VALUES ('month:2026-03', ?, 70, 1, 1), ('month:2026-03', ?, 90, 0, 1), ('credits', ?, 999, 1, 1)",
      [one.id, other.id, one.id],
    );
    const { sources, reserved, earners } = await view();
    expect(sources.find(({ source }) => source === 'afk')).toEqual({
      source: 'afk',
      enabled: true,
      used: 120,
      budget: 500,
    });
    expect(reserved).toEqual({ count: 1, credits: 15 });
    expect(earners).toEqual([
      { id: other.id, username: 'other', credits: 90 },
      { id: one.id, username: 'one', credits: 70 },
    ]);
  });

  test('T52 a span of days is bounded', async () => {
    for (const days of ['0', '367', '-1', '1e2', 'x', '999999999']) {
      const response = await harness.http(`/api/admin/economy?days=${days}`, {
        headers: { Cookie: `__Host-spawnpoint=${staff.secret}` },
      });
      expect({ days, status: response.status }).toEqual({ days, status: 422 });
    }
  });
});

type Row = Record<string, string | number | null>;
async function insert(db: Awaited<ReturnType<typeof openTestDb>>, table: string, row: Row): Promise<void> {
  const names = Object.keys(row);
  await db.sql(
    `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
    Object.values(row),
  );
}
const keyOf = (row: object): string =>
  ['day', 'account', 'kind'].map((name) => String(Reflect.get(row, name))).join('\u0000');
function byKey(a: object, b: object): number {
  return keyOf(a) < keyOf(b) ? -1 : 1;
}

test('the page reads no postings and no transactions, and nothing as a whole but the system accounts', async () => {
  const db = await openTestDb();
  const plans = await plansOf(db, async (kysely) => {
    const repo = createEconomyRepo(kysely);
    await repo.days('2026-03-01');
    await repo.lines('2026-03-01', 100);
    await repo.circulation();
    await repo.held();
    await repo.earners('2026-03', 10);
  });
  await db.close();
  expect(plans).toHaveLength(6);
  for (const { sql, plan } of plans) {
    expect({ sql, plan, postings: /ledger_postings|ledger_transactions/.test(sql + plan) }).toMatchObject({
      postings: false,
    });
    // Every step finds its rows by an index; open holds are an index of their own.
    const scans = plan
      .split('\n')
      .filter(
        (step) => step.startsWith('SCAN') && !/ledger_holds USING INDEX ledger_holds_open|SCAN outside/.test(step),
      );
    expect({ sql, scans }).toEqual({ sql, scans: [] });
  }
});

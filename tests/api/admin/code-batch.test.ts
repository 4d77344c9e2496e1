import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { normaliseCode } from '#shared/redeem-code.ts';
import { BATCH_MAX } from '#shared/schemas/code-batch.ts';
import { MINUTE } from '#shared/time.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { NO_NUMBERS } from '../crud-support.ts';

const FACTS = {
  note: 'Spring fair',
  credits: 50,
  uses_total: 1,
  min_age_days: 0,
  starts_at: null,
  ends_at: null,
} as const;

describe.each(ENGINES)('many codes at once on %s', (engine) => {
  let harness: Harness;
  let staff: Person;
  beforeAll(async () => {
    harness = await openHarness({ engine });
    staff = await harness.person('ilse', { permissions: ['admin.redeem.codes.create', 'admin.redeem.codes.list'] });
  }, 300_000);
  afterAll(() => harness.close());
  const count = async () => (await harness.db.sql<{ n: number }>('SELECT COUNT(*) AS n FROM redeem_codes'))[0]?.n;
  const make = (body: object, key?: string) =>
    staff.api.adminCodeBatch.create(
      { body: { ...FACTS, count: 5, pattern: 'FAIR-####-####', ...body } },
      key ? { key } : {},
    );

  test('all codes have the pattern, none is like another, and each can be redeemed once', async () => {
    const before = await count();
    const { codes } = await make({ count: 200, note: 'Spring fair of codes' });
    expect(new Set(codes.map(normaliseCode)).size).toBe(200);
    // No sign that is mistaken for another (Crockford's base 32).
    for (const code of codes) expect(code).toMatch(/^FAIR-[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/);
    // Every sign occurs: none of the places is fixed.
    for (let place = 5; place < 14; place += 1)
      if (place !== 9) expect(new Set(codes.map((code) => code[place])).size).toBeGreaterThan(15);
    expect(await count()).toBe(Number(before) + 200);
    const player = await harness.person('finder');
    const [first = ''] = codes;
    expect((await player.api.redeem.redeem({ body: { code: first.toLowerCase() } })).credits).toBe(50);
    await expect(player.api.redeem.redeem({ body: { code: first } })).rejects.toMatchObject({
      code: expect.stringMatching(/^CODE_(ALREADY_USED|EXHAUSTED)$/),
    });
    const { rows } = await staff.api.adminRedeemCodes.list({
      query: { q: 'Spring fair of codes', per_page: '100', status: 'active' },
    });
    expect(rows).toHaveLength(100);
    expect(rows[0]).toMatchObject({
      note: 'Spring fair of codes',
      credits: 50,
      uses_total: 1,
      enabled: true,
      created_by: 'ilse',
    });
  });

  test('the audit log names how many and the pattern, not the codes', async () => {
    await make({ count: 7, pattern: 'LOGS-####-####' });
    const entries = await harness.db.sql<{ actor_id: string; after: string }>(
      "SELECT actor_id, after FROM audit WHERE action = 'redeemCodes.batch' AND after LIKE '%LOGS-%'",
    );
    expect(entries.map(({ actor_id: actor, after }) => [actor, JSON.parse(after) as unknown])).toEqual([
      [staff.id, { name: 'LOGS-####-####', count: 7, ...FACTS }],
    ]);
  });

  test('T2 the same command sent twenty times at once with one key makes them once, and gives the same codes', async () => {
    const before = await count();
    const answers = await Promise.all(Array.from({ length: 20 }, () => make({ count: 10 }, 'batch-once')));
    expect(new Set(answers.map(({ codes }) => codes.join())).size).toBe(1);
    expect(await count()).toBe(Number(before) + 10);
    await expect(make({ count: 11 }, 'batch-once')).rejects.toMatchObject({ code: 'IDEMPOTENCY_MISMATCH' });
    harness.clock.advance(MINUTE);
  });

  test('T10 a code that exists already refuses all of them: codes are made all or not at all', async () => {
    const { ids } = harness.host.services;
    const { token } = ids;
    // Chance that always says the same: the second batch meets the first.
    let turn = 0;
    Object.assign(ids, { token: () => String.fromCharCode(65 + ((turn += 1) % 3)).repeat(43) });
    const before = await count();
    await make({ count: 3, pattern: 'SAME-########' });
    const again = make({ count: 3, pattern: 'SAME-########' });
    await expect(again).rejects.toMatchObject({ code: 'VALIDATION_FAILED', fields: { pattern: ['CODE_TAKEN'] } });
    // And a pattern that cannot give as many is refused instead of going on for ever.
    await expect(make({ count: 10, pattern: 'NONE-########' })).rejects.toMatchObject({
      fields: { pattern: ['TOO_SHORT'] },
    });
    Object.assign(ids, { token });
    expect(await count()).toBe(Number(before) + 3);
  });

  test('T4 T52 bounds hold for how many, what the pattern may be, amounts and dates', async () => {
    const codesOf = async (body: object) => {
      harness.clock.advance(MINUTE);
      const response = await harness.http('/api/admin/redeem-codes/batch', {
        method: 'POST',
        body: JSON.stringify({ ...FACTS, count: 5, pattern: 'FAIR-####-####', ...body }),
        headers: {
          Cookie: `__Host-spawnpoint=${staff.secret}`,
          Origin: 'http://127.0.0.1',
          'Content-Type': 'application/json',
        },
      });
      const { fields } = (await response.json()) as { fields?: Record<string, string[]> };
      return { status: response.status, fields: Object.keys(fields ?? {}) };
    };
    for (const value of [...NO_NUMBERS, 0, BATCH_MAX + 1])
      expect({ value, ...(await codesOf({ count: value })) }).toEqual({ value, status: 422, fields: ['count'] });
    for (const value of [
      '',
      'NO-RANDOM-1',
      'FEW-#######',
      '-########',
      '########-',
      'A--########',
      'ÄÖ-########',
      '#'.repeat(41),
      '=########',
      5,
      null,
    ]) {
      expect({ value, ...(await codesOf({ pattern: value })) }).toEqual({ value, status: 422, fields: ['pattern'] });
    }
    for (const value of [0, -5, 1_000_001, 1.5, '5'])
      expect({ value, ...(await codesOf({ credits: value })) }).toEqual({ value, status: 422, fields: ['credits'] });
    expect(await codesOf({ starts_at: '2026-05-02T00:00:00Z', ends_at: '2026-05-01T00:00:00Z' })).toEqual({
      status: 422,
      fields: ['ends_at'],
    });
    expect(await codesOf({ enabled: false })).toEqual({ status: 422, fields: ['enabled'] });
  });
});

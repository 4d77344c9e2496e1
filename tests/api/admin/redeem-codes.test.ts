import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ApiError } from '#shared/contract/client.ts';
import { redeemCodes } from '#shared/resources/redeem-codes.ts';
import { CODE_STATES } from '#shared/schemas/redeem-code.ts';
import { DAY, iso } from '#shared/time.ts';
import { ENGINES, type TestDb } from '#tests/support/db.ts';
import { crudSuite } from '../crud-suite.ts';
import { openWorld, type World } from './world.ts';

const body = {
  code: '',
  note: '',
  credits: 50,
  uses_total: 10,
  min_age_days: 0,
  starts_at: null,
  ends_at: null,
  enabled: true,
} as const;

function addUse(db: TestDb, codeId: string, userId: string, n = 1) {
  return db.sql(
    "INSERT INTO redeem_uses (id, code_id, user_id, code, credits, tx_id, at_ms) VALUES (?, ?, ?, 'SPRING', 50, ?, 0) RETURNING id",
    [`use-${codeId}-${n}`, codeId, userId, `tx-${n}`],
  );
}

describe.each(ENGINES)('redeem codes (%s)', (engine) => {
  crudSuite(
    redeemCodes,
    {
      input: (n) => ({
        code: `CODE-${String(n).padStart(3, '0')}`,
        note: `No. ${n}`,
        credits: 10 + n,
        uses_total: 5 + n,
        min_age_days: n % 4,
        starts_at: n % 3 === 0 ? '2026-02-01T00:00:00.000Z' : null,
        ends_at: n % 2 === 0 ? `2026-04-${String(1 + (n % 28)).padStart(2, '0')}T12:00:00.000Z` : null,
        enabled: n % 4 !== 0,
      }),
      change: { credits: 77, note: 'Changed', ends_at: '2027-01-01T00:00:00.000Z', enabled: false },
      bad: [
        [{ code: 'abc' }, 'code', 'TOO_SHORT'],
        [{ code: 'A--B--CDE' }, 'code', 'INVALID_CODE'],
        [{ code: 'ÄBCDE' }, 'code', 'INVALID_CODE'],
        [{ code: 'A'.repeat(41) }, 'code', 'TOO_LONG'],
        [{ credits: 0 }, 'credits', 'TOO_SMALL'],
        [{ credits: 1_000_001 }, 'credits', 'TOO_LARGE'],
        [{ uses_total: 0 }, 'uses_total', 'TOO_SMALL'],
        [{ starts_at: 'tomorrow' }, 'starts_at', 'INVALID_DATE'],
        [{ starts_at: '2026-02-31' }, 'starts_at', 'INVALID_DATE'],
        [{ ends_at: '2026-06-01T00:00' }, 'ends_at', 'INVALID_DATE'],
        [{ ends_at: '+099999-01-01T00:00:00Z' }, 'ends_at', 'INVALID_DATE'],
        [{ starts_at: '2026-05-01T00:00:00Z', ends_at: '2026-05-01T00:00:00Z' }, 'ends_at', 'END_BEFORE_START'],
      ],
      unique: { field: 'code', code: 'CODE_TAKEN' },
      depend: { uses: (world, id) => addUse(world.db, id, 'u') },
      text: 'note',
    },
    engine,
  );
});

describe('redeem codes', () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld();
    await world.user('mirela');
  });
  afterAll(() => world.close());
  const api = () => world.as('admin.root').adminRedeemCodes;
  const row = async (id: string) => (await api().get({ params: { id } })).row;

  test('a code is made where none was typed, different each time and easy to read', async () => {
    const { randomBytes } = await import('node:crypto');
    const own = await openWorld('sqlite', {
      ids: { ...world.ids, token: () => randomBytes(32).toString('base64url') },
    });
    await own.user('mirela');
    const codes = new Set<string>();
    for (let n = 0; n < 50; n++) {
      const { id } = await own.as('admin.root').adminRedeemCodes.create({ body });
      codes.add((await own.as('admin.root').adminRedeemCodes.get({ params: { id } })).row.code);
    }
    await own.close();
    expect(codes.size).toBe(50);
    for (const code of codes) expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(?:-[0-9A-HJKMNP-TV-Z]{4}){2}$/);
  });

  test('the row says who made it, and codes are kept in capitals', async () => {
    const { id } = await api().create({ body: { ...body, code: ' spring 26 ' } });
    expect(await row(id)).toMatchObject({ code: 'SPRING 26', created_by: 'mirela', uses_count: 0, status: 'active' });
  });

  test('two codes that are the same to the redeemer cannot both exist', async () => {
    await api().create({ body: { ...body, code: 'Summer 26' } });
    for (const code of ['SUMMER26', 'summer-26', 'S-U-M-M-E-R 26']) {
      const refused = await api()
        .create({ body: { ...body, code } })
        .catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(ApiError);
      expect((refused as ApiError).fields).toEqual({ code: ['CODE_TAKEN'] });
    }
  });

  test('an edit with the code left empty keeps the code', async () => {
    const { id } = await api().create({ body: { ...body, code: 'KEEP-ME' } });
    const { updated_at } = await row(id);
    await api().update({ params: { id }, body: { ...body, note: 'new', updated_at } });
    expect(await row(id)).toMatchObject({ code: 'KEEP-ME', note: 'new' });
  });

  test('the state follows switch, uses and window, and can be filtered by', async () => {
    const now = world.clock.now();
    const make = async (code: string, change: object) =>
      (await api().create({ body: { ...body, ...change, code } })).id;
    const ids: Record<(typeof CODE_STATES)[number], string> = {
      active: await make('STATE-ACTIVE', { starts_at: iso(now - DAY), ends_at: iso(now + DAY) }),
      scheduled: await make('STATE-SCHEDULED', { starts_at: iso(now + DAY) }),
      expired: await make('STATE-EXPIRED', { ends_at: iso(now) }),
      used: await make('STATE-USED', { uses_total: 1 }),
      off: await make('STATE-OFF', { enabled: false }),
    };
    await world.db.sql('UPDATE redeem_codes SET uses_count = 1 WHERE id = ? RETURNING id', [ids.used]);
    for (const state of CODE_STATES) {
      expect((await row(ids[state])).status).toBe(state);
      const { rows } = await api().list({ query: { status: state, q: 'state-' } });
      expect(rows.map((each) => each.id)).toEqual([ids[state]]);
    }
    world.clock.advance(2 * DAY);
    expect((await row(ids.scheduled)).status).toBe('active');
    expect((await row(ids.active)).status).toBe('expired');
  });

  test('T2 a deleted code leaves what was redeemed with it, and the same code made again is another one', async () => {
    const { id } = await api().create({ body: { ...body, code: 'ONCE-ONLY' } });
    const user = await world.user('luca');
    await addUse(world.db, id, user);
    expect((await api().dependants({ params: { id } })).dependants).toEqual([{ kind: 'uses', count: 1 }]);
    await api().remove({ params: { id }, body: { name: 'ONCE-ONLY' } });
    expect(await world.db.sql('SELECT code, credits FROM redeem_uses WHERE user_id = ?', [user])).toEqual([
      { code: 'SPRING', credits: 50 },
    ]);
    const again = await api().create({ body: { ...body, code: 'ONCE-ONLY' } });
    expect(again.id).not.toBe(id);
  });
});

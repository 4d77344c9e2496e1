import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createUndo } from '#server/modules/imports/index.ts';
import type { UnitOfWork } from '#server/modules/tx.ts';
import { codeOf } from '#tests/support/coins.ts';
import { toCredits } from '#shared/credits.ts';
import { ENGINES } from '#tests/support/db.ts';
import { dyingAt } from '#tests/support/dying.ts';
import { roomyFolder } from '#tests/support/folder.ts';
import { openHarness, type Harness } from '#tests/support/harness.ts';
import { importerOf, importOptions, writeCtrlPanelDump } from '#tests/support/imports/runs.ts';

let h: Harness;
let folder: string;
const open = async (engine: (typeof ENGINES)[number]) => {
  h = await openHarness({ engine });
  folder = mkdtempSync(join(roomyFolder(), 'spawnpoint-undo-'));
};
const close = async () => {
  await h.close();
  rmSync(folder, { recursive: true });
};

type User = readonly [id: number, name: string, email: string, credits: number];
/** Checks a dump of CtrlPanel with these users, whose addresses are proven, and so many codes. Out: the id of the run. */
async function check(users: readonly User[], instance = 'main', codes = 2): Promise<string> {
  const path = writeCtrlPanelDump(
    folder,
    users.map(([id, name, email, credits]) => [id, name, email, credits * 1000, true]),
    Array.from({ length: codes }, (_, at) => `INSERT INTO \`vouchers\` VALUES (${at + 1},'CODE-${at + 1}',5000,2);`),
  );
  const { id } = await importerOf(h).check(
    importOptions('ctrlpanel', { path }, { instance, email: 'merge' }),
    null,
    null,
  );
  return id;
}
async function bring(users: readonly User[], instance?: string, codes?: number): Promise<string> {
  const id = await check(users, instance, codes);
  await importerOf(h).apply(id, null);
  return id;
}
const undo = (id: string, uow: UnitOfWork = h.host.services.uow) =>
  createUndo({ ...h.host.services, uow, traceOf: (text) => text }).undo(null, id);
/** Who has an account. Of those who ever had credits an erased row stays with the movements. */
const names = async () =>
  (await h.db.sql<{ username: string }>("SELECT username FROM users WHERE status <> 'deleted' ORDER BY username")).map(
    (row) => row.username,
  );
const idOf = async (username: string) =>
  (await h.db.sql<{ id: string }>('SELECT id FROM users WHERE username = ?', [username]))[0]?.id ?? '';
/** What the imports have brought and not taken back. */
const broughtNow = async () =>
  (
    await h.db.sql<{ n: number }>(
      "SELECT CAST(-SUM(balance) AS BIGINT) AS n FROM ledger_balances WHERE account = 'system:import' HAVING COUNT(*) > 0",
    )
  )[0]?.n;
const kindsOf = async () =>
  (await h.db.sql<{ kind: string; n: number }>('SELECT kind, COUNT(*) AS n FROM ledger_postings GROUP BY kind')).map(
    ({ kind, n }) => [kind, Number(n)],
  );
const stateOf = async (id: string) =>
  (await h.db.sql<{ state: string }>('SELECT state FROM import_runs WHERE id = ?', [id]))[0]?.state;

describe.each(ENGINES)('taking an import back on %s', (engine) => {
  beforeEach(() => open(engine));
  afterEach(async () => {
    expect(h.errors).toEqual([]);
    await close();
  });

  test('users who were here before stay, and exactly the credits that came to them are reversed', async () => {
    const ann = await h.person('ann', { credits: 5 });
    const id = await bring([
      [1, 'annie', 'ann@example.com', 10],
      [2, 'bob', 'bob@old.example', 0],
      [3, 'cat', 'cat@old.example', 7],
    ]);
    expect([await h.balance(ann.id), await broughtNow(), await names()]).toEqual([15, 17, ['ann', 'bob', 'cat']]);
    const cat = await idOf('cat');
    await undo(id);
    expect([await h.balance(ann.id), await broughtNow(), await names()]).toEqual([5, 0, ['ann']]);
    expect(await h.db.sql("SELECT id, email, password_hash FROM users WHERE status = 'deleted'")).toEqual([
      { id: cat, email: expect.stringMatching(/^deleted-[0-9a-f]{20}@deleted\.invalid$/) as string, password_hash: '' },
    ]);
    expect(await h.db.sql('SELECT * FROM imported_rows')).toEqual([]);
    expect(await h.db.sql('SELECT * FROM redeem_codes')).toEqual([]);
    expect(await stateOf(id)).toBe('undone');
    expect(await h.db.sql("SELECT target FROM audit WHERE action = 'imports.undo'")).toEqual([{ target: id }]);
  });

  /** Spends credits of somebody who was here before. Out: what it was refused with, or null. */
  const spend = (userId: string, credits: number, reference: string) => {
    const { uow, ledger } = h.host.services;
    const postings = [
      { source: `user:${userId}`, destination: 'system:adjustment', amount: toCredits(credits) },
    ] as const;
    return codeOf(uow.run((tx) => ledger.transfer(tx, { kind: 'adjustment', reference, postings })));
  };

  test('T53 credits that were spent meanwhile are not reversed: the undo is refused, and the account stays', async () => {
    const ann = await h.person('ann');
    const id = await bring([[1, 'annie', 'ann@example.com', 10]]);
    expect(await spend(ann.id, 6, 'adjustment:once')).toBe(null);
    expect(await codeOf(undo(id))).toBe('INSUFFICIENT_CREDITS');
    expect([await h.balance(ann.id), await broughtNow(), await stateOf(id)]).toEqual([4, 10, 'done']);
  });

  test('a user who logs in during an undo keeps account and credits', async () => {
    const id = await bring([[1, 'bob', 'bob@old.example', 7]]);
    const { uow } = h.host.services;
    const meanwhile: UnitOfWork = {
      read: (work) => uow.read(work),
      // The first command comes after everybody was looked at.
      async run(work) {
        await h.db.sql("UPDATE users SET seen_ms = 5 WHERE username = 'bob'");
        return uow.run(work);
      },
    };
    await undo(id, meanwhile);
    expect([await names(), await h.balance(await idOf('bob')), await broughtNow()]).toEqual([['bob'], 7, 7]);
    expect(await h.db.sql('SELECT state, fault FROM import_runs')).toEqual([{ state: 'undone', fault: 'some_stayed' }]);
  });

  test('a user who has exactly what came to them gives all of it back', async () => {
    const ann = await h.person('ann');
    const id = await bring([[1, 'annie', 'ann@example.com', 10]]);
    await undo(id);
    expect([await h.balance(ann.id), await broughtNow(), await names(), await stateOf(id)]).toEqual([
      0,
      0,
      ['ann'],
      'undone',
    ]);
  });

  test('T53 a user who was here before and spends during an undo keeps what came, and the others do not', async () => {
    const ann = await h.person('ann', { credits: 5 });
    const id = await bring([
      [1, 'annie', 'ann@example.com', 10],
      [2, 'bob', 'bob@old.example', 7],
    ]);
    const { uow } = h.host.services;
    let commands = 0;
    const meanwhile: UnitOfWork = {
      read: (work) => uow.read(work),
      async run(work) {
        commands += 1;
        if (commands === 1) expect(await spend(ann.id, 6, 'adjustment:once')).toBe(null);
        return uow.run(work);
      },
    };
    await undo(id, meanwhile);
    expect([await h.balance(ann.id), await broughtNow(), await names()]).toEqual([9, 10, ['ann']]);
    expect(await h.db.sql('SELECT state, fault FROM import_runs')).toEqual([{ state: 'undone', fault: 'some_stayed' }]);
    expect(await uow.read((tx) => tx.ledger.verify())).toEqual([]);
  });

  test('T53 an undo waits for who is spending at that moment, and what came to them stays', async () => {
    const ann = await h.person('ann');
    const id = await bring([[1, 'annie', 'ann@example.com', 10]]);
    const { uow, ledger } = h.host.services;
    const begun = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    const postings = [{ source: `user:${ann.id}`, destination: 'system:adjustment', amount: toCredits(6) }] as const;
    const spent = uow.run(async (tx) => {
      await ledger.transfer(tx, { kind: 'adjustment', reference: 'adjustment:slow', postings });
      begun.resolve();
      await end.promise;
    });
    await begun.promise;
    const undone = undo(id);
    // Long enough for it to come to the account.
    await Bun.sleep(300);
    end.resolve();
    await Promise.all([spent, undone]);
    expect([await h.balance(ann.id), await broughtNow()]).toEqual([4, 10]);
    expect(await h.db.sql('SELECT state, fault FROM import_runs')).toEqual([{ state: 'undone', fault: 'some_stayed' }]);
    expect(await uow.read((tx) => tx.ledger.verify())).toEqual([]);
  });

  test('open pages of a user whose credits are reversed are refreshed', async () => {
    const ann = await h.person('ann');
    const id = await bring([[1, 'annie', 'ann@example.com', 0]]);
    const { uow } = h.host.services;
    const touched: string[] = [];
    const watched: UnitOfWork = {
      read: (work) => uow.read(work),
      run: (work) =>
        uow.run((tx) =>
          work(
            new Proxy(tx, {
              get: (target, key) =>
                key === 'touch' ? (...topics: string[]) => touched.push(...topics) : Reflect.get(target, key, target),
            }),
          ),
        ),
    };
    await undo(id, watched);
    expect(touched).toEqual([`account:${ann.id}`, `user:${ann.id}`]);
  });

  test('T53 an undo that broke off says so, and goes on although somebody has logged in since', async () => {
    const people = Array.from({ length: 21 }, (_, at) => [at + 1, `p${at + 1}`, `p${at + 1}@old.example`, 1] as const);
    const id = await bring(people);
    // The mark, and the first twenty users.
    await undo(id, dyingAt(h.db.uow, 2, true)).catch(() => undefined);
    const runs = () => h.db.sql('SELECT state, fault FROM import_runs');
    const [left = '', ...others] = await names();
    expect([await runs(), others]).toEqual([[{ state: 'done', fault: 'undo_stopped' }], []]);
    await h.db.sql('UPDATE users SET seen_ms = 5 WHERE username = ?', [left]);
    await undo(id);
    expect([await names(), await broughtNow(), await runs()]).toEqual([
      [left],
      1,
      [{ state: 'undone', fault: 'some_stayed' }],
    ]);
  });

  test('T53 credits that fifteen spend at once beside an undo are reversed whole or stay whole, and the ledger adds up', async () => {
    const ann = await h.person('ann', { credits: 5 });
    const id = await bring([[1, 'annie', 'ann@example.com', 10]]);
    const [outcome, ...spent] = await Promise.all([
      codeOf(undo(id)),
      ...Array.from({ length: 15 }, (_, at) => spend(ann.id, 1, `adjustment:${at}`)),
    ]);
    const paid = spent.filter((code) => code === null).length;
    expect(spent.every((code) => code === null || code === 'INSUFFICIENT_CREDITS')).toBe(true);
    const brought = await broughtNow();
    expect(await h.balance(ann.id)).toBe(5 + (brought ?? 0) - paid);
    expect([0, 10]).toContain(brought ?? -1);
    if (outcome !== null) expect([outcome, brought]).toEqual(['INSUFFICIENT_CREDITS', 10]);
    expect(await h.host.services.uow.read((tx) => tx.ledger.verify())).toEqual([]);
  });

  test('a run that was only checked, and one that does not exist, cannot be undone', async () => {
    expect(await codeOf(undo(await check([[1, 'bob', 'bob@old.example', 3]])))).toBe('NOT_FOUND');
    expect(await codeOf(undo('0192e4a0-0000-7000-8000-000000000000'))).toBe('NOT_FOUND');
    expect(await h.db.sql("SELECT target FROM audit WHERE action = 'imports.undo'")).toEqual([]);
  });

  test('codes that were redeemed meanwhile stay, however many they are, and the others go', async () => {
    const ann = await h.person('ann');
    const id = await bring([], 'main', 203);
    await h.db.sql(
      "INSERT INTO redeem_uses (id, code_id, user_id, code, credits, tx_id, at_ms) SELECT id, id, ?, code, 1, id, 5 FROM redeem_codes WHERE code <> 'CODE-203'",
      [ann.id],
    );
    await undo(id);
    const left = await h.db.sql<{ code: string }>('SELECT code FROM redeem_codes');
    expect([left.length, left.some(({ code }) => code === 'CODE-203')]).toEqual([202, false]);
    expect(await stateOf(id)).toBe('undone');
  });

  test('an undo reverses only what its own run brought, and a second undo reverses nothing more', async () => {
    const first = await bring([[1, 'bob', 'bob@old.example', 3]], 'one');
    await bring([[1, 'cat', 'cat@old.example', 4]], 'two');
    await undo(first);
    await undo(first);
    expect([await names(), await broughtNow(), await h.balance(await idOf('cat'))]).toEqual([['cat'], 4, 4]);
  });

  test('users are removed twenty a transaction, and one who has logged in stops an undo before the first', async () => {
    const people = Array.from({ length: 41 }, (_, at) => [at + 1, `p${at + 1}`, `p${at + 1}@old.example`, 1] as const);
    const id = await bring(people);
    for (const name of ['p19', 'p41', 'p30']) {
      await h.db.sql('UPDATE users SET seen_ms = 5 WHERE username = ?', [name]);
      expect(await codeOf(undo(id))).toBe('CONFLICT');
      expect([
        (await names()).length,
        await broughtNow(),
        (await h.db.sql('SELECT id FROM redeem_codes')).length,
      ]).toEqual([41, 41, 2]);
      await h.db.sql('UPDATE users SET seen_ms = 0 WHERE username = ?', [name]);
    }
    const steps: string[] = [];
    const { services } = h.host;
    const onStep = (kind: string, done: number) => void steps.push(`${kind} ${done}`);
    await createUndo({ ...services, traceOf: (text) => text, onStep }).undo(null, id);
    expect([await names(), await broughtNow()]).toEqual([[], 0]);
    expect(steps).toEqual([
      'user 20',
      'user 40',
      'user 41',
      'ticket 0',
      'code 2',
      'package 0',
      'payment 0',
      'server 0',
    ]);
  });
});

describe.each(ENGINES)('an undo that is killed on %s', (engine) => {
  test('T53 an undo that is killed at any command goes on when it is asked again, and every credit is reversed once', async () => {
    for (const after of [false, true])
      for (let moment = 1; ; moment += 1) {
        await open(engine);
        let died = false;
        try {
          const ann = await h.person('ann', { credits: 5 });
          const id = await bring([
            [1, 'annie', 'ann@example.com', 10],
            [2, 'bob', 'bob@old.example', 7],
          ]);
          await undo(id, dyingAt(h.db.uow, moment, after)).catch((error: unknown) => {
            expect(String(error)).toContain('killed');
            died = true;
          });
          if (died) await undo(id);
          expect([await h.balance(ann.id), await broughtNow(), await names()]).toEqual([5, 0, ['ann']]);
          expect(Object.fromEntries(await kindsOf())).toMatchObject({ import: 2, reversal: 2 });
          expect(await stateOf(id)).toBe('undone');
        } finally {
          await close();
        }
        if (!died) break;
      }
  });
});

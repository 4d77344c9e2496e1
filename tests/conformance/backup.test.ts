import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { applyRestore, stageRestore } from '#server/backups/restore.ts';
import { openSnapshot } from '#server/data/backup/snapshot.ts';
import type { InstallationFigures } from '#server/modules/backups/index.ts';
import { createBus } from '#server/data/bus.ts';
import { openDatabase, type Database } from '#server/data/open.ts';
import { archiveBefore } from '#tests/support/archive.ts';
import { allRows, backUp, dataFolder, TEST_KEYS } from '#tests/support/backups.ts';
import { ENGINES, openTestDb, proveLedger, type Engine, type TestDb } from '#tests/support/db.ts';
import { openHarness, type Harness } from '#tests/support/harness.ts';
import { testLog } from '#tests/support/log.ts';
import { TEST_KEY } from '#tests/support/sealing.ts';

setDefaultTimeout(300_000);

const NOW = Date.UTC(2026, 10, 22, 18);
/** Tables that a restore empties on purpose: whoever logs in does so anew. */
const ENDED = ['sessions'];

let h: Harness;
let target: TestDb | null = null;
afterEach(async () => {
  await h.close();
  await target?.close();
  target = null;
});

/** People with credits, servers' catalogue, settings with a secret, and texts of every kind. */
async function fill(engine: Engine): Promise<void> {
  h = await openHarness({ engine, sample: true });
  const ann = await h.person('ann', { credits: 500 });
  const owner = await h.person('owner', { permissions: ['admin.root'] });
  const about = { name: 'Technical', description: '', hours: '', position: 0, enabled: true };
  const { id: department } = await owner.api.adminDepartments.create({ body: about });
  const ticket = { department, priority: 'normal' as const, subject: 'A lantern', text: 'It does not burn.' };
  await ann.api.tickets.create({ body: ticket });
  await h.person('ben', { credits: 20 });
  await h.set({ custom_css: 'Ünï „quoted“ "\\ \n\t [1, {"a": null}] 🎮 \\u0041 $1 ?' });
  await h.drainJobs();
  // Some of the ledger is in its archive.
  h.clock.advance(1);
  await archiveBefore(h.db.uow, h.clock.now());
}

/** Moves credits as long as it is not stopped. Out: how to stop it, once the first have moved. */
async function load(): Promise<() => Promise<number>> {
  const { id } = await h.person('busy', { credits: 1 });
  let moves = 0;
  const stopping = new AbortController();
  const running = (async () => {
    while (!stopping.signal.aborted) {
      await h.creditPerson(id, 1);
      moves += 1;
      await Bun.sleep(1);
    }
  })();
  return async () => {
    stopping.abort();
    await running;
    return moves;
  };
}

const circulation = () => h.db.uow.read((tx) => tx.economy.circulation());

/** What is made beside tables: indexes, and on SQLite triggers, as SQL. */
async function shapeOf(database: Database): Promise<string[]> {
  const question =
    database.dialect === 'sqlite'
      ? "SELECT sql AS made FROM sqlite_schema WHERE type <> 'table' AND sql IS NOT NULL"
      : 'SELECT indexdef AS made FROM pg_indexes WHERE schemaname = current_schema()';
  const rows = await database.read(({ raw }) => raw.all<{ made: string }>(question));
  return rows.map(({ made }) => made).toSorted();
}

interface Restored {
  db: TestDb;
  shape: string[];
  /** What the backup was found to hold. */
  figures: InstallationFigures;
}

async function restoreInto(to: Engine, path: string, dataDir: string): Promise<Restored> {
  target = await openTestDb(to);
  const shape = await shapeOf(target.database);
  const place = { dataDir, database: target.where, appKey: TEST_KEY, keyIsGiven: false };
  // SQLite files are replaced: nobody may have the file open.
  await target.database.close();
  const log = testLog();
  const { figures } = await stageRestore(place, { path, keys: TEST_KEYS }, { nowMs: NOW, log });
  await applyRestore(place, { nowMs: NOW, log, copy: false });
  return { db: target, shape, figures };
}

describe.each(ENGINES)('a backup of %s', (from) => {
  beforeEach(() => fill(from));

  test.each(ENGINES)('a restore into %s brings back every row, and the ledger holds', async (to) => {
    using folder = dataFolder();
    const { path, figures } = await backUp(h.db, folder.path);
    const before = await allRows(h.db.where);
    const { db, shape, ...found } = await restoreInto(to, path, folder.path);
    // What it says it holds is what the dashboard counts, on either engine.
    expect(figures).toMatchObject({ dialect: from, users: 3, servers: 0, credits: await circulation() });
    expect(found.figures).toEqual(figures);
    const after = await allRows(db.where);
    expect(Object.keys(after)).toEqual(Object.keys(before));
    for (const [table, rows] of Object.entries(before))
      expect([table, after[table]]).toEqual([table, ENDED.includes(table) ? [] : rows]);
    expect(Object.values(before).filter((rows) => rows.length > 0).length).toBeGreaterThan(20);
    expect(after.ledger_blocks).toHaveLength(2);
    const opened = openDatabase({ ...db.where, bus: createBus(testLog()), log: testLog() });
    await proveLedger(opened.uow);
    // What is written in tickets is found, though a backup has no index of words.
    const search = [{ word: 'lantern', isBeginning: false }];
    const most = { numbers: 5, lines: 5 };
    const { numbers } = await opened.uow.read((tx) => tx.ticketInbox.findNumbers(search, null, most));
    expect(numbers).toEqual([1001]);
    // Indexes are taken away while rows are loaded, and are all there again.
    expect(await shapeOf(opened)).toEqual(shape);
    expect(shape.length).toBeGreaterThan(50);
    await opened.close();
  });

  test('a drill under load brings back one moment of every table on the other engine, and its ledger holds', async () => {
    using folder = dataFolder();
    const stop = await load();
    const before = await allRows(h.db.where);
    const { path } = await backUp(h.db, folder.path);
    const between = await allRows(h.db.where);
    expect(await stop()).toBeGreaterThan(0);
    const { db } = await restoreInto(from === 'sqlite' ? 'postgres' : 'sqlite', path, folder.path);
    const restored = await allRows(db.where);
    expect(Object.keys(restored)).toEqual(Object.keys(before));
    for (const [table, rows] of Object.entries(restored)) {
      if (ENDED.includes(table)) expect([table, rows]).toEqual([table, []]);
      else expect([table, lostOrStrange(table, rows, { before, between })]).toEqual([table, []]);
    }
    const opened = openDatabase({ ...db.where, bus: createBus(testLog()), log: testLog() });
    await proveLedger(opened.uow);
    await opened.close();
  });
});

/** Tables of which the load changes rows that are there: their rows are counted. */
const MOVING = ['ledger_balances', 'ledger_days', 'sequences'];
type Rows = Awaited<ReturnType<typeof allRows>>;
/**
 * Rows that were there before a backup was made and are not in it, and those in it that were not even there afterwards:
 * what comes while it is made may be in it or not.
 */
function lostOrStrange(table: string, rows: readonly string[], { before, between }: { before: Rows; between: Rows }) {
  const [least = 0, most = 0] = [before[table]?.length, between[table]?.length];
  if (MOVING.includes(table)) return rows.length >= least && rows.length <= most ? [] : ['another number of rows'];
  const [held, possible] = [new Set(rows), new Set(between[table])];
  return [...(before[table] ?? []).filter((row) => !held.has(row)), ...rows.filter((row) => !possible.has(row))];
}

test('both engines have the same tables and columns, so that each holds what the other had', async () => {
  h = await openHarness({});
  target = await openTestDb('postgres');
  const [one, other] = await Promise.all([openSnapshot(h.db.where), openSnapshot(target.where)]);
  const named = (tables: typeof one.tables) => tables.map(({ name, columns }) => [name, columns.toSorted()]);
  expect(named(other.tables)).toEqual(named(one.tables));
  expect(one.tables.length).toBeGreaterThan(80);
  await Promise.all([one.close(), other.close()]);
});

test('a snapshot of either engine does not see what is written after it was opened', async () => {
  h = await openHarness({});
  target = await openTestDb('postgres');
  for (const { where, sql } of [h.db, target]) {
    const snapshot = await openSnapshot(where);
    await sql("INSERT INTO schedules (name, next_ms, last_ms, last_error) VALUES ('later', 0, NULL, NULL)");
    const rows: string[] = [];
    for await (const some of snapshot.rows({ name: 'schedules', columns: ['name'] })) rows.push(...some);
    await snapshot.close();
    expect(rows.join()).not.toContain('later');
  }
});

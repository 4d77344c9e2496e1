import { afterEach, describe, expect, test } from 'bun:test';
import { ENGINES, openTestDb, type TestDb } from '#tests/support/db.ts';

const ALL = { areas: null };

describe.each(ENGINES)('renamed actions of the audit log, %s', (engine) => {
  let db: TestDb;
  afterEach(() => db.close());

  /** A log with a row under the former name of an action, one under today's, and one that was never renamed. */
  async function openLog(): Promise<void> {
    db = await openTestDb(engine);
    await db.uow.run(async (tx) => {
      for (const [at, action] of ['panels.take', 'panels.import', 'panels.edit', 'servers.look'].entries())
        await tx.audit.add({
          id: `a${at}`,
          atMs: 1000 + at,
          actorId: null,
          action,
          target: null,
          before: null,
          after: null,
          address: null,
          device: null,
          requestId: null,
        });
    });
  }
  const find = async (text?: string) =>
    (
      await db.uow.read((tx) => tx.audit.listForStaff({ ...ALL, ...(text === undefined ? {} : { text }) }, null, 10))
    ).map(({ id, action }) => `${id} ${action}`);

  test('a row that was written under a former name is read under today’s, and stays as it was written', async () => {
    await openLog();
    expect(await find()).toEqual(['a3 servers.reconcile', 'a2 panels.edit', 'a1 panels.import', 'a0 panels.import']);
    const shown = await db.uow.read((tx) => tx.overview.activity(0, 10, null));
    expect(shown.map(({ action }) => action)).toEqual([
      'servers.reconcile',
      'panels.edit',
      'panels.import',
      'panels.import',
    ]);
    expect(await db.sql("SELECT id FROM audit WHERE action IN ('panels.take', 'servers.look') ORDER BY id")).toEqual([
      { id: 'a0' },
      { id: 'a3' },
    ]);
  });

  test.each(['panels.import', 'Import', 'panels.take'])(
    'a search for %s finds the rows of both names',
    async (text) => {
      await openLog();
      expect(await find(text)).toEqual(['a1 panels.import', 'a0 panels.import']);
    },
  );

  test('a search for what no renamed action holds finds what it found before', async () => {
    await openLog();
    expect(await find('edit')).toEqual(['a2 panels.edit']);
    expect(await find('nothing')).toEqual([]);
  });
});

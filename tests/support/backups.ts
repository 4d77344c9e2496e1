import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { recipientOf, type Keys } from '#server/backups/container.ts';
import { createBackup } from '#server/backups/create.ts';
import { recoveryKeyOf } from '#server/backups/recovery-key.ts';
import { openSnapshot } from '#server/data/backup/snapshot.ts';
import type { InstallationFigures } from '#server/modules/backups/index.ts';
import type { TestDb } from './db.ts';
import { roomyFolder } from './folder.ts';
import { TEST_KEY } from './sealing.ts';

/** What opens the backups of tests, and the recipient that they are made for. */
export const TEST_KEYS: Keys = { identities: [recoveryKeyOf(TEST_KEY)], passphrases: [] };
export const testLock = async () => ({ recipients: [await recipientOf(recoveryKeyOf(TEST_KEY))] });

/** What a backup of tests holds that nobody made. */
export const TEST_FIGURES: InstallationFigures = {
  madeMs: Date.UTC(2026, 10, 13, 3),
  version: '1.0.0',
  dialect: 'sqlite',
  users: 3,
  servers: 1,
  credits: 500,
  files: 2,
  fileBytes: 2048,
};

/** A data folder of its own, removed when it goes out of use. */
export function dataFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(roomyFolder(), 'spawnpoint-backup-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** A backup of a test's database in a data folder. Out: its id and path. */
export async function backUp(db: Pick<TestDb, 'where'>, dataDir: string, nowMs = Date.UTC(2026, 10, 13, 3)) {
  const place = { dataDir, database: db.where, appKey: TEST_KEY };
  const made = await createBackup(place, { kind: 'manual', lock: await testLock(), nowMs });
  return { ...made, path: join(dataDir, 'backups', `${made.id}.age`) };
}

/** Every row of every table, in an order of its own. */
export async function allRows(where: TestDb['where']): Promise<Record<string, string[]>> {
  const snapshot = await openSnapshot(where);
  const found: Record<string, string[]> = {};
  for (const table of snapshot.tables) {
    // Columns have their order from the engine's migrations: rows are compared by name.
    const columns = table.columns.toSorted();
    const rows: string[] = [];
    for await (const some of snapshot.rows({ name: table.name, columns }))
      rows.push(...some.map((row) => JSON.stringify(JSON.parse(row))));
    found[table.name] = rows.toSorted();
  }
  found.sequences = [JSON.stringify(Object.entries(snapshot.sequences).toSorted())];
  await snapshot.close();
  return found;
}

import { expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testLog } from '#tests/support/log.ts';
import { MIGRATIONS } from '../migrations/list.ts';
import { createScratch } from './scratch.ts';

test('rows of a backup are loaded into the file itself, and not into a log of the same size beside it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'spawnpoint-scratch-'));
  const path = join(folder, 'spawnpoint.db');
  const migrations = MIGRATIONS.map(({ name }) => name);
  const scratch = await createScratch(path, migrations, { nowMs: 0, log: testLog() });
  const roles = scratch.tables.find(({ name }) => name === 'roles');
  expect(roles).toBeDefined();
  if (roles) scratch.load(roles, '[]');
  expect(existsSync(`${path}-wal`)).toBe(false);
  scratch.close();
  rmSync(folder, { recursive: true });
});

import { expect, test } from 'bun:test';
import { Database } from 'bun:sqlite';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tableSizes } from './table-sizes.ts';

test('the sizes of tables have their indexes in them, and together are the whole file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'spawnpoint-sizes-'));
  try {
    const path = join(folder, 'db');
    const db = new Database(path);
    db.run('PRAGMA page_size = 4096');
    for (const table of ['bare', 'indexed']) {
      db.run(`CREATE TABLE ${table} (id INTEGER PRIMARY KEY, word TEXT NOT NULL)`);
      db.run(
        `INSERT INTO ${table} (word) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) SELECT hex(i) || 'a word of some length' FROM n`,
      );
    }
    db.run('CREATE INDEX indexed_word ON indexed (word)');
    const pages = db.query<{ page_count: number }, []>('PRAGMA page_count').get()?.page_count ?? 0;
    db.close();

    const sizes = tableSizes(path);
    const [first, second] = sizes;
    expect([first?.table, first?.rows, second?.table, second?.rows]).toEqual(['indexed', 1000, 'bare', 1000]);
    expect(first?.bytes).toBeGreaterThan((second?.bytes ?? 0) * 1.5);
    expect(sizes.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(pages * 4096);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

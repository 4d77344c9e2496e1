import { describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DAY } from '#shared/time.ts';
import { ENGINES } from '#tests/support/db.ts';
import { dyingAt } from '#tests/support/dying.ts';
import { roomyFolder } from '#tests/support/folder.ts';
import { openHarness, type Harness } from '#tests/support/harness.ts';
import { importerOf, importOptions } from '#tests/support/imports/runs.ts';

/** A dump of MythicalDash 4 with some users, codes and tickets. */
function dumpOf(users: number): string {
  const folder = mkdtempSync(join(roomyFolder(), 'spawnpoint-dump-'));
  const lines = [
    'CREATE TABLE `mythicaldash_migrations` (\n  `id` int\n);',
    'CREATE TABLE `mythicaldash_users` (\n  `id` int,\n  `uuid` char(36),\n  `username` text,\n  `email` text,\n  `credits` int,\n  `banned` text\n);',
    'CREATE TABLE `mythicaldash_redeem_codes` (\n  `id` int,\n  `code` text,\n  `coins` int,\n  `uses` int\n);',
    'CREATE TABLE `mythicaldash_tickets` (\n  `id` int,\n  `user` char(36),\n  `title` text,\n  `description` text\n);',
  ];
  for (let i = 1; i <= users; i += 1) {
    lines.push(
      `INSERT INTO \`mythicaldash_users\` VALUES (${i},'u-${i}','user${i}','user${i}@old.example',${i},${i === 3 ? "'spam'" : 'NULL'});`,
    );
    lines.push(`INSERT INTO \`mythicaldash_tickets\` VALUES (${i},'u-${i}','Ticket ${i}','Text');`);
  }
  lines.push("INSERT INTO `mythicaldash_redeem_codes` VALUES (1,'CODE-1',5,2),(2,'CODE-2',5,2);");
  const path = join(folder, 'dump.sql');
  writeFileSync(path, lines.join('\n'));
  return path;
}
const optionsOf = (path: string) => importOptions('mythicaldash4', { path });

const facts = async (h: Harness) => ({
  users: (await h.db.sql('SELECT username, status FROM users ORDER BY username')).map((row) =>
    Object.values(row).join(),
  ),
  minted: (
    await h.db.sql<{ n: number }>(
      "SELECT CAST(-SUM(balance) AS BIGINT) AS n FROM ledger_balances WHERE account = 'system:import' HAVING COUNT(*) > 0",
    )
  )[0]?.n,
  tickets: (await h.db.sql('SELECT id FROM tickets')).length,
  codes: (await h.db.sql('SELECT id FROM redeem_codes')).length,
  rows: (await h.db.sql('SELECT source_id FROM imported_rows')).length,
});

describe.each(ENGINES)('an import that is killed on %s', (engine) => {
  test('T46 killed before or after any of its commands it is gone on with, and everything has come once', async () => {
    const path = dumpOf(5);
    let whole: Awaited<ReturnType<typeof facts>> | null = null;
    try {
      for (const after of [false, true]) {
        for (let moment = 1; ; moment += 1) {
          const h = await openHarness({ engine });
          let died = false;
          try {
            const { id } = await importerOf(h, h.db.uow).check(optionsOf(path), null, null);
            await importerOf(h, dyingAt(h.db.uow, moment, after))
              .apply(id, null)
              .catch((error: unknown) => {
                expect(String(error)).toContain('killed');
                died = true;
              });
            const [run] = await h.db.sql<{ state: string }>('SELECT state FROM import_runs');
            if (run?.state !== 'done') await importerOf(h, h.db.uow).apply(id, null);
            const found = await facts(h);
            whole ??= found;
            expect(found).toEqual(whole);
            expect(found).toMatchObject({ minted: 15, tickets: 5, codes: 2, rows: 12 });
          } finally {
            await h.close();
          }
          if (!died) break;
        }
      }
    } finally {
      rmSync(join(path, '..'), { recursive: true });
    }
  });

  test('what it read, with hashes of passwords, is deleted once nobody has gone on with it for a week', async () => {
    const path = dumpOf(2);
    const h = await openHarness({ engine });
    try {
      const { id } = await importerOf(h, h.db.uow).check(optionsOf(path), null, null);
      const died = await importerOf(h, dyingAt(h.db.uow, 3, false))
        .apply(id, null)
        .catch(String);
      expect(died).toContain('killed');
      const file = join(h.dataDir, 'imports', `${id}.sqlite`);
      await h.host.services.imports.clean();
      expect(existsSync(file)).toBe(true);
      h.clock.advance(7 * DAY + 1);
      await h.host.services.imports.clean();
      expect(existsSync(file)).toBe(false);
      // The dump brings the rest.
      const again = await importerOf(h, h.db.uow).check(optionsOf(path), null, null);
      await importerOf(h, h.db.uow).apply(again.id, null);
      expect(await facts(h)).toMatchObject({ minted: 3, tickets: 2, codes: 2 });
    } finally {
      await h.close();
      rmSync(join(path, '..'), { recursive: true });
    }
  });
});

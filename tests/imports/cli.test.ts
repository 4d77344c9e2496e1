import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importCommand } from '#server/cli/import.ts';
import { readConfig } from '#server/env.ts';
import { roomyFolder } from '#tests/support/folder.ts';

test('the command line checks, brings, reports and undoes, and says what it does not know', async () => {
  const folder = mkdtempSync(join(roomyFolder(), 'spawnpoint-import-'));
  try {
    const config = readConfig({ DATA_DIR: join(folder, 'data') });
    const dump = join(folder, 'dump.sql');
    writeFileSync(
      dump,
      "CREATE TABLE `users` (\n  `id` int,\n  `username` text,\n  `email` text,\n  `name_first` text,\n  `store_balance` int\n);\nINSERT INTO `users` VALUES (1,'ann','ann@old.example','A',7),(2,'bob','nowhere','B',3);",
    );
    const run = async (...argv: string[]) => {
      const said: string[] = [];
      const say = (line: string) => void said.push(line);
      const terminal = { out: say, err: say, ask: () => Promise.resolve(''), stdin: () => Promise.resolve(dump) };
      const code = await importCommand(config, argv, { words: { isNew: true, newKey: false } }, terminal);
      return { code, said: said.join('\n') };
    };
    for (const argv of [
      [],
      ['jexactyl'],
      ['wordpress', dump],
      ['jexactyl', dump, '--factor', '3'],
      ['jexactyl', dump, '--zone', 'x'],
      ['--nonsense'],
      ['undo'],
    ])
      expect(await run(...argv)).toMatchObject({ code: 2, said: expect.stringContaining('Usage') as string });
    expect(await run('--resume')).toMatchObject({ code: 1, said: expect.stringContaining('no such run') as string });
    const report = join(folder, 'report.csv');
    const dry = await run('jexactyl', dump, '--dry-run', '--report', report);
    expect(dry).toMatchObject({ code: 0, said: expect.stringContaining('10.0000 found: 7.0000 coming') as string });
    expect(await Bun.file(report).text()).toContain('user,2,bob,email_invalid');
    expect((await run('list')).said).toContain('checked');
    expect(await run('--resume', '--json')).toMatchObject({
      code: 0,
      said: expect.stringContaining('"done"') as string,
    });
    const id = (await run('list')).said.split(' ')[0] ?? '';
    expect((await run('report', id)).said).toContain('1 came');
    expect((await run('jexactyl', '-')).said).toContain('7.0000 came before');
    expect(await run('undo', id)).toEqual({ code: 0, said: 'Taken back; the ledger holds.' });
    expect((await run('jexactyl', join(folder, 'absent.sql'))).code).toBe(1);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

import { afterEach, beforeEach, expect, spyOn, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '#server/env.ts';
import { MASK } from '#shared/settings.ts';
import { settings } from './operate.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spawnpoint-settings-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs `settings …` on the folder. Out: exit code and what it printed. */
async function run(...argv: string[]): Promise<{ code: number; lines: string[] }> {
  const out = spyOn(console, 'log').mockImplementation(() => undefined);
  try {
    const code = await settings(readConfig({ DATA_DIR: folder }), argv, { words: { isNew: true, newKey: false } });
    return { code, lines: out.mock.calls.map(([line]) => String(line)) };
  } finally {
    out.mockRestore();
  }
}

test('a value comes from a file, without the line break at its end; a long text keeps its lines', async () => {
  const path = join(folder, 'value.txt');
  await Bun.write(path, 'Sponsor\n');
  expect((await run('set', 'link_generic_name', '--file', path)).code).toBe(0);
  expect((await run('get', 'link_generic_name')).lines).toEqual(['Sponsor']);
  await Bun.write(path, 'valid=true\ninfo.linkId=77\n');
  expect((await run('set', 'link_generic_conditions', '--file', path)).code).toBe(0);
  expect((await run('get', 'link_generic_conditions')).lines).toEqual(['valid=true\ninfo.linkId=77\n']);
});

test('T50 a secret is kept sealed over a restart, and the command line shows only that there is one', async () => {
  expect((await run('get', 'discord_client_secret')).lines).toEqual(['']);
  expect(await run('set', 'discord_client_secret', 'hush-hush')).toEqual({ code: 0, lines: [] });
  expect((await run('get', 'discord_client_secret')).lines).toEqual([MASK]);
  const { lines } = await run('list');
  expect(lines).toContain(`discord_client_secret=${MASK}`);
  expect(lines).toContain('app_name=Spawnpoint');
  expect(lines.join()).not.toContain('hush');
  expect(await Bun.file(join(folder, 'spawnpoint.db')).text()).not.toContain('hush');
  expectConsole(/discord_client_secret does not take "•+": /);
  expect((await run('set', 'discord_client_secret', 'hush'.repeat(200))).code).toBe(2);
});

import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Database } from 'bun:sqlite';
import { readConfig } from '#server/env.ts';
import { roomyFolder } from '#tests/support/folder.ts';
import { doctor } from './doctor.ts';
import { migrate } from './migrate.ts';
import type { CommandContext } from './run.ts';

// A whole installation is opened each time.
setDefaultTimeout(300_000);

const dataDir = mkdtempSync(join(roomyFolder(), 'spawnpoint-doctor-'));
const config = readConfig({ DATA_DIR: dataDir, DATABASE_URL: join(dataDir, 'spawnpoint.db') });
const words = { isNew: false, newKey: false };

async function run(...argv: string[]) {
  const lines: string[] = [];
  const put = (line: string) => void lines.push(line);
  const code = await doctor(config, argv, { words }, { out: put, err: put });
  return { code, text: lines.join('\n') };
}
const sql = (text: string) => {
  using file = new Database(join(dataDir, 'spawnpoint.db'));
  file.run(text);
};
/** As if a server had served this folder just now. */
const haveRun = () => {
  // The command runs in a process of its own, by the clock of the machine.
  const atMs = Date.now();
  sql(`INSERT INTO schedules (name, next_ms, last_ms, took_ms) VALUES ('ledger.verify', ${atMs}, ${atMs}, 5)`);
};

beforeAll(async () => {
  const { log } = console;
  console.log = () => undefined;
  await migrate(config, [], { words: { isNew: true, newKey: false } } as CommandContext);
  console.log = log;
});
afterEach(() => sql('DELETE FROM schedules'));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

test('the doctor says what it found and what to do about it, and ends with a code that scripts go by', async () => {
  const { code, text } = await run();
  // Nothing has run here yet: no server has served this folder.
  expect(code).toBe(1);
  expect(text).toContain('ok      Database: SQLite, answers in');
  expect(text).toContain('failing Jobs: Nothing has run since');
  expect(text).toContain('Restart Spawnpoint.');
  expect(text).not.toMatch(/\{\{|undefined/);
  // What only a serving process can say is not asked of this one.
  expect(text).not.toContain('Memory');
  haveRun();
  const mended = await run();
  expect([mended.code, mended.text.includes('failing')]).toEqual([3, false]);
  expect(mended.text).toContain('warning E-mail: No mail server is set up.');
});

test('the doctor answers as JSON with the same codes as the page', async () => {
  haveRun();
  const answer = JSON.parse((await run('--json')).text) as { status: string; rows: { key: string; text: string }[] };
  expect(answer.status).toBe('warning');
  expect(answer.rows.find(({ key }) => key === 'migrations')).toMatchObject({ status: 'ok', advice: null });
  expect((await run('--what')).code).toBe(2);
});

test('the doctor leaves tables of another version alone, and says so', async () => {
  sql("DELETE FROM schema_migrations WHERE name = '0053_setting_revisions'");
  const { code, text } = await run();
  expect([code, text.split('\n').length]).toEqual([1, 3]);
  expect(text).toContain('failing Migrations: 1 not applied: 0053_setting_revisions');
  expect((await run()).text).toContain('failing Migrations: 1 not applied');
  sql("INSERT INTO schema_migrations (name, applied_ms) VALUES ('0053_setting_revisions', 1)");
});

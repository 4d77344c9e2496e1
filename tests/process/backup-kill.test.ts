import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BINARY, Installation } from './installation.ts';

// Shows behaviour 8.6: what a kill leaves.

setDefaultTimeout(300_000);

let installation: Installation;
let id: string;
const name = async () => (await installation.run('settings', 'get', 'app_name')).output.trim();

beforeAll(async () => {
  installation = new Installation();
  expect((await installation.run('migrate')).code).toBe(0);
  expect((await installation.run('settings', 'set', 'app_name', 'Before')).code).toBe(0);
  const made = await installation.run('backup', 'create');
  id = /([^/]+)\.age/.exec(made.output)?.[1] ?? '';
});
afterAll(() => installation.remove());

/** Runs a command and kills it after so many ms. Out: whether it was done before. */
async function killed(ms: number, ...words: string[]): Promise<boolean> {
  const child = Bun.spawn([BINARY, ...words], {
    env: { DATA_DIR: installation.dataDir },
    stdout: 'ignore',
    stderr: 'ignore',
  });
  await Promise.race([child.exited, Bun.sleep(ms)]);
  const done = child.exitCode === 0;
  child.kill('SIGKILL');
  await child.exited;
  return done;
}

test('a backup that is killed leaves a whole file or none that counts as one', async () => {
  let whole = 1;
  for (const ms of [20, 90, 160]) if (await killed(ms, 'backup', 'create')) whole += 1;
  const { output } = await installation.run('backup', 'list');
  const files = readdirSync(join(installation.dataDir, 'backups')).filter((each) => each.endsWith('.age'));
  expect(output.trim().split('\n')).toHaveLength(files.length);
  // One that was killed between its last write and its end is there as well, and as good as any.
  expect(files.length).toBeGreaterThanOrEqual(whole);
  expect(files).toContain(`${id}.age`);
  for (const file of files)
    expect(await installation.run('backup', 'verify', file.replace('.age', ''))).toMatchObject({ code: 0 });
});

test('a restore that is killed leaves what was or what is to be, and the next one goes through', async () => {
  for (const ms of [60, 250, 500]) {
    expect((await installation.run('settings', 'set', 'app_name', 'After')).code).toBe(0);
    await killed(ms, 'restore', id, '--yes');
    expect(['Before', 'After']).toContain(await name());
    expect(await installation.run('ledger', 'verify')).toMatchObject({ code: 0 });
  }
  expect(await installation.run('restore', id, '--yes')).toMatchObject({ code: 0 });
  expect(await name()).toBe('Before');
  expect(readdirSync(installation.dataDir)).not.toContain('restore');
});

/** Runs a command that may write no file of more than so many KiB, as on a disk that is full there. */
async function cramped(kib: number, ...words: string[]): Promise<{ code: number; output: string }> {
  const script = `trap '' XFSZ; ulimit -f ${kib}; exec "$0" "$@"`;
  const child = Bun.spawn(['bash', '-c', script, BINARY, ...words], {
    env: { DATA_DIR: installation.dataDir, PATH: process.env.PATH },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, output: out + err };
}

test('a disk that becomes full while a backup is made or verified is said, and neither leaves nor condemns anything', async () => {
  const uploads = join(installation.dataDir, 'uploads');
  mkdirSync(uploads, { recursive: true });
  // What cannot be compressed: the backup is larger than the room there is.
  for (const name of ['one.webp', 'two.webp'])
    writeFileSync(join(uploads, name), crypto.getRandomValues(new Uint8Array(60_000)));
  const backups = join(installation.dataDir, 'backups');
  const before = readdirSync(backups).toSorted();
  expect(await cramped(80, 'backup', 'create')).toMatchObject({
    code: 1,
    output: expect.stringContaining('not enough room'),
  });
  expect(readdirSync(backups).toSorted()).toEqual(before);
  const made = await installation.run('backup', 'create');
  const large = /([^/]+)\.age/.exec(made.output)?.[1] ?? '';
  expect((await cramped(300, 'backup', 'verify', large)).code).toBe(1);
  expect((await installation.run('backup', 'list')).output).toMatch(new RegExp(`${large}.*not verified`));
  expect(await installation.run('backup', 'verify', large)).toMatchObject({ code: 0 });
});

test('a disk that becomes full while a backup is restored is said, replaces nothing, and the next restore goes through', async () => {
  const uploads = join(installation.dataDir, 'uploads');
  mkdirSync(uploads, { recursive: true });
  writeFileSync(join(uploads, 'large.webp'), new Uint8Array(6 << 20).fill(7));
  expect((await installation.run('settings', 'set', 'app_name', 'Saved')).code).toBe(0);
  const made = await installation.run('backup', 'create');
  const large = /([^/]+)\.age/.exec(made.output)?.[1] ?? '';
  expect((await installation.run('settings', 'set', 'app_name', 'Later')).code).toBe(0);
  // The rows do not fit, then what was uploaded.
  for (const [kib, words] of [
    [100, 'The disk cannot be read or written'],
    [1000, 'The disk cannot be read or written'],
    [5900, 'not enough room'],
  ] as const) {
    const { code, output } = await cramped(kib, 'restore', large, '--yes');
    expect([kib, code, output.trim().split('\n').at(-1)]).toEqual([kib, 1, expect.stringContaining(words)]);
    expect(output).toContain('Nothing was changed.');
    expect(readdirSync(installation.dataDir).filter((each) => each.startsWith('restore'))).toEqual([]);
    expect(await name()).toBe('Later');
    expect(await installation.run('ledger', 'verify')).toMatchObject({ code: 0 });
  }
  expect(await installation.run('restore', large, '--yes')).toMatchObject({ code: 0 });
  expect(await name()).toBe('Saved');
  expect(readdirSync(installation.dataDir)).not.toContain('restore');
});

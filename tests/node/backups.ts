import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { ServerBackupCall, ServerBackupInput } from '#shared/schemas/server-backups.ts';
import { okOf } from '../conformance/panel.world.ts';
import { pageAt, processesOf, specOf, until, type NodeProcess } from './node-process.ts';

const ID = '0d9a4c1e-5b7f-4a35-9c58-2f6f8a1b7c05';
const PORT = 25_805;
const MB = 1_048_576;
const most = 3;

/** Tests of the backups of a server, on a node that runs: archives of a real folder, made in its own sandbox. */
export function testBackups(host: NodeProcess): void {
  const at = (...path: string[]) => join(host.folder, ID, ...path);
  const home = (...path: string[]) => at('home', ...path);
  const run = <N extends ServerBackupCall>(call: N, input: ServerBackupInput<N>) =>
    host.runtime.backups(ID, call, input);
  const value = async <N extends ServerBackupCall>(call: N, input: ServerBackupInput<N>) =>
    okOf(await run(call, input)).value;
  const refusal = async <N extends ServerBackupCall>(call: N, input: ServerBackupInput<N>): Promise<string> => {
    const answer = await run(call, input);
    return answer.outcome === 'refused' ? answer.reason : answer.outcome;
  };
  const list = async () => (await value('list', {})).backups;
  const one = async (backup: string) => (await list()).find(({ id }) => id === backup);
  const order = (backup: string, more: Partial<ServerBackupInput<'make'>> = {}) =>
    refusal('make', { backup, name: '', most, rotate: false, ...more });
  const isOver = async (backup: string) => !['making', 'restoring'].includes((await one(backup))?.state ?? 'making');
  async function make(more: Partial<ServerBackupInput<'make'>> = {}): Promise<string> {
    const backup = crypto.randomUUID();
    expect(await order(backup, more)).toBe('ok');
    await until(() => isOver(backup));
    expect(await one(backup)).toMatchObject({ state: 'ready', failure: null });
    return backup;
  }
  async function restore(backup: string): Promise<void> {
    await until(async () => (await refusal('restore', { backup, stop: true })) === 'ok');
    await until(() => isOver(backup));
    await reaches('running');
  }
  async function forget(backup: string): Promise<void> {
    await value('lock', { backup, locked: false });
    expect(await refusal('delete', { backup })).toBe('ok');
  }
  const state = async () => okOf(await host.runtime.read(ID)).state;
  const reaches = (wanted: string) => until(async () => (await state()) === wanted);
  /** Gives a signal as soon as it is taken: an order that comes to its end is one more moment in its way. */
  const power = (signal: 'start' | 'stop') =>
    until(async () => (await host.runtime.power(ID, signal)).outcome === 'ok');
  /** Writes a file as the server would: it is its user's. */
  async function put(path: string, text: string): Promise<void> {
    writeFileSync(home(path), text);
    const user = String(statSync(home()).uid);
    await Bun.spawn(['chown', '-h', `${user}:${user}`, home(path)]).exited;
  }
  const textOf = (path: string) => readFileSync(home(path), 'utf8');

  describe('backups of a server', () => {
    beforeAll(async () => {
      await host.runtime.put(specOf(ID, PORT));
      await reaches('running');
    });
    afterAll(() => host.runtime.remove(ID));

    test('files come back as they were when the backup was made, and the server runs on with them', async () => {
      await put('public/index.html', 'before');
      await put('public/run.sh', '#!/bin/sh');
      chmodSync(home('public/run.sh'), 0o775);
      const backup = await make({ name: 'Before the update' });
      const { size, name, createdMs } = (await one(backup)) ?? {};
      expect([name, (size ?? 0) > 100, Math.abs(Date.now() - (createdMs ?? 0)) < 60_000]).toEqual([
        'Before the update',
        true,
        true,
      ]);
      await put('public/index.html', 'after');
      await put('public/new.html', 'new');
      expect(await pageAt(PORT)).toBe('after');
      await until(async () => (await refusal('restore', { backup, stop: false })) === 'running');
      expect(await pageAt(PORT)).toBe('after');
      const open = async () =>
        new TextDecoder().decode(okOf(await host.runtime.files(ID, 'open', { path: 'public/index.html' })).bytes);
      expect(await open()).toBe('after');
      await restore(backup);
      expect(await pageAt(PORT)).toBe('before');
      // Whoever works on the files works on those that came back.
      expect(await open()).toBe('before');
      expect([existsSync(home('public/new.html')), statSync(home('public/run.sh')).mode & 0o777]).toEqual([
        false,
        0o775,
      ]);
      expect((await one(backup))?.restoredMs).not.toBeNull();
      expect([existsSync(at('restore')), statSync(home()).mode & 0o777]).toEqual([false, 0o700]);
      await forget(backup);
      expect(await list()).toEqual([]);
      expect(readdirSync(at('backups'))).toEqual([]);
    });

    test('a server that is off gets its files and stays off', async () => {
      const backup = await make();
      await power('stop');
      await reaches('offline');
      await put('public/index.html', 'changed');
      await until(async () => (await refusal('restore', { backup, stop: false })) === 'ok');
      await until(() => isOver(backup));
      expect([textOf('public/index.html'), await state()]).toEqual(['before', 'offline']);
      await power('start');
      await reaches('running');
      await forget(backup);
    });

    test('a backup is downloaded in parts as the archive that it is', async () => {
      const backup = await make();
      const whole = okOf(await run('part', { backup, from: 0, length: 4 * MB }));
      const pieces = [
        whole.bytes.subarray(0, 100),
        okOf(await run('part', { backup, from: 100, length: 4 * MB })).bytes,
      ];
      expect(Buffer.concat(pieces).equals(Buffer.from(whole.bytes))).toBe(true);
      expect(whole.value.size).toBe(whole.bytes.length);
      const tar = Bun.spawn(['tar', '-tz'], { stdin: whole.bytes, stdout: 'pipe' });
      expect((await new Response(tar.stdout).text()).split('\n')).toContain('./public/index.html');
      expect(await refusal('part', { backup: crypto.randomUUID(), from: 0, length: 1 })).toBe('absent');
      await forget(backup);
    });

    test('asked for fifty times at once it is made once, and never more than the server may have', async () => {
      const backup = crypto.randomUUID();
      const answers = await Promise.all(Array.from({ length: 50 }, () => order(backup)));
      expect(new Set(answers)).toEqual(new Set(['ok']));
      const others = await Promise.all(Array.from({ length: 25 }, () => order(crypto.randomUUID())));
      expect(others.filter((answer) => answer === 'ok').length).toBe(2);
      expect(new Set(others)).toEqual(new Set(['ok', 'limit']));
      await until(async () => (await list()).every((each) => each.state === 'ready'));
      expect([(await list()).length, okOf(await host.runtime.read(ID)).backups]).toEqual([3, 3]);
      expect(new Set((await list()).map(({ createdMs }) => createdMs)).size).toBe(3);
      expect(await order(crypto.randomUUID(), { most: 0, rotate: true })).toBe('limit');
    });

    test('a locked backup is neither deleted nor given up for a new one', async () => {
      const [newest, middle, oldest] = (await list()).map(({ id }) => id) as [string, string, string];
      await value('lock', { backup: oldest, locked: true });
      expect(await refusal('delete', { backup: oldest })).toBe('locked');
      const fresh = await make({ rotate: true });
      await until(async () => (await list()).length === 3);
      expect(new Set((await list()).map(({ id }) => id))).toEqual(new Set([fresh, newest, oldest]));
      for (const backup of [fresh, newest]) await value('lock', { backup, locked: true });
      expect(await order(crypto.randomUUID(), { rotate: true })).toBe('limit');
      expect(await one(middle)).toBeUndefined();
      for (const { id } of await list()) await forget(id);
    });

    test('N10 holes, links, pipes and hostile names are kept as what they are, and lead nowhere', async () => {
      mkdirSync(home('odd'));
      await put('odd/hole', '');
      truncateSync(home('odd/hole'), 40 * MB);
      symlinkSync('/etc/shadow', home('odd/shadow'));
      symlinkSync('../../../../..', home('odd/up'));
      linkSync(home('odd/hole'), home('odd/same'));
      await Bun.spawn(['mkfifo', home('odd/pipe')]).exited;
      const strange = [
        '-rf',
        '--checkpoint-action=exec=touch x',
        'a\nTotal bytes written: 7',
        '$(id)',
        'x'.repeat(255),
      ];
      for (const name of strange) await put(`odd/${name}`, name);
      mkdirSync(home('.spawnpoint/bin'), { recursive: true });
      await put('.spawnpoint/bin/gone', 'deleted');
      const user = String(statSync(home()).uid);
      await Bun.spawn(['chown', '-hR', `${user}:${user}`, home('odd'), home('.spawnpoint')]).exited;
      const backup = await make();
      expect((await one(backup))?.size ?? 0).toBeLessThan(MB);
      await restore(backup);
      expect(new Set(readdirSync(home('odd')))).toEqual(new Set(['hole', 'shadow', 'up', 'same', 'pipe', ...strange]));
      const hole = statSync(home('odd/hole'));
      expect([hole.size, hole.blocks * 512 < MB, hole.nlink, existsSync(home('.spawnpoint/bin/gone'))]).toEqual([
        40 * MB,
        true,
        2,
        false,
      ]);
      expect(statSync('/etc/shadow').uid).toBe(0);
      rmSync(home('odd'), { recursive: true });
      await forget(backup);
    });

    test('files that the server closed to itself fail the backup, and nothing of it is kept', async () => {
      writeFileSync(home('closed'), 'secret of root', { mode: 0o600 });
      const backup = crypto.randomUUID();
      expect(await order(backup)).toBe('ok');
      await until(() => isOver(backup));
      expect(await one(backup)).toMatchObject({ state: 'failed', failure: 'failed', size: 0 });
      expect(readdirSync(at('backups'))).toEqual([`${backup}.json`]);
      expect(await refusal('restore', { backup, stop: true })).toBe('absent');
      rmSync(home('closed'));
      // The next one takes its place.
      const next = await make();
      expect((await list()).map(({ id }) => id)).toEqual([next]);
      await forget(next);
    });

    test('an archive that is damaged changes nothing of the server', async () => {
      await put('public/index.html', 'kept');
      const backup = await make();
      const path = at('backups', `${backup}.tar.gz`);
      const bytes = readFileSync(path);
      writeFileSync(path, bytes.subarray(0, bytes.length - 20));
      await restore(backup);
      expect(await one(backup)).toMatchObject({ state: 'ready', failure: 'failed', restoredMs: null });
      expect([await pageAt(PORT), existsSync(at('restore'))]).toEqual(['kept', false]);
      await forget(backup);
    });

    test('N16 a node that is killed while it makes a backup makes it after all, whole', async () => {
      await put('large', crypto.getRandomValues(new Uint8Array(65_536)).toHex().repeat(200));
      const backup = crypto.randomUUID();
      expect(await order(backup)).toBe('ok');
      await until(() => processesOf(`${ID}.archive`).length > 0);
      await host.end('SIGKILL');
      await host.start();
      await until(async () => (await one(backup))?.state === 'ready');
      const archive = Bun.spawn(['gzip', '-t', at('backups', `${backup}.tar.gz`)]);
      expect(await archive.exited).toBe(0);
      expect(readdirSync(at('backups')).toSorted()).toEqual([`${backup}.json`, `${backup}.tar.gz`]);
      expect(await state()).toBe('running');
    });

    test('N16 a restore that was killed at any moment leaves the old files or the new ones, and goes on', async () => {
      const [known] = await list();
      const backup = known?.id ?? '';
      for (const waitMs of [0, 80, 250, 450, 600, 700, 800, 950]) {
        await put('public/index.html', `changed ${waitMs}`);
        await until(async () => (await refusal('restore', { backup, stop: true })) === 'ok');
        await Bun.sleep(waitMs);
        await host.end('SIGKILL');
        // Whatever moment that was: one whole folder is there, or both lie beside each other; the old one may be going.
        const texts = [home(), at('restore', 'old')].flatMap((path) => {
          try {
            return [readFileSync(join(path, 'public/index.html'), 'utf8')];
          } catch {
            return [];
          }
        });
        expect(['kept', `changed ${waitMs}`]).toContain(texts.at(-1) ?? '');
        await host.start();
        await until(() => isOver(backup));
        await reaches('running');
        expect(await pageAt(PORT)).toBe('kept');
        await until(() => !existsSync(at('restore')));
      }
      expect(textOf('large').length).toBe(65_536 * 2 * 200);
    }, 300_000);

    test('while files are put back nobody else works on the server, and a kill of it does not hurt them', async () => {
      const [known] = await list();
      const backup = known?.id ?? '';
      await put('public/index.html', 'changed');
      await until(async () => (await refusal('restore', { backup, stop: true })) === 'ok');
      expect((await host.runtime.power(ID, 'start')).outcome).toBe('conflict');
      for (const call of ['restore', 'delete', 'make'] as const)
        expect([
          call,
          call === 'make'
            ? await order(crypto.randomUUID())
            : await refusal(call, { backup, ...(call === 'restore' ? { stop: true } : {}) } as never),
        ]).toEqual([call, 'conflict']);
      expect((await host.runtime.files(ID, 'bin', {})).outcome).toBe('conflict');
      await host.runtime.power(ID, 'kill');
      await until(() => isOver(backup));
      await power('start');
      await reaches('running');
      expect(await pageAt(PORT)).toBe('kept');
    });

    test('backups of a suspended server are nobody’s to work on', async () => {
      await host.runtime.put(specOf(ID, PORT, { revision: 2, suspended: true }));
      await until(async () => (await order(crypto.randomUUID())) === 'conflict');
      await host.runtime.put(specOf(ID, PORT, { revision: 3 }));
      await reaches('offline');
    });

    test('N25 a deletion while a backup is made and another waits leaves nothing of the server', async () => {
      for (let at = 0; at < 2; at += 1) await order(crypto.randomUUID());
      await until(() => processesOf(`${ID}.archive`).length > 0);
      await until(async () => (await host.runtime.remove(ID)).outcome === 'ok');
      expect([existsSync(at()), processesOf(`${ID}.archive`), processesOf(ID)]).toEqual([false, [], []]);
      expect((await run('list', {})).outcome).toBe('not_found');
    });
  });
}

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesSocket, nodeSocket } from '#server/node/place.ts';
import { encodeFrame } from '#server/node/file-manager/frame.ts';
import type { FileCall, FileInput } from '#shared/schemas/server-files.ts';
import { okOf } from '../conformance/panel.world.ts';
import { killProcessesOf, pageAt, processesOf, specOf, until, type NodeProcess } from './node-process.ts';

const ID = '0d9a4c1e-5b7f-4a35-9c58-2f6f8a1b7c03';
const PORT = 25_804;
const MB = 1_048_576;

/** Tests of the files of a server, on a node that runs: it works on them in the server's own sandbox, as its user. */
export function testFiles(host: NodeProcess): void {
  const home = (...path: string[]) => join(host.folder, ID, 'home', ...path);
  const run = <N extends FileCall>(call: N, input: FileInput<N>, bytes?: Uint8Array) =>
    host.runtime.files(ID, call, input, bytes);
  const value = async <N extends FileCall>(call: N, input: FileInput<N>, bytes?: Uint8Array) =>
    okOf(await run(call, input, bytes)).value;
  /** What a call was refused with; `ok` where it was not. */
  const refusal = async <N extends FileCall>(call: N, input: FileInput<N>, bytes?: Uint8Array): Promise<string> => {
    const answer = await run(call, input, bytes);
    return answer.outcome === 'refused' ? answer.reason : answer.outcome;
  };
  const textOf = (text: string) => new TextEncoder().encode(text);
  const read = async (path: string) => {
    const answer = okOf(await run('open', { path }));
    return { version: answer.value.version, text: new TextDecoder().decode(answer.bytes) };
  };
  const names = async (path = '', find = '') =>
    (await value('list', { path, from: 0, find })).entries.map(({ name }) => name);

  describe('files of a server', () => {
    beforeAll(async () => {
      await host.runtime.put(specOf(ID, PORT));
      await until(async () => okOf(await host.runtime.read(ID)).state === 'running');
    });
    afterAll(() => host.runtime.remove(ID));

    test('a text that is saved is what the server shows, and one that changed meanwhile is not written over', async () => {
      expect(await names()).toEqual(['public']);
      const page = await read('public/index.html');
      expect(page.text).toContain('It works');
      const path = 'public/index.html';
      const { version } = await value('save', { path, version: page.version }, textOf('<h1>Mine</h1>'));
      expect(await pageAt(PORT)).toBe('<h1>Mine</h1>');
      expect(await refusal('save', { path, version: page.version }, textOf('late'))).toBe('changed');
      expect(await refusal('save', { path, version: null }, textOf('new'))).toBe('exists');
      await value('save', { path, version }, textOf(''));
      expect(await read(path)).toMatchObject({ text: '' });
      await value('save', { path: 'public/new page.html', version: null }, textOf('new'));
      expect(await pageAt(PORT, '/new%20page.html')).toBe('new');
    });

    test('a file is its server’s own, and never one that it may not read', async () => {
      const { uid } = statSync(home('public', 'new page.html'));
      expect(uid).toBe(statSync(home()).uid);
      expect(uid).not.toBe(0);
      writeFileSync(home('closed'), 'secret of root', { mode: 0o600 });
      expect(await refusal('open', { path: 'closed' })).toBe('denied');
      rmSync(home('closed'));
    });

    test('N8 a link to a file of the machine is refused as if nothing were there, by every call', async () => {
      symlinkSync('/etc/shadow', home('shadow'));
      symlinkSync('/', home('root'));
      symlinkSync('../../../../../etc', home('up'));
      const version = null;
      for (const path of ['shadow', 'root/etc/shadow', 'up/shadow']) {
        expect([path, await refusal('open', { path })]).toEqual([path, 'absent']);
        expect([path, await refusal('part', { path, from: 0, length: 10, version })]).toEqual([path, 'absent']);
      }
      for (const path of ['root', 'up', 'root/etc'])
        expect([path, await refusal('list', { path, from: 0, find: '' })]).toEqual([path, 'absent']);
      expect(await refusal('save', { path: 'root/srv/x', version }, textOf('x'))).toBe('absent');
      expect(await refusal('makeFolder', { path: 'root/srv/x' })).toBe('absent');
      expect(await refusal('move', { from: 'public', to: 'root/srv/x' })).toBe('absent');
      expect(await refusal('delete', { paths: ['root/etc/hostname'] })).toBe('absent');
      const upload = crypto.randomUUID();
      const whole = { path: 'root/srv/x', upload, at: 0, size: 1, replace: true };
      expect(await refusal('receive', whole, textOf('x'))).toBe('absent');
      // The links themselves are the server's, and go.
      await value('delete', { paths: ['shadow', 'root', 'up'] });
      await value('empty', { ids: null });
      expect([await names(), existsSync('/etc/shadow'), existsSync('/srv/x')]).toEqual([['public'], true, false]);
    });

    test('N9 a name that is now a folder and now a link leads nowhere else, however often it changes', async () => {
      mkdirSync(home('real'));
      writeFileSync(home('real', 'hostname'), 'inside', { mode: 0o644 });
      symlinkSync('/etc', home('link'));
      const over = new AbortController();
      const flips = (async () => {
        while (!over.signal.aborted) {
          for (const [from, to] of [
            ['real', 'flip'],
            ['flip', 'real'],
            ['link', 'flip'],
            ['flip', 'link'],
          ] as const)
            renameSync(home(from), home(to));
          await Bun.sleep(0);
        }
      })();
      const seen = new Set<string>();
      for (let round = 0; round < 250; round += 1)
        for (const answer of await Promise.all(Array.from({ length: 4 }, () => run('open', { path: 'flip/hostname' }))))
          seen.add(answer.outcome === 'ok' ? new TextDecoder().decode(answer.value.bytes) : answer.outcome);
      over.abort();
      await flips;
      expect(seen.isSubsetOf(new Set(['inside', 'refused', 'conflict']))).toBe(true);
      for (const name of ['real', 'link', 'flip']) rmSync(home(name), { recursive: true, force: true });
    });

    test('an upload comes in parts, goes on after it was interrupted, and is there only as a whole', async () => {
      const bytes = crypto.getRandomValues(new Uint8Array(65_536));
      const upload = crypto.randomUUID();
      const send = (at: number, to: number, replace = false) =>
        run('receive', { path: 'up.bin', upload, at, size: bytes.length, replace }, bytes.subarray(at, to));
      expect(okOf(await send(0, 20_000)).value).toEqual({ received: 20_000, done: false });
      expect(await names()).toEqual(['public']);
      expect(await send(30_000, 40_000)).toMatchObject({ outcome: 'refused', reason: 'gap' });
      await host.end('SIGKILL');
      await host.start();
      expect(await value('received', { upload })).toEqual({ received: 20_000 });
      // The answer to the last part got lost: it comes again.
      expect(okOf(await send(0, 20_000)).value).toEqual({ received: 20_000, done: false });
      expect(okOf(await send(20_000, 65_536)).value).toEqual({ received: 65_536, done: true });
      expect(Buffer.compare(readFileSync(home('up.bin')), bytes)).toBe(0);
      const part = okOf(await run('part', { path: 'up.bin', from: 60_000, length: 10_000, version: null }));
      expect([part.value.size, Buffer.compare(part.bytes, bytes.subarray(60_000))]).toEqual([65_536, 0]);
      expect(await send(0, 1)).toMatchObject({ outcome: 'refused', reason: 'exists' });
      const again = { path: 'up.bin', upload: crypto.randomUUID(), at: 0, size: 1, replace: true };
      expect(await value('receive', again, textOf('x'))).toEqual({ received: 1, done: true });
      expect(readFileSync(home('up.bin'), 'utf8')).toBe('x');
      const given = { upload: crypto.randomUUID() };
      await run('receive', { ...given, path: 'never', at: 0, size: 2, replace: false }, textOf('x'));
      await value('discard', given);
      expect(await value('received', given)).toEqual({ received: 0 });
    });

    test('N4 what does not fit the limit of the server is refused before any of it is there', async () => {
      const upload = crypto.randomUUID();
      const first = { path: 'large', upload, at: 0, size: 80 * MB, replace: false };
      expect(await refusal('receive', first, new Uint8Array(MB))).toBe('disk_full');
      expect(await value('received', { upload })).toEqual({ received: 0 });
      const { used, limit } = await value('list', { path: '', from: 0, find: '' });
      expect([limit, used !== null && used > 0 && used < 2 * MB]).toEqual([64 * MB, true]);
    });

    test('what is deleted lies in the bin, comes back from there, and is gone when that is emptied', async () => {
      await value('makeFolder', { path: 'world' });
      await value('makeFolder', { path: 'world/region' });
      await value('save', { path: 'world/region/r.0.0', version: null }, textOf('chunk'));
      expect(await refusal('makeFolder', { path: 'world' })).toBe('exists');
      await value('delete', { paths: ['world'] });
      expect(await names()).toEqual(['public', 'up.bin']);
      const { entries } = await value('bin', {});
      expect(entries.map(({ path, kind }) => [path, kind])).toEqual([['world', 'folder']]);
      const ids = entries.map(({ id }) => id);
      await value('makeFolder', { path: 'world' });
      expect(await refusal('restore', { ids })).toBe('exists');
      await value('move', { from: 'world', to: 'other world' });
      await value('restore', { ids });
      expect((await read('world/region/r.0.0')).text).toBe('chunk');
      expect(await refusal('move', { from: 'world', to: 'other world' })).toBe('exists');
      await value('delete', { paths: ['world', 'other world', 'up.bin'] });
      await value('empty', { ids: null });
      expect([await names(), (await value('bin', {})).entries]).toEqual([['public'], []]);
    });

    test('hostile names are shown, found and deleted, and none of them is made', async () => {
      const long = 'x'.repeat(255);
      const strange = ['a\nb', '\u202egpj.exe', ' ', '-rf', '$(id)', '"', long];
      for (const name of strange) writeFileSync(home(name), name);
      writeFileSync(Buffer.concat([Buffer.from(`${home()}/`), Buffer.from([0xff, 0xfe])]), 'no text');
      expect(new Set(await names())).toEqual(new Set(['public', ...strange, '\ufffd\ufffd']));
      const { entries } = await value('list', { path: '', from: 0, find: '\ufffd' });
      expect(entries).toMatchObject([{ foreign: true }]);
      expect(await names('', '-RF')).toEqual(['-rf']);
      await value('delete', { paths: strange });
      await value('empty', { ids: null });
      const deep = Array.from({ length: 900 }, () => 'dd').join('/');
      await Bun.spawn(['mkdir', '-p', home(deep)]).exited;
      await Bun.spawn(['chown', '-R', String(statSync(home()).uid), home('dd')]).exited;
      await value('delete', { paths: ['dd'] });
      await value('empty', { ids: null });
      rmSync(Buffer.concat([Buffer.from(`${home()}/`), Buffer.from([0xff, 0xfe])]));
      expect(await names()).toEqual(['public']);
    });

    test('a folder with very many files is listed page by page, in one order', async () => {
      mkdirSync(home('many'));
      for (let at = 0; at < 5000; at += 1) writeFileSync(home('many', `f${at}`), '');
      const first = await value('list', { path: 'many', from: 0, find: '' });
      const last = await value('list', { path: 'many', from: 4900, find: '' });
      expect([first.total, first.entries.length, last.entries.length, last.entries.at(-1)?.name]).toEqual([
        5000,
        200,
        100,
        'f999',
      ]);
      rmSync(home('many'), { recursive: true });
    });

    test('what is no file is never opened, and what is no text is not edited', async () => {
      await Bun.spawn(['mkfifo', home('pipe')]).exited;
      writeFileSync(home('binary'), Buffer.from([0, 1, 2]), { mode: 0o644 });
      writeFileSync(home('big.txt'), 'x'.repeat(MB + 1), { mode: 0o644 });
      const refusals = await Promise.all(
        ['pipe', 'public', 'binary', 'big.txt', 'none'].map((path) => refusal('open', { path })),
      );
      expect(refusals).toEqual(['denied', 'denied', 'not_text', 'too_large', 'absent']);
      for (const name of ['pipe', 'binary', 'big.txt']) rmSync(home(name));
    });

    test('a program that is killed in the middle of a call answers nothing, and the next call begins another', async () => {
      await names();
      const group = processesOf(`${ID}.files`);
      expect(group.length).toBeGreaterThan(0);
      const waiting = Array.from({ length: 6 }, () => run('list', { path: '', from: 0, find: '' }));
      killProcessesOf(`${ID}.files`);
      const outcomes = new Set((await Promise.all(waiting)).map(({ outcome }) => outcome));
      expect(outcomes.isSubsetOf(new Set(['ok', 'unknown', 'conflict', 'unavailable']))).toBe(true);
      await until(async () => (await run('list', { path: '', from: 0, find: '' })).outcome === 'ok');
      expect(processesOf(`${ID}.files`).some((pid) => group.includes(pid))).toBe(false);
    });

    test('a path that leaves the folder, or what is no call, never reaches a server', async () => {
      const status = async (call: string, input: unknown, id = ID) =>
        (
          await fetch('http://localhost/', {
            unix: filesSocket(nodeSocket(host.folder)),
            method: 'POST',
            body: encodeFrame({ head: { id, call, input }, bytes: new Uint8Array() }),
          })
        ).status;
      for (const path of ['../x', '/etc/passwd', 'a/../../b', 'a//b', './a', 'a\0b', '.spawnpoint/bin', '\ud800'])
        expect([path, await status('open', { path })]).toEqual([path, 400]);
      expect(await status('run', {})).toBe(400);
      expect(await status('open', { path: 'a' }, '../../etc')).toBe(400);
      expect(await status('delete', { paths: [] })).toBe(400);
      expect(await status('makeFolder', { path: 'a\u202eb' })).toBe(400);
      expect((await host.runtime.files(crypto.randomUUID(), 'bin', {})).outcome).toBe('not_found');
    });

    test('files of a suspended server are nobody’s to work on', async () => {
      await host.runtime.put(specOf(ID, PORT, { revision: 2, suspended: true }));
      await until(async () => (await run('bin', {})).outcome === 'conflict');
      await host.runtime.put(specOf(ID, PORT, { revision: 3 }));
      await until(async () => (await run('bin', {})).outcome === 'ok');
    });

    test('N25 a deletion while files are busy leaves neither process nor file', async () => {
      const calls = Array.from({ length: 8 }, () => run('list', { path: '', from: 0, find: '' }));
      await until(async () => (await host.runtime.remove(ID)).outcome === 'ok');
      await Promise.all(calls);
      expect([existsSync(join(host.folder, ID)), processesOf(`${ID}.files`), processesOf(ID)]).toEqual([false, [], []]);
      expect((await run('bin', {})).outcome).toBe('not_found');
    });
  });
}

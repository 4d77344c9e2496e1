import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { unzipSync, Zip, ZipDeflate, zipSync } from 'fflate';
import type { FileWork } from '#shared/schemas/server-files.ts';
import { okOf } from '../conformance/panel.world.ts';
import { killProcessesOf, specOf, until, type NodeProcess } from './node-process.ts';

const ID = '0d9a4c1e-5b7f-4a35-9c58-2f6f8a1b7c07';
const PORT = 25_807;
const MB = 1_048_576;
const LINK = 0o120_777;
const text = (words: string) => new TextEncoder().encode(words);

/** An archive with modes of its own: what a program that means harm would write. */
function archiveOf(entries: readonly { name: string; bytes?: Uint8Array; mode?: number }[]): Uint8Array {
  const parts: Uint8Array[] = [];
  const zip = new Zip((error, part) => {
    if (error) throw error;
    parts.push(part);
  });
  for (const { name, bytes = text('x'), mode = 0o100_644 } of entries) {
    const entry = new ZipDeflate(name, { level: 6 });
    entry.os = 3;
    entry.attrs = (mode << 16) >>> 0;
    zip.add(entry);
    entry.push(bytes, true);
  }
  zip.end();
  return Buffer.concat(parts);
}

/** Tests of packing and unpacking, on a node that runs: in the server's own sandbox, as its user. */
export function testArchives(host: NodeProcess): void {
  const home = (...path: string[]) => join(host.folder, ID, 'home', ...path);
  const list = async () => okOf(await host.runtime.files(ID, 'list', { path: '', from: 0, find: '' })).value;
  /** How what was begun has ended. */
  async function ended(): Promise<FileWork> {
    await until(async () => {
      const answer = await host.runtime.files(ID, 'list', { path: '', from: 0, find: '' });
      return answer.outcome === 'ok' && answer.value.value.work?.state !== 'running';
    });
    const { work } = await list();
    if (!work) throw new Error('nothing was begun');
    return work;
  }
  async function pack(paths: string[], to: string): Promise<FileWork> {
    okOf(await host.runtime.files(ID, 'pack', { paths, to }));
    return ended();
  }
  async function unpack(path: string, to: string): Promise<FileWork> {
    okOf(await host.runtime.files(ID, 'unpack', { path, to }));
    return ended();
  }
  const put = (name: string, bytes: Uint8Array) => writeFileSync(home(name), bytes, { mode: 0o644 });
  /** Nothing half unpacked is left anywhere. */
  const leftovers = () => (existsSync(home('.spawnpoint', 'fresh')) ? readdirSync(home('.spawnpoint', 'fresh')) : []);

  describe('archives of a server', () => {
    beforeAll(async () => {
      await host.runtime.put(specOf(ID, PORT));
      await until(async () => okOf(await host.runtime.read(ID)).state === 'running');
    });
    afterAll(() => host.runtime.remove(ID));

    test('a folder is packed with its files, modes and empty folders, and unpacked as it was', async () => {
      const large = crypto.getRandomValues(new Uint8Array(65_536 * 3 + 5));
      mkdirSync(home('world', 'region'), { recursive: true });
      mkdirSync(home('world', 'empty'));
      put('world/level.dat', text('the level'));
      put('world/region/r.0.0', large);
      put('world/start.sh', text('#!/bin/sh'));
      chmodSync(home('world', 'start.sh'), 0o755);
      await Bun.spawn(['chown', '-R', String(statSync(home()).uid), home('world')]).exited;
      expect(await pack(['world'], 'world.zip')).toMatchObject({ call: 'pack', to: 'world.zip', state: 'done' });
      const unzipped = unzipSync(readFileSync(home('world.zip')));
      expect(Object.keys(unzipped).toSorted()).toEqual([
        'world/',
        'world/empty/',
        'world/level.dat',
        'world/region/',
        'world/region/r.0.0',
        'world/start.sh',
      ]);
      expect(statSync(home('world.zip')).uid).toBe(statSync(home()).uid);
      expect(await pack(['world'], 'world.zip')).toMatchObject({ state: 'failed', reason: 'exists' });
      // The one folder that holds everything is the new folder itself.
      expect(await unpack('world.zip', 'again')).toMatchObject({ call: 'unpack', state: 'done' });
      expect(readdirSync(home('again')).toSorted()).toEqual(['empty', 'level.dat', 'region', 'start.sh']);
      expect(Buffer.compare(readFileSync(home('again', 'region', 'r.0.0')), large)).toBe(0);
      expect(statSync(home('again', 'start.sh')).mode & 0o777).toBe(0o755);
      expect(await unpack('world.zip', 'again')).toMatchObject({ state: 'failed', reason: 'exists' });
      expect(leftovers()).toEqual([]);
      for (const name of ['world', 'again', 'world.zip']) rmSync(home(name), { recursive: true });
    });

    test('N8 a link is never packed, and what it leads to neither', async () => {
      mkdirSync(home('site'));
      put('site/page', text('page'));
      symlinkSync('/etc/shadow', home('site', 'shadow'));
      symlinkSync('/etc', home('site', 'etc'));
      symlinkSync('/etc/hostname', home('hostname'));
      await Bun.spawn(['mkfifo', home('site', 'pipe')]).exited;
      await Bun.spawn(['chown', '-R', '-h', String(statSync(home()).uid), home('site')]).exited;
      expect(await pack(['site'], 'site.zip')).toMatchObject({ state: 'done' });
      expect(Object.keys(unzipSync(readFileSync(home('site.zip')))).toSorted()).toEqual(['site/', 'site/page']);
      expect(await pack(['hostname'], 'h.zip')).toMatchObject({ state: 'failed', reason: 'absent' });
      expect(await pack(['site/etc/hostname'], 'h.zip')).toMatchObject({ state: 'failed', reason: 'absent' });
      expect(await unpack('site/etc/hostname', 'h')).toMatchObject({ state: 'failed', reason: 'absent' });
      for (const name of ['site', 'site.zip', 'hostname']) rmSync(home(name), { recursive: true });
    });

    test('N10 an archive with names that lead elsewhere is refused as a whole, and nothing of it is there', async () => {
      for (const name of ['../up', '/etc/cron.d/x', 'a/../../up', 'a\\..\\up', '.spawnpoint/bin/x', 'a//b', 'C:/x']) {
        put('bad.zip', archiveOf([{ name: 'good' }, { name }]));
        expect([name, await unpack('bad.zip', 'out')]).toMatchObject([
          name,
          { state: 'failed', reason: 'bad_archive' },
        ]);
        expect([existsSync(home('out')), existsSync(home('..', 'up')), leftovers()]).toEqual([false, false, []]);
      }
    });

    test('N10 links, pipes and devices of an archive are left out, and a file behind a link is a plain one', async () => {
      put(
        'links.zip',
        archiveOf([
          { name: 'etc', bytes: text('/etc'), mode: LINK },
          { name: 'etc/hostname', bytes: text('mine') },
          { name: 'shadow', bytes: text('/etc/shadow'), mode: LINK },
          { name: 'pipe', mode: 0o010_644 },
          { name: 'disk', mode: 0o060_644 },
          { name: 'root', bytes: text('setuid'), mode: 0o104_755 },
        ]),
      );
      expect(await unpack('links.zip', 'out')).toMatchObject({ state: 'done' });
      expect(readdirSync(home('out')).toSorted()).toEqual(['etc', 'root']);
      expect(readFileSync(home('out', 'etc', 'hostname'), 'utf8')).toBe('mine');
      expect(statSync(home('out', 'root')).mode & 0o7777).toBe(0o755);
      rmSync(home('out'), { recursive: true });
    });

    test('N10 a bomb of 1:1000 ends at the limit of the server, and leaves nothing', async () => {
      put('bomb.zip', archiveOf([{ name: 'zeros', bytes: new Uint8Array(80 * MB) }]));
      expect(statSync(home('bomb.zip')).size).toBeLessThan(MB);
      expect(await unpack('bomb.zip', 'out')).toMatchObject({ state: 'failed', reason: 'disk_full' });
      // One that lies about its size is one that is damaged.
      const lie = Buffer.from(archiveOf([{ name: 'zeros', bytes: new Uint8Array(8 * MB) }]));
      const directory = lie.lastIndexOf(Buffer.from('504b0102', 'hex'));
      lie.writeUInt32LE(10, directory + 24);
      put('lie.zip', lie);
      expect(await unpack('lie.zip', 'out')).toMatchObject({ state: 'failed', reason: 'bad_archive' });
      expect([existsSync(home('out')), leftovers()]).toEqual([false, []]);
      const { used } = await list();
      expect(used === null || used < 8 * MB).toBe(true);
    });

    test('N10 an archive with more entries than one may have, or none at all, is refused', async () => {
      const many = Object.fromEntries(Array.from({ length: 50_001 }, (_, n) => [`f${n}`, new Uint8Array()]));
      put('many.zip', zipSync(many, { level: 0 }));
      expect(await unpack('many.zip', 'out')).toMatchObject({ state: 'failed', reason: 'archive_too_large' });
      put('text.zip', text('no archive at all'));
      expect(await unpack('text.zip', 'out')).toMatchObject({ state: 'failed', reason: 'bad_archive' });
      const cut = zipSync({ a: crypto.getRandomValues(new Uint8Array(9000)) });
      cut.fill(0, 100, 2000);
      put('cut.zip', cut);
      expect(await unpack('cut.zip', 'out')).toMatchObject({ state: 'failed', reason: 'bad_archive' });
      put('twice.zip', archiveOf([{ name: 'a' }, { name: 'a' }]));
      expect(await unpack('twice.zip', 'out')).toMatchObject({ state: 'failed', reason: 'bad_archive' });
      expect([existsSync(home('out')), leftovers()]).toEqual([false, []]);
      for (const name of readdirSync(home()).filter((each) => each.endsWith('.zip'))) rmSync(home(name));
    });

    test('one archive is worked on at a time, other calls are answered meanwhile, and a kill leaves nothing half', async () => {
      put('big', crypto.getRandomValues(new Uint8Array(20 * MB)).subarray(0, 20 * MB));
      okOf(await host.runtime.files(ID, 'pack', { paths: ['big'], to: 'big.zip' }));
      const second = await host.runtime.files(ID, 'pack', { paths: ['big'], to: 'other.zip' });
      expect(second).toMatchObject({ outcome: 'refused', reason: 'working' });
      expect((await list()).work).toMatchObject({ state: 'running', to: 'big.zip' });
      killProcessesOf(`${ID}.files`);
      expect(await ended()).toMatchObject({ state: 'failed', reason: null });
      expect(existsSync(home('big.zip'))).toBe(false);
      expect(await pack(['big'], 'big.zip')).toMatchObject({ state: 'done' });
      for (const name of ['big', 'big.zip']) rmSync(home(name));
    });
  });
}

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOutbound, type Fetch } from '#server/outbound.ts';
import { testLog } from '#tests/support/log.ts';
import { standInSources, type StandInSources } from '#tests/support/download-sources.ts';
import { DownloadFailed, type SourceFile } from './program/plan.ts';
import { createReader } from './program/reader.ts';
import { DOWNLOADS } from '#server/panel/embedded/runtime.ts';
import { findPlan } from './program/sources.ts';
import { createTransfer } from './program/transfer.ts';
import { unpack } from './program/unpack.ts';

let sources: StandInSources;
let said: string[];
const folder = mkdtempSync(join(tmpdir(), 'spawnpoint-downloads-'));
const path = join(folder, 'file');
beforeAll(async () => {
  sources = await standInSources();
});
beforeEach(() => {
  said = [];
  sources.asked.length = 0;
  rmSync(path, { force: true });
});
afterAll(() => {
  sources.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Asks the stand-in as a mirror, and waits for it however busy the machine is. */
function transferOf(more: Partial<Parameters<typeof createTransfer>[0]> = {}) {
  return createTransfer({
    ask: async (url, init) => {
      const { host, pathname } = new URL(url);
      return fetch(`${sources.address}/${host}${pathname}`, init);
    },
    userAgent: 'Spawnpoint/test',
    print: (text) => said.push(text),
    silenceMs: 60_000,
    pauseMs: 1,
    ...more,
  });
}
const URL_OF = 'https://example.com/big.bin';
const AT = '/example.com/big.bin';
const big = new Uint8Array(300_000).map((_, at) => (at * 7 + (at >> 8)) % 251);
function fileOf(more: Partial<SourceFile> = {}): SourceFile {
  sources.put(AT, big);
  return {
    url: URL_OF,
    path: 'big.bin',
    checksum: { kind: 'sha256', value: sources.hash('sha256', big) },
    size: big.length,
    ...more,
  };
}
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof DownloadFailed ? error.message : `thrown: ${String(error)}`),
  );

describe('a download', () => {
  test('a file that breaks off is gone on with where it broke off, and is whole', async () => {
    const file = fileOf();
    sources.fail(AT, { breaksAfter: 100_000 }, { breaksAfter: 50_000 });
    await transferOf().load(file, path);
    expect(readFileSync(path).equals(Buffer.from(big))).toBe(true);
    const ranges = sources.asked.map(({ range }) => range);
    expect(ranges[0]).toBeNull();
    expect(ranges.at(-1)).toMatch(/^bytes=\d+-$/);
  });

  test('a file that changed at its source in between begins again from its first byte', async () => {
    const file = fileOf();
    const other = big.toReversed();
    sources.fail(AT, { breaksAfter: 100_000 });
    const loading = transferOf().load(
      { ...file, checksum: { kind: 'sha256', value: sources.hash('sha256', other) } },
      path,
    );
    sources.put(AT, other);
    await loading;
    expect(readFileSync(path).equals(Buffer.from(other))).toBe(true);
  });

  test('a source that falls silent is asked again', async () => {
    const file = fileOf();
    sources.fail(AT, { hangsAfter: 1000 });
    await transferOf({ silenceMs: 2000 }).load(file, path);
    expect(sources.times(AT)).toBeGreaterThanOrEqual(2);
    expect(readFileSync(path).equals(Buffer.from(big))).toBe(true);
  });

  test('a source that is never whole is given up, and no half of a file stays', async () => {
    const file = fileOf();
    sources.fail(AT, ...Array.from({ length: 20 }, () => ({ breaksAfter: 0 })));
    expect(await failureOf(transferOf().load(file, path))).toBe('The source does not answer.');
    expect(existsSync(path)).toBe(false);
  });

  test('a wrong checksum is tried once more, and then refused', async () => {
    const file = fileOf();
    sources.fail(AT, { bytes: big.toReversed() });
    await transferOf().load(file, path);
    expect(said).toContain('The file does not have its checksum. Loading it again…');
    sources.fail(AT, { bytes: big.toReversed() }, { bytes: big.toReversed() });
    expect(await failureOf(transferOf().load(file, path))).toContain('checksum');
    expect(existsSync(path)).toBe(false);
  });

  test('a file without end, or larger than its source says, is refused', async () => {
    const file = fileOf();
    sources.fail(AT, { endless: true });
    expect(await failureOf(transferOf().load(file, path))).toBe('The file is larger than it may be.');
    expect(await failureOf(transferOf().load({ ...file, size: 1000 }, path))).toBe(
      'The file is larger than it may be.',
    );
    expect(existsSync(path)).toBe(false);
  });

  test('an answer that is not there is final, and one that was refused for a moment is asked for again', async () => {
    const file = fileOf();
    sources.fail(AT, { status: 404 });
    expect(await failureOf(transferOf().load(file, path))).toBe('The source does not have it.');
    expect(sources.times(AT)).toBe(1);
    sources.fail(AT, { status: 503 }, { status: 429 });
    await transferOf().load(file, path);
    expect(readFileSync(path).equals(Buffer.from(big))).toBe(true);
    sources.fail(AT, { status: 403 });
    expect(await failureOf(transferOf().load(file, path))).toBe('The source refuses (status 403).');
  });

  test('a redirect leads to no plain HTTP, to no private network, and not on without end', async () => {
    const file = fileOf();
    sources.fail(AT, { redirect: 'http://example.com/other' });
    expect(await failureOf(transferOf().load(file, path))).toContain('not HTTPS');
    sources.fail(AT, ...Array.from({ length: 9 }, () => ({ redirect: URL_OF })));
    expect(await failureOf(transferOf().load(file, path))).toContain('without end');
    // The product's own way out, with a name server that answers an address inside for the second host.
    const reached: string[] = [];
    const answer: Fetch = async (url) => {
      reached.push(url);
      return new Response(null, { status: 302, headers: { location: 'https://inside.example.com/keys' } });
    };
    const ask = createOutbound({
      settings: { current: () => ({ outbound_private_networks: false }) },
      log: testLog(),
      resolve: async (host) => (host === 'inside.example.com' ? ['169.254.169.254'] : ['93.184.215.14']),
      fetch: answer,
    });
    expect(await failureOf(transferOf({ ask }).load(file, path))).toContain('private network');
    expect(reached).toEqual(['https://93.184.215.14/big.bin']);
  });

  test('a source hears who asks', async () => {
    await transferOf().load(fileOf(), path);
    expect(sources.asked[0]?.userAgent).toBe('Spawnpoint/test');
  });
});

describe('what is loaded for a game', () => {
  const find = (download: (typeof DOWNLOADS)[number], version: string) =>
    findPlan(createReader(transferOf(), 'x64'), download, version);

  test('every game has its newest version, with the checksum that its source publishes', async () => {
    const found = Object.fromEntries(
      await Promise.all(
        DOWNLOADS.map(async (download) => {
          const { version, ingredients } = await find(download, 'latest');
          const kinds = Object.entries(ingredients).map(([part, { files }]) => [
            part,
            files.map(({ checksum }) => checksum?.kind ?? 'none').join(),
          ]);
          return [download, { version, ...Object.fromEntries(kinds) }] as const;
        }),
      ),
    );
    expect(found).toEqual({
      'minecraft-vanilla': { version: '1.21.8', game: 'sha1', java: 'sha256' },
      // Its newest has no build that is fit yet.
      'minecraft-paper': { version: '1.21.8', game: 'sha256', base: 'sha1', java: 'sha256' },
      'minecraft-purpur': { version: '1.21.8', game: 'md5', base: 'sha1', java: 'sha256' },
      'minecraft-fabric': { version: '1.21.8', game: 'sha256,sha1', base: 'sha1', java: 'sha256' },
      'minecraft-velocity': { version: '3.4.0-SNAPSHOT', game: 'sha256', java: 'sha256' },
      mindustry: { version: 'v146', game: 'sha256', java: 'sha256' },
      terraria: { version: '1449', game: 'none' },
      factorio: { version: '2.0.77', game: 'sha256' },
    });
  });

  test('a version that is listed is found, and one that is not is refused, whatever it is made of', async () => {
    expect((await find('minecraft-vanilla', '1.21.7')).version).toBe('1.21.7');
    expect((await find('terraria', '1.4.4.9')).version).toBe('1449');
    for (const wanted of ['9x9', '../../etc', '1.21.8/../x', '', 'a b', '\u0000'])
      for (const download of DOWNLOADS)
        expect(await failureOf(find(download, wanted))).toMatch(/no version|version that is none|does not have it/);
    expect(await failureOf(find('minecraft-vanilla', '1.5.2'))).toBe('Version 1.5.2 has no server.');
  });

  test('an answer that is not what it used to be is refused with a sentence', async () => {
    const at = '/piston-meta.mojang.com/mc/game/version_manifest_v2.json';
    sources.fail(at, { bytes: new TextEncoder().encode('<html>') });
    expect(await failureOf(find('minecraft-vanilla', 'latest'))).toContain('not JSON');
    sources.fail(at, { bytes: new TextEncoder().encode('{"versions": 5}') });
    expect(await failureOf(find('minecraft-vanilla', 'latest'))).toContain('otherwise');
    sources.fail(at, { endless: true });
    expect(await failureOf(find('minecraft-vanilla', 'latest'))).toContain('without end');
  });
});

describe('an archive that was loaded', () => {
  test('N10 only what is wanted comes out of it, a program may be run, and no name leads out', async () => {
    const archive = join(folder, 'terraria.zip');
    await Bun.write(
      archive,
      sources.files.get('/terraria.org/api/download/pc-dedicated-server/terraria-server-1449.zip') ?? '',
    );
    const into = join(folder, 'terraria');
    await unpack(archive, into, { kind: 'zip', strip: 1, only: 'Linux/', programs: ['TerrariaServer.bin.x86_64'] });
    expect(readdirSync(into).toSorted()).toEqual(['TerrariaServer.bin.x86_64', 'lib64']);
    expect(statSync(join(into, 'TerrariaServer.bin.x86_64')).mode & 0o111).toBe(0o111);
    expect(existsSync(join(folder, 'escape'))).toBe(false);
  });

  test('one that is damaged or lacks its program is refused', async () => {
    const archive = join(folder, 'bad');
    for (const kind of ['zip', 'tar.gz', 'tar.xz'] as const) {
      await Bun.write(archive, 'no archive at all');
      expect(await failureOf(unpack(archive, join(folder, `bad-${kind}`), { kind, strip: 1 }))).toContain('unpacked');
    }
    await Bun.write(
      archive,
      sources.files.get('/terraria.org/api/download/pc-dedicated-server/terraria-server-1449.zip') ?? '',
    );
    const how = { kind: 'zip', strip: 1, only: 'Linux/', programs: ['absent'] } as const;
    expect(await failureOf(unpack(archive, join(folder, 'lacks'), how))).toContain('does not have what it should');
  });
});

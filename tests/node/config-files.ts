import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConfigFile, ConfigParser } from '#shared/config-files.ts';
import { FILE_TEXT_BYTES } from '#shared/schemas/server-files.ts';
import { nodeSocket } from '#server/node/place.ts';
import { RECIPE_IDS } from '#server/panel/index.ts';
import { okOf } from '../conformance/panel.world.ts';
import { pageAt, processesOf, specOf, until, type NodeProcess } from './node-process.ts';

const ID = '0d9a4c1e-5b7f-4a35-9c58-2f6f8a1b7c09';
const PORT = 25_807;
/** Says what was in the files when it began. */
const APP = `const { existsSync, readFileSync } = require('fs');
const began = Object.fromEntries(['server.properties', 'deep/config.yml', 'own.ini', 'x.json', 'x.xml', 'lines.txt']
  .map((path) => [path, existsSync(path) ? readFileSync(path, 'utf8') : null]));
Bun.serve({ hostname: '0.0.0.0', port: Number(process.env.SERVER_PORT), fetch: () => Response.json(began) });`;

const file = (path: string, parser: ConfigParser, key: string, value: string): ConfigFile => ({
  path,
  parser,
  settings: [{ key, value, was: null }],
});

/** Tests of configuration files, on a node that runs: they are written before the process of their server reads them. */
export function testConfigFiles(host: NodeProcess): void {
  let revision = 1;
  const put = (configFiles: ConfigFile[]) => {
    revision += 1;
    return host.runtime.put(
      specOf(ID, PORT, { recipe: RECIPE_IDS[1], revision, environment: { MOTD: 'a: "b"\\' }, configFiles }),
    );
  };
  const reaches = (wanted: string) => until(async () => okOf(await host.runtime.read(ID)).state === wanted);
  const order = (signal: 'stop' | 'start') =>
    until(async () => (await host.runtime.power(ID, signal)).outcome === 'ok');
  async function again(): Promise<Record<string, string | null>> {
    await order('stop');
    await reaches('offline');
    await order('start');
    await reaches('running');
    await until(async () => (await pageAt(PORT)) !== null);
    return JSON.parse((await pageAt(PORT)) ?? '{}');
  }
  const home = (path: string) => join(host.folder, ID, 'home', path);
  const problems = async () =>
    okOf(await host.runtime.console(ID, 0, 0))
      .lines.filter(({ kind }) => kind === 'config')
      .map(({ text }) => text);

  describe('configuration files of a server', () => {
    beforeAll(async () => {
      await put([]);
      await reaches('running');
      writeFileSync(home('index.ts'), APP);
      writeFileSync(home('own.ini'), '; mine\n[net]\nport = 1\n');
      writeFileSync(home('x.json'), '{\n  "port": 1\n}\n');
      writeFileSync(home('x.xml'), '<a><port>1</port></a>\n');
      writeFileSync(home('lines.txt'), 'port 1\nrest\n');
    });
    afterAll(() => host.runtime.remove(ID));

    test('a process finds its settings written by each of the six parsers, in files that were there and new ones', async () => {
      const port = '{{server.build.default.port}}';
      await put([
        file('server.properties', 'properties', 'motd', '{{server.build.env.MOTD}}'),
        file('deep/config.yml', 'yaml', 'listeners[0].host', `0.0.0.0:${port}`),
        file('own.ini', 'ini', 'net.port', port),
        file('x.json', 'json', 'port', port),
        file('x.xml', 'xml', 'a.port', port),
        file('lines.txt', 'file', 'port', `port ${port}`),
      ]);
      expect(await again()).toEqual({
        'server.properties': 'motd=a: "b"\\\\\n',
        'deep/config.yml': `listeners:\n  - host: 0.0.0.0:${PORT}\n`,
        'own.ini': `; mine\n[net]\nport = ${PORT}\n`,
        'x.json': `{\n  "port": ${PORT}\n}\n`,
        'x.xml': `<a><port>${PORT}</port></a>\n`,
        'lines.txt': `port ${PORT}\nrest\n`,
      });
      expect(await problems()).toEqual([]);
      // What wrote them is gone.
      expect(processesOf(`${ID}.files`)).toEqual([]);
    });

    test('a file that cannot be written keeps no server from its start, stays as it is, and is named in the console', async () => {
      const outside = join(host.folder, 'outside');
      mkdirSync(outside, { recursive: true, mode: 0o777 });
      writeFileSync(join(outside, 'secret.ini'), 'a=1\n', { mode: 0o666 });
      const links: [string, string][] = [
        [outside, 'way-out'],
        [join(outside, 'secret.ini'), 'secret.ini'],
        ['/etc/passwd', 'passwd'],
        ['nowhere', 'dangling'],
        ['own.ini', 'inside.ini'],
      ];
      for (const [to, from] of links) symlinkSync(to, home(from));
      mkdirSync(home('folder'));
      writeFileSync(home('broken.json'), '{"port": ');
      writeFileSync(home('bytes.ini'), Buffer.from([0x61, 0xff, 0x00]));
      writeFileSync(home('huge.ini'), 'a=1\n'.repeat(FILE_TEXT_BYTES / 4 + 1));
      await put([
        file('way-out/new.ini', 'ini', 'a', '2'),
        file('secret.ini', 'ini', 'a', '2'),
        file('passwd', 'file', 'root', 'x'),
        file('dangling', 'ini', 'a', '2'),
        file('folder', 'ini', 'a', '2'),
        file('broken.json', 'json', 'port', '2'),
        file('bytes.ini', 'ini', 'a', '2'),
        file('huge.ini', 'ini', 'a', '2'),
        file('inside.ini', 'ini', 'net.port', '5'),
        file('lines.txt', 'file', 'rest', 'written after all of them'),
      ]);
      const found = await again();
      // A link within the folder leads to its file.
      expect(found['own.ini']).toBe('; mine\n[net]\nport = 5\n');
      expect(found['lines.txt']).toBe(`port ${PORT}\nwritten after all of them\n`);
      expect(await problems()).toEqual([
        'denied way-out/new.ini',
        'denied secret.ini',
        'denied passwd',
        'denied dangling',
        'denied folder',
        'unreadable broken.json',
        'unreadable bytes.ini',
        'too_large huge.ini',
      ]);
      expect(readFileSync(join(outside, 'secret.ini'), 'utf8')).toBe('a=1\n');
      expect(existsSync(join(outside, 'new.ini'))).toBe(false);
      expect(readFileSync(home('broken.json'), 'utf8')).toBe('{"port": ');
      rmSync(outside, { recursive: true });
    });

    test('N24 patterns of exponential time keep no server from its start, and what they are no patterns for is left', async () => {
      const long = `{"a":"${'a'.repeat(20_000)}!","b":"bb"}`;
      writeFileSync(home('x.json'), long);
      const told = (await problems()).length;
      const pattern = (path: string, key: string, was: string): ConfigFile => ({
        path,
        parser: 'json',
        settings: [{ key, value: 'taken', was: `regex:${was}` }],
      });
      // Each of them stands still for years in an engine that goes back, or is known to none but such an engine.
      await put([
        ...['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '^(.*a){20}$'].map((was) => pattern('x.json', 'a', was)),
        pattern('x.json', 'b', '^(b)b$'),
        pattern('broken.json', 'b', String.raw`^(b)\1$`),
        file('lines.txt', 'file', 'rest', 'rest after all patterns'),
      ]);
      writeFileSync(home('broken.json'), '{"b":"bb"}');
      writeFileSync(home('lines.txt'), 'rest\n');
      const found = await again();
      expect(found['x.json']).toBe(long.replace('"bb"', '"taken"'));
      expect(found['lines.txt']).toBe('rest after all patterns\n');
      expect(readFileSync(home('broken.json'), 'utf8')).toBe('{"b":"bb"}');
      expect((await problems()).slice(told)).toEqual(['unreadable broken.json']);
    });

    test('N24 the node takes no settings outside of the folder of a server, nor more of them than it may have', async () => {
      const before = readFileSync(join(host.folder, ID, 'spec.json'), 'utf8');
      const call = (configFiles: unknown) =>
        fetch('http://localhost/', {
          unix: nodeSocket(host.folder),
          method: 'POST',
          body: JSON.stringify({
            call: 'put',
            spec: specOf(ID, PORT, {
              recipe: RECIPE_IDS[1],
              revision: revision + 1,
              configFiles: configFiles as never,
            }),
          }),
        }).then(({ status }) => status);
      const { path: _, ...settings } = file('own.ini', 'ini', 'a', '2');
      for (const path of ['../spec.json', '/etc/hostname', 'a/../../state.json', '.spawnpoint/bin/x', ''])
        expect([path, await call([{ ...settings, path }])]).toEqual([path, 400]);
      expect(await call(Array.from({ length: 31 }, (_each, n) => ({ ...settings, path: `${n}.ini` })))).toBe(400);
      // The text of an egg of 10 MB: no more of it is read than a call may hold.
      const large = { ...settings, path: 'own.ini', settings: [{ key: 'a', value: 'x'.repeat(10 << 20), was: null }] };
      expect(await call([large])).toBe(413);
      expect(readFileSync(join(host.folder, ID, 'spec.json'), 'utf8')).toBe(before);
      expect(await pageAt(PORT)).not.toBeNull();
    });

    test('N16 settings are still written after the node was killed', async () => {
      await host.end('SIGKILL');
      await host.start();
      writeFileSync(home('lines.txt'), 'rest again\n');
      expect((await again())['lines.txt']).toBe('rest after all patterns\n');
    });
  });
}

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { RuntimeSpec } from '#server/panel/index.ts';
import type { StandInSources } from '#tests/support/download-sources.ts';
import { okOf } from '../conformance/panel.world.ts';
import { pageAt, processesOf, specOf, until, type NodeProcess } from './node-process.ts';

const id = (last: number) => `0d9a4c1e-5b7f-4a35-9c58-2f6f8a1b7d0${last}`;
const [PAPER, VANILLA, OTHER] = [id(1), id(2), id(3)];
const [PORT, VANILLA_PORT, OTHER_PORT] = [25_811, 25_812, 25_813];
const JAVA_AT = '/release-assets.githubusercontent.com/java21.tar.gz';
const PAPER_AT = '/fill-data.papermc.io/v1/paper.jar';

/** Tests of recipes that load what they run, on a node that asks stand-ins of their sources. */
export function testDownloads(host: NodeProcess, sourcesOf: () => StandInSources): void {
  const read = async (of: string) => okOf(await host.runtime.read(of));
  const reaches = (of: string, wanted: string) => until(async () => (await read(of)).state === wanted, 60_000);
  const home = (of: string, path = '') => join(host.folder, of, 'home', path);
  const cache = () => readdirSync(join(host.folder, 'cache/entries')).toSorted();
  const game = (of: string, port: number, more: Partial<RuntimeSpec>) => specOf(of, port, { disk: 128, ...more });
  const textOf = async (of: string) =>
    okOf(await host.runtime.console(of, 0, 0))
      .lines.map(({ text }) => text)
      .join('\n');

  describe('recipes that load what they run', () => {
    let sources: StandInSources;
    beforeAll(() => {
      sources = sourcesOf();
    });
    afterAll(async () => {
      for (const each of [PAPER, VANILLA, OTHER]) await host.runtime.remove(each);
    });

    test('Paper is loaded, and waits for its owner to accept the licence before anything of it is started', async () => {
      await host.runtime.put(game(PAPER, PORT, { recipe: 'minecraft-paper' }));
      await until(async () => (await read(PAPER)).halt?.reason === 'licence', 60_000);
      expect((await read(PAPER)).state).toBe('offline');
      expect(existsSync(home(PAPER, 'eula.txt'))).toBe(false);
      expect(await textOf(PAPER)).toContain('Version 1.21.8');
      await host.runtime.power(PAPER, 'start');
      await until(async () => (await read(PAPER)).halt?.reason === 'licence');
      expect([existsSync(home(PAPER, 'eula.txt')), processesOf(PAPER)]).toEqual([false, []]);
    });

    test('after the licence was accepted it starts by itself, with Java, its port and Mojang’s file', async () => {
      await host.runtime.put(game(PAPER, PORT, { recipe: 'minecraft-paper', revision: 2, licence: true }));
      await reaches(PAPER, 'running');
      const seen = JSON.parse((await pageAt(PORT)) ?? '{}');
      expect(seen).toMatchObject({ eula: 'eula=true\n', mojang: expect.stringContaining('readFileSync') });
      expect(seen.argv.join(' ')).toContain(
        `-XX:MaxRAM=256m -XX:MaxRAMPercentage=70 -jar /opt/spawnpoint/game/server.jar`,
      );
      expect(seen.argv.join(' ')).toContain(`nogui --port ${PORT}`);
      // It costs its owner no disk: what Paper is made of is a link to what the machine has.
      expect(lstatSync(home(PAPER, 'cache/mojang_1.21.8.jar')).isSymbolicLink()).toBe(true);
      await host.runtime.power(PAPER, 'stop');
      await reaches(PAPER, 'offline');
      expect(await textOf(PAPER)).toContain('Saving the world');
    });

    test('what two servers are run with is loaded once, belongs to root, and is only read', async () => {
      const before = [sources.times(JAVA_AT), sources.times('/piston-data.mojang.com/server.jar')];
      await host.runtime.put(
        game(VANILLA, VANILLA_PORT, {
          recipe: 'minecraft-vanilla',
          licence: true,
          environment: { MINECRAFT_VERSION: '1.21.8' },
        }),
      );
      await reaches(VANILLA, 'running');
      expect([sources.times(JAVA_AT), sources.times('/piston-data.mojang.com/server.jar')]).toEqual(before);
      const [java = ''] = cache().filter((name) => name.startsWith('java-21'));
      const program = statSync(join(host.folder, 'cache/entries', java, 'bin/java'));
      expect([program.uid, program.mode & 0o777]).toEqual([0, 0o755]);
      const [pid = ''] = processesOf(VANILLA).slice(-1);
      expect(readFileSync(`/proc/${pid}/mountinfo`, 'utf8')).toMatch(/ \/opt\/spawnpoint\/java ro,/);
    });

    test('a wrong checksum fails the installation, says so, and leaves nothing that could be used', async () => {
      const before = cache();
      const wrong = { bytes: new TextEncoder().encode('evil') };
      sources.put('/fill.papermc.io/v3/projects/paper/versions/1.21.7', {
        version: { java: { version: { minimum: 21 } } },
      });
      sources.put('/fill.papermc.io/v3/projects/paper/versions/1.21.7/builds', [
        {
          id: 7,
          channel: 'STABLE',
          downloads: {
            'server:default': {
              size: 4,
              url: 'https://fill-data.papermc.io/v1/old.jar',
              checksums: { sha256: 'ab'.repeat(32) },
            },
          },
        },
      ]);
      sources.put('/fill-data.papermc.io/v1/old.jar', wrong.bytes);
      const spec = { recipe: 'minecraft-paper', licence: true, environment: { MINECRAFT_VERSION: '1.21.7' } } as const;
      await host.runtime.put(game(OTHER, OTHER_PORT, spec));
      await reaches(OTHER, 'install_failed');
      expect(await textOf(OTHER)).toContain('does not have the checksum that its source publishes');
      expect(cache()).toEqual(before);
      await host.runtime.power(OTHER, 'start');
      await until(async () => (await read(OTHER)).halt?.reason === 'not_installed');
      // Once it is mended at its source, a reinstallation is enough.
      await host.runtime.put(game(OTHER, OTHER_PORT, { ...spec, environment: {}, revision: 2, installation: 2 }));
      await reaches(OTHER, 'running');
    });

    test('N22 a version that its source does not list fails, whatever it is made of', async () => {
      const environment = { MINECRAFT_VERSION: '../../etc/passwd' };
      const spec = { recipe: 'minecraft-paper', licence: true, environment } as const;
      await host.runtime.put(game(OTHER, OTHER_PORT, { ...spec, revision: 3, installation: 3 }));
      await reaches(OTHER, 'install_failed');
      expect(await textOf(OTHER)).toContain('The source has no version ../../etc/passwd.');
    });

    test('N20 killing and deleting pass while a source is silent', async () => {
      const hangs = { hangsAfter: 10 };
      sources.asked.length = 0;
      sources.fail(PAPER_AT, hangs, hangs, hangs, hangs);
      await host.runtime.remove(PAPER);
      await Bun.$`rm -rf ${join(host.folder, 'cache/entries')} && mkdir ${join(host.folder, 'cache/entries')}`.quiet();
      const spec = { recipe: 'minecraft-paper', licence: true } as const;
      await host.runtime.put(game(OTHER, OTHER_PORT, { ...spec, revision: 4, installation: 4 }));
      await until(() => sources.asked.at(-1)?.path === PAPER_AT);
      await host.runtime.power(OTHER, 'kill');
      await reaches(OTHER, 'install_failed');
      await host.runtime.put(game(OTHER, OTHER_PORT, { ...spec, revision: 5, installation: 5 }));
      await reaches(OTHER, 'installing');
      expect((await host.runtime.remove(OTHER)).outcome).toBe('ok');
      expect(existsSync(join(host.folder, OTHER))).toBe(false);
    });

    test('N16 a download that the node was killed in begins again with the next one', async () => {
      await host.end('SIGKILL');
      await host.start();
      sources.asked.length = 0;
      sources.fail(PAPER_AT, { hangsAfter: 10 });
      await host.runtime.put(game(PAPER, PORT, { recipe: 'minecraft-paper', licence: true }));
      await until(() => sources.asked.at(-1)?.path === PAPER_AT);
      await host.end('SIGKILL');
      expect(cache().filter((name) => name.startsWith('paper'))).toEqual([]);
      await host.start();
      await reaches(PAPER, 'running');
      expect(JSON.parse((await pageAt(PORT)) ?? '{}').argv.join(' ')).toContain('--port');
      expect(processesOf('download.0')).toEqual([]);
    });

    test('archives of both kinds are unpacked, and what is in them is run with what its owner chose', async () => {
      await host.runtime.put(
        game(OTHER, OTHER_PORT, {
          recipe: 'terraria',
          environment: { WORLD_NAME: 'my world; rm -rf', MAX_PLAYERS: '4' },
        }),
      );
      await reaches(OTHER, 'running');
      expect(await textOf(OTHER)).toContain(
        `Server started -port ${OTHER_PORT} -maxplayers 4 -world /home/container/worlds/myworldrm-rf.wld`,
      );
      await host.runtime.remove(OTHER);
      await host.runtime.put(game(OTHER, OTHER_PORT, { recipe: 'factorio' }));
      await reaches(OTHER, 'running');
      expect(await textOf(OTHER)).toContain('--start-server saves/gamesave.zip');
    });
  });
}

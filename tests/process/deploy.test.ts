import { afterAll, describe, expect, test } from 'bun:test';
import { spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LARGEST_BODY } from '#shared/ceilings.ts';
import { freePort } from '#tests/support/free-port.ts';
import { openHarness } from '#tests/support/harness.ts';
import { openPages } from '#tests/support/pages.ts';
import { BINARY } from './installation.ts';

/** The samples for operators: each is run as far as this machine can. */
const ROOT = join(import.meta.dir, '../..');
const sample = (name: string) => readFileSync(join(ROOT, 'scripts/deploy', name), 'utf8');

/** The instructions of a Dockerfile, stage by stage. */
function stages(text: string): { readonly instruction: string; readonly rest: string }[][] {
  const lines = text
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'));
  const found: { instruction: string; rest: string }[][] = [];
  for (const line of lines) {
    const [, instruction = '', rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    if (instruction === 'FROM') found.push([]);
    found.at(-1)?.push({ instruction, rest });
  }
  return found;
}
const [build = [], image = []] = stages(sample('Dockerfile'));
const all = (stage: typeof build, instruction: string) =>
  stage.filter((each) => each.instruction === instruction).map(({ rest }) => rest);
const environment = () =>
  Object.fromEntries(
    all(image, 'ENV').flatMap((line) => line.split(/\s+/).map((pair) => pair.split('=') as [string, string])),
  );
const words = (line: string) => JSON.parse(line) as string[];

/** A program that builds and runs images, and gets those that ours is made from; null where there is none. */
async function engine(): Promise<string | null> {
  const from = [build, image].flatMap((stage) => all(stage, 'FROM')).map((rest) => rest.split(' ')[0] ?? '');
  for (const path of ['docker', 'podman'].map((name) => Bun.which(name)).filter((found) => found !== null)) {
    const quiet = { stdout: 'ignore', stderr: 'ignore', timeout: PULL_MS } as const;
    const pulls = from.map((name) => Bun.spawn([path, 'pull', name], quiet).exited);
    if ((await Promise.all(pulls)).every((code) => code === 0)) return path;
  }
  return null;
}
/** How long a registry is waited for. */
const PULL_MS = 120_000;
const ENGINE = await engine();

describe('the Dockerfile', () => {
  test('the image builds with the Bun of the project, by the commands of its scripts, from what is in the repository', () => {
    const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      devDependencies: Record<string, string>;
    };
    expect(build[0]).toEqual({
      instruction: 'FROM',
      rest: `docker.io/oven/bun:${manifest.devDependencies.bun}-debian AS build`,
    });
    expect(all(build, 'RUN')).toEqual(['bun install --frozen-lockfile', 'bun scripts/build.ts']);
    for (const line of all(build, 'COPY'))
      for (const name of line.split(' ').slice(0, -1))
        expect([name, existsSync(join(ROOT, name))]).toEqual([name, true]);
    expect(all(image, 'COPY')).toEqual(['--from=build /build/dist/spawnpoint /usr/local/bin/spawnpoint']);
    expect(sample('Dockerfile.dockerignore').split('\n')).toContain('node_modules');
  });

  test('the image runs as nobody special, keeps its data in a volume that is theirs, and is asked whether it is well', () => {
    expect(all(image, 'USER')).toEqual(['10001:10001']);
    expect(all(image, 'VOLUME')).toEqual([environment().DATA_DIR ?? '']);
    expect(all(image, 'RUN')).toEqual([`install -d -o 10001 -g 10001 -m 700 ${environment().DATA_DIR}`]);
    expect(all(image, 'EXPOSE')).toEqual([environment().PORT ?? '']);
    expect(all(image, 'HEALTHCHECK')).toHaveLength(1);
    // The order counts: what comes after USER is done by that user.
    expect(image.findIndex(({ instruction }) => instruction === 'RUN')).toBeLessThan(
      image.findIndex(({ instruction }) => instruction === 'USER'),
    );
  });

  const folder = mkdtempSync(join(tmpdir(), 'spawnpoint-docker-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('the image is started by hand as it starts: as its user, with its environment, well when its check says so', async () => {
    const user = process.getuid?.() === 0 ? { uid: 10001, gid: 10001 } : {};
    if (user.uid) chownSync(folder, user.uid, user.gid);
    chmodSync(folder, 0o700);
    // The address and the folder are this machine's; all else is the image's.
    const port = await freePort();
    const env = {
      ...environment(),
      HOST: '127.0.0.1',
      PORT: String(port),
      DATA_DIR: folder,
      APP_URL: 'https://panel.example.com',
      PATH: process.env.PATH ?? '',
    };
    const [program] = all(image, 'ENTRYPOINT').map(words);
    expect(program).toEqual(['spawnpoint']);
    const check = words(all(image, 'HEALTHCHECK')[0]?.replace(/^.*?CMD /, '') ?? '[]');
    const healthy = async () => (await Bun.spawn(check, { env, stdout: 'ignore', stderr: 'ignore' }).exited) === 0;
    expect(await healthy()).toBe(false);
    const child = spawn(BINARY, words(all(image, 'CMD')[0] ?? '[]'), {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
      ...user,
    });
    const gone = new Promise<number | null>((resolve) => child.once('exit', resolve));
    try {
      await new Promise<void>((resolve, reject) => {
        child.stdout.on('data', (data: Buffer) => data.toString().includes('is ready') && resolve());
        child.once('exit', (code) => reject(new Error(`ended with ${code}`)));
      });
      expect(await healthy()).toBe(true);
      expect(readdirSync(folder).length).toBeGreaterThan(0);
    } finally {
      child.kill('SIGTERM');
    }
    expect(await gone).toBe(0);
    expect(await healthy()).toBe(false);
  }, 300_000);

  test(`the image of the Dockerfile ${ENGINE ? 'is built and run by this machine’s engine' : 'cannot be built on this machine, which has no engine or no registry: its steps were made by hand above'}`, async () => {
    if (!ENGINE) {
      expect(existsSync(BINARY)).toBe(true);
      return;
    }
    const run = async (...args: string[]) => {
      const child = Bun.spawn([ENGINE, ...args], { cwd: ROOT, stdout: 'pipe', stderr: 'pipe' });
      const [out, err, code] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
        child.exited,
      ]);
      if (code !== 0) throw new Error(`${args.join(' ')}: ${err}`);
      return out.trim();
    };
    const name = `spawnpoint-test-${process.pid}`;
    await run('build', '-f', 'scripts/deploy/Dockerfile', '-t', name, '.');
    const id = await run(
      'run',
      '-d',
      '--read-only',
      '--tmpfs',
      '/tmp',
      '-e',
      'APP_URL=https://panel.example.com',
      name,
    );
    try {
      let state = '';
      while (state !== 'healthy') {
        state = await run('inspect', '-f', '{{.State.Health.Status}}', id);
        expect(state).not.toBe('unhealthy');
        await Bun.sleep(500);
      }
      expect(await run('exec', id, 'id', '-u')).toBe('10001');
    } finally {
      await run('rm', '-f', '-v', id);
      await run('rmi', '-f', name);
    }
  }, 900_000);
});

test('the sample for Docker Compose keeps data and certificates, and is reached through its own trusted proxy alone', () => {
  const { services, networks, volumes } = Bun.YAML.parse(sample('compose.yaml')) as {
    services: Record<
      string,
      {
        build?: { context: string; dockerfile: string };
        environment?: Record<string, string>;
        volumes: string[];
        ports?: string[];
        command?: string;
        depends_on?: object;
      }
    >;
    networks: { web: { ipam: { config: { subnet: string }[] } } };
    volumes: Record<string, unknown>;
  };
  const { spawnpoint, caddy } = services;
  expect(
    existsSync(join(ROOT, 'scripts/deploy', spawnpoint?.build?.context ?? '', spawnpoint?.build?.dockerfile ?? '')),
  ).toBe(true);
  expect(spawnpoint?.volumes).toEqual([`data:${environment().DATA_DIR}`]);
  expect(Object.keys(volumes)).toEqual(['data', 'certificates']);
  expect(spawnpoint?.ports).toBeUndefined();
  expect(spawnpoint?.environment?.TRUSTED_PROXIES?.split(',')).toEqual([
    '127.0.0.0/8',
    networks.web.ipam.config[0]?.subnet ?? '',
  ]);
  expect(caddy?.command).toBe(
    `caddy reverse-proxy --from ${new URL(spawnpoint?.environment?.APP_URL ?? '').hostname} --to spawnpoint:${environment().PORT}`,
  );
  expect(caddy?.depends_on).toEqual({ spawnpoint: { condition: 'service_healthy' } });
});

test('the samples for nginx and Caddy let in what may be sent, and the documentation shows the same', async () => {
  const harness = await openHarness();
  const html = await (await (await openPages(harness)).get('/docs/reverse-proxy')).text();
  await harness.close();
  const [nginx, caddy] = [sample('nginx.conf'), sample('Caddyfile')];
  const MB = 1024 * 1024;
  expect(Number(/client_max_body_size (\d+)m;/.exec(nginx)?.[1]) * MB).toBeGreaterThan(LARGEST_BODY);
  expect(Number(/max_size (\d+)MB/.exec(caddy)?.[1]) * 1_000_000).toBeGreaterThan(LARGEST_BODY);
  const lines = (text: string) =>
    text
      .split('\n')
      .map((line) => line.trim().replaceAll(/\s+/g, ' '))
      .filter((line) => line !== '' && !line.startsWith('#'));
  const shown = new Set(lines(html.replaceAll(/<[^>]+>/g, '\n').replaceAll('&quot;', '"')));
  for (const line of [...lines(nginx), ...lines(caddy)]) expect([line, shown.has(line)]).toEqual([line, true]);
});

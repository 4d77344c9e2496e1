import { createHash } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { zipFiles } from '#server/zip.ts';

/** What a source does in the place of its next answers for a path. */
export type SourceFault =
  /** Breaks off after so many bytes. */
  | { readonly breaksAfter: number }
  | { readonly status: number }
  | { readonly redirect: string }
  /** Sends other bytes than it should. */
  | { readonly bytes: Uint8Array }
  /** Never ends. */
  | { readonly endless: true }
  /** Sends nothing more after so many bytes. */
  | { readonly hangsAfter: number };

const hash = (kind: string, bytes: Uint8Array) => createHash(kind).update(bytes).digest('hex');
const encode = (text: string) => new TextEncoder().encode(text);

/** An archive of files; those of `programs` may be run. */
export function tarOf(
  files: Readonly<Record<string, string>>,
  programs: readonly string[],
  by: 'gzip' | 'xz',
): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), 'spawnpoint-tar-'));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(folder, dirname(path)), { recursive: true });
      writeFileSync(join(folder, path), text, { mode: programs.includes(path) ? 0o755 : 0o644 });
    }
    const { success, stdout } = Bun.spawnSync(['tar', '--create', `--${by}`, '--file=-', ...Object.keys(files)], {
      cwd: folder,
    });
    if (!success) throw new Error('tar failed');
    return new Uint8Array(stdout);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A Java that runs the program of a game by Bun: enough to see with what it is begun. */
const JAVA = `#!/bin/sh
exec /opt/spawnpoint/bun -e "$(cat /opt/spawnpoint/game/server.jar)" -- "$@"
`;
/**
 * A game: answers on its port with how it was begun, and who plays in Minecraft's words, says that it is ready, and
 * ends when it is told to.
 */
export const GAME = `
const { readFileSync, existsSync } = require('fs');
const at = process.argv.indexOf('--port');
const read = (path) => (existsSync(path) ? readFileSync(path, 'utf8').slice(0, 60) : null);
const begun = () => JSON.stringify({
  argv: process.argv.slice(1), eula: read('eula.txt'), mojang: read('cache/mojang_' + process.env.GAME_VERSION + '.jar'),
});
const status = JSON.stringify({ players: { online: 23, max: 40, sample: [{ name: 'Mirela' }, { name: 'Vlad' }] } });
Bun.listen({ hostname: '0.0.0.0', port: Number(process.argv[at + 1]), socket: { data(socket, sent) {
  if (sent[1] === 0) socket.write(new Uint8Array([status.length + 2, 0, status.length, ...Buffer.from(status)]));
  else socket.write('HTTP/1.1 200 OK\\r\\nconnection: close\\r\\ncontent-length: ' + begun().length + '\\r\\n\\r\\n' + begun());
  socket.end();
} } });
console.log('Done (1.0s)! For help, type "help"');
for await (const line of console) if (line === 'stop') { console.log('Saving the world'); process.exit(0); }
`;

/**
 * Stands in for the sources of games and runtimes on one port of this machine, as a mirror of them: it answers as they
 * do, and makes the mistakes that it is told to make.
 */
export async function standInSources() {
  const faults = new Map<string, SourceFault[]>();
  const asked: { readonly path: string; readonly range: string | null; readonly userAgent: string | null }[] = [];
  const files = new Map<string, Uint8Array>();
  const put = (path: string, what: unknown): void =>
    void files.set(
      path,
      what instanceof Uint8Array ? what : encode(typeof what === 'string' ? what : JSON.stringify(what)),
    );

  const vanilla = encode(GAME);
  const paper = encode(`${GAME}// Paper`);
  const java = tarOf(
    { 'jdk-21-jre/bin/java': JAVA, 'jdk-21-jre/release': 'JAVA_VERSION=21' },
    ['jdk-21-jre/bin/java'],
    'gzip',
  );
  const loader = encode('a loader');
  const terraria = await zipFiles(
    [
      { name: '1449/Linux/TerrariaServer.bin.x86_64', text: `#!/bin/sh\necho "Server started $*"\ncat >/dev/null\n` },
      { name: '1449/Linux/lib64/a.so', text: 'lib' },
      { name: '1449/Windows/TerrariaServer.exe', text: 'windows' },
      { name: '1449/Linux/../../../escape', text: 'out' },
    ],
    Date.UTC(2026, 0, 1),
  );
  const factorio = tarOf(
    {
      'factorio/bin/x64/factorio':
        '#!/bin/sh\ncase "$*" in *--create*) exit ;; esac\necho "to(InGame) $*"\ncat >/dev/null\n',
    },
    ['factorio/bin/x64/factorio'],
    'xz',
  );

  put('/piston-meta.mojang.com/mc/game/version_manifest_v2.json', {
    latest: { release: '1.21.8', snapshot: '25w01a' },
    versions: ['1.21.8', '1.21.7', '1.5.2'].map((id) => ({
      id,
      type: 'release',
      url: `https://piston-meta.mojang.com/v1/packages/${id}.json`,
    })),
  });
  for (const id of ['1.21.8', '1.21.7'])
    put(`/piston-meta.mojang.com/v1/packages/${id}.json`, {
      id,
      downloads: {
        server: { sha1: hash('sha1', vanilla), size: vanilla.length, url: 'https://piston-data.mojang.com/server.jar' },
      },
      javaVersion: { component: 'java-runtime-delta', majorVersion: 21 },
    });
  put('/piston-meta.mojang.com/v1/packages/1.5.2.json', { id: '1.5.2', downloads: { client: {} } });
  put('/piston-data.mojang.com/server.jar', vanilla);
  for (const [project, version] of [
    ['paper', '1.21.8'],
    ['velocity', '3.4.0-SNAPSHOT'],
  ] as const) {
    const base = `/fill.papermc.io/v3/projects/${project}`;
    put(base, {
      project: { id: project },
      versions: project === 'paper' ? { '26.1': ['26.1'], '1.21': [version, '1.21.7'] } : { '3.0.0': [version] },
    });
    put(`${base}/versions/26.1/builds`, [{ id: 1, channel: 'ALPHA', downloads: {} }]);
    put(`${base}/versions/${version}/builds`, [
      { id: 61, channel: 'BETA', downloads: {} },
      {
        id: 60,
        channel: 'STABLE',
        downloads: {
          'server:default': {
            name: `${project}.jar`,
            size: paper.length,
            url: `https://fill-data.papermc.io/v1/${project}.jar`,
            checksums: { sha256: hash('sha256', paper) },
          },
        },
      },
    ]);
    put(`${base}/versions/${version}`, { version: { id: version, java: { version: { minimum: 21 } } }, builds: [60] });
    put(`/fill-data.papermc.io/v1/${project}.jar`, paper);
  }
  put('/api.purpurmc.org/v2/purpur', { project: 'purpur', versions: ['1.21.7', '1.21.8'] });
  put('/api.purpurmc.org/v2/purpur/1.21.8/latest', { build: '2500', md5: hash('md5', paper), version: '1.21.8' });
  put('/api.purpurmc.org/v2/purpur/1.21.8/2500/download', paper);
  put('/meta.fabricmc.net/v2/versions/game', [
    { version: '25w01a', stable: false },
    { version: '1.21.8', stable: true },
  ]);
  put('/meta.fabricmc.net/v2/versions/loader', [{ version: '0.17.2', stable: true }]);
  put('/meta.fabricmc.net/v2/versions/loader/1.21.8/0.17.2/server/json', {
    mainClass: 'net.fabricmc.loader.impl.launch.knot.KnotServer',
    libraries: [
      {
        name: 'org.ow2.asm:asm:9.8',
        url: 'https://maven.fabricmc.net/',
        sha256: hash('sha256', loader),
        size: loader.length,
      },
      { name: 'net.fabricmc:fabric-loader:0.17.2', url: 'https://maven.fabricmc.net/' },
    ],
  });
  put('/maven.fabricmc.net/org/ow2/asm/asm/9.8/asm-9.8.jar', loader);
  put('/maven.fabricmc.net/net/fabricmc/fabric-loader/0.17.2/fabric-loader-0.17.2.jar', loader);
  put('/maven.fabricmc.net/net/fabricmc/fabric-loader/0.17.2/fabric-loader-0.17.2.jar.sha1', hash('sha1', loader));
  put('/api.adoptium.net/v3/assets/latest/21/hotspot', [
    {
      binary: {
        package: {
          checksum: hash('sha256', java),
          link: 'https://github.com/adoptium/java21.tar.gz',
          size: java.length,
        },
      },
    },
  ]);
  put('/api.adoptium.net/v3/assets/latest/17/hotspot', [
    {
      binary: {
        package: {
          checksum: hash('sha256', java),
          link: 'https://github.com/adoptium/java21.tar.gz',
          size: java.length,
        },
      },
    },
  ]);
  put('/release-assets.githubusercontent.com/java21.tar.gz', java);
  put('/api.github.com/repos/Anuken/Mindustry/releases/latest', {
    tag_name: 'v146',
    assets: [
      {
        name: 'server-release.jar',
        size: paper.length,
        digest: `sha256:${hash('sha256', paper)}`,
        browser_download_url: 'https://github.com/Anuken/server-release.jar',
      },
    ],
  });
  put('/github.com/Anuken/server-release.jar', paper);
  put('/terraria.org/api/get/dedicated-servers-names', ['terraria-server-1449.zip']);
  put('/terraria.org/api/download/pc-dedicated-server/terraria-server-1449.zip', terraria);
  put('/factorio.com/api/latest-releases', { stable: { headless: '2.0.77' } });
  put(
    '/factorio.com/download/sha256sums/',
    `${'0'.repeat(64)}  factorio_demo_x64_2.0.77.tar.xz\n${hash('sha256', factorio)}  factorio-headless_linux_2.0.77.tar.xz\n`,
  );
  put('/factorio.com/get-download/2.0.77/headless/linux64', factorio);

  const server = createServer((request, response) => {
    const { pathname: path } = new URL(request.url ?? '/', 'http://127.0.0.1');
    const { range = null, 'user-agent': userAgent = null } = request.headers;
    asked.push({ path, range, userAgent });
    const fault = faults.get(path)?.shift();
    // GitHub leads from a release to where its files are.
    const leads = path.startsWith('/github.com/adoptium/') && !fault;
    const to = `https://release-assets.githubusercontent.com/${path.split('/').at(-1)}`;
    answer(response, files.get(path), leads ? { redirect: to } : fault, range);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    asked,
    files,
    put,
    /** Makes these mistakes, one after the other, when it is asked for a path. */
    fail: (path: string, ...list: SourceFault[]): void => void faults.set(path, list),
    times: (path: string) => asked.filter((each) => each.path === path).length,
    stop(): void {
      server.closeAllConnections();
      server.close();
    },
    hash,
  };
}
export type StandInSources = Awaited<ReturnType<typeof standInSources>>;

function answer(
  response: ServerResponse,
  file: Uint8Array | undefined,
  fault: SourceFault | undefined,
  range: string | null,
): void {
  if (fault && 'status' in fault) return void response.writeHead(fault.status).end();
  if (fault && 'redirect' in fault) return void response.writeHead(302, { location: fault.redirect }).end();
  if (!file) return void response.writeHead(404).end();
  const bytes = fault && 'bytes' in fault ? fault.bytes : file;
  const from = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0);
  const rest = bytes.subarray(from);
  const headers = { etag: `"${hash('md5', bytes)}"` };
  if (fault && 'endless' in fault) {
    response.writeHead(200, headers);
    const more = (): void => {
      if (!response.destroyed) response.write(new Uint8Array(1_048_576), () => more());
    };
    return more();
  }
  response.writeHead(from > 0 ? 206 : 200, {
    ...headers,
    'content-length': rest.length,
    ...(from > 0 && { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` }),
  });
  if (fault && 'breaksAfter' in fault)
    response.write(rest.subarray(0, fault.breaksAfter), () => setTimeout(() => response.destroy(), 50));
  else if (fault && 'hangsAfter' in fault) response.write(rest.subarray(0, fault.hangsAfter));
  else response.end(rest);
}

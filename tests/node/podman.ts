import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from './node-process.ts';

const BUSYBOX = '/bin/busybox';
/** Programs that the tests call by a name of their own. */
const PROGRAMS = [
  'sh',
  'ash',
  'cat',
  'chmod',
  'echo',
  'id',
  'ls',
  'mkdir',
  'mount',
  'nc',
  'rm',
  'sed',
  'sleep',
  'wget',
  'dd',
  'ln',
  'httpd',
  'touch',
  'env',
  'grep',
  'true',
  'chown',
  'yes',
  'kill',
];
/** As images of eggs have it: puts the variables into the start command, and lets a shell carry it out. */
const ENTRY_SCRIPT = `#!/bin/sh
cd /home/container
MODIFIED_STARTUP=$(echo "\${STARTUP}" | sed -e 's/{{/\${/g' -e 's/}}/}/g')
eval \${MODIFIED_STARTUP}
`;
export const IMAGE = 'localhost/spawnpoint-test:1';

/** Whether this machine has what the tests of containers need (`apt install podman crun busybox-static`). */
export const hasPodman = (): boolean =>
  ['podman', 'crun'].every((name) => Bun.which(name) !== null) && Bun.which('busybox') !== null;

/**
 * An answer of the engine that is spoilt. `lost`, `broken`: it was done, and the answer is broken off before or in its
 * body; `repeated`: it was asked twice, and the second answer comes; `refused`: nothing was done; `held`: it was done,
 * and no answer comes.
 */
interface Fault {
  readonly on: RegExp;
  readonly how: 'lost' | 'refused' | 'broken' | 'repeated' | 'held';
}

/**
 * Podman as it is, with folders of its own and an image made here, behind a socket that spoils answers where a test
 * says so.
 */
export class TestEngine {
  private readonly folder = mkdtempSync(join(tmpdir(), 'spawnpoint-engine-'));
  readonly socket = join(this.folder, 'socket');
  private readonly real = join(this.folder, 'podman');
  private service: ReturnType<typeof Bun.spawn> | null = null;
  private proxy: Server | null = null;
  /** Faults that are still to come, each once. */
  readonly faults: Fault[] = [];
  private readonly held: (() => void)[] = [];
  /** What was asked to be made. */
  readonly orders: string[] = [];

  /** Begins Podman, and makes the image where it is not there. */
  async start(): Promise<void> {
    const settings = join(this.folder, 'containers.conf');
    writeFileSync(settings, '[engine]\ncgroup_manager="cgroupfs"\nevents_logger="none"\nruntime="crun"\n');
    const at = ['--root', join(this.folder, 'root'), '--runroot', join(this.folder, 'run'), '--storage-driver', 'vfs'];
    rmSync(this.real, { force: true });
    this.service = Bun.spawn(
      [
        'unshare',
        '--mount',
        'sh',
        '-c',
        // crun does not take a machine that has both versions of control groups at once.
        '[ -e /sys/fs/cgroup/cgroup.controllers ] || umount /sys/fs/cgroup/unified 2>/dev/null; exec "$@"',
        'sh',
        'podman',
        ...at,
        'system',
        'service',
        '--time',
        '0',
        `unix://${this.real}`,
      ],
      { env: { PATH: process.env.PATH ?? '', CONTAINERS_CONF: settings }, stdout: 'ignore', stderr: 'ignore' },
    );
    await until(async () => (await this.ask('GET', '/_ping'))?.ok === true);
    if ((await this.ask('GET', `/v1.41/images/${encodeURIComponent(IMAGE)}/json`))?.ok !== true) await this.makeImage();
    await this.listen();
  }
  /** Ends Podman; containers go on. */
  async stop(): Promise<void> {
    this.proxy?.close();
    this.proxy?.closeAllConnections();
    this.service?.kill('SIGKILL');
    await this.service?.exited;
    rmSync(this.socket, { force: true });
    rmSync(this.real, { force: true });
  }
  async end(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
  /** Asks Podman itself. Out: null where it does not answer. */
  ask(method: string, path: string, body?: BodyInit): Promise<Response | null> {
    return fetch(`http://localhost${path}`, {
      unix: this.real,
      method,
      ...(body === undefined ? {} : { body, headers: { 'content-type': 'application/x-tar' } }),
    }).catch(() => null);
  }
  /** Makes a container that nobody starts. */
  async make(name: string, labels: Record<string, string>): Promise<void> {
    const made = await fetch(`http://localhost/v1.41/containers/create?name=${name}`, {
      unix: this.real,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ Image: IMAGE, Labels: labels }),
    });
    if (!made.ok) throw new Error(await made.text());
  }
  /** Answers what was held. */
  answerHeld(): void {
    for (const done of this.held.splice(0)) done();
  }
  async isRunning(name: string): Promise<boolean> {
    const found = (await (await this.ask('GET', `/v1.41/containers/${name}/json`))?.json()) as {
      State?: { Running: boolean };
    };
    return found.State?.Running === true;
  }
  /** Names of all containers there are. */
  async containers(): Promise<string[]> {
    const answer = await this.ask('GET', '/v1.41/containers/json?all=true');
    const found = (await answer?.json()) as { Names: string[] }[];
    return found.flatMap(({ Names }) => Names.map((name) => name.replace(/^\//, '')));
  }

  private async makeImage(): Promise<void> {
    const root = join(this.folder, 'image');
    for (const folder of ['bin', 'etc', 'tmp', 'home/container']) mkdirSync(join(root, folder), { recursive: true });
    chmodSync(join(root, 'tmp'), 0o1777);
    cpSync(Bun.which('busybox') ?? BUSYBOX, join(root, 'bin/busybox'));
    for (const name of PROGRAMS) symlinkSync('busybox', join(root, 'bin', name));
    writeFileSync(join(root, 'entrypoint.sh'), ENTRY_SCRIPT);
    chmodSync(join(root, 'entrypoint.sh'), 0o755);
    const tar = new Uint8Array(Bun.spawnSync(['tar', '-C', root, '-c', '.']).stdout);
    const [repo, tag] = IMAGE.split(':');
    const command = encodeURIComponent('CMD ["/bin/sh","/entrypoint.sh"]');
    const made = await this.ask('POST', `/v1.41/images/create?fromSrc=-&repo=${repo}&changes=${command}`, tar);
    if (!made?.ok) throw new Error('Podman does not take the image');
    const { status: id } = (await made.json()) as { status: string };
    await this.ask('POST', `/v1.41/images/${id}/tag?repo=${repo}&tag=${tag}`);
  }
  private async listen(): Promise<void> {
    rmSync(this.socket, { force: true });
    const proxy = createServer((request, response) => {
      this.pass(request, response).catch(() => request.socket.destroy());
    });
    this.proxy = proxy;
    await new Promise<void>((done) => proxy.listen(this.socket, done));
  }
  private async pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = request;
    const call = `${method} ${url.split('?')[0]}`;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    if (call.endsWith('/containers/create')) this.orders.push(body.toString());
    const at = this.faults.findIndex(({ on }) => on.test(call));
    const [fault] = at < 0 ? [] : this.faults.splice(at, 1);
    if (fault?.how === 'refused') {
      response.writeHead(500, { 'content-type': 'application/json' });
      response.end('{"message":"no space left on device"}');
      return;
    }
    const ask = () =>
      fetch(`http://localhost${url}`, {
        unix: this.real,
        method,
        ...(body.byteLength > 0 ? { body: new Uint8Array(body), headers: { 'content-type': 'application/json' } } : {}),
      });
    const first = await ask();
    const answer = fault?.how === 'repeated' ? await ask() : first;
    const text = Buffer.from(await answer.arrayBuffer());
    if (fault?.how === 'held') await new Promise<void>((done) => this.held.push(done));
    if (fault?.how === 'lost') return void request.socket.destroy();
    response.writeHead(answer.status, {
      // What the engine calls itself.
      ...Object.fromEntries(['server', 'api-version'].map((name) => [name, answer.headers.get(name) ?? ''])),
      'content-length': String(text.length + (fault?.how === 'broken' ? 100 : 0)),
    });
    if (fault?.how !== 'broken') return void response.end(text);
    await new Promise<void>((done) => void response.write(text.subarray(0, 5), () => done()));
    request.socket.destroy();
  }
}

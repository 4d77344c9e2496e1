import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeSocket } from '#server/node/place.ts';
import { connectNode } from '#server/node/socket.ts';
import {
  RECIPE_IDS,
  type Runtime,
  type RuntimeServer,
  type RuntimeSignal,
  type RuntimeSpec,
} from '#server/panel/index.ts';
import { okOf } from '../conformance/panel.world.ts';

/** The node as a process of its own, so that it can be killed. */
export class NodeProcess {
  readonly folder = mkdtempSync(join(tmpdir(), 'spawnpoint-servers-'));
  readonly runtime: Runtime = connectNode(nodeSocket(this.folder));
  /** What else is in its environment. */
  readonly env: Record<string, string> = {};
  private child: ReturnType<typeof Bun.spawn> | null = null;
  async start(): Promise<void> {
    this.child = Bun.spawn([process.execPath, join(import.meta.dir, '../../server/main.ts'), 'node'], {
      env: { PATH: process.env.PATH ?? '', SERVERS_DIR: this.folder, LOG_LEVEL: 'error', ...this.env },
      stdout: 'ignore',
      stderr: 'inherit',
    });
    await until(async () => (await this.runtime.list()).outcome === 'ok');
  }
  /** Number of the process that runs now. */
  pid(): number {
    if (!this.child) throw new Error('the node was not started');
    return this.child.pid;
  }
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    this.child?.kill(signal);
    await this.child?.exited;
  }
}
/** Waits until something is true. Throws where it is not within `ms`: an emulated machine takes its time. */
export async function until(isTrue: () => Promise<boolean> | boolean, ms = 60_000): Promise<void> {
  const end = performance.now() + ms;
  while (!(await isTrue())) {
    if (performance.now() > end) throw new Error('it never came true');
    await Bun.sleep(50);
  }
}
/** A website on a port. */
export const specOf = (id: string, port: number, more: Partial<RuntimeSpec> = {}): RuntimeSpec => ({
  id,
  revision: 1,
  installation: 1,
  recipe: RECIPE_IDS[0],
  memory: 256,
  disk: 64,
  cpu: 200,
  ports: [port],
  suspended: false,
  environment: {},
  licence: false,
  ...more,
});
/** Text of the first page of a port of this machine; null where nobody answers. */
export const pageAt = (port: number, path = '/') =>
  fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(3000), keepalive: false }).then(
    (response) => response.text(),
    () => null,
  );
/** Numbers of the processes in a server's control group, on whichever version; none where the group is gone. */
export const processesOf = (id: string): string[] =>
  [`/sys/fs/cgroup/spawnpoint/${id}`, `/sys/fs/cgroup/pids/spawnpoint/${id}`].flatMap((folder) => {
    try {
      return readFileSync(`${folder}/cgroup.procs`, 'utf8').split('\n').filter(Boolean);
    } catch {
      return [];
    }
  });
/** Kills every process in a server's control group. One that ended with another meanwhile is no fault. */
export function killProcessesOf(id: string): void {
  for (const pid of processesOf(id))
    try {
      process.kill(Number(pid), 'SIGKILL');
    } catch (fault) {
      if ((fault as NodeJS.ErrnoException).code !== 'ESRCH') throw fault;
    }
}

/** One server of a node. Out: what tests ask of it and do with it, wherever it is in its life. */
export function serverOf(host: NodeProcess, id: string) {
  const read = async (): Promise<RuntimeServer> => okOf(await host.runtime.read(id));
  const reaches = (state: RuntimeServer['state']) => until(async () => (await read()).state === state);
  /** Sends a signal until it is taken: none is while another order is carried out. */
  const power = (signal: RuntimeSignal) => until(async () => (await host.runtime.power(id, signal)).outcome === 'ok');
  const home = (...path: string[]) => join(host.folder, id, 'home', ...path);
  /** Kills it, and waits until nothing of it runs. */
  async function kill(): Promise<void> {
    await power('kill');
    await until(() => processesOf(id).length === 0);
    await reaches('offline');
  }
  return {
    read,
    reaches,
    power,
    home,
    kill,
    /** Waits until it does not run for this reason. */
    halts: (reason: string) => until(async () => (await read()).halt?.reason === reason),
    /** Starts it with another program, a Bun app: lines of its `index.ts`. */
    async run(...program: string[]): Promise<void> {
      await kill();
      writeFileSync(home('index.ts'), program.join('\n'));
      await power('start');
    },
    /** Where the node keeps what the server is. */
    stateFile: join(host.folder, id, 'state.json'),
    /** Where the node keeps which process is its first. */
    markFile: join(host.folder, id, 'run', 'mark'),
  };
}

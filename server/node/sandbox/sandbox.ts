import { chownSync, copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import ENTER_SCRIPT from './enter.sh.txt' with { type: 'text' };
import ENTER_PROGRAM from './enter.ts.txt' with { type: 'text' };
import LAUNCH_SCRIPT from './launch.sh.txt' with { type: 'text' };
import { readText, tryWrite } from '../files.ts';
import { userOf, type Store } from '../store.ts';
import { groupOf } from './cgroups.ts';
import { emptyNetwork, ensureNetwork, networkName } from './network.ts';
import { findAgain, follow, holdOutput, makePipes, markOf, type Mark, type Running } from './running.ts';
import { seccompFilter } from './seccomp.ts';

/** What one process of a server is begun with. */
export interface Launch {
  readonly id: string;
  readonly slot: number;
  /** MB, percent of one core, MB. */
  readonly memory: number;
  readonly cpu: number;
  readonly disk: number;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Files it finds at /opt/spawnpoint. */
  readonly inside: Readonly<Record<string, string>>;
  /** Folders of the machine that it finds there by their names, and only reads. */
  readonly mounts: Readonly<Record<string, string>>;
}

const MB = 1_048_576;
/** Processes and threads of one server: as Wings has it. */
const PROCESSES = 512;
/** Java and others use more than their heap: a server may use a little more than was sold, as with Wings. */
const MEMORY_OVERHEAD = 1.1;
const MEMORY_LEAST = 64;
/** What the group of a server may use. */
export const limitsOf = ({ memory, cpu }: Pick<Launch, 'memory' | 'cpu'>) => ({
  memory: Math.max(MEMORY_LEAST, Math.ceil(memory * MEMORY_OVERHEAD)),
  cpu,
  processes: PROCESSES,
});
const KILL_MS = 5000;
/** A busy machine may take long to begin a process. */
const BEGIN_MS = 20_000;
const LOOK_MS = 10;
/** Waits for its child and passes its status on; what is left over inside ends with it. */
const FIRST_PROCESS = ['/bin/sh', '-c', '"$@"; exit $?', 'sh'];

/** Lays down what a process is begun with. */
function prepare(store: Store, launch: Launch): void {
  const { id, slot, argv, env, inside, mounts } = launch;
  const run = store.run(id);
  const user = userOf(slot);
  mkdirSync(store.home(id), { recursive: true, mode: 0o700 });
  chownSync(store.home(id), user, user);
  makePipes(run, user);
  layDown(run, { argv: [...FIRST_PROCESS, ...argv], env, inside, mounts });
  writeFileSync(`${run}/launch.sh`, LAUNCH_SCRIPT);
}

/** Lays down what a sandbox is made of (`enter.sh`) and what its first process finds at /opt/spawnpoint. */
export function layDown(
  run: string,
  { argv, env, inside, mounts }: Pick<Launch, 'argv' | 'env' | 'inside' | 'mounts'>,
): void {
  rmSync(`${run}/inside`, { recursive: true, force: true });
  const files = { ...inside, 'enter.ts': ENTER_PROGRAM, 'start.json': JSON.stringify({ argv, env }) };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(`${run}/inside/${name}`), { recursive: true });
    writeFileSync(`${run}/inside/${name}`, text);
  }
  writeFileSync(`${run}/inside/filter`, seccompFilter(process.arch === 'arm64' ? 'arm64' : 'x64'));
  writeFileSync(`${run}/enter.sh`, ENTER_SCRIPT);
  const lines = Object.entries(mounts).map(([name, folder]) => `${name} ${folder}\n`);
  writeFileSync(`${run}/mounts`, lines.join(''));
  layDownResolver(run);
}
/** The name servers that a server asks: where a resolver runs on the machine, those that it asks. */
export function layDownResolver(run: string): void {
  const resolver = '/run/systemd/resolve/resolv.conf';
  const known = [resolver, '/etc/resolv.conf'].find((path) => existsSync(path));
  if (known) copyFileSync(known, `${run}/resolv.conf`);
  else writeFileSync(`${run}/resolv.conf`, '');
}

export type Sandbox = ReturnType<typeof createSandbox>;

/**
 * Runs processes in sandboxes made of what every Linux has: own mounts, processes, network and user, limits by control
 * groups, a filter of system calls. In: the folder of servers, the version of control groups, and the program that is
 * Bun as well.
 */
export function createSandbox({ store, groups, bun }: { store: Store; groups: 1 | 2; bun: string }) {
  const running = (id: string, mark: Mark): Running =>
    follow(groupOf(groups, id), mark, store.run(id), async () => {
      const text = readText(`${store.run(id)}/status`);
      return /^\d+$/.test(text) ? Number(text) : null;
    });

  return {
    /**
     * Begins a process. What an earlier one left running ends first, and the lock of launch.sh keeps a second one from
     * beginning. Throws where it did not begin.
     */
    async start(launch: Launch): Promise<Running> {
      const { id, slot } = launch;
      prepare(store, launch);
      const group = groupOf(groups, id);
      // Of an earlier start, or begun by somebody else in the server's network, where they would hold its ports.
      if (!(await group.kill(KILL_MS)) || !(await emptyNetwork(slot, KILL_MS)))
        throw new Error('processes of an earlier start do not end');
      await group.remove();
      group.make(limitsOf(launch));
      await ensureNetwork(slot);
      const run = store.run(id);
      using _held = holdOutput(run);
      rmSync(`${run}/mark`, { force: true });
      rmSync(`${run}/status`, { force: true });
      const words = [store.at(id), userOf(slot), networkName(slot), bun, launch.disk * MB].map(String);
      Bun.spawn(['setsid', 'sh', `${run}/launch.sh`, ...words, ...group.joins], {
        cwd: '/',
        env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
        stdin: 'ignore',
        stdout: 'ignore',
        stderr: Bun.file(`${run}/launch.log`),
      }).unref();
      for (let waited = 0; waited < BEGIN_MS; waited += LOOK_MS) {
        const mark = markOf(run);
        if (mark) return running(id, mark);
        await Bun.sleep(LOOK_MS);
      }
      // Should it begin after all, nobody would follow it.
      await group.kill(KILL_MS);
      throw new Error(`it did not begin: ${readText(`${run}/launch.log`).slice(0, 300)}`);
    },
    /** A server that an earlier process of the program began. Null: it does not run; what is left of it has ended. */
    async adopt(id: string): Promise<Running | null> {
      const group = groupOf(groups, id);
      const mark = findAgain(store.run(id), group);
      if (mark) return running(id, mark);
      await group.kill(KILL_MS);
      return null;
    },
    setLimits: (launch: Pick<Launch, 'id' | 'memory' | 'cpu'>): void =>
      groupOf(groups, launch.id).make(limitsOf(launch)),
    /** Deletes all files of a server, with nothing of it running. Out: whether its processes, group and files are gone. */
    async remove(id: string): Promise<boolean> {
      const group = groupOf(groups, id);
      if (!(await group.kill(KILL_MS)) || !(await group.remove())) return false;
      // As root, because a server may close its folders to itself; rm follows no link, and nobody is left to race it.
      const rm = Bun.spawn(['rm', '-rf', '--one-file-system', '--', store.home(id)], {
        stdout: 'ignore',
        stderr: 'ignore',
      });
      return (await rm.exited) === 0;
    },
    /**
     * Bytes that a server's files take, counted by its own user in a process of its own; null: not known. `rights`: of
     * root's, those that it has all the same (`dac_read_search`).
     */
    async usedBytes(id: string, slot: number, rights: readonly string[] = []): Promise<number | null> {
      const user = String(userOf(slot));
      const kept = rights.map((right) => `,+${right}`).join('');
      const drop = ['bounding-set', 'inh-caps', 'ambient-caps'].map((set) => `--${set}=-all${kept}`);
      const as = [`--reuid=${user}`, `--regid=${user}`, '--clear-groups', ...drop, '--no-new-privs'];
      const count = Bun.spawn(['setpriv', ...as, 'du', '-sx', '-B1', '.'], {
        cwd: store.home(id),
        env: { PATH: '/usr/bin:/bin' },
        stdin: 'ignore',
        stdout: 'pipe',
        stderr: 'ignore',
      });
      tryWrite(`/proc/${count.pid}/oom_score_adj`, 1000);
      const text = await new Response(count.stdout).text();
      await count.exited;
      return /^\d+/.test(text) ? Number.parseInt(text, 10) : null;
    },
  };
}

import {
  chownSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import ENTER_SCRIPT from './enter.sh.txt' with { type: 'text' };
import ENTER_PROGRAM from './enter.ts.txt' with { type: 'text' };
import LAUNCH_SCRIPT from './launch.sh.txt' with { type: 'text' };
import { readText, tryWrite } from '../files.ts';
import { userOf, type Store } from '../store.ts';
import { groupOf, type Group } from './cgroups.ts';
import { emptyNetwork, ensureNetwork, networkName } from './network.ts';
import { seccompFilter } from './seccomp.ts';

/** A process of a server, found by number and by the moment it began: a number alone is given again. */
export interface Running {
  readonly group: Group;
  /** The pipe into its standard input, and the one that what it writes comes out of. */
  readonly input: number;
  readonly output: number;
  isAlive(): boolean;
  /** Its exit status once it ended; null: it runs, or nobody could write it down. */
  exitCode(): number | null;
  /** Sends a signal to everything inside but its first process, as a terminal does. */
  signal(name: 'SIGTERM' | 'SIGINT'): void;
  /** Ends everything of it. Out: whether nothing is left. */
  kill(): Promise<boolean>;
  close(): void;
}
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

/** First process of a server: its number, and when it began. */
interface Mark {
  readonly pid: number;
  readonly began: string;
}

const MB = 1_048_576;
/** Processes and threads of one server: as Wings has it. */
const PROCESSES = 512;
/** Java and others use more than their heap: a server may use a little more than was sold, as with Wings. */
const MEMORY_OVERHEAD = 1.1;
const MEMORY_LEAST = 64;
const KILL_MS = 5000;
/** A busy machine may take long to begin a process. */
const BEGIN_MS = 20_000;
const LOOK_MS = 10;
/** Waits for its child and passes its status on; what is left over inside ends with it. */
const FIRST_PROCESS = ['/bin/sh', '-c', '"$@"; exit $?', 'sh'];

/** The fields of /proc/PID/stat behind the name, which may hold anything. */
const statOf = (pid: number) => readText(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ') ?? [];
/**
 * When a process began, in ticks since the machine did; '' where there is none, or it has ended and waits for its
 * parent.
 */
function beganAt(pid: number): string {
  const fields = statOf(pid);
  return fields[0] === 'Z' ? '' : (fields[19] ?? '');
}

/** A process that was begun or found, with its pipes. */
function follow(
  group: Group,
  mark: Mark,
  { run, input, output }: { readonly run: string; readonly input: number; readonly output: number },
): Running {
  const isAlive = () => beganAt(mark.pid) === mark.began;
  return {
    group,
    input,
    output,
    isAlive,
    exitCode() {
      const text = readText(`${run}/status`);
      return /^\d+$/.test(text) ? Number(text) : null;
    },
    signal(name) {
      for (const pid of group.processes()) {
        const inside = /^NSpid:\s+(.*)$/m.exec(readText(`/proc/${pid}/status`))?.[1]?.split(/\s+/) ?? [];
        if (inside.length < 2 || inside.at(-1) === '1') continue;
        try {
          process.kill(pid, name);
        } catch {
          // It ended by itself.
        }
      }
    },
    async kill() {
      const isEmpty = await group.kill(KILL_MS);
      return isEmpty && !isAlive();
    },
    close() {
      closeSync(input);
      closeSync(output);
    },
  };
}

/** Lays down what a process is begun with. */
function prepare(store: Store, launch: Launch): void {
  const { id, slot, argv, env, inside, mounts } = launch;
  const run = store.run(id);
  const user = userOf(slot);
  mkdirSync(store.home(id), { recursive: true, mode: 0o700 });
  chownSync(store.home(id), user, user);
  for (const name of ['in', 'out'])
    if (!existsSync(`${run}/${name}`)) {
      Bun.spawnSync(['mkfifo', '-m', '600', `${run}/${name}`]);
      // Programs open their standard output by name.
      chownSync(`${run}/${name}`, user, user);
    }
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
  const pipe = (id: string, name: 'in' | 'out') =>
    openSync(`${store.run(id)}/${name}`, constants.O_RDWR | constants.O_NONBLOCK);

  function markOf(id: string): Mark | null {
    const found = /^(\d+) (\d+)$/.exec(readText(`${store.run(id)}/mark`));
    return found?.[1] && found[2] ? { pid: Number(found[1]), began: found[2] } : null;
  }
  const running = (id: string, mark: Mark): Running =>
    follow(groupOf(groups, id), mark, {
      run: store.run(id),
      input: pipe(id, 'in'),
      output: pipe(id, 'out'),
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
      const memory = Math.max(MEMORY_LEAST, Math.ceil(launch.memory * MEMORY_OVERHEAD));
      group.make({ memory, cpu: launch.cpu, processes: PROCESSES });
      await ensureNetwork(slot);
      const run = store.run(id);
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
        const mark = markOf(id);
        if (mark) return running(id, mark);
        await Bun.sleep(LOOK_MS);
      }
      // Should it begin after all, nobody would follow it.
      await group.kill(KILL_MS);
      throw new Error(`it did not begin: ${readText(`${run}/launch.log`).slice(0, 300)}`);
    },
    /** A server that an earlier process of the program began. Null: it does not run; what is left of it has ended. */
    async adopt(id: string): Promise<Running | null> {
      const mark = markOf(id);
      if (mark && beganAt(mark.pid) === mark.began) return running(id, mark);
      await groupOf(groups, id).kill(KILL_MS);
      return null;
    },
    setLimits({ id, memory, cpu }: Pick<Launch, 'id' | 'memory' | 'cpu'>): void {
      const most = Math.max(MEMORY_LEAST, Math.ceil(memory * MEMORY_OVERHEAD));
      groupOf(groups, id).make({ memory: most, cpu, processes: PROCESSES });
    },
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
    /** Bytes that a server's files take, counted by its own user in a process of its own; null: not known. */
    async usedBytes(id: string, slot: number): Promise<number | null> {
      const user = String(userOf(slot));
      const count = Bun.spawn(
        ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups', '--no-new-privs', 'du', '-sx', '-B1', '.'],
        { cwd: store.home(id), env: { PATH: '/usr/bin:/bin' }, stdin: 'ignore', stdout: 'pipe', stderr: 'ignore' },
      );
      tryWrite(`/proc/${count.pid}/oom_score_adj`, 1000);
      const text = await new Response(count.stdout).text();
      await count.exited;
      return /^\d+/.test(text) ? Number.parseInt(text, 10) : null;
    },
  };
}

import { accessSync, constants, existsSync, mkdirSync, readdirSync, rmdirSync } from 'node:fs';
import { readText, tryWrite } from '../files.ts';

/** What a server may use: MB of memory, percent of one core, processes and threads. */
interface GroupLimits {
  readonly memory: number;
  readonly cpu: number;
  readonly processes: number;
}
/** What a server uses: bytes of memory, µs of processor time since its start, how often memory ran out. */
interface GroupUsage {
  readonly memory: number;
  readonly cpuUs: number;
  readonly outOfMemory: number;
}
/** The control group of one server. */
export interface Group {
  /** Folders that a process writes its number into to belong to the group. */
  readonly joins: readonly string[];
  /** Makes it where it is not there, and sets the limits. Throws where the kernel does not take one. */
  make(limits: GroupLimits): void;
  usage(): GroupUsage;
  processes(): number[];
  /** Kills everything in it, for as long as `ms` says. Out: whether it is empty. */
  kill(ms: number): Promise<boolean>;
  /** Removes it, and what was counted of it. Out: whether it is gone. */
  remove(): Promise<boolean>;
}

const MB = 1_048_576;
/** What a period of processor time lasts, in µs: the kernel's own default. */
const PERIOD_US = 100_000;
const LOOK_MS = 20;
const REMOVE_MS = 2000;
const V1_CONTROLLERS = ['memory', 'cpu', 'cpuacct', 'pids', 'freezer'] as const;

const toNumber = (text: string) => (/^\d+$/.test(text) ? Number(text) : 0);
const field = (text: string, key: string) => toNumber(new RegExp(`^${key} (\\d+)$`, 'm').exec(text)?.[1] ?? '');
const processesOf = (folder: string) => readText(`${folder}/cgroup.procs`).split('\n').filter(Boolean).map(Number);
/** A folder and all below it, the deepest first: a server may have made groups of its own. */
function below(folder: string): string[] {
  try {
    const inner = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return [...inner.flatMap((entry) => below(`${folder}/${entry.name}`)), folder];
  } catch {
    return [];
  }
}
function kill(processes: readonly number[]): void {
  for (const pid of processes) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended by itself.
    }
  }
}
async function until(isDone: () => boolean, ms: number, again: () => void): Promise<boolean> {
  for (let waited = 0; ; waited += LOOK_MS) {
    if (isDone()) return true;
    if (waited >= ms) return false;
    again();
    await Bun.sleep(LOOK_MS);
  }
}
/** Groups are removed as long as the kernel still counts what has just ended as being there. */
const removeAll = (folders: readonly string[]) =>
  until(
    () => {
      for (const folder of folders.flatMap(below)) {
        try {
          rmdirSync(folder);
        } catch {
          // Still busy.
        }
      }
      return folders.every((folder) => !existsSync(folder));
    },
    REMOVE_MS,
    () => undefined,
  );
function set(path: string, value: string | number): void {
  if (!tryWrite(path, value)) throw new Error(`the kernel does not take ${value} for ${path}`);
}

/** Groups of version 2, below a folder that holds no process of its own. */
function groupV2(base: string, id: string): Group {
  const folder = `${base}/${id}`;
  const processes = () => below(folder).flatMap(processesOf);
  return {
    joins: [folder],
    make({ memory, cpu, processes: most }) {
      mkdirSync(base, { recursive: true });
      for (const level of [base.slice(0, base.lastIndexOf('/')), base])
        for (const controller of ['memory', 'cpu', 'pids'])
          tryWrite(`${level}/cgroup.subtree_control`, `+${controller}`);
      mkdirSync(folder, { recursive: true });
      set(`${folder}/memory.max`, memory * MB);
      tryWrite(`${folder}/memory.swap.max`, 0);
      tryWrite(`${folder}/memory.oom.group`, 1);
      set(`${folder}/cpu.max`, `${(cpu * PERIOD_US) / 100} ${PERIOD_US}`);
      set(`${folder}/pids.max`, most);
    },
    usage: () => ({
      memory: Math.max(
        0,
        toNumber(readText(`${folder}/memory.current`)) - field(readText(`${folder}/memory.stat`), 'inactive_file'),
      ),
      cpuUs: field(readText(`${folder}/cpu.stat`), 'usage_usec'),
      outOfMemory: field(readText(`${folder}/memory.events`), 'oom_kill'),
    }),
    processes,
    kill: (ms) =>
      until(
        () => processes().length === 0,
        ms,
        () => void (tryWrite(`${folder}/cgroup.kill`, 1) || kill(processes())),
      ),
    remove: () => removeAll([folder]),
  };
}

/** Groups of version 1: a folder a controller. */
function groupV1(root: string, name: string): Group {
  const at = (controller: (typeof V1_CONTROLLERS)[number]) => `${root}/${controller}/${name}`;
  const joins = V1_CONTROLLERS.map(at);
  const processes = () => [...new Set(joins.flatMap(below).flatMap(processesOf))];
  return {
    joins,
    make({ memory, cpu, processes: most }) {
      for (const folder of joins) mkdirSync(folder, { recursive: true });
      const memoryBytes = memory * MB;
      // Memory with swap may never be less than memory: which is written first depends on the direction.
      for (let time = 0; time < 2; time += 1) {
        tryWrite(`${at('memory')}/memory.memsw.limit_in_bytes`, memoryBytes);
        tryWrite(`${at('memory')}/memory.limit_in_bytes`, memoryBytes);
      }
      set(`${at('memory')}/memory.limit_in_bytes`, memoryBytes);
      set(`${at('cpu')}/cpu.cfs_period_us`, PERIOD_US);
      set(`${at('cpu')}/cpu.cfs_quota_us`, (cpu * PERIOD_US) / 100);
      set(`${at('pids')}/pids.max`, most);
    },
    usage: () => ({
      memory: Math.max(
        0,
        toNumber(readText(`${at('memory')}/memory.usage_in_bytes`)) -
          field(readText(`${at('memory')}/memory.stat`), 'total_inactive_file'),
      ),
      cpuUs: Math.round(toNumber(readText(`${at('cpuacct')}/cpuacct.usage`)) / 1000),
      outOfMemory: field(readText(`${at('memory')}/memory.oom_control`), 'oom_kill'),
    }),
    processes,
    kill: (ms) =>
      until(
        () => processes().length === 0,
        ms,
        // Version 1 cannot kill a group: nothing in it may run while its processes are gone through.
        () => {
          tryWrite(`${at('freezer')}/freezer.state`, 'FROZEN');
          kill(processes());
          tryWrite(`${at('freezer')}/freezer.state`, 'THAWED');
        },
      ),
    remove: () => removeAll(joins),
  };
}

const CGROUPS = '/sys/fs/cgroup';
const isWritable = (folder: string) => {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
};
/** Which control groups this machine lets us use; null: none that limit memory, processor and processes. */
export function groupVersion(): 1 | 2 | null {
  const controllers = readText(`${CGROUPS}/cgroup.controllers`).split(' ');
  if (['memory', 'cpu', 'pids'].every((name) => controllers.includes(name)) && isWritable(CGROUPS)) return 2;
  return V1_CONTROLLERS.every((name) => isWritable(`${CGROUPS}/${name}`)) ? 1 : null;
}
/** The group of a server. It lies beside every service's own, so that the end of one does not end it. */
export const groupOf = (version: 1 | 2, id: string): Group =>
  version === 2 ? groupV2(`${CGROUPS}/spawnpoint`, id) : groupV1(CGROUPS, `spawnpoint/${id}`);

import { chownSync, closeSync, constants, existsSync, openSync } from 'node:fs';
import { readText, replaceFile } from '../files.ts';
import type { Group } from './cgroups.ts';

/** A process of a server, found by number and by the moment it began: a number alone is given again. */
export interface Running {
  readonly group: Group;
  /** The pipe into its standard input, and the one that what it writes comes out of. */
  readonly input: number;
  readonly output: number;
  isAlive(): boolean;
  /** Its exit status once it ended; null: it runs, or nobody could write it down. */
  exitCode(): Promise<number | null>;
  /** Sends a signal to everything inside but its first process, as a terminal does. */
  signal(name: 'SIGTERM' | 'SIGINT'): void;
  /** Ends everything of it. Out: whether nothing is left. */
  kill(): Promise<boolean>;
  close(): void;
}

/** First process of a server: its number, and when it began. */
export interface Mark {
  readonly pid: number;
  readonly began: string;
}

const KILL_MS = 5000;
/** First processes of images that pass on whatever signal they get: nobody hears it twice. */
const PASSES_ON = ['tini', 'dumb-init'];

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

/** The first process that the folder of a server names; it may have ended. Null: none was begun. */
export function markOf(run: string): Mark | null {
  const found = /^(\d+) (\d+)$/.exec(readText(`${run}/mark`));
  return found?.[1] && found[2] ? { pid: Number(found[1]), began: found[2] } : null;
}
export const isAlive = (mark: Mark): boolean => beganAt(mark.pid) === mark.began;
/**
 * The first process of a server, where it still runs; null: it does not. It has to be in the server's group as well:
 * after a restart of the machine another one may have its number and have begun in the same hundredth of a second.
 */
export function findAgain(run: string, group: Group): Mark | null {
  const mark = markOf(run);
  return mark && isAlive(mark) && group.processes().includes(mark.pid) ? mark : null;
}
/** What a process is found again by. Throws where it has ended already. */
export function newMark(pid: number): Mark {
  const began = beganAt(pid);
  if (began === '') throw new Error('its first process has ended');
  return { pid, began };
}
/** Writes down the first process of a server, whole or not at all. */
export const writeMark = (run: string, { pid, began }: Mark): void => replaceFile(`${run}/mark`, `${pid} ${began}\n`);

/** Makes the pipes of a server where they are not there: the child opens both, whoever reads and writes at this end. */
export function makePipes(run: string, user: number, names: readonly string[] = ['in', 'out']): void {
  for (const name of names)
    if (!existsSync(`${run}/${name}`)) {
      Bun.spawnSync(['mkfifo', '-m', '600', `${run}/${name}`]);
      // Programs open their standard output by name.
      chownSync(`${run}/${name}`, user, user);
    }
}

const openPipe = (run: string, name: 'in' | 'out'): number =>
  openSync(`${run}/${name}`, constants.O_RDWR | constants.O_NONBLOCK);
/**
 * Keeps what a process writes while nobody reads it yet: what is in a pipe that nobody has open is gone. Held from
 * before it begins, so that the last words of one that ends at once are not lost. Out: ends that.
 */
export function holdOutput(run: string): Disposable {
  const pipe = openPipe(run, 'out');
  return { [Symbol.dispose]: () => closeSync(pipe) };
}

/**
 * A process that was begun or found, with its pipes. In: its group, its first process, the folder with its pipes, and
 * what tells its exit status once it ended.
 */
export function follow(group: Group, mark: Mark, run: string, exitCode: () => Promise<number | null>): Running {
  const [input, output] = [openPipe(run, 'in'), openPipe(run, 'out')];
  return {
    group,
    input,
    output,
    isAlive: () => isAlive(mark),
    exitCode,
    signal(name) {
      for (const pid of group.processes()) {
        const inside = /^NSpid:\s+(.*)$/m.exec(readText(`/proc/${pid}/status`))?.[1]?.split(/\s+/) ?? [];
        if (inside.length < 2 || inside.at(-1) === '1' || PASSES_ON.includes(readText(`/proc/${pid}/comm`))) continue;
        try {
          process.kill(pid, name);
        } catch {
          // It ended by itself.
        }
      }
    },
    async kill() {
      const isEmpty = await group.kill(KILL_MS);
      return isEmpty && !isAlive(mark);
    },
    close() {
      closeSync(input);
      closeSync(output);
    },
  };
}

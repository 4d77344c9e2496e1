/** The core that measured code runs on, and the one that asks it. */
export const SERVER_CORE = 0;
export const LOAD_CORE = 1;

const taskset = Bun.which('taskset');

/** Whether processes can be held on one core here. */
export const canPin = taskset !== null;

/** A command held on one core, so that "one core" is true. Where that cannot be had it is the command itself. */
export function pinned(core: number, command: readonly string[]): string[] {
  return taskset ? [taskset, '-c', String(core), ...command] : [...command];
}

import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { IMPORT_STEPS, IMPORT_TASKS } from '#shared/imports.ts';
import type { RunningImport } from '../modules/imports/index.ts';

const running = z.object({
  task: z.enum(IMPORT_TASKS),
  runId: z.nullable(z.string()),
  sinceMs: z.number(),
  step: z.enum(IMPORT_STEPS),
  done: z.number(),
});

/** What one import at a time holds. In: the folder of imports. */
export const lockOf = (folder: string): string => join(folder, 'import');
const pathOf = (folder: string): string => join(folder, 'progress.json');

/** How often a process says how far it is, in ms. */
const EVERY_MS = 1000;

/**
 * Says in the folder of imports how far this process is, for the page of another one; it holds the lock. Out: takes a
 * step, and takes the file away.
 */
export function createProgress(folder: string, about: Pick<RunningImport, 'task' | 'runId' | 'sinceMs'>) {
  let saidMs = -Infinity;
  let last = '';
  return {
    report(step: RunningImport['step'], done: number): void {
      const now = performance.now();
      if (step === last && now - saidMs < EVERY_MS) return;
      [saidMs, last] = [now, step];
      // Renamed, so that whoever reads finds a whole one.
      writeFileSync(`${pathOf(folder)}.new`, JSON.stringify({ ...about, step, done } satisfies RunningImport), {
        mode: 0o600,
      });
      renameSync(`${pathOf(folder)}.new`, pathOf(folder));
    },
    end: () => rmSync(pathOf(folder), { force: true }),
  };
}

/**
 * What some process does about imports in this folder; null where none does, also where one was killed. In: whether
 * some process holds a lock.
 */
export function readProgress(folder: string, isLocked: (path: string) => boolean): RunningImport | null {
  try {
    const found = running.parse(JSON.parse(readFileSync(pathOf(folder), 'utf8')));
    return isLocked(lockOf(folder)) ? found : null;
  } catch (error) {
    if (error instanceof z.core.$ZodError || error instanceof SyntaxError) return null;
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

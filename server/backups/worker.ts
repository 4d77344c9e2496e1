import * as z from 'zod/mini';
import { isRecoveryKey, type BackupWorker, type OnStep, type Outcome } from '#server/modules/backups/index.ts';
import type { OwnCommands } from '#server/own-commands.ts';
import { BACKUP_FAULTS, BACKUP_STEPS } from '#shared/backups.ts';
import { figures } from './folder.ts';

interface Deps {
  readonly commands: OwnCommands;
  /** Closes the installation, does the work, and opens it again. */
  readonly whileClosed: <T>(work: () => Promise<T>) => Promise<T>;
}

const step = z.object({ step: z.enum(BACKUP_STEPS), done: z.number(), all: z.nullable(z.number()) });
const fault = z.object({ fault: z.enum(BACKUP_FAULTS), message: z.string() });
const made = z.object({ done: z.object({ id: z.string(), bytes: z.number() }) });
const counted = z.object({ done: figures });
const other = z.object({ done: z.unknown() });

/**
 * Makes, verifies and restores backups by this program's own commands, each in a process of its own: encryption would
 * keep everybody waiting in the thread that answers. Its lines of JSON say how far it is.
 */
export function createBackupWorker({ commands, whileClosed }: Deps): BackupWorker {
  async function run<T extends { readonly done: unknown }>(
    args: readonly string[],
    schema: z.ZodMiniType<T>,
    onStep: OnStep,
    secret?: { readonly key: string } | { readonly passphrase: string },
  ): Promise<T | { fault: z.infer<typeof fault>['fault']; message: string }> {
    // A secret goes where nobody sees it: the arguments of a process are for everybody.
    const opening = secret === undefined ? [] : ['key' in secret ? '--key-stdin' : '--passphrase-stdin'];
    const input = secret && ('key' in secret ? secret.key : secret.passphrase);
    let end = null as T | z.infer<typeof fault> | null;
    try {
      const { code, said } = await commands.run([...args, ...opening, '--json'], {
        input,
        onLine(value) {
          const at = step.safeParse(value);
          if (at.success) onStep(at.data.step, at.data.done, at.data.all);
          const failed = fault.safeParse(value);
          const ended = schema.safeParse(value);
          if (failed.success) end = failed.data;
          else if (ended.success) end = ended.data;
        },
      });
      if (end && ('fault' in end || code === 0)) return end;
      return { fault: 'stopped', message: `it ended with ${code}: ${said.slice(0, 2000)}` };
    } catch (error) {
      return { fault: 'stopped', message: String(error) };
    }
  }
  return {
    create: (kind, onStep, passphrase) =>
      run(['backup', 'create', '--kind', kind], made, onStep, passphrase === undefined ? undefined : { passphrase }),
    verify: (id, onStep, key) => run(['backup', 'verify', id], other, onStep, toSecret(key)),
    send: (id, onStep) => run(['backup', 'send', id], other, onStep),
    retrieve: (id, onStep) => run(['backup', 'fetch', id], other, onStep),
    stage: (id, onStep, key) => run(['restore', id, '--half', 'stage'], other, onStep, toSecret(key)),
    replace: (id, onStep) => replaceWhileClosed(() => run(['restore', id, '--half', 'apply'], other, onStep)),
    count: () => run(['backup', 'count'], counted, () => undefined),
    stop: commands.stop,
  };
  async function replaceWhileClosed(work: () => Promise<Outcome<unknown>>): Promise<Outcome<unknown>> {
    try {
      return await whileClosed(work);
    } catch (error) {
      return { fault: 'stopped', message: String(error) };
    }
  }
}

/** What somebody typed to open a backup. */
const toSecret = (typed: string | undefined) =>
  typed === undefined ? undefined : isRecoveryKey(typed) ? { key: typed } : { passphrase: typed };

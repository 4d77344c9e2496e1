import * as z from 'zod/mini';
import { IMPORT_FAULTS, IMPORT_STEPS } from '#shared/imports.ts';
import type { ImportOutcome, ImportPlace, ImportWorker, OnImportStep } from '../modules/imports/index.ts';
import type { OwnCommands } from '../own-commands.ts';

const step = z.object({ step: z.enum(IMPORT_STEPS), done: z.number() });
const fault = z.object({ fault: z.enum(IMPORT_FAULTS), message: z.string() });
const ended = z.object({ done: z.object({ id: z.string() }) });

/**
 * Checks, carries out and takes back imports by this program's own command, each in a process of its own: reading a
 * dump would keep everybody waiting in the thread that answers. Its lines of JSON say how far it is.
 */
export function createImportWorker(commands: OwnCommands): ImportWorker {
  async function run(args: readonly string[], input: string | undefined, onStep: OnImportStep): Promise<ImportOutcome> {
    let end = null as ImportOutcome | null;
    try {
      const { code, said } = await commands.run(['import', ...args, '--json'], {
        input,
        onLine(value) {
          const at = step.safeParse(value);
          if (at.success) onStep(at.data.step, at.data.done);
          const failed = fault.safeParse(value);
          const done = ended.safeParse(value);
          if (failed.success) end = failed.data;
          else if (done.success) end = { done: done.data.done.id };
        },
      });
      if (end && ('fault' in end || code === 0)) return end;
      return { fault: 'stopped', message: `it ended with ${code}: ${said.slice(0, 2000)}` };
    } catch (error) {
      return { fault: 'stopped', message: String(error) };
    }
  }
  return {
    check({ choices, place, key, by }, onStep) {
      const { product, instance, factor, email, names, settings, currency, zone, panel, language, renewDays } = choices;
      const from = 'upload' in place ? `upload:${place.upload}` : '-';
      const args = [product, from, '--dry-run', '--page', '--by', by, '--instance', instance];
      args.push(
        '--factor',
        String(factor),
        '--email',
        email,
        '--names',
        names,
        '--currency',
        currency,
        `--zone=${zone}`,
      );
      args.push(
        ...(settings ? ['--settings'] : []),
        ...(panel === null ? [] : ['--panel', panel]),
        ...(language === undefined ? [] : ['--language', language]),
        ...(renewDays === undefined ? [] : ['--renew-days', String(renewDays)]),
        ...(key === undefined ? [] : ['--key-stdin']),
      );
      // Secrets go where nobody sees them: the arguments of a process are for everybody.
      const input = [...('upload' in place ? [] : [addressOf(place)]), ...(key === undefined ? [] : [key])];
      return run(args, input.length === 0 ? undefined : input.join('\n'), onStep);
    },
    apply: (runId, key, onStep) =>
      run(['--resume', runId, '--page', ...(key === undefined ? [] : ['--key-stdin'])], key, onStep),
    undo: (runId, onStep) => run(['undo', runId, '--page'], undefined, onStep),
    stop: commands.stop,
  };
}

/** The address of a database, with every part of it quoted. */
function addressOf(place: Exclude<ImportPlace, { upload: string }>): string {
  const { host, port, database, username, password, encrypted } = place;
  const name = host.includes(':') ? `[${host.replaceAll(/^\[|\]$/g, '')}]` : host;
  return `mysql://${encodeURIComponent(username)}:${encodeURIComponent(password)}@${name}:${port}/${encodeURIComponent(database)}${encrypted ? '?ssl=1' : ''}`;
}

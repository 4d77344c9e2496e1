import { closeSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { composeImporter, importsFolder } from '#server/compose/imports.ts';
import type { Services } from '#server/compose/services.ts';
import type { Config } from '#server/env.ts';
import { lockFolder } from '#server/start/folder-lock.ts';
import { ImportFault } from '#server/imports/fault.ts';
import { lockOf, createProgress } from '#server/imports/progress.ts';
import { uploadPath } from '#server/imports/files.ts';
import { resolveAll } from '#server/outbound.ts';
import { kindOfAddress } from '#server/addresses.ts';
import type { Importer, ImportOptions } from '#server/imports/engine.ts';
import { listReport, reportCsv } from '#server/imports/report.ts';
import type { ImportSummary } from '#server/imports/summary.ts';
import { createUndo } from '#server/modules/imports/index.ts';
import {
  EMAIL_RULES,
  IMPORT_FACTORS,
  IMPORT_PRODUCTS,
  INSTANCE_MAX,
  NAME_RULES,
  RENEW_DAYS_MAX,
  type ImportStep,
} from '#shared/imports.ts';
import { DomainError } from '#shared/errors.ts';
import { DEFAULT_LOCALE, isLocale, LOCALES } from '#shared/i18n/locales.ts';
import { progressOf } from './backup-steps.ts';
import { systemTerminal, type Terminal } from './user.ts';
import { withHost, type Context } from './with-host.ts';

const USAGE = `Usage: spawnpoint import SOURCE FILE|ADDRESS [--dry-run] [options]
       spawnpoint import --resume [RUN]      goes on with a run that was checked, or did not end
       spawnpoint import list | report RUN | undo RUN
SOURCE: ${IMPORT_PRODUCTS.join(', ')}.
FILE is a dump (also .gz), or for heliactyl its SQLite file; ADDRESS mysql://user:password@host:3306/database, or - for standard input.
  --dry-run              Says what would come and what would not, and why; changes nothing.
  --factor N             What one credit there is worth here: ${IMPORT_FACTORS.join(', ')}.
  --email skip|merge     Who has the address of somebody here: is left out, or brings credits and servers to that account (where both
                         have proven the address).
  --names rename|skip    Who has somebody's name: comes as NAME-2, or is left out.
  --staff                Users keep their roles as the dry run proposes them (never that of an owner); without it they come with the
                         role of new users.
  --settings             Settings that have a counterpart come as well; secrets never do.
  --currency EUR         Whose balance becomes credits (paymenter), or what was paid in where the dump does not say so (mythicaldash4).
  --language en          Language of users who have none there: ${LOCALES.join(', ')}.
  --renew-days N         Days that a renewal pays for there (heliactyl: renewals.delay of its configuration).
  --zone +02:00          Zone of the times in the database, where it is not UTC.
  --panel ID             The panel of the servers, where several are connected ("spawnpoint panel list").
  --instance NAME        A name for that installation, where several are brought.
  --key-file PATH        The key of the old dashboard: mythicaldash3 and mythicaldash4 seal names, and 4 passwords, with it.
  --key-stdin            Reads it from standard input, after the address where that comes from there as well.
  --report PATH          Writes what was found as CSV.`;

const OPTIONS = {
  'dry-run': { type: 'boolean' },
  resume: { type: 'boolean' },
  factor: { type: 'string' },
  email: { type: 'string' },
  names: { type: 'string' },
  staff: { type: 'boolean' },
  settings: { type: 'boolean' },
  currency: { type: 'string' },
  language: { type: 'string' },
  'renew-days': { type: 'string' },
  zone: { type: 'string' },
  panel: { type: 'string' },
  instance: { type: 'string' },
  'key-file': { type: 'string' },
  'key-stdin': { type: 'boolean' },
  page: { type: 'boolean' },
  by: { type: 'string' },
  report: { type: 'string' },
  json: { type: 'boolean' },
} as const;
const parse = (argv: readonly string[]) => parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true });
type Given = ReturnType<typeof parse>['values'];

/** `spawnpoint import …`. Out: 0 done, 1 refused or failed, 2 used wrongly. */
export async function importCommand(
  config: Config,
  argv: readonly string[],
  context: Context,
  terminal: Terminal = systemTerminal,
): Promise<number> {
  let given: ReturnType<typeof parse>;
  try {
    given = parse(argv);
  } catch {
    terminal.err(USAGE);
    return 2;
  }
  const { values, positionals } = given;
  const [first, second] = positionals;
  const input = values['key-stdin'] || second === '-' ? (await terminal.stdin()).split('\n') : [];
  const options =
    values.resume || first === undefined || second === undefined
      ? null
      : optionsOf(config, values, first, second === '-' ? (input.shift() ?? '').trim() : second);
  const isOther =
    (first === 'list' && second === undefined) || ((first === 'undo' || first === 'report') && second !== undefined);
  if (positionals.length > 2 || (!options && !isOther && !(values.resume && second === undefined))) {
    terminal.err(USAGE);
    return 2;
  }
  return withHost(config, context, ({ services }) =>
    withImportFaults(terminal, values, async () => {
      if (first === 'list') return list(services, terminal);
      if (first === 'report') return report(services, config, second ?? '', terminal);
      return withLock(config, async () => {
        if (first === 'undo') return undo(services, config, { id: second ?? '', values, terminal });
        const key = keyOf(values, input[0]);
        return runImport(services, config, { values, options, runId: first, key, terminal });
      });
    }),
  );
}

/** What the arguments ask for; null where they are wrong. */
function optionsOf(config: Config, values: Given, source: string, place: string): ImportOptions | null {
  const product = IMPORT_PRODUCTS.find((each) => each === source);
  const email = EMAIL_RULES.find((each) => each === (values.email ?? 'skip'));
  const names = NAME_RULES.find((each) => each === (values.names ?? 'rename'));
  const factor = IMPORT_FACTORS.find((each) => String(each) === (values.factor ?? '1'));
  const zoneMinutes = zoneOf(values.zone ?? '+00:00');
  const instance = values.instance ?? 'main';
  const currency = (values.currency ?? 'EUR').toUpperCase();
  const language = values.language ?? DEFAULT_LOCALE;
  const renewDays = values['renew-days'] === undefined ? undefined : Number(values['renew-days']);
  if (!isLocale(language) || (renewDays !== undefined && !isRenewDays(renewDays))) return null;
  if (!product || !email || !names || !factor || zoneMinutes === null || !/^[A-Z]{3}$/.test(currency)) return null;
  if (!/^[A-Za-z0-9._-]+$/.test(instance) || instance.length > INSTANCE_MAX) return null;
  const upload = /^upload:([0-9a-f-]{36})$/.exec(place)?.[1];
  const path = upload === undefined ? resolve(place) : uploadPath(importsFolder(config.dataDir), upload);
  return {
    product,
    instance,
    from: /^(mysql|mariadb):\/\//.test(place) ? { url: place } : { path },
    upload,
    zoneMinutes,
    factor,
    currency,
    email,
    names,
    settings: values.settings ?? false,
    panel: values.panel ?? null,
    language,
    ...(renewDays === undefined ? {} : { renewDays }),
  };
}

const isRenewDays = (days: number): boolean => Number.isInteger(days) && days >= 1 && days <= RENEW_DAYS_MAX;

/** Minutes ahead of UTC of `+02:00`; null where it is none. */
function zoneOf(text: string): number | null {
  const found = /^([+-])(\d\d):([0-5]\d)$/.exec(text);
  if (!found) return null;
  const minutes = Number(found[2]) * 60 + Number(found[3]);
  return minutes > 14 * 60 ? null : minutes * (found[1] === '-' ? -1 : 1);
}

/** The key of the old dashboard: base64 of 32 bytes with MythicalDash 4, any text with 3. */
function keyOf({ 'key-file': path }: Given, typed: string | undefined): Uint8Array | null {
  const given = path === undefined ? typed : readFileSync(path, 'utf8');
  if (given === undefined) return null;
  const text = given.trim().replace(/^base64:/, '');
  const decoded = Buffer.from(text, 'base64');
  return decoded.byteLength === 32 ? decoded : new TextEncoder().encode(text);
}

interface Bringing {
  readonly values: Given;
  readonly options: ImportOptions | null;
  readonly runId: string | undefined;
  readonly key: Uint8Array | null;
  readonly terminal: Terminal;
}

async function runImport(
  services: Services,
  config: Config,
  { values, options, runId, key, terminal }: Bringing,
): Promise<number> {
  let isStopped = false;
  const stop = () => void (isStopped = true);
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  const showProgress = progressOf(terminal, values);
  const sinceMs = services.clock.now();
  const folder = importsFolder(config.dataDir);
  let progress = createProgress(folder, { task: options ? 'check' : 'apply', runId: runId ?? null, sinceMs });
  const importer = composeImporter(services, config.dataDir, {
    onStep(step, done) {
      showProgress(step, done, null);
      progress.report(step, done);
    },
    isStopped: () => isStopped,
    isAudited: values.page ?? false,
    ...(values.page ? { mysql: { resolve: resolveAll, kindOf: kindForPage(services) } } : {}),
  });
  try {
    const id = options ? await check(importer, options, { values, key, terminal }) : await pendingRun(services, runId);
    if (options && values['dry-run']) return writeReport(importer, id, values);
    progress = createProgress(folder, { task: 'apply', runId: id, sinceMs });
    const summary = await importer.apply(id, key, { staff: values.staff ?? false });
    printRun(terminal, values, { id, summary });
    return writeReport(importer, id, values);
  } finally {
    progress.end();
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  }
}

async function check(
  importer: Importer,
  options: ImportOptions,
  { values, key, terminal }: { readonly values: Given; readonly key: Uint8Array | null; readonly terminal: Terminal },
): Promise<string> {
  const checked = await importer.check(options, key, values.by ?? null);
  if (values['dry-run'] || !values.json) printRun(terminal, values, checked);
  return checked.id;
}

/**
 * Who asks from the page gets into the host's own networks as far as everything else does; who sits at the machine is
 * in them already.
 */
const kindForPage =
  ({ settings }: Services) =>
  (address: string) => {
    const kind = kindOfAddress(address);
    return kind === 'private' && !settings.current().outbound_private_networks ? 'forbidden' : kind;
  };

/** The run that is named, or the newest that was checked or did not end. Throws NOT_FOUND. */
async function pendingRun({ uow }: Services, id: string | undefined): Promise<string> {
  const runs = await uow.read((tx) => tx.imports.listRuns(50));
  const open = runs.find(
    (run) => (id === undefined || run.id === id) && run.state !== 'done' && run.state !== 'undone',
  );
  if (!open) throw new DomainError('NOT_FOUND');
  return open.id;
}

function writeReport(importer: Importer, id: string, { report: path }: Given): number {
  if (path === undefined) return 0;
  const store = importer.openStore(id);
  try {
    const file = openSync(path, 'w', 0o600);
    for (const line of reportCsv(store)) writeSync(file, line);
    closeSync(file);
  } finally {
    store.staging.close();
  }
  return 0;
}

function printRun(
  terminal: Terminal,
  { json }: Given,
  { id, summary }: { readonly id: string; readonly summary: ImportSummary },
): void {
  if (json) {
    terminal.out(JSON.stringify({ done: { id, summary } }));
    return;
  }
  terminal.out(`run ${id}`);
  for (const line of listReport(summary)) terminal.out(line);
}

async function list({ uow }: Services, terminal: Terminal): Promise<number> {
  for (const run of await uow.read((tx) => tx.imports.listRuns(50)))
    terminal.out(
      `${run.id}  ${new Date(run.createdMs).toISOString()}  ${run.product} ${run.instance}  ${run.state}${run.fault ? ` (${run.fault})` : ''}`,
    );
  return 0;
}

async function report({ uow }: Services, _config: Config, id: string, terminal: Terminal): Promise<number> {
  const run = await uow.read((tx) => tx.imports.findRun(id));
  if (!run) throw new DomainError('NOT_FOUND');
  for (const line of listReport(JSON.parse(run.summary) as ImportSummary)) terminal.out(line);
  return 0;
}

async function undo(
  services: Services,
  config: Config,
  { id, values, terminal }: { readonly id: string; readonly values: Given; readonly terminal: Terminal },
): Promise<number> {
  const traceOf = (identity: string) => services.keyed.mac('identity', identity);
  const showProgress = progressOf(terminal, values);
  const sinceMs = services.clock.now();
  const progress = createProgress(importsFolder(config.dataDir), { task: 'undo', runId: id, sinceMs });
  const onStep = (step: ImportStep, done: number) => {
    showProgress(step, done, null);
    progress.report(step, done);
  };
  try {
    await createUndo({ ...services, traceOf, onStep, isAudited: values.page ?? false }).undo(null, id);
  } finally {
    progress.end();
  }
  const faults = await services.proveLedger();
  if (faults.length > 0) {
    const message = `Taken back; ${faults.length} faults in the ledger.`;
    if (values.json) terminal.out(JSON.stringify({ fault: 'sums', message }));
    else for (const text of [...faults.map((each) => each.text), message]) terminal.err(text);
    return 1;
  }
  const stayed = (await services.uow.read((tx) => tx.imports.findRun(id)))?.fault === 'some_stayed';
  const words = stayed
    ? 'Taken back but for what was used meanwhile; the ledger holds.'
    : 'Taken back; the ledger holds.';
  terminal.out(values.json ? JSON.stringify({ done: { id } }) : words);
  return 0;
}

/** One import at a time: two would decide on the same names twice. */
async function withLock<T>(config: Config, work: () => Promise<T>): Promise<T> {
  const folder = importsFolder(config.dataDir);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  let unlock: () => void;
  try {
    unlock = lockFolder(lockOf(folder), {
      pid: process.pid,
      address: 'spawnpoint import',
      since: new Date().toISOString(),
    });
  } catch {
    throw new ImportFault('busy', 'Another import is running.');
  }
  try {
    return await work();
  } finally {
    unlock();
  }
}

/** Says faults in words, or as a line of JSON. */
async function withImportFaults(terminal: Terminal, { json }: Given, work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ImportFault) {
      terminal[json ? 'out' : 'err'](
        json ? JSON.stringify({ fault: error.code, message: error.message }) : error.message,
      );
      return 1;
    }
    if (!(error instanceof DomainError)) throw error;
    const words: Readonly<Record<string, string>> = {
      NOT_FOUND: 'There is no such run ("spawnpoint import list" shows them all).',
      CONFLICT: 'Somebody who came with this run has logged in or moved credits: it cannot be taken back any more.',
    };
    terminal[json ? 'out' : 'err'](
      json ? JSON.stringify({ fault: 'not_undoable', message: error.code }) : (words[error.code] ?? error.code),
    );
    return 1;
  }
}

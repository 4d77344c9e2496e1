import { existsSync, mkdirSync, rmSync } from 'node:fs';
import type { Resources } from '#shared/constants.ts';
import { DomainError } from '#shared/errors.ts';
import { DEFAULT_LOCALE, type Locale } from '#shared/i18n/locales.ts';
import type { EmailRule, ImportProduct, ImportState, ImportStep, NameRule } from '#shared/imports.ts';
import { isSettingKey, type SettingValues } from '#shared/settings.ts';
import { writeAudit } from '../modules/audit/index.ts';
import {
  proposalsOf,
  decideRoles,
  isForgotten,
  type ImportsDeps,
  type ImportRun,
  type DecidedRole,
} from '../modules/imports/index.ts';
import type { Passwords } from '../modules/identity/ports.ts';
import type { Servers } from '../modules/servers/index.ts';
import {
  applyBans,
  applyCodes,
  applyPackages,
  applyPayments,
  applyTickets,
  applyUsers,
  hashSealed,
  Stopped,
  type ApplyDeps,
} from './apply.ts';
import { NoDump } from './dump-tokens.ts';
import { ImportFault, toImportFault } from './fault.ts';
import { removeRunFile, runPath, uploadPath } from './files.ts';
import { readKeyvInto } from './keyv.ts';
import type { SettingRecord, Source, SourceTables } from './model.ts';
import { readMysqlInto, type MysqlDeps } from './mysql.ts';
import {
  applyServers,
  bindAccounts,
  completeFromPanel,
  readPanel,
  planServers,
  type ImportPanel,
} from './panel-side.ts';
import { readDumpInto } from './read.ts';
import { RecordStore } from './records.ts';
import { planUsers } from './plan.ts';
import { planRoles, type TargetRole } from './role-proposals.ts';
import { paidUntil } from './sources/heliactyl.ts';
import { SOURCES } from './sources/index.ts';
import { Staging } from './staging.ts';
import { summarise, type ImportSummary } from './summary.ts';
import { noTextFaults } from './text.ts';

/** How something is brought over. */
export interface ImportOptions {
  readonly product: ImportProduct;
  readonly instance: string;
  /** A dump, a store, or the address of a database. */
  readonly from: { readonly path: string } | { readonly url: string };
  /** The UUID of the file that was brought by the browser; absent: none was. */
  readonly upload?: string | undefined;
  /** Minutes that the clock of the source is ahead of UTC. */
  readonly zoneMinutes: number;
  /** What one unit of the source is worth here. */
  readonly factor: number;
  /** Which of the source's currencies becomes credits (Paymenter), or what it was paid in where it does not say so. */
  readonly currency: string;
  /** Language of who has none in the source; absent of runs of earlier versions. */
  readonly language?: Locale;
  /** Days that a renewal pays for there (Heliactyl), which stand in its configuration alone; absent: they are not known. */
  readonly renewDays?: number;
  readonly email: EmailRule;
  readonly names: NameRule;
  /** Whether settings that have a counterpart come along. */
  readonly settings: boolean;
  readonly panel: string | null;
}
export interface EngineDeps extends ImportsDeps {
  /** The folder of working files. */
  readonly folder: string;
  readonly passwords: Pick<Passwords, 'hash'>;
  readonly settings: {
    current(): SettingValues;
    set(ctx: null, changes: Partial<SettingValues>): Promise<void>;
  };
  readonly adopt: Servers['adopt'];
  /** The panel that is named, or the only one; null where there is none. Throws ImportFault `panel`. */
  readonly findPanel: (id: string | null) => Promise<ImportPanel | null>;
  readonly roles: () => Promise<readonly TargetRole[]>;
  readonly mysql: MysqlDeps;
  /** Name of the department of tickets that had none. */
  readonly departmentName: string;
  /** Whether the page wrote down already who asked for it. */
  readonly isAudited?: boolean;
  readonly isStopped: () => boolean;
  readonly onStep: (step: ImportStep, done: number) => void;
}

/**
 * Brings users and all that is theirs over from another dashboard. A run is first checked, which changes nothing, and
 * then carried out; killed at any moment it is gone on with, and begun twice it brings nothing twice.
 */
export function createImporter(deps: EngineDeps) {
  const { uow, clock } = deps;

  /** The working file of a run. */
  function openStore(runId: string): RecordStore {
    mkdirSync(deps.folder, { recursive: true, mode: 0o700 });
    return new RecordStore(new Staging(runPath(deps.folder, runId)));
  }

  async function finish(runId: string, state: ImportState, summary: ImportSummary): Promise<void> {
    await uow.run((tx) =>
      tx.imports.updateRun(runId, { state, fault: null, summary: JSON.stringify(summary) }, clock.now()),
    );
  }

  /** Reads the source into a working file and settles it. Out: what would come. Throws ImportFault. */
  async function check(
    options: ImportOptions,
    key: Uint8Array | null,
    startedBy: string | null,
  ): Promise<{ id: string; summary: ImportSummary }> {
    const id = deps.ids.uuid();
    const now = clock.now();
    const { from, ...asked } = options;
    const kept = JSON.stringify({ ...asked, from: 'path' in from ? 'file' : 'database' });
    await removeForgotten(deps);
    const store = openStore(id);
    try {
      const summary = await readAndPlan(deps, store, options, key);
      await uow.run((tx) =>
        tx.imports.addRun({
          id,
          product: options.product,
          instance: options.instance,
          state: 'checked',
          fault: null,
          options: kept,
          summary: JSON.stringify(summary),
          startedBy,
          createdMs: now,
          updatedMs: clock.now(),
        }),
      );
      return { id, summary };
    } catch (error) {
      store.staging.close();
      removeRunFile(deps.folder, id);
      throw toFault(error);
    } finally {
      store.staging.close();
    }
  }

  /**
   * Carries out a run that was checked, or goes on with one that did not end. `staff`: roles of the source come as they
   * were proposed, where nobody has decided about them yet; otherwise all come with the default role. Throws NOT_FOUND,
   * ImportFault.
   */
  async function apply(
    runId: string,
    key: Uint8Array | null,
    { staff = false }: { readonly staff?: boolean } = {},
  ): Promise<ImportSummary> {
    const run = await uow.read((tx) => tx.imports.findRun(runId));
    if (!run || !existsSync(runPath(deps.folder, runId)) || run.state === 'done' || run.state === 'undone')
      throw new DomainError('NOT_FOUND');
    const options = JSON.parse(run.options) as Omit<ImportOptions, 'from'>;
    const store = openStore(runId);
    try {
      const roles = await uow.run(async (tx) => {
        if (!deps.isAudited) await writeAudit(tx, deps, null, { action: 'imports.apply', target: runId });
        const decided = await decideRoles(deps, tx, null, run, staff ? proposalsOf(run) : []);
        await tx.imports.updateRun(runId, { state: 'running', fault: null }, clock.now());
        return decided;
      });
      await applyAll(deps, store, { run, options, key, roles });
      const summary = await proveSums(deps, store, run);
      await finish(runId, 'done', summary);
      // What remains is the report: passwords and addresses are not kept longer than they are needed.
      store.staging.run("UPDATE records SET data = ''");
      store.staging.shrink();
      if (options.upload !== undefined) rmSync(uploadPath(deps.folder, options.upload), { force: true });
      return summary;
    } catch (error) {
      const fault = toFault(error);
      const summary = JSON.stringify(summarise(store, null));
      const code = fault instanceof ImportFault ? fault.code : 'stopped';
      await uow.run((tx) => tx.imports.updateRun(runId, { state: 'failed', fault: code, summary }, clock.now()));
      throw fault;
    } finally {
      store.staging.close();
    }
  }

  return { check, apply, openStore };
}
export type Importer = ReturnType<typeof createImporter>;

/** Removes what was read for runs that nobody goes on with. */
async function removeForgotten(deps: EngineDeps): Promise<void> {
  const runs = await deps.uow.read((tx) => tx.imports.listRuns(100));
  for (const run of runs) if (isForgotten(run, deps.clock.now())) removeRunFile(deps.folder, run.id);
}

/** A fault in the words of imports; anything else as it is. */
function toFault(error: unknown): unknown {
  if (error instanceof NoDump)
    return new ImportFault(
      'not_readable',
      `This is no dump of MySQL or MariaDB, or not a whole one: ${error.message}.`,
    );
  if (error instanceof Stopped) return new ImportFault('stopped', error.message);
  return toImportFault(error);
}

const limitsOf = (values: SettingValues): Resources => ({
  memory: values.default_ram,
  disk: values.default_disk,
  cpu: values.default_cpu,
  slots: values.default_server_slots,
  ports: values.default_ports,
  databases: values.default_databases,
  backups: values.default_backups,
});

/** Reads the rows of the source that there is use for. */
async function read(deps: EngineDeps, store: RecordStore, { product, from }: ImportOptions) {
  const spec = SOURCES[product];
  const faults = noTextFaults();
  const { staging } = store;
  const onRows = (rows: number) => deps.onStep('read', rows);
  if (product === 'heliactyl') {
    if (!('path' in from)) throw new ImportFault('address', 'Heliactyl keeps a file: bring that.');
    return { ...readKeyvInto(staging, spec, from.path, onRows), faults, broken: 0 };
  }
  if ('url' in from)
    return { ...(await readMysqlInto(staging, spec, from.url, { ...deps.mysql, faults, onRows })), faults, broken: 0 };
  const found = await readDumpInto(staging, spec, from.path, {
    faults,
    onBytes: (bytes) => deps.onStep('read', bytes),
  });
  spec.assertIs(found.columnsOf);
  return { ...found, faults };
}

async function readAndPlan(
  deps: EngineDeps,
  store: RecordStore,
  options: ImportOptions,
  key: Uint8Array | null,
): Promise<ImportSummary> {
  const found = await read(deps, store, options);
  store.begin();
  store.staging.setFact('read', JSON.stringify({ tables: found.tables, broken: found.broken, ...found.faults }));
  map(deps, store, options, { tables: found.columnsOf, key });
  const panel = await deps.findPanel(options.panel);
  deps.onStep('panel', 0);
  if (panel) {
    await readPanel(store, panel);
    if (options.product === 'heliactyl')
      completeFromPanel(store, (server) => paidUntil(store.staging, server, options.renewDays ?? 0, deps.clock.now()));
  }
  const sums = await planUsers(
    {
      uow: deps.uow,
      store,
      origin: options,
      rules: { email: options.email, names: options.names, factor: BigInt(options.factor) },
      defaults: limitsOf(deps.settings.current()),
      key,
      nowMs: deps.clock.now(),
    },
    (done) => deps.onStep('plan', done),
  );
  planRoles(store, options.product, await deps.roles());
  planServers(store, panel);
  planOthers(store, options);
  dropRaw(store, options.product);
  return summarise(store, sums);
}

/** Makes records of rows. */
function map(
  deps: EngineDeps,
  store: RecordStore,
  options: ImportOptions,
  { tables, key }: { tables: SourceTables; key: Uint8Array | null },
): void {
  deps.onStep('map', 0);
  let done = 0;
  const source: Source = {
    staging: store.staging,
    tables,
    defaults: limitsOf(deps.settings.current()),
    nowMs: deps.clock.now(),
    key,
    zoneMs: options.zoneMinutes * 60_000,
    currency: options.currency,
    put(kind, id, record) {
      if (!store.add(kind, id, record)) store.note(kind, id, id, 'id_twice');
      done += 1;
      if (done % 10_000 === 0) deps.onStep('map', done);
    },
    addRight: (role, permission) => store.addRight(role, permission),
    leave: (kind, id, label, reason) => store.note(kind, id, label, reason),
  };
  SOURCES[options.product].map(source);
  store.staging.commit();
}

/** What hangs on a user comes with them; settings come where they are asked for and have a name here. */
function planOthers(store: RecordStore, { settings }: ImportOptions): void {
  for (const kind of ['payment', 'ticket'] as const) {
    store.staging.run(
      `INSERT INTO notes (kind, id, label, reason) SELECT kind, id, id, 'owner_missing' FROM records r WHERE kind = ? AND state = 'new' AND ${NO_OWNER}`,
      kind,
    );
    store.staging.run(`UPDATE records AS r SET state = 'left' WHERE kind = ? AND state = 'new' AND ${NO_OWNER}`, kind);
  }
  store.staging.run(
    "UPDATE records SET state = 'ready' WHERE state = 'new' AND kind IN ('code', 'package', 'payment', 'ticket')",
  );
  for (const record of store.list<SettingRecord>('setting', 'new', 0, 1000)) {
    const fits = settings && isSettingKey(record.data.key);
    store.setState(record.seq, fits ? 'ready' : 'left');
  }
  store.staging.commit();
}
const NO_OWNER = `NOT EXISTS (SELECT 1 FROM records u WHERE u.kind = 'user' AND u.id = json_extract(r.data, '$.user') AND u.state IN ('ready', 'already'))`;

/** The source's own rows are not needed any more: what is made of them is. */
function dropRaw({ staging }: RecordStore, product: ImportProduct): void {
  for (const table of Object.keys(SOURCES[product].tables)) staging.run(`DROP TABLE IF EXISTS "raw_${table}"`);
}

async function applyAll(
  deps: EngineDeps,
  store: RecordStore,
  {
    run,
    options,
    key,
    roles,
  }: {
    run: ImportRun;
    options: Omit<ImportOptions, 'from'>;
    key: Uint8Array | null;
    roles: readonly DecidedRole[];
  },
): Promise<void> {
  const values = deps.settings.current();
  // Who was to get a role that was deleted meanwhile gets the default one.
  const here = await deps.roles();
  const kept = roles.filter(({ id }) => here.some((role) => role.id === id));
  const applying: ApplyDeps = {
    ...deps,
    store,
    origin: { product: run.product, instance: run.instance },
    runId: run.id,
    locale: options.language ?? DEFAULT_LOCALE,
    factor: BigInt(options.factor),
    key,
    roles: new Map(kept.map(({ name, id }) => [name, id])),
    defaultRoleId: (await deps.uow.read((tx) => tx.access.defaultRole())).id,
  };
  await hashSealed(applying);
  await applyUsers(applying);
  const panel = await deps.findPanel(options.panel);
  if (panel) {
    const days = Math.max(values.server_renew_days, values.renew_grace_days);
    const graceMs = values.server_renew_enabled ? days * 86_400_000 : null;
    const side = { ...applying, adopt: deps.adopt, graceMs };
    await bindAccounts(side, panel);
    await applyServers(side, panel);
  }
  await applyCodes(applying);
  await applyPackages(applying);
  await applyPayments(applying);
  await applyTickets(applying);
  await applySettings(deps, store);
  await applyBans(applying);
}

/** Settings that have a counterpart, each by itself: one that does not fit keeps none of the others away. */
async function applySettings(deps: EngineDeps, store: RecordStore): Promise<void> {
  for (const { seq, id, data } of store.list<SettingRecord>('setting', 'ready', 0, 1000)) {
    try {
      await deps.settings.set(null, { [data.key]: data.value });
      store.setState(seq, 'done');
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      store.note('setting', id, data.key, 'setting_invalid');
      store.setState(seq, 'left');
    }
  }
}

/** Compares what came with what the ledger has of it, which was counted by itself. Throws ImportFault `sums`. */
async function proveSums(deps: EngineDeps, store: RecordStore, run: ImportRun): Promise<ImportSummary> {
  deps.onStep('prove', 0);
  const { rows, ledger } = await deps.uow.read((tx) => tx.imports.sums(run));
  const expected = store.staging.one<{ sum: number }>(
    "SELECT COALESCE(SUM(credits), 0) AS sum FROM records WHERE kind = 'user' AND state = 'done'",
  );
  const own = await deps.uow.read(async (tx) => {
    let sum = 0;
    for (let after = ''; ;) {
      const page = await tx.imports.listRowsOf(run.id, 'user', after, 1000);
      for (const { credits } of page) sum += credits;
      after = page.at(-1)?.sourceId ?? '';
      if (page.length < 1000) return sum;
    }
  });
  if (rows !== ledger || own !== (expected?.sum ?? 0))
    throw new ImportFault(
      'sums',
      `The credits do not add up: noted ${rows}, in the ledger ${ledger}; of this run ${own}, expected ${expected?.sum ?? 0}.`,
    );
  return summarise(store, null);
}

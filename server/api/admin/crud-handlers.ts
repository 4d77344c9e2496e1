import type * as z from 'zod/mini';
import { writeAudit } from '#server/modules/audit/index.ts';
import type { CrudHooks, CrudStore, CrudValues } from '#server/modules/crud/index.ts';
import { runOnce } from '#server/modules/idempotency/index.ts';
import type { Clock, Ids, SignedIn } from '#server/modules/kernel.ts';
import { permitted } from '#server/modules/permit.ts';
import type { LongReads, Tx, UnitOfWork } from '#server/modules/tx.ts';
import type { Handlers } from '#server/http/implement.types.ts';
import type { CrudContract, DependantCount, ListQuery, ResourceOptions } from '#shared/contract/crud.ts';
import { DomainError, fieldError } from '#shared/errors.ts';
import type { Permission } from '#shared/permissions.ts';
import { RESOURCES, type AreaName } from '#shared/resources/index.ts';
import type { AnyResource, Resource } from '#shared/resources/types.ts';
import { pageOf } from '#shared/schemas/primitives.ts';
import { iso } from '#shared/time.ts';
import { csvLines, csvOf } from './csv.ts';

export interface CrudDeps {
  readonly uow: UnitOfWork;
  readonly long: LongReads;
  readonly clock: Clock;
  readonly ids: Ids;
}
/** Rows an export reads at once, and the most it gives. */
const EXPORT_STEP = 500;
const EXPORT_MAX = 50_000;

interface One {
  readonly params: { readonly id: string };
}
interface Many {
  readonly ids: readonly string[];
}
interface Area {
  readonly definition: Resource<AreaName>;
  readonly deps: CrudDeps;
  readonly hooks: CrudHooks;
}

/**
 * The handlers of an admin area, from its definition; `hooks` is what its owner adds. Every change writes an audit row
 * in its own transaction. They throw NOT_FOUND, CONFLICT (somebody else changed the row), IN_USE (something depends on
 * it), NAME_MISMATCH and what the hooks throw.
 */
export function crudHandlers<D extends Resource<AreaName>>(
  definition: D,
  deps: CrudDeps,
  hooks?: CrudHooks<z.output<D['create']>, z.output<D['update']>>,
): Handlers<CrudContract<D>>;
export function crudHandlers(definition: Resource<AreaName>, deps: CrudDeps, hooks: CrudHooks = {}): unknown {
  const area: Area = { definition, deps, hooks };
  const { uow, clock } = deps;
  const may = (verb: string) => `${definition.permission}.${verb}` as Permission;
  const handlers: Handlers<CrudContract<Resource<AreaName>>> = {
    list: (_, { query }) => uow.read((tx) => list(area, tx, query)),
    export: (ctx, { query }) =>
      deps.long.read((tx) => exportCsv(area, tx, query), { for: 'visitor', signal: ctx.signal }),
    formOptions: () => uow.read(async (tx) => ({ options: await optionsOf(area, tx) })),
    create: permitted(may('create'), (ctx, { body }: { body: CrudValues }) =>
      runOnce({ uow, now: clock.now() }, ctx, (tx) => create(area, tx, ctx, body)),
    ),
    get: (_, { params }) =>
      uow.read(async (tx) => ({
        row: await found(area, tx, params.id),
        options: await optionsOf(area, tx),
        dependants: await countsOf(area, tx, params.id),
      })),
    update: permitted(may('edit'), (ctx, { params, body }: One & { body: CrudValues }) =>
      runOnce({ uow, now: clock.now() }, ctx, (tx) => update(area, tx, ctx, params.id, body)),
    ),
    setEnabled: permitted(may('edit'), (ctx, { body }: { body: Many & { enabled: boolean } }) =>
      uow.run(async (tx) => {
        const changed = await forEachInOrder(body.ids, (id) => setEnabled(area, tx, ctx, id, body.enabled));
        return { done: changed.filter(Boolean).length };
      }),
    ),
    dependants: (_, { params }) =>
      uow.read(async (tx) => {
        const row = await found(area, tx, params.id);
        const dependants = await countsOf(area, tx, params.id);
        return { row, dependants, refused: refused(definition, dependants) };
      }),
    remove: permitted(may('delete'), (ctx, { params, body }: One & { body: { name: string } }) =>
      uow.run((tx) => remove(area, tx, ctx, params.id, body.name)),
    ),
    removeMany: permitted(may('delete'), (ctx, { body }: { body: Many }) =>
      uow.run(async (tx) => {
        const fates = await forEachInOrder(body.ids, (id) => removeIfFree(area, tx, ctx, id));
        return {
          done: fates.filter((fate) => fate === 'removed').length,
          refused: fates.filter((fate) => fate === 'used').length,
        };
      }),
    ),
  };
  return handlers;
}

const storeOf = (area: Area, tx: Tx): CrudStore => tx.crud.area(area.definition.area);
/** Most rows of another area that a select offers. */
const MOST_OPTIONS = 500;

/** What the selects of an area offer: rows of the areas it refers to, and what its owner adds. */
async function optionsOf(area: Area, tx: Tx): Promise<ResourceOptions> {
  const options: ResourceOptions = {};
  for (const [field, target] of Object.entries(area.definition.references)) {
    const { title } = referencedArea(target);
    const query = { nowMs: area.deps.clock.now(), offset: 0, limit: MOST_OPTIONS, filters: {} };
    const rows = await tx.crud.area(referencedArea(target).area).rows({ ...query, sort: { field: title, dir: 'asc' } });
    options[field] = rows.map((row) => ({ value: String(row.id), label: String(row[title]) }));
  }
  return { ...options, ...(await area.hooks.options?.(tx)) };
}

/** The area that a reference leads to. */
function referencedArea(name: string): Resource<AreaName> {
  const getRow = Object.values<Resource<AreaName>>(RESOURCES).find(({ area }) => area === name);
  if (!getRow) throw new Error(`there is no area ${name} to refer to`);
  return getRow;
}

/** Keeps the rows that the input refers to until it is written. Throws UNKNOWN at the field of one that is gone. */
async function lockReferences(area: Area, tx: Tx, input: CrudValues): Promise<void> {
  for (const [field, target] of Object.entries(area.definition.references)) {
    const id = input[field];
    if (typeof id === 'string' && !(await tx.crud.area(referencedArea(target).area).lock(id)))
      throw fieldError(field, 'UNKNOWN');
  }
}

async function forEachInOrder<T>(ids: readonly string[], work: (id: string) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  // One after the other and in a fixed order, so that two commands cannot wait for each other's rows.
  for (const id of [...new Set(ids)].sort()) results.push(await work(id));
  return results;
}

async function found(area: Area, tx: Tx, id: string): Promise<CrudValues> {
  const row = await storeOf(area, tx).find(id, area.deps.clock.now());
  if (!row) throw new DomainError('NOT_FOUND');
  return row;
}

async function countsOf(area: Area, tx: Tx, id: string): Promise<DependantCount[]> {
  const counts = await storeOf(area, tx).dependants(id);
  return Object.entries(counts).map(([kind, count]) => ({ kind, count }));
}

const refused = (definition: AnyResource, counts: readonly DependantCount[]): boolean =>
  counts.some(({ kind, count }) => count > 0 && (definition.dependants[kind]?.refuses ?? true));

/** The query as the database is asked: sorted by a known column, filtered by the area's filters only. */
function queryOf({ definition, deps }: Area, query: Partial<ListQuery>) {
  const sort = query.sort ?? definition.sort;
  const filters = Object.keys(definition.filters).flatMap((name) =>
    query[name] === undefined ? [] : [[name, String(query[name])]],
  );
  return {
    nowMs: deps.clock.now(),
    sort: { field: sort.replace(/^-/, ''), dir: sort.startsWith('-') ? ('desc' as const) : ('asc' as const) },
    search: query.q ? { fields: definition.search, text: query.q.trim() } : undefined,
    filters: Object.fromEntries(filters) as Record<string, string>,
  };
}

async function list(area: Area, tx: Tx, query: ListQuery) {
  const { page, perPage } = pageOf(query);
  const { rows, total } = await storeOf(area, tx).list({
    ...queryOf(area, query),
    offset: (page - 1) * perPage,
    limit: perPage,
  });
  return { rows, paging: { page, per_page: perPage, total }, options: await optionsOf(area, tx) };
}

async function exportCsv(area: Area, tx: Tx, query: ListQuery) {
  const { row, path } = area.definition;
  const fields = Object.keys(row.shape);
  let body = csvOf(fields, []);
  for (let offset = 0; offset < EXPORT_MAX; offset += EXPORT_STEP) {
    const rows = await storeOf(area, tx).rows({ ...queryOf(area, query), offset, limit: EXPORT_STEP });
    body += csvLines(fields, rows);
    if (rows.length < EXPORT_STEP) break;
  }
  return { filename: `${path.split('/').at(-1) ?? 'export'}.csv`, body };
}

async function create(area: Area, tx: Tx, ctx: SignedIn, input: CrudValues) {
  const { definition, deps, hooks } = area;
  const id = deps.ids.uuid();
  const at = iso(deps.clock.now());
  await lockReferences(area, tx, input);
  const values = withoutDropped({ ...input, ...(await hooks.beforeCreate?.(tx, input, ctx)) });
  await storeOf(area, tx).insert({ ...values, id, created_at: at, updated_at: at });
  const after = await found(area, tx, id);
  await writeAudit(tx, deps, ctx, {
    action: `${definition.area}.create`,
    target: id,
    after: inputs(definition, after),
  });
  tx.touch(...(hooks.topics ?? []));
  return { id };
}

async function update(area: Area, tx: Tx, ctx: SignedIn, id: string, body: CrudValues) {
  const { updated_at: seen, ...input } = body;
  const before = await found(area, tx, id);
  if (before.updated_at !== seen) throw new DomainError('CONFLICT');
  await lockReferences(area, tx, input);
  const values = { ...input, ...(await area.hooks.beforeUpdate?.(tx, input, before, ctx)) };
  await write(area, tx, ctx, before, withoutDropped(values));
  return { id };
}

/** What is stored: an input that a hook made undefined is not, as it keeps it elsewhere. */
const withoutDropped = (values: CrudValues): CrudValues =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

/**
 * Writes what differs and records it in the audit log. The new time is always later than the old one, so that every
 * change is seen.
 */
async function write(area: Area, tx: Tx, ctx: SignedIn, before: CrudValues, values: CrudValues): Promise<boolean> {
  const { definition, deps, hooks } = area;
  const [id, seen] = [String(before.id), String(before.updated_at)];
  const changed = Object.keys(values).filter(
    (field) => Object.hasOwn(before, field) && JSON.stringify(values[field]) !== JSON.stringify(before[field]),
  );
  if (changed.length === 0) return false;
  const at = iso(Math.max(deps.clock.now(), Date.parse(seen) + 1));
  if (!(await storeOf(area, tx).update(id, seen, { ...values, updated_at: at }))) throw new DomainError('CONFLICT');
  const named = [definition.title, ...changed.filter((field) => field !== definition.title)];
  const pick = (from: CrudValues) => Object.fromEntries(named.map((field) => [field, from[field] ?? before[field]]));
  await writeAudit(tx, deps, ctx, {
    action: `${definition.area}.edit`,
    target: id,
    before: pick(before),
    after: pick({ ...before, ...values }),
  });
  tx.touch(...(hooks.topics ?? []));
  return true;
}

async function setEnabled(area: Area, tx: Tx, ctx: SignedIn, id: string, enabled: boolean): Promise<boolean> {
  const field = area.definition.bulk.switch;
  const row = await storeOf(area, tx).find(id, area.deps.clock.now());
  return field !== undefined && row !== null && (await write(area, tx, ctx, row, { [field]: enabled }));
}

async function remove(area: Area, tx: Tx, ctx: SignedIn, id: string, name: string): Promise<void> {
  const row = await found(area, tx, id);
  if (name.trim() !== row[area.definition.title])
    throw new DomainError('NAME_MISMATCH', { fields: { name: ['NAME_MISMATCH'] } });
  const fate = await removeIfFree(area, tx, ctx, id);
  if (fate !== 'removed') throw new DomainError(fate === 'used' ? 'IN_USE' : 'NOT_FOUND');
}

/** Deletes a row unless it is in use or gone. It is locked first, so that nothing can begin to depend on it meanwhile. */
async function removeIfFree(area: Area, tx: Tx, ctx: SignedIn, id: string): Promise<'removed' | 'used' | 'gone'> {
  const { definition, deps, hooks } = area;
  const store = storeOf(area, tx);
  if (!(await store.lock(id))) return 'gone';
  const row = await found(area, tx, id);
  if (refused(definition, await countsOf(area, tx, id))) return 'used';
  await hooks.beforeDelete?.(tx, row, ctx);
  await store.remove(id);
  await writeAudit(tx, deps, ctx, { action: `${definition.area}.delete`, target: id, before: inputs(definition, row) });
  tx.touch(...(hooks.topics ?? []));
  return 'removed';
}

/** The part of a row that staff set. */
function inputs(definition: AnyResource, row: CrudValues): CrudValues {
  return Object.fromEntries(Object.keys(definition.fields).map((field) => [field, row[field]]));
}

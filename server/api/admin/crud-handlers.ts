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
import { toCsvLines, toCsvFile } from './csv.ts';

export interface CrudDeps {
  readonly uow: UnitOfWork;
  readonly long: LongReads;
  readonly clock: Clock;
  readonly ids: Ids;
}
/** Rows that an export reads at once, and the most that it has. */
const EXPORT_BATCH = 500;
const EXPORT_MAX = 50_000;

interface ById {
  readonly params: { readonly id: string };
}
interface ByIds {
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
  const permissionTo = (verb: string) => `${definition.permission}.${verb}` as Permission;
  const handlers: Handlers<CrudContract<Resource<AreaName>>> = {
    // Some areas count what belongs to each of their rows.
    list: (ctx, { query }) => deps.long.read((tx) => list(area, tx, query), { for: 'visitor', signal: ctx.signal }),
    export: (ctx, { query }) =>
      deps.long.read((tx) => exportCsv(area, tx, query), { for: 'visitor', signal: ctx.signal }),
    formOptions: () => uow.read(async (tx) => ({ options: await optionsOf(area, tx) })),
    create: permitted(permissionTo('create'), (ctx, { body }: { body: CrudValues }) =>
      runOnce({ uow, now: clock.now() }, ctx, (tx) => create(area, tx, ctx, body)),
    ),
    // What depends on a row may be most of a host's servers.
    get: (ctx, { params }) =>
      deps.long.read(
        async (tx) => ({
          row: await getRow(area, tx, params.id),
          options: await optionsOf(area, tx),
          dependants: await countDependants(area, tx, params.id),
        }),
        { for: 'visitor', signal: ctx.signal },
      ),
    update: permitted(permissionTo('edit'), (ctx, { params, body }: ById & { body: CrudValues }) =>
      runOnce({ uow, now: clock.now() }, ctx, (tx) => update(area, tx, ctx, params.id, body)),
    ),
    setEnabled: permitted(permissionTo('edit'), (ctx, { body }: { body: ByIds & { enabled: boolean } }) =>
      uow.run(async (tx) => {
        const changed = await forEachInOrder(body.ids, (id) => setEnabled(area, tx, ctx, id, body.enabled));
        return { done: changed.filter(Boolean).length };
      }),
    ),
    dependants: (ctx, { params }) =>
      deps.long.read(
        async (tx) => {
          const row = await getRow(area, tx, params.id);
          const dependants = await countDependants(area, tx, params.id);
          return { row, dependants, refused: isRefused(definition, dependants) };
        },
        { for: 'visitor', signal: ctx.signal },
      ),
    remove: permitted(permissionTo('delete'), (ctx, { params, body }: ById & { body: { name: string } }) =>
      uow.run((tx) => remove(area, tx, ctx, params.id, body.name)),
    ),
    removeMany: permitted(permissionTo('delete'), (ctx, { body }: { body: ByIds }) =>
      uow.run(async (tx) => {
        const outcomes = await forEachInOrder(body.ids, (id) => removeUnlessUsed(area, tx, ctx, id));
        return {
          done: outcomes.filter((outcome) => outcome === 'removed').length,
          refused: outcomes.filter((outcome) => outcome === 'used').length,
        };
      }),
    ),
  };
  return handlers;
}

const storeOf = (area: Area, tx: Tx): CrudStore => tx.crud.area(area.definition.area);
/** Most rows of another area that a select offers. */
const MAX_OPTIONS = 500;

/** The options of an area's selects: rows of the areas it refers to, and what its hooks add. */
async function optionsOf(area: Area, tx: Tx): Promise<ResourceOptions> {
  const options: ResourceOptions = {};
  for (const [field, target] of Object.entries(area.definition.references)) {
    const { title } = referencedArea(target);
    const query = { nowMs: area.deps.clock.now(), offset: 0, limit: MAX_OPTIONS, filters: {} };
    const rows = await tx.crud.area(referencedArea(target).area).rows({ ...query, sort: { field: title, dir: 'asc' } });
    options[field] = rows.map((row) => ({ value: String(row.id), label: String(row[title]) }));
  }
  return { ...options, ...(await area.hooks.options?.(tx)) };
}

/** The definition of the area that a reference names. Throws Error where there is none. */
function referencedArea(name: string): Resource<AreaName> {
  const resource = Object.values<Resource<AreaName>>(RESOURCES).find(({ area }) => area === name);
  if (!resource) throw new Error(`there is no area ${name} to refer to`);
  return resource;
}

/** Locks the rows that an input refers to. Throws UNKNOWN at the field of one that does not exist. */
async function lockReferences(area: Area, tx: Tx, input: CrudValues): Promise<void> {
  for (const [field, target] of Object.entries(area.definition.references)) {
    const id = input[field];
    if (typeof id === 'string' && !(await tx.crud.area(referencedArea(target).area).lock(id)))
      throw fieldError(field, 'UNKNOWN');
  }
}

async function forEachInOrder<T>(ids: readonly string[], work: (id: string) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  // One after the other in a fixed order, so that two commands cannot deadlock.
  for (const id of [...new Set(ids)].sort()) results.push(await work(id));
  return results;
}

async function getRow(area: Area, tx: Tx, id: string): Promise<CrudValues> {
  const row = await storeOf(area, tx).find(id, area.deps.clock.now());
  if (!row) throw new DomainError('NOT_FOUND');
  return row;
}

async function countDependants(area: Area, tx: Tx, id: string): Promise<DependantCount[]> {
  const counts = await storeOf(area, tx).dependants(id);
  return Object.entries(counts).map(([kind, count]) => ({ kind, count }));
}

const isRefused = (definition: AnyResource, counts: readonly DependantCount[]): boolean =>
  counts.some(({ kind, count }) => count > 0 && (definition.dependants[kind]?.refuses ?? true));

/** Turns a list's query into that of the store: by default the area's order, and only the area's own filters. */
function toStoreQuery({ definition, deps }: Area, query: Partial<ListQuery>) {
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
    ...toStoreQuery(area, query),
    offset: (page - 1) * perPage,
    limit: perPage,
  });
  return { rows, paging: { page, per_page: perPage, total }, options: await optionsOf(area, tx) };
}

async function exportCsv(area: Area, tx: Tx, query: ListQuery) {
  const { row, path } = area.definition;
  const fields = Object.keys(row.shape);
  let body = toCsvFile(fields, []);
  for (let offset = 0; offset < EXPORT_MAX; offset += EXPORT_BATCH) {
    const rows = await storeOf(area, tx).rows({ ...toStoreQuery(area, query), offset, limit: EXPORT_BATCH });
    body += toCsvLines(fields, rows);
    if (rows.length < EXPORT_BATCH) break;
  }
  return { filename: `${path.split('/').at(-1) ?? 'export'}.csv`, body };
}

async function create(area: Area, tx: Tx, ctx: SignedIn, input: CrudValues) {
  const { definition, deps, hooks } = area;
  const id = deps.ids.uuid();
  const at = iso(deps.clock.now());
  await lockReferences(area, tx, input);
  const values = dropUndefined({ ...input, ...(await hooks.beforeCreate?.(tx, input, ctx)) });
  await storeOf(area, tx).insert({ ...values, id, created_at: at, updated_at: at });
  const after = await getRow(area, tx, id);
  await writeAudit(tx, deps, ctx, {
    action: `${definition.area}.create`,
    target: id,
    after: pickFields(definition, after),
  });
  tx.touch(...(hooks.topics ?? []));
  return { id };
}

async function update(area: Area, tx: Tx, ctx: SignedIn, id: string, body: CrudValues) {
  const { updated_at: seen, ...input } = body;
  const before = await getRow(area, tx, id);
  if (before.updated_at !== seen) throw new DomainError('CONFLICT');
  await lockReferences(area, tx, input);
  const values = { ...input, ...(await area.hooks.beforeUpdate?.(tx, input, before, ctx)) };
  await write(area, tx, ctx, before, dropUndefined(values));
  return { id };
}

/** The values that are stored: not those that a hook set to undefined because it stores them elsewhere. */
const dropUndefined = (values: CrudValues): CrudValues =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

/**
 * Writes the values that differ from `before` and records them in the audit log. Out: whether any did. Throws CONFLICT
 * where the row has changed meanwhile. The new `updated_at` is always later than the old one, so that no change is
 * missed.
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
  const audited = [definition.title, ...changed.filter((field) => field !== definition.title)];
  const pick = (from: CrudValues) => Object.fromEntries(audited.map((field) => [field, from[field] ?? before[field]]));
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
  const row = await getRow(area, tx, id);
  if (name.trim() !== row[area.definition.title])
    throw new DomainError('NAME_MISMATCH', { fields: { name: ['NAME_MISMATCH'] } });
  const outcome = await removeUnlessUsed(area, tx, ctx, id);
  if (outcome !== 'removed') throw new DomainError(outcome === 'used' ? 'IN_USE' : 'NOT_FOUND');
}

/** Deletes a row unless it is used or gone. It is locked first, so that nothing starts to depend on it meanwhile. */
async function removeUnlessUsed(area: Area, tx: Tx, ctx: SignedIn, id: string): Promise<'removed' | 'used' | 'gone'> {
  const { definition, deps, hooks } = area;
  const store = storeOf(area, tx);
  if (!(await store.lock(id))) return 'gone';
  const row = await getRow(area, tx, id);
  if (isRefused(definition, await countDependants(area, tx, id))) return 'used';
  await hooks.beforeDelete?.(tx, row, ctx);
  await store.remove(id);
  await writeAudit(tx, deps, ctx, {
    action: `${definition.area}.delete`,
    target: id,
    before: pickFields(definition, row),
  });
  tx.touch(...(hooks.topics ?? []));
  return 'removed';
}

/** The fields of a row that staff set. */
function pickFields(definition: AnyResource, row: CrudValues): CrudValues {
  return Object.fromEntries(Object.keys(definition.fields).map((field) => [field, row[field]]));
}

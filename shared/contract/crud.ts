import * as z from 'zod/mini';
import type { Permission } from '../permissions.ts';
import { sortableColumns } from '../resources/sortable.ts';
import type { AnyResource, Filter, ObjectSchema, Operation, Resource } from '../resources/types.ts';
import { id, listQuery, paging, text } from '../schemas/primitives.ts';
import type { Endpoint } from './endpoint.ts';

/** Values of the selects of an area: field → the rows one can choose. */
const options = z.record(z.string(), z.array(z.object({ value: z.string(), label: z.string() })));
export type ResourceOptions = z.infer<typeof options>;
/** What depends on a row, by kind (`resources:<area>.dependants.<kind>`). */
const dependants = z.array(z.object({ kind: z.string(), count: z.int() }));
export type DependantCount = z.infer<typeof dependants>[number];
/** Maximum rows per bulk command. */
const BULK_MAX = 100;
const ids = z.array(id).check(z.minLength(1, 'REQUIRED'), z.maxLength(BULK_MAX, 'TOO_LARGE'));

/** The query of a list as a handler gets it, besides the filters that are set. */
export type ListQuery = {
  readonly page?: number | undefined;
  readonly per_page?: number | undefined;
  readonly sort?: string | undefined;
  readonly q?: string | undefined;
} & {
  readonly [filter: string]: unknown;
};

/** A filter's values on the wire: true or false, an id, or one of a closed set. */
const filterValue = (of: Filter['options']): z.ZodMiniType<string, string> =>
  of === 'switch' ? z.enum(['true', 'false']) : of === 'answer' ? id : z.enum(of);

function listQueryOf(definition: AnyResource) {
  const names = [...new Set([...sortableColumns(definition), definition.sort.replace('-', '')])];
  const known = { ...listQuery, sort: z.optional(z.enum(names.flatMap((name) => [name, `-${name}`]))) };
  const filters = Object.fromEntries(
    Object.entries(definition.filters).map(([name, { options: of }]) => [name, z.optional(filterValue(of))]),
  );
  const shape: typeof known & typeof filters = Object.assign(filters, known);
  return z.object(shape);
}

/** Words in names of areas that are not written as they are there. */
const SPELLED: Readonly<Record<string, string>> = { j4r: 'J4R', sso: 'sign-in' };

/** What an area’s rows are called in summaries: `eggCategories` → “an egg category”, “egg categories”. */
function nouns(area: string) {
  const many = area
    .split(/(?=[A-Z])/)
    .map((word) => SPELLED[word] ?? word.toLowerCase())
    .join(' ');
  const one = many.replace(/ies$/, 'y').replace(/s$/, '');
  return { many, one: `${/^[aeiou]/.test(one) ? 'an' : 'a'} ${one}` };
}

/** What the reference says of the endpoints of an area. */
const textsOf = ({ many, one }: ReturnType<typeof nouns>) => ({
  list: { summary: `List ${many}` },
  export: { summary: `Export ${many}`, description: 'Everything that matches, as CSV.' },
  formOptions: { summary: `Get what ${one} can be`, description: 'The values of its selects.' },
  create: { summary: `Create ${one}` },
  get: { summary: `Get ${one}`, description: 'With what its selects offer and what hangs on it.' },
  update: {
    summary: `Change ${one}`,
    description: '`updated_at` is what you saw; refused with CONFLICT if it was changed meanwhile.',
  },
  setEnabled: { summary: `Turn ${many} on or off`, description: '`done`: how many changed.' },
  dependants: { summary: `Get what hangs on ${one}`, description: '`refused`: it cannot be deleted while that is so.' },
  remove: { summary: `Delete ${one}`, description: '`name` is its name, a guard against accidents.' },
  removeMany: { summary: `Delete several ${many}`, description: 'Those in use are kept (`refused`).' },
});

/** All endpoints an area can have. Each screen needs one request, under the permission of that screen. */
function endpoints<const P extends string, R extends ObjectSchema, C extends ObjectSchema, U extends ObjectSchema>(
  definition: Resource<string, P, readonly Operation[], R, C, U>,
) {
  const { path, row, create, update } = definition;
  const texts = textsOf(nouns(definition.area));
  const may = <O extends Operation>(operation: O) =>
    `${definition.permission}.${operation}` as `${P}.${O}` & Permission;
  const one = { path: `${path}/:id`, params: z.object({ id }) } as const;
  const listed = { query: listQueryOf(definition), access: may('list'), errors: [] } as const;
  return {
    list: {
      method: 'GET',
      path,
      ...texts.list,
      ...listed,
      response: z.object({ rows: z.array(row), paging, options }),
    },
    export: {
      method: 'GET',
      path: `${path}/export.csv`,
      ...texts.export,
      ...listed,
      format: 'csv',
    },
    formOptions: {
      method: 'GET',
      path: `${path}/new`,
      ...texts.formOptions,
      access: may('create'),
      errors: [],
      response: z.object({ options }),
    },
    create: {
      method: 'POST',
      path,
      ...texts.create,
      body: create,
      access: may('create'),
      limit: 'create',
      idempotent: true,
      errors: ['VALIDATION_FAILED', 'APPROVAL_REQUIRED'],
      response: z.object({ id: z.string() }),
    },
    get: {
      ...one,
      method: 'GET',
      ...texts.get,
      versioned: true,
      access: may('edit'),
      errors: ['NOT_FOUND'],
      response: z.object({ row, options, dependants }),
    },
    update: {
      ...one,
      method: 'PATCH',
      ...texts.update,
      versioned: true,
      body: z.extend(update, { updated_at: text(0, 40) }),
      access: may('edit'),
      idempotent: true,
      errors: ['NOT_FOUND', 'CONFLICT', 'VALIDATION_FAILED', 'APPROVAL_REQUIRED'],
      response: z.object({ id: z.string() }),
    },
    setEnabled: {
      method: 'POST',
      path: `${path}/set-enabled`,
      ...texts.setEnabled,
      body: z.strictObject({ ids, enabled: z.boolean() }),
      access: may('edit'),
      errors: [],
      response: z.object({ done: z.int() }),
    },
    dependants: {
      method: 'GET',
      path: `${path}/:id/dependants`,
      ...texts.dependants,
      params: one.params,
      access: may('delete'),
      errors: ['NOT_FOUND'],
      response: z.object({ row, dependants, refused: z.boolean() }),
    },
    remove: {
      ...one,
      method: 'DELETE',
      ...texts.remove,
      body: z.strictObject({ name: text(0, 200) }),
      access: may('delete'),
      errors: ['NOT_FOUND', 'IN_USE', 'NAME_MISMATCH'],
    },
    removeMany: {
      method: 'POST',
      path: `${path}/delete`,
      ...texts.removeMany,
      body: z.strictObject({ ids }),
      access: may('delete'),
      errors: [],
      response: z.object({ done: z.int(), refused: z.int() }),
    },
  } as const satisfies Record<string, Endpoint>;
}

const NAMES = {
  list: ['list', 'export'],
  create: ['formOptions', 'create'],
  edit: ['get', 'update', 'setEnabled'],
  delete: ['dependants', 'remove', 'removeMany'],
} as const satisfies Record<Operation, readonly string[]>;

type All<D extends AnyResource> =
  D extends Resource<string, infer P, readonly Operation[], infer R, infer C, infer U>
    ? ReturnType<typeof endpoints<P, R, C, U>>
    : never;
/** The endpoints of an area: those of the operations it has; `setEnabled` only where there is an on/off field. */
export type CrudContract<D extends AnyResource> = Pick<
  All<D>,
  Exclude<
    (typeof NAMES)[D['operations'][number]][number],
    [D['bulk']['switch']] extends [undefined] ? 'setEnabled' : never
  >
>;

/**
 * The endpoints of an admin area, from its definition (architecture, section 5). Endpoints of operations it does not
 * have do not exist.
 */
export function crudContract<D extends Resource>(definition: D): CrudContract<D>;
export function crudContract(definition: Resource): Partial<All<Resource>> {
  const all = endpoints(definition);
  const names: readonly string[] = definition.operations.flatMap((operation) => NAMES[operation]);
  const has = (name: string) => names.includes(name) && (name !== 'setEnabled' || definition.bulk.switch !== undefined);
  return Object.fromEntries(Object.entries(all).filter(([name]) => has(name)));
}

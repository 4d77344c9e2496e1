import type * as z from 'zod/mini';
import type { FieldCode } from '../errors.ts';
import type { Permission } from '../permissions.ts';
import { schemasOf, type AreaColumn, type Columns, type InputSchema, type RowSchema } from './columns.ts';
import type { AreaNav, Column, Dependant, Field, Operation, Resource, Store, Unique } from './types.ts';

type KeysOf<T, V> = { [K in keyof T & string]: [T[K]] extends [V] ? K : never }[keyof T & string];
type RowOf<C extends Columns> = z.output<RowSchema<C>>;
type InputOf<C extends Columns> = z.output<InputSchema<C>>;
type Hidden = Readonly<Record<string, Store>>;
interface GroupOf {
  readonly columns?: 2 | 3;
  /** Its fields in order. */
  readonly fields: readonly string[];
}
type Groups = Readonly<Record<string, GroupOf>>;
/** All four: the default of an area. */
const ALL = ['list', 'create', 'edit', 'delete'] as const satisfies readonly Operation[];

/**
 * The one description of an area and its table. Anything that does not fit its columns or the permissions does not
 * compile.
 */
interface Description<
  A extends string,
  Path extends `/api/admin/${string}`,
  T extends string,
  P extends string,
  O extends readonly Operation[],
  C extends Columns,
  H extends Hidden,
  G extends Groups,
  D extends Readonly<Record<string, Dependant>>,
  S extends string,
> {
  readonly area: A;
  readonly path: Path;
  readonly table: T;
  readonly permission: P & (`${P}.${O[number]}` extends Permission ? unknown : never);
  readonly nav: AreaNav;
  readonly operations?: O;
  /** The columns of the table besides id and times, in the order of a row. */
  readonly columns: C;
  /** The column of the time of creation in the list, where it is shown. */
  readonly created?: Omit<Column, 'format'>;
  /** Columns that the server writes, but that are not shown. */
  readonly hidden?: H;
  /** The field that names a row. */
  readonly title: KeysOf<RowOf<C>, string>;
  /** Adds checks across several inputs to the schema. */
  readonly rules?: (input: InputSchema<C>) => InputSchema<C>;
  /** The order of the list, where it is not that of the columns. */
  readonly list?: readonly ((keyof C & string) | 'created_at')[];
  /** The parts of the form: each input stands in one. Absent: one part with all of them. */
  readonly groups?: G &
    (keyof InputOf<C> extends G[keyof G]['fields'][number]
      ? { readonly [K in keyof G]: { readonly fields: readonly (keyof InputOf<C>)[] } }
      : never);
  readonly search: readonly KeysOf<RowOf<C>, string>[];
  readonly sort: `${'' | '-'}${(keyof C & string) | 'created_at'}`;
  readonly unique?: readonly {
    readonly fields: readonly ((keyof C | keyof NoInfer<H>) & string)[];
    readonly field: keyof C & string;
    readonly code: FieldCode;
  }[];
  /** What else may depend on a row; areas that refer to it are counted automatically. */
  readonly dependants?: D;
  /** Bulk commands: delete rows, set a switch. */
  readonly bulk: { readonly delete?: true; readonly switch?: S & KeysOf<InputOf<C>, boolean> };
}

/** A defined area, with the types of everything derived from it. */
interface Defined<
  A extends string,
  Path extends string,
  T extends string,
  P extends string,
  O extends readonly Operation[],
  C extends Columns,
  H extends Hidden,
  D extends Readonly<Record<string, Dependant>>,
  S extends string,
> extends Resource<A, P, O, RowSchema<C>, InputSchema<C>, InputSchema<C>> {
  readonly path: Path;
  readonly table: T;
  readonly storage: { readonly [K in keyof C & string]: C[K]['store'] };
  readonly hidden: H;
  readonly dependants: D;
  readonly bulk: { readonly delete?: true; readonly switch?: S };
}

/** Defines an admin area from the description of its table: schemas, list, form and storage follow from the columns. */
export function defineResource<
  const A extends string,
  const Path extends `/api/admin/${string}`,
  const T extends string,
  const P extends string,
  const C extends Columns,
  const G extends Groups,
  const O extends readonly Operation[] = typeof ALL,
  // oxlint-disable-next-line typescript/no-empty-object-type -- nothing hidden, nothing dependent
  const H extends Hidden = {},
  // oxlint-disable-next-line typescript/no-empty-object-type -- see above
  const D extends Readonly<Record<string, Dependant>> = {},
  const S extends string = never,
>(description: Description<A, Path, T, P, O, C, H, G, D, S>): Defined<A, Path, T, P, O, C, H, D, S>;
export function defineResource(
  given: Description<
    string,
    '/api/admin/',
    string,
    string,
    readonly Operation[],
    Columns,
    Hidden,
    Groups,
    Record<string, Dependant>,
    string
  >,
): Resource {
  const { columns, groups, rules } = given;
  const entries = Object.entries<AreaColumn>(columns);
  const { row, input } = schemasOf(columns);
  const checked = rules ? rules(input) : input;
  const pick = <V>(of: (column: AreaColumn) => V | undefined): Readonly<Record<string, V>> =>
    Object.fromEntries(
      entries.flatMap(([key, each]) => {
        const value = of(each);
        return value === undefined ? [] : [[key, value]];
      }),
    );
  const lists: Readonly<Record<string, Column>> = {
    ...pick(({ list }) => list),
    ...(given.created ? { created_at: { format: 'when', ...given.created } } : {}),
  };
  const parts: Groups = groups ?? { basics: { fields: Object.keys(pick(({ field }) => field)) } };
  return {
    area: given.area,
    path: given.path,
    table: given.table,
    permission: given.permission,
    nav: given.nav,
    operations: given.operations ?? ALL,
    row,
    create: checked,
    update: checked,
    title: given.title,
    columns: given.list ? Object.fromEntries(given.list.map((key) => [key, part(lists, key)])) : lists,
    groups: Object.fromEntries(
      Object.entries(parts).map(([key, { columns: wide }]) => [key, wide === undefined ? {} : { columns: wide }]),
    ),
    fields: Object.fromEntries(
      Object.entries(parts).flatMap(([group, { fields }]) =>
        fields.map((key): [string, Field] => [
          key,
          {
            ...part(
              pick(({ field }) => field),
              key,
            ),
            group,
          },
        ]),
      ),
    ),
    defaults: pick(({ start }) => start),
    filters: pick(({ filter }) => (filter === undefined ? undefined : { options: filter })),
    search: given.search,
    sort: given.sort,
    dependants: given.dependants ?? {},
    bulk: given.bulk,
    storage: pick(({ store }) => store),
    hidden: given.hidden ?? {},
    unique: (given.unique ?? []) satisfies readonly Unique[],
    references: pick(({ references }) => references),
    names: pick(({ nameOf }) => nameOf),
  };
}

function part<V>(of: Readonly<Record<string, V>>, key: string): V {
  const value = of[key];
  if (value === undefined) throw new Error(`${key} is listed, but its column does not say how it is shown`);
  return value;
}

import type * as z from 'zod/mini';
import type { Permission } from '../permissions.ts';
import type { RouteId } from '../routes/table.ts';

/**
 * What an admin area is, as data (architecture, section 5): the server reads it for endpoints and handlers, the browser
 * for list, form and delete page. No functions, no JSX. Texts follow by convention: `resources:<area>.fields.<field>`,
 * otherwise `resources:common.fields.<field>`.
 */
export type Operation = 'list' | 'create' | 'edit' | 'delete';
export type ObjectSchema = z.ZodMiniObject;
/** Areas that have all four pages (a list alone is another kind of screen), so that links to them exist. */
export type LinkedArea = RouteId extends infer R ? (R extends `admin.${infer A}.create` ? A : never) : never;

/**
 * How a value stands in a table. `flag`: a badge when true; `switch`: on or off; `usage`: how much of another column is
 * taken.
 */
export type CellFormat =
  | 'text'
  | 'code'
  | 'status'
  | 'when'
  | 'number'
  | 'credits'
  | 'memory'
  | 'days'
  | 'usage'
  | 'switch'
  | 'flag'
  | 'custom';
type FormatOf<V> =
  | 'custom'
  | (V extends boolean
      ? 'switch' | 'flag'
      : V extends number
        ? 'number' | 'credits' | 'memory' | 'days' | 'usage'
        : V extends string
          ? 'text' | 'code' | 'status' | 'when'
          : never);
/** Shapes of a state (the status component's). */
export type Shape = 'active' | 'queued' | 'scheduled' | 'paused' | 'failed' | 'off' | 'full';

export interface Column {
  readonly format: CellFormat;
  /** The heading sorts; the direction of its first click. The database has an index for it. */
  readonly sort?: 'asc' | 'desc';
  readonly hideOnPhone?: true;
  readonly wrap?: true;
  /** For `usage`: the column with the whole. */
  readonly of?: string;
  /** For `status`: the shape of each value. */
  readonly shapes?: Readonly<Record<string, Shape>>;
}
/**
 * A field of the form. Bounds and whether it must be filled are read from the schema. `custom`: the area brings its own
 * component.
 */
export interface Field {
  readonly kind: 'text' | 'textarea' | 'code' | 'number' | 'switch' | 'select' | 'datetime' | 'custom';
  readonly group: string;
  /** Symbol shown behind a number, such as MB. */
  readonly unit?: string;
  /** Values of a select; `answer`: they come with the server's answer. */
  readonly options?: 'answer' | readonly string[];
  /** Takes a whole line of its group. */
  readonly wide?: true;
  readonly rows?: number;
  /** May be left empty although the schema asks for a text. */
  readonly optional?: true;
}
type KindOf<V> = V extends readonly unknown[]
  ? 'custom'
  : V extends boolean
    ? 'switch' | 'custom'
    : V extends number
      ? 'number' | 'custom'
      : 'text' | 'textarea' | 'code' | 'select' | 'datetime' | 'custom';

export interface Filter {
  /** `switch`: true or false; values: a closed set; `answer`: ids, with their names in the list's answer. */
  readonly options: 'switch' | 'answer' | readonly string[];
}
export interface Dependant {
  /** Deleting is refused while there is one. Otherwise they stay, or go along, as the text says. */
  readonly refuses: boolean;
  /** Where they are listed: an area and its filter that takes the id. */
  readonly link?: { readonly area: LinkedArea; readonly filter: string };
}
export interface Group {
  readonly columns?: 2 | 3;
}

/** A definition as the engines read it. */
export interface AnyResource {
  readonly area: string;
  /** Where its endpoints lie, beginning with /api/admin/. */
  readonly path: string;
  readonly permission: string;
  readonly operations: readonly Operation[];
  readonly row: ObjectSchema;
  readonly create: ObjectSchema;
  readonly update: ObjectSchema;
  /** The field that names a row. */
  readonly title: string;
  readonly columns: Readonly<Record<string, Column>>;
  readonly groups: Readonly<Record<string, Group>>;
  readonly fields: Readonly<Record<string, Field>>;
  /** What the form of a new row begins with. */
  readonly defaults: Readonly<Record<string, unknown>>;
  readonly filters: Readonly<Record<string, Filter>>;
  readonly search: readonly string[];
  readonly sort: string;
  readonly dependants: Readonly<Record<string, Dependant>>;
  /** What can be done with several rows: delete them, turn a switch. */
  readonly bulk: { readonly delete?: true; readonly switch?: string };
}
/** The same with the types that contract, client and overrides are made from. */
export interface Resource<
  A extends string = string,
  P extends string = string,
  O extends readonly Operation[] = readonly Operation[],
  R extends ObjectSchema = ObjectSchema,
  C extends ObjectSchema = ObjectSchema,
  U extends ObjectSchema = ObjectSchema,
> extends AnyResource {
  readonly area: A;
  readonly permission: P;
  readonly operations: O;
  readonly row: R;
  readonly create: C;
  readonly update: U;
}

type KeysOf<T, V> = { [K in keyof T & string]: [T[K]] extends [V] ? K : never }[keyof T & string];
type StrictColumn<Row, K extends keyof Row> = Omit<Column, 'format' | 'of'> & {
  readonly format: FormatOf<NonNullable<Row[K]>>;
  readonly of?: KeysOf<Row, number>;
};
type StrictField<V, G> = Omit<Field, 'kind' | 'group'> & { readonly kind: KindOf<NonNullable<V>>; readonly group: G };
/**
 * What is checked when an area is defined: columns, filters and search exist in the row, every input has a field,
 * routes and permissions exist.
 */
interface Strict<A extends string, P extends string, O extends readonly Operation[], Row, Input, G extends string> {
  readonly area: A & (`admin.${A}.${O[number]}` extends RouteId ? unknown : never);
  readonly path: `/api/admin/${string}`;
  readonly permission: P & (`${P}.${O[number]}` extends Permission ? unknown : never);
  readonly operations: O;
  readonly title: KeysOf<Row, string>;
  readonly columns: { readonly [K in keyof Row & string]?: StrictColumn<Row, K> };
  readonly groups: Readonly<Record<G, Group>>;
  readonly fields: { readonly [K in keyof Input & string]: StrictField<Input[K], NoInfer<G>> };
  readonly defaults: { readonly [K in keyof Input & string]?: Input[K] };
  readonly filters: { readonly [K in keyof Row & string]?: Filter };
  readonly search: readonly KeysOf<Row, string>[];
  readonly sort: `${'' | '-'}${keyof Row & string}`;
  readonly dependants: Readonly<Record<string, Dependant>>;
  readonly bulk: { readonly delete?: true; readonly switch?: KeysOf<Row, boolean> & keyof Input };
}

/** Defines an admin area. What does not fit its schemas, routes or permissions does not compile. */
export function defineResource<
  const A extends string,
  const P extends string,
  const O extends readonly Operation[],
  R extends ObjectSchema,
  C extends ObjectSchema,
  U extends ObjectSchema,
  const G extends string,
>(
  definition: { readonly row: R; readonly create: C; readonly update: U } & Strict<
    A,
    P,
    O,
    z.output<R>,
    z.output<C> & z.output<U>,
    G
  >,
): Resource<A, P, O, R, C, U>;
export function defineResource(definition: unknown): unknown {
  return definition;
}

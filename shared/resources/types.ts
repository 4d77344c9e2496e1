import type * as z from 'zod/mini';
import type { FieldCode } from '../errors.ts';

/**
 * An admin area as data (architecture, section 5), made by `defineResource` from the one description of its table
 * (define.ts): the server reads it for tables, endpoints and handlers, the browser for pages, list and form. No
 * functions, no JSX. Texts follow by convention: `areas/<area>:fields.<field>`, otherwise `resources:fields.<field>`.
 */
export type Operation = 'list' | 'create' | 'edit' | 'delete';
export type ObjectSchema = z.ZodMiniObject;

/**
 * How a value is stored. `name`: text that is sorted and compared without case. `bit`: 0 or 1. `ms`: UTC milliseconds,
 * a text in ISO 8601 or null outside. `json`: text.
 */
export type StoredType = 'text' | 'name' | 'int' | 'bit' | 'ms' | 'json';
/** A column of the table. */
export interface Store {
  readonly type: StoredType;
  /** Its name, if it differs from the field's, as with times: `ends_at` is stored in `ends_ms`. */
  readonly column?: string;
  readonly nullable?: true;
  /** Computed when it is read, not stored; its SQL is in server/data/tables. */
  readonly derived?: true;
}
/** Values that two rows may not share: the fields together, the field that the answer names, and its code. */
export interface Unique {
  readonly fields: readonly string[];
  readonly field: string;
  readonly code: FieldCode;
}
/** Place of an area in the navigation of staff. `icon` is a name of the icon registry. */
export interface AreaNav {
  readonly group: 'hosting' | 'people' | 'economy' | 'content' | 'system';
  readonly order: number;
  readonly icon: string;
}

/**
 * How a value is shown in a table. `flag`: a badge when true; `switch`: on or off; `usage`: the used part of another
 * column.
 */
type CellFormat =
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
export type FormatOf<V> =
  | 'custom'
  | (V extends boolean
      ? 'switch' | 'flag'
      : V extends number
        ? 'number' | 'credits' | 'memory' | 'days' | 'usage'
        : V extends string
          ? 'text' | 'code' | 'status' | 'when'
          : never);
/** Shapes of a state (the status component's). */
type Shape = 'active' | 'queued' | 'scheduled' | 'paused' | 'failed' | 'off' | 'full';

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
export type KindOf<V> = V extends readonly unknown[]
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
  /** Deleting is refused while there is one. Otherwise they are kept or deleted too, as the text says. */
  readonly refuses: boolean;
  /** Where they are listed: an area and its filter that takes the id. */
  readonly link?: { readonly area: string; readonly filter: string };
}
interface Group {
  readonly columns?: 2 | 3;
}

/** A definition as the engines read it. */
export interface AnyResource {
  /** Its name in code, in the names of routes and endpoints, and of its file of texts. */
  readonly area: string;
  /** The path of its endpoints, beginning with /api/admin/; its pages have the same path under /mc-admin/. */
  readonly path: string;
  /** The prefix of its permissions: `<permission>.list` and so on. */
  readonly permission: string;
  readonly nav: AreaNav;
  readonly table: string;
  /** Field → column, in the order of the row; id and times come besides. */
  readonly storage: Readonly<Record<string, Store>>;
  /** Columns that are written, but not part of a row. */
  readonly hidden: Readonly<Record<string, Store>>;
  readonly unique: readonly Unique[];
  /** Field that holds the id of a row of another area → that area. */
  readonly references: Readonly<Record<string, string>>;
  /** Derived field → the reference whose row's name it shows. */
  readonly names: Readonly<Record<string, string>>;
  readonly operations: readonly Operation[];
  readonly row: ObjectSchema;
  readonly create: ObjectSchema;
  readonly update: ObjectSchema;
  /** The field that names a row. */
  readonly title: string;
  readonly columns: Readonly<Record<string, Column>>;
  readonly groups: Readonly<Record<string, Group>>;
  readonly fields: Readonly<Record<string, Field>>;
  /** The default of a new row. */
  readonly defaults: Readonly<Record<string, unknown>>;
  readonly filters: Readonly<Record<string, Filter>>;
  readonly search: readonly string[];
  readonly sort: string;
  readonly dependants: Readonly<Record<string, Dependant>>;
  /** Bulk commands: delete rows, set a switch. */
  readonly bulk: { readonly delete?: true; readonly switch?: string };
}
/** The same with the types from which contract, client, tables and overrides derive. */
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

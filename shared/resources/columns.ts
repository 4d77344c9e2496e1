import * as z from 'zod/mini';
import { id, line, lines, isoTime, wholeNumber } from '../schemas/primitives.ts';
import { moment as momentInput } from '../schemas/redeem-code.ts';
import type { Column, Field, Filter, FormatOf, KindOf, ObjectSchema, Store } from './types.ts';

/** How a value is shown in the list, except the format that the kind of column decides. */
type ListColumn<V> = Omit<Column, 'format'> & { readonly format: FormatOf<NonNullable<V>> };
type FormField<V> = Omit<Field, 'kind' | 'group'> & { readonly kind: KindOf<NonNullable<V>> };

/** One column of an area's table, and everything that follows from it: storage, row, input, list, form. */
export interface AreaColumn<
  S extends Store = Store,
  R extends z.ZodMiniType = z.ZodMiniType,
  I extends z.ZodMiniType | null = z.ZodMiniType | null,
> {
  readonly store: S;
  /** Its schema in an answer. */
  readonly row: R;
  /** Its schema in an input; null: staff may not set it. */
  readonly input: I;
  readonly list?: Column;
  readonly field?: Omit<Field, 'group'>;
  /** The default of a new row. */
  readonly start?: unknown;
  readonly filter?: Filter['options'];
  /** The area of which it holds the id of a row. */
  readonly references?: string;
  /** The reference whose row's name it shows. */
  readonly nameOf?: string;
}
export type Columns = Readonly<Record<string, AreaColumn>>;
/** The options of a column besides its kind. `list: null` leaves it out of the list. */
interface ColumnOptions {
  readonly list?: Partial<Omit<Column, 'format'>> | null;
  readonly field?: Omit<Field, 'kind' | 'group'>;
}

/** A column that staff set. Options that do not fit the type of its values do not compile. */
export function column<const S extends Store, R extends z.ZodMiniType, I extends z.ZodMiniType>(given: {
  readonly store: S;
  readonly row: R;
  readonly input: I;
  readonly field: FormField<z.output<I>>;
  readonly list?: ListColumn<z.output<R>>;
  readonly start?: z.output<I>;
  readonly filter?: Filter['options'];
}): AreaColumn<S, R, I> {
  return given;
}

/** A column that the server sets, or that is computed when it is read. */
export function readOnlyColumn<const S extends Store, R extends z.ZodMiniType>(given: {
  readonly store: S;
  readonly row: R;
  readonly list?: ListColumn<z.output<R>>;
  readonly filter?: Filter['options'];
}): AreaColumn<S, R, null> {
  return { ...given, input: null };
}

const toListColumn = (format: Column['format'], list: ColumnOptions['list'], usual: Omit<Column, 'format'> = {}) =>
  list === null ? {} : { list: { format, ...usual, ...list } };

/** The text that names a row: one line, sorted and compared without case. */
export const name = (max: number, more: ColumnOptions = {}) => ({
  ...column({ store: { type: 'name' }, row: z.string(), input: line(1, max), field: { kind: 'text', ...more.field } }),
  ...toListColumn('text', more.list, { sort: 'asc' }),
});

/** One line of text of `min` to `max` characters. */
export const text = (min: number, max: number, more: ColumnOptions = {}) => ({
  ...column({
    store: { type: 'text' },
    row: z.string(),
    input: line(min, max),
    field: { kind: 'text', ...more.field },
  }),
  ...toListColumn('text', more.list),
});

/** Several lines of text. Not in the list unless `list` says how. */
export const longText = (min: number, max: number, more: ColumnOptions = {}) => ({
  ...column({
    store: { type: 'text' },
    row: z.string(),
    input: lines(min, max),
    field: { kind: 'textarea', rows: 2, ...more.field },
  }),
  ...toListColumn('text', more.list ?? null, { wrap: true }),
});

/** A whole number between bounds. */
export const number = (min: number, max: number, more: ColumnOptions & { readonly start?: number } = {}) => ({
  ...column({
    store: { type: 'int' },
    row: z.int(),
    input: wholeNumber(min, max),
    field: { kind: 'number', ...more.field },
    ...(more.start === undefined ? {} : { start: more.start }),
  }),
  ...toListColumn('number', more.list),
});

/** A whole number between bounds, or none. */
export const optionalNumber = (min: number, max: number, more: ColumnOptions = {}) => ({
  ...column({
    store: { type: 'int', nullable: true },
    row: z.nullable(z.int()),
    input: z.nullable(wholeNumber(min, max)),
    field: { kind: 'number', optional: true, ...more.field },
  }),
  ...toListColumn('number', more.list),
});

/** Credits between bounds. */
export const credits = (min: number, max: number, more: ColumnOptions & { readonly start?: number } = {}) => ({
  ...number(min, max, { ...more, list: null }),
  ...toListColumn('credits', more.list),
});

/** Position in a list: smaller comes first. */
export const position = (more: ColumnOptions = {}) =>
  number(0, 10_000, { start: 0, ...more, list: { sort: 'asc', hideOnPhone: true, ...more.list } });

/** On or off. `start`: how a new row begins; `filter: false`: the list cannot be filtered by it. */
export const onOff = (
  start: boolean,
  more: ColumnOptions & { readonly format?: 'switch' | 'flag'; readonly filter?: false } = {},
) => ({
  ...column({
    store: { type: 'bit' },
    row: z.boolean(),
    input: z.boolean(),
    field: { kind: 'switch', ...more.field },
    start,
    ...(more.filter === false ? {} : { filter: 'switch' as const }),
  }),
  ...toListColumn(more.format ?? 'switch', more.list),
});

/** On or off, shown as a badge where it is on. */
export const flag = (more: ColumnOptions = {}) => onOff(false, { ...more, format: 'flag' });

/** One of a closed set of words. `filter: false`: the list cannot be filtered by it. */
export const choice = <const W extends readonly [string, ...string[]]>(
  words: W,
  more: ColumnOptions & { readonly start?: W[number]; readonly filter?: false } = {},
) => ({
  store: { type: 'text' } as const,
  row: z.enum(words),
  input: z.enum(words, 'INVALID'),
  field: { kind: 'select' as const, options: words, ...more.field },
  ...(more.start === undefined ? {} : { start: more.start }),
  ...(more.filter === false ? {} : { filter: words }),
  ...toListColumn('text', more.list),
});

/** A moment, or none: stored in `column` as UTC ms, shown in the reader's time zone. */
export const moment = <const C extends string>(stored: C, more: ColumnOptions = {}) => ({
  ...column({
    store: { type: 'ms', column: stored, nullable: true },
    row: z.nullable(isoTime),
    input: momentInput,
    field: { kind: 'datetime', optional: true, ...more.field },
  }),
  ...toListColumn('when', more.list),
});

/** A row of another area, by its id; `nameOf` shows which. */
export const reference = (area: string, more: ColumnOptions = {}) => ({
  ...column({
    store: { type: 'text' },
    row: z.string(),
    input: id,
    field: { kind: 'select', options: 'answer', ...more.field },
    filter: 'answer',
  }),
  references: area,
});

/** A row of another area, or none. */
export const optionalReference = (area: string, more: ColumnOptions = {}) => ({
  ...column({
    store: { type: 'text', nullable: true },
    row: z.nullable(z.string()),
    input: z.nullable(id),
    field: { kind: 'select', options: 'answer', optional: true, ...more.field },
    filter: 'answer',
  }),
  references: area,
});

/** The name of the row that a reference leads to. */
export const nameOf = (reference: string, more: ColumnOptions = {}) => ({
  ...readOnlyColumn({ store: { type: 'name', derived: true, nullable: true }, row: z.nullable(z.string()) }),
  ...toListColumn('text', more.list, { sort: 'asc' }),
  nameOf: reference,
});

/** A number that the database computes, such as how many servers a location has. */
export const computedNumber = (format: 'number' | 'credits' | 'usage', list: Omit<Column, 'format'> = {}) => ({
  ...readOnlyColumn({ store: { type: 'int', derived: true }, row: z.int() }),
  list: { format, ...list },
});

type InputKeys<C extends Columns> = { [K in keyof C]: C[K]['input'] extends z.ZodMiniType ? K : never }[keyof C];
/** The schema of a row, out of its columns. */
export type RowSchema<C extends Columns> = ReturnType<
  typeof z.object<{
    [K in keyof C | 'id' | 'created_at' | 'updated_at']: K extends keyof C ? C[K]['row'] : z.ZodMiniString;
  }>
>;
/** The schema of what staff set, out of its columns. */
export type InputSchema<C extends Columns> = ReturnType<
  typeof z.strictObject<{
    [K in InputKeys<C>]: C[K]['input'] extends z.ZodMiniType ? C[K]['input'] : never;
  }>
>;

/** The schemas of an area's rows and inputs. */
export function schemasOf<C extends Columns>(columns: C): { row: RowSchema<C>; input: InputSchema<C> };
export function schemasOf(columns: Columns): { row: ObjectSchema; input: ObjectSchema } {
  const entries = Object.entries(columns);
  return {
    row: z.object({
      id,
      ...Object.fromEntries(entries.map(([key, { row }]) => [key, row])),
      created_at: isoTime,
      updated_at: isoTime,
    }),
    input: z.strictObject(Object.fromEntries(entries.flatMap(([key, { input }]) => (input ? [[key, input]] : [])))),
  };
}

import type { FunctionComponent } from 'react';
import { useLooseT } from '#client/lib/i18n.tsx';
import type { ListSpec } from '#client/lib/url-state.ts';
import { useShell } from '#client/lib/shell-context.ts';
import type { Client } from '#shared/contract/client.ts';
import type { CrudContract, ResourceOptions } from '#shared/contract/crud.ts';
import type { Api } from '#shared/contract/index.ts';
import type { Vars } from '#shared/i18n/types.ts';
import { can } from '#shared/can.ts';
import type { Permission } from '#shared/permissions.ts';
import { sortableColumns } from '#shared/resources/sortable.ts';
import { areaGroup } from '#shared/resources/area-group.ts';
import type { AreaName } from '#shared/resources/index.ts';
import type { AnyResource, Operation, Resource } from '#shared/resources/types.ts';
import { href } from '#shared/routes/staff-href.ts';
import type * as z from 'zod/mini';

export type Area = Resource<AreaName>;
export type Row = Readonly<Record<string, unknown>>;
/** The API of any area. */
type AreaApi = Client<{ area: CrudContract<Area> }>['area'];

/** The API of an area. In: the area and the whole API. */
export function areaApi(definition: Area, api: Api): AreaApi;
export function areaApi(definition: Area, api: Api): unknown {
  return api[areaGroup(definition.area)];
}

/** The properties of an area's own field component. */
export interface CustomFieldProps {
  readonly name: string;
  readonly label: string;
  readonly hint: string | undefined;
  /** The value of the row, or the default of a new one. */
  readonly value: unknown;
  /** All values of the row, or the defaults. */
  readonly row: Row;
  /** Values to choose from that came with the server's answer for this field. */
  readonly options: ResourceOptions[string];
}
/** What an area overrides; with more than three overrides, write the screen by hand. */
export interface Overrides<R = Row> {
  readonly cells?: { readonly [K in keyof R & string]?: FunctionComponent<{ row: R }> };
  readonly fields?: { readonly [K in keyof R & string]?: FunctionComponent<CustomFieldProps> };
  /** Values of the fields with components of their own, from what the form sent. */
  readonly read?: (form: FormData) => Record<string, unknown>;
  /** Further actions in the list's head, for staff who may create. */
  readonly actions?: FunctionComponent;
  /** A card beside the form of a row. */
  readonly beside?: FunctionComponent<{ row: R }>;
  /** A picture before the title of a row's pages. */
  readonly picture?: FunctionComponent<{ row: R }>;
}
/** The overrides of any area, without the type of its rows. */
export type AnyOverrides = Overrides<never>;
export type OverridesOf<D extends AnyResource> = Overrides<z.output<D['row']>>;

/** Addresses of an area's pages. */
export const areaHrefs = (area: AreaName) => ({
  list: href(`admin.${area}.list`),
  create: href(`admin.${area}.create`),
  edit: (id: string) => href(`admin.${area}.edit`, { id }),
  delete: (id: string) => href(`admin.${area}.delete`, { id }),
});

/** The texts of an area: its own if it has them, otherwise the common ones; `''` if there is none. */
export function useAreaTexts(area: AreaName) {
  const own = useLooseT(`areas/${area}`);
  const common = useLooseT('resources');
  const text = (key: string, vars?: Vars): string => own(key, vars) || common(key, vars);
  return {
    text,
    field: (name: string) => text(`fields.${name}`),
    /** A column may have another name than its field. */
    column: (name: string) => text(`columns.${name}`) || text(`fields.${name}`),
    hint: (name: string) => text(`hints.${name}`) || undefined,
    /** The area's own text of a field error, if it has one; `variables.2.rules` is looked up as `variables_rules`. */
    error: (name: string, code: string) => text(`errors.${name.replace(/\.\d+\./, '_')}_${code}`),
    /** The text of a value from a closed set; the value itself if it has none. */
    value: (field: string, value: unknown) =>
      own(`values.${field}_${String(value)}`) || common(`values.${String(value)}`) || String(value),
  };
}
export type AreaTexts = ReturnType<typeof useAreaTexts>;

/** Whether the area has an operation and the visitor may use it. */
export function useCan(definition: AnyResource): (operation: Operation) => boolean {
  const { permissions } = useShell().session;
  return (operation) =>
    definition.operations.includes(operation) &&
    can(permissions, `${definition.permission}.${operation}` as Permission);
}

/** What the list's address may contain. */
export function listSpec(definition: AnyResource): ListSpec {
  return {
    sortable: [...new Set([...sortableColumns(definition), definition.sort.replace('-', '')])],
    defaultSort: { key: definition.sort.replace('-', ''), dir: definition.sort.startsWith('-') ? 'desc' : 'asc' },
    sizes: [25, 50, 100],
    filters: Object.keys(definition.filters),
  };
}

import type { AnyResource } from './types.ts';

/** Columns a list can be sorted by. */
export function sortableColumns(definition: AnyResource): string[] {
  return Object.entries(definition.columns).flatMap(([key, column]) => (column.sort ? [key] : []));
}

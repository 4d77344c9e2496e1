import { ROUTE_LIST, type RouteId, type RouteRow } from './table.ts';

export interface Match {
  readonly id: RouteId;
  readonly row: RouteRow;
  readonly params: Record<string, string>;
}

const compiled = ROUTE_LIST.map((row) => ({
  row,
  dynamic: row.path.includes(':'),
  pattern: new RegExp(
    `^${row.path
      .replaceAll('/', '\\/')
      .replace(/\\\/\*$/, '(?:\\/.*)?')
      .replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}\\/?$`,
  ),
})).sort((a, b) => Number(a.dynamic) - Number(b.dynamic));

/** The route of a path, or null. Fixed paths win over patterns. */
export function matchRoute(pathname: string): Match | null {
  for (const { row, pattern } of compiled) {
    const found = pattern.exec(pathname);
    if (found) return { id: row.id, row, params: { ...found.groups } };
  }
  return null;
}

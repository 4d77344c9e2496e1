import type { Route } from './row.ts';
import type { RouteId } from './table.ts';

export interface Match<Id extends string = RouteId> {
  readonly id: Id;
  readonly row: Route<Id>;
  readonly params: Record<string, string>;
}

/** Finds the route of a path among these, or null. Fixed paths win over patterns. */
export function createMatcher<Id extends string>(routes: readonly Route<Id>[]): (pathname: string) => Match<Id> | null {
  const compiled = routes
    .map((row) => ({
      row,
      dynamic: row.path.includes(':'),
      pattern: new RegExp(
        `^${row.path
          .replaceAll('/', '\\/')
          .replace(/\\\/\*$/, '(?:\\/.*)?')
          .replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}\\/?$`,
      ),
    }))
    .sort((a, b) => Number(a.dynamic) - Number(b.dynamic));
  return (pathname) => {
    for (const { row, pattern } of compiled) {
      const found = pattern.exec(pathname);
      if (found) return { id: row.id, row, params: { ...found.groups } };
    }
    return null;
  };
}

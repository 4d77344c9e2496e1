import { crash, display } from './errors.ts';

/** Names to include, each with those nested in it (`egg.variables`). */
export type Includes = ReadonlyMap<string, Includes>;

/** `include=a,b.c` or `include[]=a&include[]=b.c` (2). */
export function includesOf(query: URLSearchParams): Includes {
  const root = new Map<string, Includes>();
  const wanted = [query.get('include') ?? '', ...query.getAll('include[]')].flatMap((each) => each.split(','));
  for (const path of wanted.filter((each) => each !== '')) {
    let level: Map<string, Includes> = root;
    for (const name of path.split('.')) {
      const inner = new Map(level.get(name) ?? []);
      level.set(name, inner);
      level = inner;
    }
  }
  return root;
}

/** How a list may be asked for. A filter is a test of a row; `like` makes the usual one. */
export interface Listing<T> {
  readonly filters?: Readonly<Record<string, (row: T, wanted: string) => boolean>>;
  readonly sorts?: Readonly<Record<string, (row: T) => number | string>>;
}
/** A part of the text, whatever the case; a comma separates alternatives; wildcards of LIKE are plain characters (2). */
export function like<T>(read: (row: T) => string | null): (row: T, wanted: string) => boolean {
  return (row, wanted) => {
    const value = read(row)?.toLowerCase();
    return value !== undefined && wanted.split(',').some((each) => value.includes(each.toLowerCase()));
  };
}

/** The rows a query asks for, before paging. 400 for a filter or a sort the list does not know (2). */
export function selected<T>(rows: readonly T[], query: URLSearchParams, listing: Listing<T>): readonly T[] {
  const { filters = {}, sorts = {} } = listing;
  let found = rows;
  for (const [key, wanted] of query) {
    const name = /^filter\[(.+)\]$/.exec(key)?.[1];
    if (name === undefined) continue;
    const test = filters[name];
    if (!test) {
      const allowed = Object.keys(filters).join(', ');
      throw display(
        'InvalidFilterQuery',
        `Requested filter(s) \`${name}\` are not allowed. Allowed filter(s) are \`${allowed}\`.`,
      );
    }
    if (wanted !== '') found = found.filter((row) => test(row, wanted));
  }
  for (const sort of (query.get('sort') ?? '')
    .split(',')
    .filter((each) => each !== '')
    .toReversed()) {
    const [name, sign] = sort.startsWith('-') ? [sort.slice(1), -1] : [sort, 1];
    const read = sorts[name];
    if (!read)
      throw display(
        'InvalidSortQuery',
        `Requested sort(s) \`${name}\` is not allowed. Allowed sort(s) are \`${Object.keys(sorts).join(', ')}\`.`,
      );
    found = found.toSorted((a, b) => (read(a) < read(b) ? -sign : read(a) > read(b) ? sign : 0));
  }
  return found;
}

export interface Page<T> {
  readonly rows: readonly T[];
  readonly meta: { readonly pagination: Record<string, unknown> };
}
/**
 * A page of a list. `per_page` 50 unless told, without an upper bound unless `most` says one; 0 is 15; below and text
 * are crashes; nonsense pages are the first; links keep nothing but `page` (2), unless `keep` (the client API keeps the
 * query, 6).
 */
export function paged<T>(
  rows: readonly T[],
  query: URLSearchParams,
  url: string,
  { most = Infinity, keep = false } = {},
): Page<T> {
  const asked = query.get('per_page') ?? '';
  if (asked !== '' && !/^[+-]?\d+$/.test(asked)) throw crash('TypeError');
  if (Number(asked) < 0) throw crash('QueryException');
  const perPage = Math.min(most, asked === '' ? 50 : Number(asked) === 0 ? 15 : Number(asked));
  const page = /^[1-9]\d{0,8}$/.test(query.get('page') ?? '') ? Number(query.get('page')) : 1;
  const pages = Math.max(1, Math.ceil(rows.length / perPage));
  const shown = rows.slice((page - 1) * perPage, page * perPage);
  const link = (to: number) => {
    const kept = new URLSearchParams(keep ? query : '');
    kept.set('page', String(to));
    return `${url}?${kept.toString()}`;
  };
  const links = {
    ...(page > 1 ? { previous: link(page - 1) } : {}),
    ...(page < pages ? { next: link(page + 1) } : {}),
  };
  return {
    rows: shown,
    meta: {
      pagination: {
        total: rows.length,
        count: shown.length,
        per_page: perPage,
        current_page: page,
        total_pages: pages,
        links,
      },
    },
  };
}

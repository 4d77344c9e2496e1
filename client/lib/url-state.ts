/** Direction of a sorted column. */
export type SortDirection = 'asc' | 'desc';

/** Which column a list is sorted by. */
export interface Sort {
  readonly key: string;
  readonly dir: SortDirection;
}

/** What a list's address may contain. */
export interface ListSpec {
  /** Columns that can be sorted by. */
  readonly sortable: readonly string[];
  readonly defaultSort: Sort;
  /** Rows a page; the first is the default. */
  readonly sizes: readonly [number, ...number[]];
  /** Names of the filters, each a parameter of its own. */
  readonly filters: readonly string[];
  /**
   * Paged by cursor (`before`, `after`) instead of page numbers, for lists that grow without bound while they are read:
   * the pattern of a cursor.
   */
  readonly cursor?: RegExp;
  /** Parameters that neither narrow nor turn the list, such as which columns are shown: every address keeps them. */
  readonly kept?: readonly string[];
}

/** Where a page of a cursor-paged list begins: before or after a row's cursor. */
export type ListCursor = { readonly before: string } | { readonly after: string };

/** The state of a list, read from its address. */
export interface ListState {
  /** From 1. */
  readonly page: number;
  readonly size: number;
  readonly sort: Sort;
  readonly q: string;
  /** Only filters that are set. */
  readonly filters: Readonly<Record<string, string>>;
  /** Absent: the beginning. */
  readonly cursor?: ListCursor;
  /** Only those that are set. */
  readonly kept?: Readonly<Record<string, string>>;
}

/** A change of the state; filters are merged, an empty filter is removed. */
export interface ListPatch {
  page?: number;
  cursor?: ListCursor | null;
  size?: number;
  sort?: Sort;
  q?: string;
  filters?: Readonly<Record<string, string>>;
  kept?: Readonly<Record<string, string>>;
}

const MAX_PAGE = 1_000_000;
/** Longer searches are cut: nobody types them, and addresses have bounds. */
const MAX_Q = 200;

/** Parses a list's state; anything unknown or out of bounds is ignored. */
export function readList(search: string | URLSearchParams, spec: ListSpec): ListState {
  const params = typeof search === 'string' ? new URLSearchParams(search) : search;
  const page = Number(params.get('page') ?? '1');
  const size = Number(params.get('size') ?? '');
  return {
    page: Number.isInteger(page) && page >= 1 && page <= MAX_PAGE ? page : 1,
    size: spec.sizes.includes(size) ? size : spec.sizes[0],
    sort: readSort(params.get('sort'), spec),
    q: (params.get('q') ?? '').trim().slice(0, MAX_Q),
    filters: readNamed(params, spec.filters),
    ...withCursor(readCursor(params, spec)),
    ...(spec.kept ? { kept: readNamed(params, spec.kept) } : {}),
  };
}

/** The values of some parameters, without those that are not set. */
function readNamed(params: URLSearchParams, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = params.get(name)?.trim();
      return value ? [[name, value.slice(0, MAX_Q)]] : [];
    }),
  );
}

const withCursor = (cursor: ListCursor | null): Pick<ListState, 'cursor'> => (cursor ? { cursor } : {});

function readCursor(params: URLSearchParams, { cursor }: ListSpec): ListCursor | null {
  const [before, after] = [params.get('before'), params.get('after')];
  if (before !== null && cursor?.test(before)) return { before };
  return after !== null && cursor?.test(after) ? { after } : null;
}

/** `credits` is ascending, `-credits` descending. */
function readSort(value: string | null, spec: ListSpec): Sort {
  if (!value) return spec.defaultSort;
  const dir: SortDirection = value.startsWith('-') ? 'desc' : 'asc';
  const key = value.replace(/^-/, '');
  return spec.sortable.includes(key) ? { key, dir } : spec.defaultSort;
}

/** Formats a sort for an address. */
export function writeSort(sort: Sort): string {
  return sort.dir === 'desc' ? `-${sort.key}` : sort.key;
}

/**
 * The address of a state, with a change: `''` or `?…`, parameters in a fixed order and without defaults, so that equal
 * states have equal addresses. Any change except of the page, the cursor or what is kept goes back to the beginning.
 */
export function listSearch(state: ListState, spec: ListSpec, patch: ListPatch = {}): string {
  const stays = Object.keys(patch).every((name) => name === 'kept');
  const next: ListState = {
    page: patch.page ?? (stays ? state.page : 1),
    size: patch.size ?? state.size,
    sort: patch.sort ?? state.sort,
    q: patch.q ?? state.q,
    filters: { ...state.filters, ...patch.filters },
    ...withCursor(stays ? (state.cursor ?? null) : (patch.cursor ?? null)),
    kept: { ...state.kept, ...patch.kept },
  };
  const params = new URLSearchParams();
  if (next.q) params.set('q', next.q);
  for (const name of spec.filters) {
    const value = next.filters[name];
    if (value) params.set(name, value);
  }
  const sort = writeSort(next.sort);
  if (sort !== writeSort(spec.defaultSort)) params.set('sort', sort);
  if (next.size !== spec.sizes[0]) params.set('size', String(next.size));
  if (next.page > 1) params.set('page', String(next.page));
  if (next.cursor) for (const [name, value] of Object.entries(next.cursor)) params.set(name, value);
  for (const [name, value] of Object.entries(next.kept ?? {})) if (value) params.set(name, value);
  const text = params.toString();
  return text ? `?${text}` : '';
}

/** The sort after a click on a column: the other direction when it is the sorted one, else `first`. */
export function nextSort(current: Sort, key: string, first: SortDirection = 'asc'): Sort {
  if (current.key !== key) return { key, dir: first };
  return { key, dir: current.dir === 'asc' ? 'desc' : 'asc' };
}

/** Whether the list is searched or filtered: an empty list then means "no match", not "nothing there". */
export function isFiltered(state: ListState): boolean {
  return state.q !== '' || Object.keys(state.filters).length > 0;
}

/** Number of pages of a list; an empty list has one. */
export function pageCount(total: number, size: number): number {
  return Math.max(1, Math.ceil(total / size));
}

import { ENDPOINTS } from '#shared/contract/index.ts';
import type { Endpoint } from '#shared/contract/endpoint.ts';

/** One question to the API: the endpoint's path, and what is asked of it. */
export interface Question {
  readonly endpoint: Endpoint;
  /** Path with its query. */
  readonly path: string;
}

/** What parameters of paths are filled with: by the part of the path before them, else `*`. */
export type Ids = Readonly<Record<string, string>>;

/** Found in few rows, in nearly all, and in none. */
const SEARCHES = ['player00005', 'a', 'zzqx'];
/** Lists of tables that grow with the host: there every filter is asked for in every order. */
const LONG_LISTS: ReadonlySet<string> = new Set([
  '/api/admin/users',
  '/api/admin/servers',
  '/api/admin/payments',
  '/api/admin/server-queue',
  '/api/admin/held-rewards',
]);
/** Texts that a field of a query takes besides those of an enumeration. The largest and deepest that may be asked for. */
const TEXTS: Readonly<Record<string, readonly string[]>> = {
  q: SEARCHES,
  page: ['2', '40', '1000'],
  per_page: ['100'],
  days: ['1', '30', '365'],
  from: ['2020-01-01'],
  kind: ['gift', 'store.buy'],
  template: ['verify'],
  tag: ['tag 3'],
};

interface Schema {
  readonly def: {
    readonly type: string;
    readonly innerType?: Schema;
    readonly in?: Schema;
    readonly entries?: Readonly<Record<string, string>>;
    readonly values?: readonly string[];
    readonly shape?: Readonly<Record<string, Schema>>;
  };
}

/** What a schema wraps: optional, default, pipe. */
function inside(schema: Schema): Schema['def'] {
  const { def } = schema;
  const inner = def.innerType ?? def.in;
  return inner === undefined ? def : inside(inner);
}

/** Values worth asking for, of each field of an endpoint's query. */
function valuesOf(endpoint: Endpoint): Map<string, readonly string[]> {
  // Schemas of the validator do not publish their shape in their type.
  const shape = endpoint.query ? (inside(endpoint.query as unknown as Schema).shape ?? {}) : {};
  return new Map(
    Object.entries(shape).map(([name, schema]) => {
      const { entries, values } = inside(schema);
      return [name, entries ? Object.values(entries) : (values ?? TEXTS[name] ?? [])];
    }),
  );
}

/**
 * Every question worth asking of what can only be read: each endpoint plain, with every value of every field alone, and
 * in long lists every filter in every order. Endpoints whose parameters nothing is known for are left out.
 */
export function questions(ids: Ids): Question[] {
  return ENDPOINTS.filter(({ method, format }) => method === 'GET' && format !== 'events').flatMap((endpoint) => {
    const path = filled(endpoint.path, ids);
    if (path === null) return [];
    const values = valuesOf(endpoint);
    const sorts = LONG_LISTS.has(endpoint.path) ? (values.get('sort') ?? []) : [];
    const queries = [...values].flatMap(([name, list]) =>
      list.flatMap((value) => [
        { [name]: value },
        ...(name === 'sort' || name === 'per_page' ? [] : sorts.map((sort) => ({ [name]: value, sort }))),
      ]),
    );
    return [{}, ...queries].map((query) => {
      const text = new URLSearchParams(query).toString();
      return { endpoint, path: text === '' ? path : `${path}?${text}` };
    });
  });
}

/** A path with its parameters; null where one is unknown. */
function filled(path: string, ids: Ids): string | null {
  const parts = path.split('/');
  for (const [at, part] of parts.entries()) {
    if (!part.startsWith(':')) continue;
    const id = ids[parts.slice(0, at).join('/')];
    if (id === undefined) return null;
    parts[at] = id;
  }
  return parts.join('/');
}

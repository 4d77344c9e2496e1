import { recordedFetch } from '#client/lib/fetch.ts';
import { createClient, type Client, type Fetcher } from '#shared/contract/client.ts';
import type { Api } from '#shared/contract/index.ts';
import type { PlayerContract, StaffContract } from '#shared/contract/wire-table.ts';
import { WIRE } from '#shared/contract/wire.ts';
import { loadChunk } from './chunk.ts';

interface BrowserApi {
  readonly api: Api;
  /** Whether the server responded with another build than this page's: the next navigation loads a new document. */
  isOutdated(): boolean;
}
type StaffClient = Client<StaffContract>;
type AnyCall = (...args: unknown[]) => Promise<unknown>;

/** Calls of one group for staff. Its table is fetched with the first call. */
function staffGroup(name: keyof StaffClient, load: () => Promise<StaffClient>): object {
  return new Proxy(
    {},
    {
      get:
        (_, key) =>
        async (...args: unknown[]) =>
          // A name that is known only when it is asked for has no type; `Api` gives each call its own to the caller.
          ((await load())[name] as unknown as Record<PropertyKey, AnyCall>)[key]?.(...args),
    },
  );
}

/**
 * The API client of the browser: same-origin fetch with cookies; it watches the build of every response. In: the page's
 * build and the fetcher.
 */
export function createBrowserApi(build: string, send: Fetcher = recordedFetch): BrowserApi {
  let outdated = false;
  const watched: Fetcher = async (path, init) => {
    const response = await send(path, { ...init, credentials: 'same-origin' });
    const answered = response.headers.get('X-Build');
    if (answered && answered !== build) outdated = true;
    return response;
  };
  const newKey = () => crypto.randomUUID();
  const client = createClient<PlayerContract>(WIRE, watched, newKey);
  let staff: StaffClient | undefined;
  const loadStaff = async () => {
    const { STAFF_WIRE } = await loadChunk(() => import('#shared/contract/wire-staff.ts'));
    return (staff ??= createClient<StaffContract>(STAFF_WIRE, watched, newKey));
  };
  const api = new Proxy(client as Api, {
    get: (target, name, receiver) =>
      typeof name === 'string' && name.startsWith('admin')
        ? staffGroup(name as keyof StaffClient, loadStaff)
        : (Reflect.get(target, name, receiver) as unknown),
  });
  return { api, isOutdated: () => outdated };
}

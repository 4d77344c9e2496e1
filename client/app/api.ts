import { recordedFetch } from '#client/lib/fetch.ts';
import { createClient, type Client, type Fetcher } from '#shared/contract/client.ts';
import type { Api } from '#shared/contract/index.ts';
import type { PlayerContract, StaffContract } from '#shared/contract/wire-table.ts';
import { SESSION_WIRE } from '#shared/contract/wire-session.ts';
import { loadChunk } from './chunk.ts';

interface BrowserApi {
  readonly api: Api;
  /** Whether the server responded with another build than this page's: the next navigation loads a new document. */
  isOutdated(): boolean;
}
type AnyCall = (...args: unknown[]) => Promise<unknown>;

/** Calls of a group whose table is fetched with the first of them. */
function lazyGroup(name: string, load: () => Promise<object>): object {
  return new Proxy(
    {},
    {
      get: (_, key) =>
        // A group with a `then` would be taken for a promise by who awaits it, and never be had.
        key === 'then'
          ? undefined
          : async (...args: unknown[]) =>
              // A name that is known only when it is asked for has no type; `Api` gives each call its own to the caller.
              ((await load()) as Record<string, Record<PropertyKey, AnyCall> | undefined>)[name]?.[key]?.(...args),
    },
  );
}

/** Fetches the table of what players call ahead, so that no click waits for it. A failure only costs speed. */
export function prefetchCalls(): void {
  import('#shared/contract/wire.ts').catch(() => undefined);
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
  let players: Client<PlayerContract> | undefined;
  const loadPlayers = async () => {
    const { WIRE } = await loadChunk(() => import('#shared/contract/wire.ts'));
    return (players ??= createClient<PlayerContract>(WIRE, watched, newKey));
  };
  let staff: Client<StaffContract> | undefined;
  const loadStaff = async () => {
    const { STAFF_WIRE } = await loadChunk(() => import('#shared/contract/wire-staff.ts'));
    return (staff ??= createClient<StaffContract>(STAFF_WIRE, watched, newKey));
  };
  const api = new Proxy(createClient(SESSION_WIRE, watched, newKey) as Api, {
    get: (target, name, receiver) =>
      typeof name !== 'string' || name in target
        ? (Reflect.get(target, name, receiver) as unknown)
        : lazyGroup(name, name.startsWith('admin') ? loadStaff : loadPlayers),
  });
  return { api, isOutdated: () => outdated };
}

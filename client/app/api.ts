import { recordedFetch } from '#client/lib/fetch.ts';
import { createClient, type Fetcher } from '#shared/contract/client.ts';
import type { Api, Contract } from '#shared/contract/index.ts';
import { knownEndpoints } from './endpoints.ts';

export interface BrowserApi {
  readonly api: Api;
  /** The server answered with another build than this page's: the next navigation loads a new document. */
  outdated(): boolean;
}

/**
 * The API client of the browser: same-origin fetch, cookies included, the build of every answer noticed. In: the build,
 * and the way to the network. It has the endpoints that are known when it is asked (endpoints.ts).
 */
export function createBrowserApi(build: string, send: Fetcher = recordedFetch): BrowserApi {
  let changed = false;
  const make = () =>
    createClient<Contract>(
      knownEndpoints(),
      async (path, init) => {
        const response = await send(path, { ...init, credentials: 'same-origin' });
        const answered = response.headers.get('X-Build');
        if (answered && answered !== build) changed = true;
        return response;
      },
      () => crypto.randomUUID(),
    );
  let of = knownEndpoints();
  let client = make();
  const api = new Proxy(client, {
    get(_, group) {
      if (of !== knownEndpoints()) {
        of = knownEndpoints();
        client = make();
      }
      return Reflect.get(client, group);
    },
  });
  return { api, outdated: () => changed };
}

import { recordedFetch } from '#client/lib/fetch.ts';
import { createClient, type Fetcher } from '#shared/contract/client.ts';
import type { Api, Contract } from '#shared/contract/index.ts';
import { WIRE } from '#shared/contract/wire.ts';

interface BrowserApi {
  readonly api: Api;
  /** Whether the server responded with another build than this page's: the next navigation loads a new document. */
  isOutdated(): boolean;
}

/**
 * The API client of the browser: same-origin fetch with cookies; it watches the build of every response. In: the page's
 * build and the fetcher.
 */
export function createBrowserApi(build: string, send: Fetcher = recordedFetch): BrowserApi {
  let outdated = false;
  const api = createClient<Contract>(
    WIRE,
    async (path, init) => {
      const response = await send(path, { ...init, credentials: 'same-origin' });
      const answered = response.headers.get('X-Build');
      if (answered && answered !== build) outdated = true;
      return response;
    },
    () => crypto.randomUUID(),
  );
  return { api, isOutdated: () => outdated };
}

import { createApi, type Api } from '#shared/contract/index.ts';

export interface BrowserApi {
  readonly api: Api;
  /** The server answered with another build than this page's: the next navigation loads a new document. */
  outdated(): boolean;
}

/** The API client of the browser: same-origin fetch, cookies included, the build of every answer noticed. */
export function createBrowserApi(build: string): BrowserApi {
  let changed = false;
  const api = createApi(
    async (path, init) => {
      const response = await fetch(path, { ...init, credentials: 'same-origin' });
      const answered = response.headers.get('X-Build');
      if (answered && answered !== build) changed = true;
      return response;
    },
    () => crypto.randomUUID(),
  );
  return { api, outdated: () => changed };
}

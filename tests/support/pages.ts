import { join } from 'node:path';
import { composeWeb } from '#server/compose/web.ts';
import { readConfig } from '#server/env.ts';
import type { ApiTransport } from '#server/http/transport.ts';
import type { Harness } from './harness.ts';

/** The client's files as the last build left them: the test command builds before it tests. */
export const CLIENT_DIR = join(import.meta.dir, '../../dist/client');

export interface Pages {
  /** A request as a browser would send it, from this machine, as in `serve --local`. */
  get(
    path: string,
    options?: {
      secret?: string;
      headers?: Record<string, string>;
      /** Aborted when the visitor leaves. */
      signal?: AbortSignal;
    },
  ): Promise<Response>;
  /** A form sent by a browser without scripts. */
  post(
    path: string,
    fields: Record<string, string>,
    options?: {
      secret?: string;
      headers?: Record<string, string>;
      /** Sent in the place of the fields, as it is. */ body?: string;
    },
  ): Promise<Response>;
}

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36';

/** The whole application with pages, over the harness's API (or over another transport to it). */
export async function openPages(
  harness: Harness,
  options: { transport?: ApiTransport; local?: boolean; safe?: boolean } = {},
): Promise<Pages> {
  const { host, clock } = harness;
  const handle = await composeWeb({
    config: readConfig({}),
    transport: options.transport ?? harness.transport,
    clock,
    ids: host.services.ids,
    log: harness.log,
    local: options.local ?? true,
    pages: true,
    safe: options.safe ?? false,
    clientDir: CLIENT_DIR,
  });
  const send = async (
    path: string,
    init: RequestInit,
    { secret, headers }: { secret?: string; headers?: Record<string, string> } = {},
  ) => {
    const all = new Headers({ 'User-Agent': BROWSER, Host: '127.0.0.1', ...headers });
    if (secret)
      all.append('Cookie', `__Host-spawnpoint=${secret}; user_token=1${headers?.Cookie ? `; ${headers.Cookie}` : ''}`);
    for (const [name, value] of new Headers(init.headers)) all.set(name, value);
    return handle(new Request(`http://127.0.0.1${path}`, { ...init, headers: all }), {
      requestIP: () => ({ address: '127.0.0.1' }),
      timeout: () => undefined,
    });
  };
  return {
    get: (path, more) => send(path, more?.signal ? { signal: more.signal } : {}, more),
    post: (path, fields, more) =>
      send(
        path,
        {
          method: 'POST',
          body: more?.body ?? new URLSearchParams(fields).toString(),
          headers: {
            'Content-Type': more?.headers?.['Content-Type'] ?? 'application/x-www-form-urlencoded',
            Origin: 'http://127.0.0.1',
          },
        },
        more,
      ),
  };
}

import { ApiError } from '#shared/contract/client.ts';
import { DomainError, statusOf } from '#shared/errors.ts';
import type { Locale } from '#shared/i18n/locales.ts';
import type { Log } from '#server/modules/kernel.ts';
import { isKeptOut, toErrorCode, type ServerHandle } from './app.ts';
import { ARRIVAL_HEADER, parseArrival, readingAs } from './arrival.ts';
import { parseBearer } from './bearer.ts';
import { errorResponse } from './errors.ts';
import { pathOf } from './path.ts';
import type { ApiTransport } from './transport.ts';

/** Where a web process says what it answered, and hears how the installation is reached. */
export const EXCHANGE_PATH = '/web-process';

interface Deps {
  /** The hosting API of this process. */
  readonly transport: ApiTransport;
  readonly chooseLocale: (cookie: string | null, acceptLanguage: string | null) => Locale;
  /** Visitors on this machine pass the access check (`serve --local`). */
  readonly local: boolean;
  /** In: what a web process says. Out: what it is to know. */
  readonly exchange: (said: unknown) => unknown;
  readonly metrics: (request: Request) => Response;
  readonly newId: () => string;
  readonly log: Log;
}

/**
 * The hosting API for our own web processes, over a socket that nobody else may open (decision 120): what they say of a
 * visitor is believed. They have checked body limit, origin and address, and add headers, compression and the line of
 * the log; none of it is done twice. Never rejects.
 */
export function createOwnSocketApp(
  deps: Deps,
): (request: Request, server: Pick<ServerHandle, 'timeout'>) => Promise<Response> {
  return async (request, server) => {
    const { headers } = request;
    const requestId = headers.get('x-request-id') ?? deps.newId();
    try {
      const path = pathOf(request.url);
      if (path === '/readyz') return new Response(null, { status: (await deps.transport.ready()) ? 200 : 503 });
      if (path === '/metrics') return deps.metrics(request);
      if (path === EXCHANGE_PATH) return Response.json(deps.exchange(await request.json()));
      const arrival = headers.get(ARRIVAL_HEADER);
      return await deps.transport.forward(request, {
        requestId,
        address: headers.get('x-forwarded-for') ?? 'unknown',
        locale: deps.chooseLocale(null, headers.get('accept-language')),
        secret: parseBearer(headers.get('authorization')),
        // Read where it is asked for: by one endpoint of them all.
        readAs:
          arrival === null
            ? undefined
            : (proxies) => readingAs(parseArrival(arrival), (peer) => isKeptOut(deps.local, peer))(proxies),
        keepOpen: () => server.timeout(request, 0),
      });
    } catch (error) {
      const code = toErrorCode(error);
      if (code === 'SERVER_ERROR' && !request.signal.aborted)
        deps.log.error('http.failed', {
          request_id: requestId,
          error: error instanceof Error ? error.stack : String(error),
        });
      const details = error instanceof DomainError ? error : undefined;
      return errorResponse(code, requestId, details, error instanceof ApiError ? error.status : statusOf(code));
    }
  };
}

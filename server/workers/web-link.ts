import * as z from 'zod/mini';
import type { RequestCounts, RequestMeter } from '#server/health/metrics.ts';
import { EXCHANGE_PATH } from '#server/http/own-socket.ts';
import { OWN_BASE } from '#server/http/transport.ts';
import type { Reach } from '#server/reach.ts';

const counts = z.object({ byClass: z.array(z.number()), byLength: z.array(z.number()), sumMs: z.number() });
const reachSchema = z.object({ appUrl: z.string(), trustedProxies: z.array(z.string()) });

/** What the hosting API answers to a web process. In: what that said. Out: how the installation is reached. */
export function answerExchange(meter: Pick<RequestMeter, 'add'>, reach: () => Reach): (said: unknown) => Reach {
  return (said) => {
    meter.add(counts.parse(said));
    return reach();
  };
}

/** What a web process asks the hosting API for beside the calls of visitors. */
export interface WebLink {
  /** Says what was answered since the last time. Out: how the installation is reached. Rejects while nobody listens. */
  exchange(): Promise<Reach>;
  /** The metrics of the installation, for a request for them. */
  metrics(request: Request): Promise<Response>;
}

/** In: the socket's path, and what counts the answers of this process. */
export function openWebLink(socket: string, meter: Pick<RequestMeter, 'add' | 'take'>): WebLink {
  let reach: Reach | null = null;
  return {
    async exchange() {
      const taken: RequestCounts = meter.take();
      try {
        const response = await fetch(OWN_BASE + EXCHANGE_PATH, {
          unix: socket,
          method: 'POST',
          body: JSON.stringify(taken),
          keepalive: false,
          signal: AbortSignal.timeout(5_000),
        });
        const found = reachSchema.parse(await response.json());
        // The same object while nothing changed: proxies are parsed once.
        if (JSON.stringify(found) !== JSON.stringify(reach)) reach = found;
        return reach ?? found;
      } catch (error) {
        meter.add(taken);
        throw error;
      }
    },
    metrics: async (request) => {
      const authorization = request.headers.get('authorization');
      const response = await fetch(`${OWN_BASE}/metrics`, {
        unix: socket,
        headers: authorization === null ? {} : { authorization },
        signal: request.signal,
      });
      return new Response(await response.bytes(), { status: response.status, headers: response.headers });
    },
  };
}

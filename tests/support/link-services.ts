import { createHash } from 'node:crypto';

/**
 * What a stand-in does once instead of its usual answer (services, rules). `after`: the work is done, the answer is
 * lost.
 */
export type Fault =
  | { readonly kind: 'answer'; readonly status: number; readonly body: string }
  | { readonly kind: 'cut'; readonly when: 'before' | 'after' }
  | { readonly kind: 'late'; readonly when: 'before' | 'after' };
export type ServiceName = 'linkvertise' | 'shareus' | 'linkpays' | 'gyanilinks' | 'generic';

interface State {
  readonly faults: Record<ServiceName, Fault[]>;
  readonly calls: {
    readonly service: ServiceName;
    readonly method: string;
    readonly path: string;
    readonly query: Readonly<Record<string, string>>;
  }[];
  /** Proofs given out, when, and by whose visit. */
  readonly proofs: Map<string, { atMs: number; spent: boolean; address: string }>;
  readonly short: Map<string, string>;
  /** How Linkvertise says it, and whether a proof may be asked for twice. */
  words: 'text' | 'lower' | 'quoted' | 'json';
  replay: boolean;
  /** How an AdLinkFly shortener writes its link. */
  shape: 'plain' | 'escaped' | 'http' | 'foreign' | 'message';
}

/** The publisher's keys: a call with another one is refused as the real services refuse it. */
export const LINK_KEYS = {
  linkvertise: 'a1'.repeat(32),
  shareus: 'ShareUsKey0123456789ABCDEFGH',
  linkpays: 'b2'.repeat(20),
  gyanilinks: 'c3'.repeat(20),
  generic: 'generic-key-1',
} as const;
/** Hosts of the short links. */
const HOSTS = { linkpays: 'linkpays.in', gyanilinks: 'gyanilinks.com', shareus: 'shareus.io' } as const;
/** Life of a proof (services, linkvertise). */
const PROOF_LIFE = 10_000;

export type LinkServices = ReturnType<typeof createLinkServices>;

/**
 * Stand-ins of the link providers, in one: by prefix `/linkvertise`, `/shareus`, `/linkpays`, `/gyanilinks`,
 * `/generic`, and `/_control`. They check what the real ones check, keep the clock they are given, and play the faults
 * that are queued.
 */
export function createLinkServices(now: () => number) {
  const state: State = {
    faults: { linkvertise: [], shareus: [], linkpays: [], gyanilinks: [], generic: [] },
    calls: [],
    proofs: new Map(),
    short: new Map(),
    words: 'text',
    replay: true,
    shape: 'plain',
  };
  let made = 0;
  const seeded = (what: string) =>
    createHash('sha256')
      .update(`${what} ${(made += 1)}`)
      .digest('hex');
  /** Somebody went all the way: a proof, as long as the real ones. */
  const prove = (address = '203.0.113.1'): string => {
    const proof = seeded('proof');
    state.proofs.set(proof, { atMs: now(), spent: false, address });
    return proof;
  };
  const usual: Record<ServiceName, (url: URL) => Response> = {
    linkvertise: (url) => linkvertise(state, url, { now, prove }),
    shareus: (url) => shareus(state, url),
    linkpays: (url) => adlinkfly(state, url, 'linkpays'),
    gyanilinks: (url) => adlinkfly(state, url, 'gyanilinks'),
    generic: (url) => generic(state, url, prove),
  };

  /** One request. Throws where the connection is cut, as `fetch` does. */
  function answer(request: Request): Response {
    const url = new URL(request.url);
    const [, prefix = '', ...rest] = url.pathname.split('/');
    if (!(prefix in usual)) return new Response('not found', { status: 404 });
    const service = prefix as ServiceName;
    url.pathname = `/${rest.join('/')}`;
    state.calls.push({
      service,
      method: request.method,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
    });
    const fault = state.faults[service].shift();
    if (!fault) return usual[service](url);
    if (fault.kind === 'answer') return new Response(fault.body, { status: fault.status });
    if (fault.when === 'after') usual[service](url);
    throw fault.kind === 'late'
      ? new DOMException('The operation timed out.', 'TimeoutError')
      : new TypeError('the socket was closed');
  }

  return {
    state,
    prove,
    answer,
    /** In place of the machine's `fetch`: whatever host is asked, it is these. */
    fetch: async (url: string, init: RequestInit): Promise<Response> => answer(new Request(url, init)),
    fail: (service: ServiceName, ...faults: readonly Fault[]): void => void state.faults[service].push(...faults),
    callsOf: (service: ServiceName) => state.calls.filter((call) => call.service === service),
    /** Where a short link leads. */
    targetOf: (link: string): string | undefined => state.short.get(link.replace(/^http:/, 'https:')),
    /** `/_control`: `{prove: address}` or `{service, fault}`; for tests that run the product in another process. */
    control: async (request: Request): Promise<Response> => {
      const order = (await request.json()) as { prove?: string; service?: ServiceName; fault?: Fault };
      if (order.service && order.fault) state.faults[order.service].push(order.fault);
      return Response.json({ proof: order.prove === undefined ? null : prove(order.prove), calls: state.calls });
    },
  };
}

/** A visitor goes through a link and comes back with a proof; or our server asks about one. */
function linkvertise(state: State, url: URL, { now, prove }: { now: () => number; prove: () => string }): Response {
  const dynamic = /^\/\d+\/[\d.]+\/dynamic$/.test(url.pathname);
  if (dynamic) {
    const target = new URL(Buffer.from(url.searchParams.get('r') ?? '', 'base64').toString('utf8'));
    target.searchParams.set('hash', prove());
    return new Response(null, { status: 302, headers: { Location: target.href } });
  }
  if (url.pathname !== '/api/v1/anti_bypassing') return new Response('not found', { status: 404 });
  if (url.searchParams.get('token') !== LINK_KEYS.linkvertise) return new Response('Invalid token.');
  const proof = state.proofs.get(url.searchParams.get('hash') ?? '');
  const good = proof !== undefined && now() - proof.atMs <= PROOF_LIFE && (state.replay || !proof.spent);
  if (proof) proof.spent = true;
  if (state.words === 'json') return Response.json({ status: good });
  const word = good ? 'TRUE' : 'FALSE';
  return new Response(state.words === 'quoted' ? `"${word}"\n` : state.words === 'lower' ? word.toLowerCase() : word);
}

/** The short link of an address: the same one for the same address. */
function shorten(state: State, host: string, target: string): string {
  const link = `https://${host}/${createHash('sha256').update(target).digest('base64url').slice(0, 6)}`;
  state.short.set(link, target);
  return link;
}

function adlinkfly(state: State, url: URL, service: 'linkpays' | 'gyanilinks'): Response {
  const refused = (message: string | string[]) => Response.json({ status: 'error', message, shortenedUrl: '' });
  const target = url.searchParams.get('url');
  if (url.pathname !== '/api' || !target || !url.searchParams.get('api')) return refused('Invalid API call');
  if (url.searchParams.get('api') !== LINK_KEYS[service]) return refused('Invalid API token');
  if (URL.parse(target) === null) return refused(['URL is invalid.']);
  const link = shorten(state, HOSTS[service], target);
  if (state.shape === 'escaped')
    return new Response(`{"status":"success","shortenedUrl":"${link.replaceAll('/', '\\/')}"}`);
  if (state.shape === 'http')
    return Response.json({ status: 'success', shortenedUrl: link.replace('https:', 'http:') });
  if (state.shape === 'foreign')
    return Response.json({
      status: 'success',
      shortenedUrl: link.replace(HOSTS[service], `${HOSTS[service]}.evil.example`),
    });
  return Response.json({
    status: 'success',
    ...(state.shape === 'message' ? { message: '' } : {}),
    shortenedUrl: link,
  });
}

function shareus(state: State, url: URL): Response {
  const target = url.searchParams.get('link');
  if (url.pathname !== '/easy_api' || !target) return new Response('link missing', { status: 400 });
  if (url.searchParams.get('key') !== LINK_KEYS.shareus) return new Response('invalid api key');
  return new Response(shorten(state, HOSTS.shareus, target));
}

/** A sponsor of the kind that the templates describe: `/go?to=` for visitors, `/check/:token` for our server. */
function generic(state: State, url: URL, prove: () => string): Response {
  if (url.pathname === '/go') {
    const target = (url.searchParams.get('to') ?? '').replace('{TOKEN}', prove());
    return new Response(null, { status: 302, headers: { Location: target } });
  }
  if (url.searchParams.get('key') !== LINK_KEYS.generic) return new Response('no', { status: 403 });
  const proof = state.proofs.get(url.pathname.replace('/check/', ''));
  const valid = proof !== undefined && !proof.spent;
  if (proof) proof.spent = true;
  return Response.json({ valid, info: valid ? { linkId: 77, byIp: proof.address } : null });
}

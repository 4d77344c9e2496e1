import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { answerApi, type Call } from './api.ts';
import { createFaults, type Fault } from './faults.ts';
import { APPLICATION, createDiscordWorld } from './world.ts';

export { FAULTS, type Fault } from './faults.ts';
export type { Guild, Person } from './world.ts';

/**
 * A call that reached the stand-in, without secrets of its own making being hidden: tests look for them in other
 * places.
 */
export interface Logged {
  readonly call: string;
  readonly headers: Call['headers'];
  readonly body: string;
}
export type DiscordStandIn = Awaited<ReturnType<typeof startDiscord>>;

const API = '/discord/api/v10';
const CONSENT = '/discord/oauth2/authorize';

/**
 * A Discord on this machine, reached by the product through the settings that hold its addresses. It keeps its own
 * clock, plays the faults that the contract lists, and can be steered by the functions it gives or over HTTP at
 * `/_control` (a JSON array: name and arguments). In: the time it starts at, and the addresses that its consent page
 * may send people back to.
 */
export async function startDiscord({ startMs, redirects }: { startMs: number; redirects: readonly string[] }) {
  const world = createDiscordWorld(startMs);
  for (const address of redirects) world.redirects.add(address);
  const faults = createFaults();
  const log: Logged[] = [];
  const limit: { max: number; windowS: number } = { max: 1000, windowS: 1 };
  const counts = new Map<string, { since: number; count: number }>();

  /** Limits as the headers tell them: for each user's token and route by itself. */
  function counted(call: Call): { headers: Record<string, string>; over: boolean } {
    const key = `${call.method} ${call.path} ${call.headers.authorization ?? ''}`;
    const now = world.now();
    const known = counts.get(key);
    const window = known && now < known.since + limit.windowS * 1000 ? known : { since: now, count: 0 };
    window.count += 1;
    counts.set(key, window);
    const after = (window.since + limit.windowS * 1000 - now) / 1000;
    const over = window.count > limit.max;
    const headers = {
      'X-RateLimit-Limit': String(limit.max),
      'X-RateLimit-Remaining': String(Math.max(0, limit.max - window.count)),
      'X-RateLimit-Reset-After': after.toFixed(3),
      'X-RateLimit-Bucket': 'b1',
      ...(over ? { 'Retry-After': String(Math.ceil(after)), 'X-RateLimit-Scope': 'user' } : {}),
    };
    return { headers, over };
  }

  function api(call: Call, response: ServerResponse): void {
    const name = `${call.method} ${call.path}`;
    log.push({ call: name, headers: call.headers, body: call.body });
    const fault = faults.take(name);
    if (fault?.cut === 'hang') return;
    if (fault?.cut === 'before') return void response.destroy();
    if (fault?.status !== undefined) return send(response, fault);
    const { headers, over } = counted(call);
    if (over)
      return send(response, {
        status: 429,
        headers,
        body: {
          message: 'You are being rate limited.',
          retry_after: Number(headers['X-RateLimit-Reset-After']),
          global: false,
        },
      });
    const answer = answerApi(world, call);
    // The most important fault: done, but the answer is lost.
    if (fault?.cut === 'after') return void response.destroy();
    send(response, { status: answer.status, headers, body: answer.body ?? '' });
  }

  const control = {
    person: world.person,
    guild: world.guild,
    /** A webhook of a channel, with its address as Discord gives it. */
    webhook: () => {
      const webhook = world.webhook();
      return { ...webhook, url: `${url}${API}/webhooks/${webhook.id}/${webhook.token}` };
    },
    deleteWebhook: (id: string) => void world.webhooks.delete(id),
    deleteGuild: world.deleteGuild,
    role: world.role,
    inviteBot: world.inviteBot.bind(world),
    rolesOf: world.rolesOf,
    join: world.join,
    leave: world.leave,
    withdraw: world.withdraw,
    setNow: world.setNow,
    fault: faults.put,
    clearFaults: faults.clear,
    limit: (facts: { max: number; windowS: number }) => void Object.assign(limit, facts),
    log: (): readonly Logged[] => log,
  };
  type Control = typeof control;

  function steer(body: string, response: ServerResponse): void {
    const [name, ...args] = JSON.parse(body) as [keyof Control, ...unknown[]];
    const command = control[name] as ((...given: unknown[]) => unknown) | undefined;
    if (!command) return send(response, { status: 404, body: {} });
    send(response, { status: 200, body: { result: command(...args) ?? null } });
  }

  const server = createServer((request, response) => {
    void (async () => {
      const call = await read(request);
      if (call.path === '/_control' && call.method === 'POST') steer(call.body, response);
      else if (call.path === CONSENT && call.method === 'GET') consentPage(world, call, response);
      else if (call.path.startsWith(API)) api({ ...call, path: call.path.slice(API.length) }, response);
      else send(response, { status: 404, body: '<html></html>' });
    })();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;

  return {
    ...control,
    world,
    url,
    /** The settings that lead the product here. */
    settings: {
      discord_client_id: APPLICATION.id,
      discord_client_secret: APPLICATION.secret,
      discord_api_url: url + API,
      discord_authorize_url: url + CONSENT,
      discord_timeout_ms: 5000,
      outbound_private_networks: true,
    },
    /**
     * What somebody does at the consent page. Out: where Discord sends the browser. `scopes`: those they agree to, when
     * fewer than asked.
     */
    consent(page: string, userId: string, scopes?: readonly string[]): URL {
      const answer = agree(world, new URL(page).searchParams, userId, scopes);
      if (typeof answer === 'string') throw new Error(answer);
      return answer;
    },
    calls: (call: string): number => log.filter((each) => each.call.startsWith(call)).length,
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

async function read(request: IncomingMessage): Promise<Call> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const url = new URL(request.url ?? '/', 'http://stand-in');
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );
  return {
    method: request.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    headers,
    body: Buffer.concat(parts).toString('utf8'),
  };
}

function send(
  response: ServerResponse,
  { status = 200, headers = {}, body = '' }: Pick<Fault, 'status' | 'headers' | 'body'>,
): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
  response.end(text);
}

/** Agreeing, or with an empty user declining. A text says what Discord would refuse to show. */
function agree(
  world: ReturnType<typeof createDiscordWorld>,
  query: URLSearchParams,
  userId: string,
  scopes?: readonly string[],
): URL | string {
  const redirectUri = query.get('redirect_uri') ?? '';
  if (query.get('client_id') !== APPLICATION.id) return 'unknown application';
  if (!world.redirects.has(redirectUri)) return 'Invalid OAuth2 redirect_uri';
  if (query.get('response_type') !== 'code') return 'unsupported response type';
  const challenge = query.get('code_challenge');
  if (challenge !== null && query.get('code_challenge_method') !== 'S256') return 'unsupported challenge';
  const back = new URL(redirectUri);
  const state = query.get('state');
  if (userId === '') {
    back.searchParams.set('error', 'access_denied');
    back.searchParams.set('error_description', 'The resource owner or authorization server denied the request');
  } else {
    const asked = (query.get('scope') ?? '').split(' ').filter(Boolean);
    back.searchParams.set('code', world.newCode({ userId, scopes: scopes ?? asked, redirectUri, challenge }));
  }
  if (state !== null) back.searchParams.set('state', state);
  return back;
}

/** The consent page, plain: one link for each person there is, and one to decline. */
function consentPage(world: ReturnType<typeof createDiscordWorld>, { query }: Call, response: ServerResponse): void {
  const links = [...world.people.values(), { id: '', username: 'Cancel' }].map(({ id, username }) => {
    const to = agree(world, query, id);
    return typeof to === 'string'
      ? `<p>${to}</p>`
      : `<p><a href="${to.href.replaceAll('&', '&amp;')}">${username}</a></p>`;
  });
  send(response, {
    status: 200,
    headers: { 'Content-Type': 'text/html; charset=utf-8' },
    body: `<!doctype html><html lang="en"><title>Consent</title><link rel="icon" href="data:,"><h1>Consent</h1>${links.join('')}</html>`,
  });
}

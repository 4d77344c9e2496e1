import { describe, expect, test } from 'bun:test';
import { createApiApp, type AllHandlers, type HandlerCtx } from '#server/http/implement.ts';
import type { Actor } from '#server/modules/kernel.ts';
import * as z from 'zod/mini';
import { DomainError } from '#shared/errors.ts';
import { endpointUrl } from '#shared/contract/client.ts';
import type { Endpoint } from '#shared/contract/endpoint.ts';
import { ENDPOINTS } from '#shared/contract/index.ts';
import { ROWS, type Row } from '#tests/specification/access.ts';
import { NOBODY, sampleParam } from '#tests/support/params.ts';
import { testLog } from '#tests/support/log.ts';

// Shows behaviour 1.

const ID = NOBODY;
const SOMEBODY: Actor = { userId: 'u', sessionId: 's', username: 'ann', permissions: [], verified: true };

/** What a call of the pipeline meets, and what it left behind. */
interface World {
  /** Who the session belongs to; null: to nobody. */
  readonly actor?: Actor | null;
  /** Whether all features are on. */
  readonly on?: boolean;
  /** Seconds that every rate limit asks to wait. */
  readonly wait?: number;
  /** What every handler answers. */
  readonly output?: unknown;
  /** Facts of the request beside its method and address. */
  readonly request?: RequestInit;
  /** What every handler throws in the place of an answer. */
  readonly error?: Error;
  /** What every handler does in the place of that. */
  readonly handle?: (ctx: HandlerCtx, input: unknown) => unknown;
  /** Aborts when the server is to stop. */
  readonly streams?: AbortSignal;
  /** Marks an answer as a stored one of an earlier call. */
  readonly replayed?: boolean;
}

/** Sends a request through the whole pipeline, with a handler that only notes that it ran. */
async function ask(endpoint: Endpoint, world: World) {
  const limits: { readonly name: string; readonly key: string }[] = [];
  const handled: HandlerCtx[] = [];
  const handler = (ctx: HandlerCtx, input: unknown) => {
    handled.push(ctx);
    if (world.handle) return world.handle(ctx, input);
    if (world.replayed && ctx.idempotency) ctx.idempotency.replayed = true;
    if (world.error) throw world.error;
    return world.output ?? {};
  };
  const every = new Proxy({}, { get: () => handler });
  const app = createApiApp({
    handlers: new Proxy({}, { get: () => every }) as AllHandlers,
    resolve: async () => world.actor ?? null,
    flags: () => new Proxy({}, { get: () => world.on ?? true }) as never,
    takeLimit: (name, key) => {
      limits.push({ name, key });
      return world.wait ?? 0;
    },
    hash: (text) => text,
    log: testLog(),
    ...(world.streams ? { streams: world.streams } : {}),
  });
  const params = Object.fromEntries(
    [...endpoint.path.matchAll(/:(\w+)/g)].map(([, name = '']) => [name, sampleParam(endpoint, name)]),
  );
  const response = await app.fetch(
    new Request(`http://test${endpointUrl(endpoint, { params })}`, { method: endpoint.method, ...world.request }),
    { requestId: 'r', address: '203.0.113.7', locale: 'en', secret: 'x', keepOpen: () => undefined },
  );
  const text = (response.headers.get('content-type') ?? '').startsWith('text/event-stream')
    ? await firstOf(response)
    : await response.text();
  const code = /"error_code":"(\w+)"/.exec(text)?.[1] ?? null;
  return { status: response.status, headers: response.headers, code, text, limits, handled };
}

/** What an event stream has sent when its first event is there, or none comes. */
async function firstOf(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  const parts: string[] = [];
  while (parts.length < 2) {
    const { value, done = true } = (await reader?.read().catch(() => undefined)) ?? {};
    if (done) break;
    parts.push(new TextDecoder().decode(value));
  }
  await reader?.cancel().catch(() => undefined);
  return parts.join('');
}

async function* eventsOf(sent: readonly object[]) {
  yield* sent;
}

const endpointAt = ({ method, path }: Pick<Row, 'method' | 'path'>) => {
  const found = ENDPOINTS.find((each) => each.method === method && each.path === path);
  if (!found) throw new Error(`${method} ${path} is written down, but not there`);
  return found;
};
const EACH = ROWS.map((row) => [endpointAt(row).name, endpointAt(row), row] as const);
const mayCall = ({ access }: Row): Actor => ({ ...SOMEBODY, permissions: [access] });
const limitOf = ({ guards }: Row) => guards.find((each) => each.startsWith('limit:'))?.slice('limit:'.length);

describe('what stands before a handler', () => {
  test.each(EACH.filter(([, , { guards }]) => guards.includes('verified')))(
    'S12 %s refuses whose address is not verified',
    async (_, endpoint, row) => {
      const answer = await ask(endpoint, { actor: { ...mayCall(row), verified: false } });
      expect([answer.status, answer.code, answer.handled]).toEqual([403, 'ACCOUNT_UNVERIFIED', []]);
    },
  );

  test.each(EACH.filter(([, , { guards }]) => guards.some((each) => each.startsWith('flag:'))))(
    'S12 %s is not there while its feature is off',
    async (_, endpoint, row) => {
      const answer = await ask(endpoint, { actor: mayCall(row), on: false });
      expect([answer.status, answer.code, answer.handled]).toEqual([404, 'FEATURE_DISABLED', []]);
    },
  );

  test.each(EACH)('S12 %s counts against the limit that is written down', async (_, endpoint, row) => {
    const usual = row.method === 'GET' ? 'read' : 'write';
    const answer = await ask(endpoint, { actor: mayCall(row), wait: 7 });
    // The session’s own endpoint says so without failing.
    const status = endpoint.name === 'session.get' ? 200 : 429;
    expect([answer.status, answer.code, answer.handled]).toEqual([status, 'RATE_LIMITED', []]);
    expect(answer.limits.map(({ name }) => name)).toEqual([limitOf(row) ?? usual]);
  });

  test('S12 a limit counts a user by the account, and a guest or an address by the address', async () => {
    const keys = async (method: string, path: string, actor: Actor | null) =>
      (await ask(endpointAt({ method, path }), { actor })).limits;
    expect(await keys('GET', '/api/dashboard', SOMEBODY)).toEqual([{ name: 'read', key: 'u' }]);
    expect(await keys('GET', '/api/system/settings', null)).toEqual([{ name: 'guestRead', key: '203.0.113.7' }]);
    expect(await keys('POST', '/api/auth/login', SOMEBODY)).toEqual([{ name: 'login', key: '203.0.113.7' }]);
    expect(await keys('POST', '/api/auth/logout', null)).toEqual([{ name: 'write', key: '203.0.113.7' }]);
  });

  test.each([
    ['POST', '/api/payments/orders'],
    ['POST', '/api/servers'],
    ['POST', '/api/gifts'],
    ['POST', '/api/admin/panels'],
    ['PATCH', '/api/admin/panels/:id'],
    ['POST', '/api/admin/payments/:id/refund'],
  ])(
    'S12 %s %s asks for session, right, address, feature, limit and body in this order, and counts nobody it refuses before',
    async (method, path) => {
      const row = ROWS.find((each) => each.method === method && each.path === path);
      if (!row) throw new Error(`${method} ${path} is not written down`);
      const endpoint = endpointAt(row);
      const broken = { body: '[', headers: { 'Content-Type': 'application/json' } };
      // Everything is wrong at first; then one thing after the other is put right.
      let world: World = { actor: null, on: false, wait: 7, request: broken };
      const next = async (better: World) => {
        world = { ...world, ...better };
        const { code, limits, handled } = await ask(endpoint, world);
        expect(handled).toEqual([]);
        return [code, limits.length];
      };
      const isStaff = row.access.startsWith('admin.');
      expect(await next({})).toEqual(['UNAUTHENTICATED', 0]);
      const lacking = { ...SOMEBODY, verified: false };
      if (isStaff) expect(await next({ actor: lacking })).toEqual(['FORBIDDEN', 0]);
      const holding = { ...lacking, permissions: [row.access] };
      if (row.guards.includes('verified')) expect(await next({ actor: holding })).toEqual(['ACCOUNT_UNVERIFIED', 0]);
      await next({ actor: { ...holding, verified: true } });
      if (row.guards.some((each) => each.startsWith('flag:'))) expect(await next({})).toEqual(['FEATURE_DISABLED', 0]);
      expect(await next({ on: true })).toEqual(['RATE_LIMITED', 1]);
      expect(await next({ wait: 0 })).toEqual(['BAD_REQUEST', 1]);
      expect(await next({ request: { ...broken, body: '{}' } })).toEqual(['VALIDATION_FAILED', 1]);
    },
  );

  test('S12 a session that waits for its second factor is kept away before anything else is asked', async () => {
    const waiting = { ...SOMEBODY, waiting: true, verified: false };
    const world = { actor: waiting, on: false, wait: 7 };
    expect(await ask(endpointAt({ method: 'POST', path: '/api/store/buy' }), world)).toMatchObject({
      code: 'TW0_FA_BLOCKED',
      limits: [],
      handled: [],
    });
    const guest = await ask(endpointAt({ method: 'GET', path: '/api/system/settings' }), { actor: waiting });
    expect([guest.handled[0]?.actor, guest.limits[0]?.name]).toEqual([null, 'guestRead']);
  });

  test('S12 a field that is missing is asked for, and one that is wrong is called so', async () => {
    const endpoint = endpointAt({ method: 'POST', path: '/api/store/buy' });
    const headers = { 'Content-Type': 'application/json' };
    const fieldsOf = async (body: string): Promise<unknown> =>
      JSON.parse((await ask(endpoint, { actor: SOMEBODY, request: { headers, body } })).text);
    expect(await fieldsOf('{"units":1,"price":5}')).toMatchObject({ fields: { item_id: ['REQUIRED'] } });
    expect(await fieldsOf('{"units":1,"price":5,"item_id":7}')).toMatchObject({ fields: { item_id: ['INVALID'] } });
  });

  test('T7 only endpoints that are written down to take a key hand one to their handler', async () => {
    const request = { headers: { 'Idempotency-Key': 'a-key-of-somebody' } };
    const bodiless = EACH.filter(([, { body, query, upload }]) => !body && !query && !upload);
    const takes = (row: Row) => row.guards.includes('idempotent');
    expect(bodiless.filter(([, , row]) => takes(row)).length).toBeGreaterThan(3);
    for (const [name, endpoint, row] of bodiless) {
      const { handled } = await ask(endpoint, { actor: mayCall(row), request });
      expect([name, handled[0]?.idempotency?.key ?? null]).toEqual([name, takes(row) ? 'a-key-of-somebody' : null]);
    }
  });
});

type Schema = z.core.JSONSchema.BaseSchema;

/** Something that fits a schema, in every object of which lie further columns. */
function sampleOf(schema: Schema | boolean, columns: object): unknown {
  if (typeof schema === 'boolean') return 'any';
  const { type, anyOf, oneOf, enum: values, const: constant, items, properties, additionalProperties } = schema;
  if (constant !== undefined) return constant;
  if (values) return values[0];
  const [first] = anyOf ?? oneOf ?? [];
  if (first) return sampleOf(first, columns);
  if (type === 'array') return [sampleOf((items as Schema | undefined) ?? true, columns)];
  if (type === 'object') {
    const own = Object.entries(properties ?? {}).map(([name, part]) => [name, sampleOf(part, columns)] as const);
    const rest =
      typeof additionalProperties === 'object' && !properties
        ? { a: sampleOf(additionalProperties, columns) }
        : columns;
    return { ...Object.fromEntries(own), ...rest };
  }
  if (type === 'integer' || type === 'number') return Math.max(0, Number(schema.minimum ?? 0));
  if (type === 'boolean') return true;
  return type === 'null' ? null : ID;
}

/** A body for an endpoint that wants one, as far as it can be made up. */
function bodyFor({ body, method }: Endpoint): RequestInit {
  if (!body || method === 'GET') return {};
  const text = JSON.stringify(sampleOf(z.toJSONSchema(body, { unrepresentable: 'any', io: 'input' }), {}));
  return { body: text, headers: { 'Content-Type': 'application/json' } };
}

describe('what a handler knows of its call', () => {
  test('T54 a handler is given at most 400 signs of what the browser says it is', async () => {
    const endpoint = endpointAt({ method: 'GET', path: '/api/dashboard' });
    const agentOf = async (headers: Record<string, string>) =>
      (await ask(endpoint, { actor: SOMEBODY, request: { headers } })).handled[0]?.userAgent;
    expect(await agentOf({ 'User-Agent': `a${'b'.repeat(999)}` })).toBe(`a${'b'.repeat(399)}`);
    expect(await agentOf({ 'User-Agent': 'a browser' })).toBe('a browser');
  });

  test('a handler is given the checked parts of its address, and the cookies that it sets leave with its answer', async () => {
    const endpoint = endpointAt({ method: 'GET', path: '/api/servers/:id' });
    const seen: unknown[] = [];
    const setting = (ctx: HandlerCtx, input: unknown) => {
      seen.push(input);
      ctx.cookies.set('a-name', 'a-value', {});
      throw new DomainError('NOT_FOUND');
    };
    const { headers } = await ask(endpoint, { actor: SOMEBODY, handle: setting });
    expect(seen).toEqual([{ params: { id: ID }, query: undefined, body: undefined }]);
    expect(headers.getSetCookie()).toEqual(['a-name=a-value; Path=/; SameSite=Lax; Secure']);
  });

  test('T60 an address with a part that cannot be is not there, and its handler does not run', async () => {
    const endpoint = endpointAt({ method: 'GET', path: '/api/servers/:id' });
    for (const id of ['not-an-id', '__proto__', `${ID}0`]) {
      const { status, code, handled } = await ask({ ...endpoint, path: `/api/servers/${id}` }, { actor: SOMEBODY });
      expect([id, status, code, handled]).toEqual([id, 404, 'NOT_FOUND', []]);
    }
  });

  test('an event stream ends when the server is to stop, and another answer is not broken off by it', async () => {
    const stopping = new AbortController();
    const signalOf = async (path: string) =>
      (
        await ask(endpointAt({ method: 'GET', path }), {
          actor: SOMEBODY,
          streams: stopping.signal,
          output: eventsOf([]),
        })
      ).handled[0]?.signal;
    const [stream, other] = [await signalOf('/api/events'), await signalOf('/api/dashboard')];
    expect([stream?.aborted, other?.aborted]).toEqual([false, false]);
    stopping.abort();
    expect([stream?.aborted, other?.aborted]).toEqual([true, false]);
  });

  test('an endpoint without a handler keeps the server from starting', () => {
    const nobody = new Proxy({}, { get: () => ({}) }) as AllHandlers;
    const deps = { resolve: async () => null, flags: () => ({}) as never, takeLimit: () => 0, hash: String };
    expect(() => createApiApp({ ...deps, handlers: nobody, log: testLog() })).toThrow('no handler for');
  });
});

describe('what leaves a handler', () => {
  const SECRET = 'argon2id-leaked';
  const column = { password_hash: SECRET };

  test('S12 no endpoint answers a column that its schema does not name, at its top or deep inside', async () => {
    const whole: string[] = [];
    for (const [name, endpoint, row] of EACH) {
      if (!endpoint.response) continue;
      const output = sampleOf(z.toJSONSchema(endpoint.response, { unrepresentable: 'any' }), column);
      const { status, text } = await ask(endpoint, { actor: mayCall(row), output, request: bodyFor(endpoint) });
      expect([name, text.includes(SECRET)]).toEqual([name, false]);
      if (status === 200 && text.startsWith('{"success":true,"error_code":null,"')) whole.push(name);
    }
    // For a few neither a body nor an answer can be made up; the others were answered with all that they name.
    expect(whole.length).toBeGreaterThan(110);
    expect(whole).toContain('adminUsers.list');
    expect(whole).toContain('adminPanels.get');
  });

  test('S12 an answer that lacks what its schema names is a fault of the server, and nothing of it is sent', async () => {
    const row = { method: 'GET', path: '/api/admin/server-queue/:id/delete' };
    const output = { deletable: true, entry: column };
    const { status, code, text } = await ask(endpointAt(row), {
      actor: { ...SOMEBODY, permissions: ['admin.root'] },
      output,
    });
    expect([status, code, text.includes(SECRET)]).toEqual([500, 'SERVER_ERROR', false]);
  });

  test('S12 E8 no stored answer of an earlier version holds a column that its schema does not name', async () => {
    const endpoint = endpointAt({ method: 'POST', path: '/api/admin/payments/:id/refund' });
    const actor = { ...SOMEBODY, permissions: ['admin.root'] };
    const headers = { 'Idempotency-Key': 'a-key-of-somebody', 'Content-Type': 'application/json' };
    const request = { headers, body: '{"amount":1,"reason":"a reason"}' };
    for (const output of [{ debt: 1, ...column }, { ...column }, { debt: column }, [column], SECRET]) {
      const answer = await ask(endpoint, { actor, output, request, replayed: true });
      expect([answer.status, answer.text.includes(SECRET)]).toEqual([200, false]);
      expect((await ask(endpoint, { actor, output, request })).text).not.toContain(SECRET);
    }
  });

  test('E8 a stored answer of an earlier version keeps each field that fits, and no other', async () => {
    const endpoint = endpointAt({ method: 'POST', path: '/api/store/buy' });
    const headers = { 'Idempotency-Key': 'a-key-of-somebody', 'Content-Type': 'application/json' };
    const request = { headers, body: JSON.stringify({ item_id: ID, units: 1, price: 5 }) };
    const given = async (output: unknown): Promise<unknown> =>
      JSON.parse((await ask(endpoint, { actor: SOMEBODY, output, request, replayed: true })).text);
    const fine = { success: true, error_code: null };
    expect(await given({ balance: 7, total: 'five', older: 1 })).toEqual({ ...fine, balance: 7 });
    expect(await given({ balance: 7.5, total: 5 })).toEqual({ ...fine, total: 5 });
    expect(await given(null)).toEqual(fine);
  });

  test('S12 answers that are shown once are marked so that nobody compresses them, and no others', async () => {
    for (const [name, endpoint, row] of EACH) {
      if (!endpoint.response || endpoint.format) continue;
      const output = sampleOf(z.toJSONSchema(endpoint.response, { unrepresentable: 'any' }), {});
      const answer = await ask(endpoint, { actor: mayCall(row), output, request: bodyFor(endpoint) });
      if (answer.status !== 200 || name === 'session.get') continue;
      const marked = answer.headers.get('cache-control')?.includes('no-transform') === true;
      expect([name, marked]).toEqual([name, row.guards.includes('secret')]);
    }
    expect(ROWS.filter(({ guards }) => guards.includes('secret')).length).toBeGreaterThan(2);
  });

  test('T59 a fault of ours says nothing but a request’s number, and a visitor who left is none', async () => {
    const endpoint = endpointAt({ method: 'GET', path: '/api/dashboard' });
    const failing = async (error: Error) => {
      const { status, code, text } = await ask(endpoint, { actor: SOMEBODY, error });
      return [status, code, text.includes(SECRET)];
    };
    expect(await failing(new Error(SECRET))).toEqual([500, 'SERVER_ERROR', false]);
    expect(await failing(new DOMException(SECRET, 'DataError'))).toEqual([500, 'SERVER_ERROR', false]);
    expect(await failing(new DOMException(SECRET, 'AbortError'))).toEqual([400, 'BAD_REQUEST', false]);
    expect(await failing(new DomainError('NOT_FOUND'))).toEqual([404, 'NOT_FOUND', false]);
  });

  test('S12 no event stream sends a column that the event’s schema does not name, nor an event that the contract does not', async () => {
    const streams = EACH.filter(([, { format, events }]) => format === 'events' || events);
    expect(streams.map(([name]) => name).sort()).toEqual(['afk.stream', 'consoles.stream', 'live.events']);
    for (const [name, endpoint, row] of streams) {
      const answer = (...sent: object[]) => ask(endpoint, { actor: mayCall(row), output: eventsOf(sent) });
      for (const [event, schema] of Object.entries(endpoint.events ?? {})) {
        const data = sampleOf(z.toJSONSchema(schema, { unrepresentable: 'any' }), column);
        const { text } = await answer({ event, data: { ...column, ...(data as object) } });
        expect([name, event, text.includes(`event: ${event}\n`), text.includes(SECRET)]).toEqual([
          name,
          event,
          true,
          false,
        ]);
      }
      expect((await answer({ event: 'leaked', data: column }, { event: 'ping', data: column })).text).toBe(
        ': open\n\n',
      );
    }
  });

  test('S12 an endpoint without a schema answers nothing of what its handler gave', async () => {
    const silent = EACH.filter(([, { response, format }]) => !response && (format ?? 'json') === 'json');
    expect(silent.length).toBeGreaterThan(10);
    for (const [name, endpoint, row] of silent.filter(([, { body, upload }]) => !body && !upload)) {
      const { text } = await ask(endpoint, { actor: mayCall(row), output: { ...column, row: column } });
      expect([name, text]).toEqual([name, '{"success":true,"error_code":null}']);
    }
  });
});

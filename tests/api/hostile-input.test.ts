import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type * as z from 'zod/mini';
import { endpointUrl } from '#shared/contract/client.ts';
import type { Endpoint } from '#shared/contract/endpoint.ts';
import { ENDPOINTS } from '#shared/contract/index.ts';
import { readForm } from '#client/lib/form-action.ts';
import { MINUTE } from '#shared/time.ts';
import { ENGINES, type Engine } from '#tests/support/db.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';

/** Any identifier: what it names does not exist. */
const ID = '01890000-0000-7000-8000-000000000000';
/** What every object has without having been given it. */
const INHERITED = ['constructor', 'toString', 'hasOwnProperty', '__proto__', 'valueOf', 'isPrototypeOf'];

const bodied = ENDPOINTS.filter((each) => each.body);
const asked = ENDPOINTS.filter((each) => each.query);
const pathOf = (endpoint: Endpoint) =>
  endpointUrl(endpoint, {
    params: Object.fromEntries([...endpoint.path.matchAll(/:(\w+)/g)].map(([, name]) => [name ?? '', ID])),
  });

let calls = 0;
/** A request from an address of its own, so that limits of addresses stay out of the way. */
async function send(
  to: Harness,
  person: Person | null,
  endpoint: Endpoint,
  path: string,
  init: { type?: string; body?: string } = {},
): Promise<number> {
  // The limits of users as well.
  to.clock.advance(MINUTE);
  const headers: Record<string, string> = {
    Origin: 'http://127.0.0.1',
    'X-Forwarded-For': `203.0.${(calls += 1) >> 8}.${calls & 255}`,
  };
  if (person) headers.Cookie = `__Host-spawnpoint=${person.secret}`;
  if (init.type !== undefined) headers['Content-Type'] = init.type;
  const response = await to.http(path, {
    method: endpoint.method,
    headers,
    ...(init.body === undefined ? {} : { body: init.body }),
  });
  await response.body?.cancel();
  return response.status;
}

/** An installation, and who asks it: whoever may call an endpoint, as far as there is one. */
function openStranger(engine: Engine) {
  let h: Harness;
  let owner: Person;
  beforeAll(async () => {
    h = await openHarness({ engine });
    owner = await h.person('owner', { permissions: ['admin.root'] });
  });
  afterAll(() => h.close());
  return {
    send: (endpoint: Endpoint, path: string, init?: { type?: string; body?: string }) =>
      send(h, endpoint.access === 'open' ? null : owner, endpoint, path, init),
    expectCalm: () => expect(h.errors.splice(0)).toEqual([]),
  };
}

// What is refused by its shape comes to no database.
describe('T60 bodies and names that a stranger sends', () => {
  const stranger = openStranger('sqlite');

  test('T60 names that every object inherits are unknown fields of every body', async () => {
    for (const endpoint of bodied) {
      for (const name of INHERITED) {
        const statuses: number[] = [];
        for (const value of ['1', '{"a":1}', 'null'])
          statuses.push(
            await stranger.send(endpoint, pathOf(endpoint), {
              type: 'application/json',
              body: `{"${name}":${value}}`,
            }),
          );
        expect({
          endpoint: endpoint.name,
          name,
          statuses: statuses.filter((status) => ![422, 404, 200].includes(status)),
        }).toEqual({ endpoint: endpoint.name, name, statuses: [] });
      }
    }
    stranger.expectCalm();
  }, 240_000);

  test('T60 inherited names are no names of parameters, columns or filters either', async () => {
    for (const endpoint of asked) {
      const statuses: number[] = [];
      const names = keysOf(endpoint.query);
      for (const inherited of ['constructor', '__proto__', 'to_string']) {
        statuses.push(await stranger.send(endpoint, `${pathOf(endpoint)}?${inherited}=1`));
        for (const name of names)
          for (const sign of ['', '-'])
            statuses.push(await stranger.send(endpoint, `${pathOf(endpoint)}?${name}=${sign}${inherited}`));
      }
      expect({ endpoint: endpoint.name, failed: statuses.filter((status) => status >= 500) }).toEqual({
        endpoint: endpoint.name,
        failed: [],
      });
    }
    stranger.expectCalm();
  }, 240_000);

  test('T60 wrong types, cut and doubled bodies are refused', async () => {
    const cases: [string | undefined, string, number[]][] = [
      ['text/plain', '{}', [415]],
      ['application/x-www-form-urlencoded', 'constructor=1&__proto__=2', [415]],
      ['multipart/form-data', '--x', [415]],
      ['multipart/form-data; boundary=x', '--x\r\n\r\n', [415]],
      ['application/json; charset=constructor', '{"a"', [400]],
      ['application/json', '{"a":1}{"a":1}', [400]],
      ['application/json', '{"constructor":{"prototype":{"x":1}}', [400]],
      ['application/json', '\u{0}', [400]],
      ['application/json', '[{"__proto__":1}]', [400]],
      ['__proto__', '{}', [415]],
      [undefined, '{}', [415]],
    ];
    for (const endpoint of bodied) {
      for (const [type, body, right] of cases) {
        const status = await stranger.send(endpoint, pathOf(endpoint), {
          ...(type === undefined ? {} : { type }),
          body,
        });
        expect({ endpoint: endpoint.name, type, body, fine: [...right, 404].includes(status) ? true : status }).toEqual(
          { endpoint: endpoint.name, type, body, fine: true },
        );
      }
    }
    stranger.expectCalm();
  }, 240_000);
});

describe.each(ENGINES)('T60 questions that a stranger asks, on %s', (engine: Engine) => {
  const stranger = openStranger(engine);

  test('T60 a zero character or half a character in any parameter is no error of ours', async () => {
    for (const endpoint of asked) {
      const statuses: number[] = [];
      for (const name of keysOf(endpoint.query))
        for (const text of ['a%00b', '%ED%A0%80', '%FF', '%'])
          statuses.push(await stranger.send(endpoint, `${pathOf(endpoint)}?${name}=${text}`));
      expect({ endpoint: endpoint.name, failed: statuses.filter((status) => status >= 500) }).toEqual({
        endpoint: endpoint.name,
        failed: [],
      });
    }
    stranger.expectCalm();
  }, 240_000);
});

describe('T58 one reading of addresses and numbers', () => {
  let h: Harness;
  beforeAll(async () => void (h = await openHarness()));
  afterAll(() => h.close());

  test('T58 an endpoint behind another spelling of its path is guarded as well, or is not there', async () => {
    const spell: ((path: string) => string)[] = [
      (path) =>
        path.replace(
          /\/([a-z])([a-z]+)$/,
          (_, first: string, rest: string) => `/%${first.charCodeAt(0).toString(16)}${rest}`,
        ),
      (path) => path.replace('/api/', '/%61pi/'),
      (path) => path.replace('/api/', '/api//'),
      (path) => path.replace('/api/', '/api/./'),
      (path) => path.replace('/api/', '/api/webhooks/../'),
      (path) => path.replace('/api/', '/api/webhooks/%2e%2e/'),
      (path) => path.replace('/api/', '/api/webhooks%2f..%2f'),
      (path) => path.replace('/api/', '/API/'),
      (path) => `${path}/`,
      (path) => `${path};x=1`,
      (path) => `${path}%00`,
    ];
    for (const endpoint of ENDPOINTS) {
      if (endpoint.access === 'open') continue;
      for (const change of spell) {
        h.clock.advance(MINUTE);
        const path = change(pathOf(endpoint));
        const guest = await h.http(path, { method: endpoint.method, headers: { Origin: 'http://127.0.0.1' } });
        expect({ path, status: guest.status, let: guest.status < 400 }).toEqual({
          path,
          status: guest.status,
          let: false,
        });
        if (endpoint.method === 'GET') continue;
        const foreign = await h.http(path, {
          method: endpoint.method,
          headers: { Origin: 'https://elsewhere.example' },
        });
        expect({ path, let: foreign.status < 400 }).toEqual({ path, let: false });
      }
    }
    expect(h.errors).toEqual([]);
  }, 300_000);

  test('T58 a number has digits alone, in every query that takes one', async () => {
    const owner = await h.person('owner', { permissions: ['admin.root'] });
    const paged = asked.filter(({ query }) => keysOf(query).includes('page'));
    expect(paged.length).toBeGreaterThan(5);
    for (const endpoint of paged) {
      for (const number of [
        '0x10',
        '1e3',
        '%2B5',
        '%205',
        '5%20',
        '5.0',
        '-1',
        '\uff11',
        '\u0661',
        '1_0',
        '1n',
        '',
        '9'.repeat(400),
      ]) {
        const status = await send(
          h,
          owner,
          endpoint,
          `${pathOf(endpoint)}?page=${encodeURI(number).replaceAll('%25', '%')}`,
        );
        expect({ endpoint: endpoint.name, number, status: [422, 404].includes(status) ? 'refused' : status }).toEqual({
          endpoint: endpoint.name,
          number,
          status: 'refused',
        });
      }
    }
    expect(h.errors).toEqual([]);
  }, 300_000);
});

test.each([
  ['without its length', {}],
  ['of an announced length', { 'Content-Length': '20' }],
] as const)('S9 a body %s that is cut off on the way is refused, and no error', async (_, more) => {
  const h = await openHarness();
  const cut = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(new TextEncoder().encode('{"login":"a'));
      controller.error(new Error('the line went dead'));
    },
  });
  const answer = await h.http('/api/auth/login', {
    method: 'POST',
    headers: { Origin: 'http://127.0.0.1', 'Content-Type': 'application/json', ...more },
    body: cut,
  });
  expect([answer.status, h.errors]).toEqual([400, []]);
  await h.close();
});

test('S9 a key of a body that every object inherits is named at its own name', async () => {
  const h = await openHarness();
  const answer = await h.http('/api/auth/login', {
    method: 'POST',
    headers: { Origin: 'http://127.0.0.1', 'Content-Type': 'application/json' },
    body: '{"login":"a","password":"b","__proto__":1,"constructor":2}',
  });
  expect(answer.status).toBe(422);
  const text = await answer.text();
  expect(text).toMatch(/"fields":\{"(?:__proto__|constructor)":\["UNKNOWN"\]/);
  expect(h.errors).toEqual([]);
  await h.close();
});

test('S9 fields of a form named like what every object inherits are nobody’s', () => {
  const form = new FormData();
  for (const name of INHERITED) form.set(name, 'x');
  for (const endpoint of bodied) {
    const { shape } = (endpoint.body as unknown as { shape?: Record<string, z.ZodMiniType> }) ?? {};
    if (!shape) continue;
    expect(Object.keys(readForm({ shape }, form)).filter((name) => INHERITED.includes(name))).toEqual([]);
  }
});

/** The names a schema of an object knows. */
function keysOf(schema: Endpoint['query']): string[] {
  return Object.keys((schema as unknown as { shape?: object } | undefined)?.shape ?? {});
}

interface Def {
  readonly type: string;
  readonly shape?: Record<string, z.core.$ZodType>;
  readonly innerType?: z.core.$ZodType;
  readonly element?: z.core.$ZodType;
  readonly in?: z.core.$ZodType;
  readonly keyType?: z.core.$ZodType;
  readonly valueType?: z.core.$ZodType;
  readonly options?: readonly z.core.$ZodType[];
}

/** Every schema of a text inside a schema, with its path. */
function textsIn(schema: z.core.$ZodType, path: string): [string, z.core.$ZodType][] {
  const def = schema._zod.def as unknown as Def;
  if (def.type === 'string') return [[path, schema]];
  const inner = [def.innerType, def.element, def.in, def.keyType, def.valueType, ...(def.options ?? [])].filter(
    (each) => each !== undefined,
  );
  return [
    ...inner.flatMap((each) => textsIn(each, path)),
    ...Object.entries(def.shape ?? {}).flatMap(([name, each]) => textsIn(each, `${path}.${name}`)),
  ];
}

describe('S11 half of a character', () => {
  const texts = ENDPOINTS.flatMap((endpoint) =>
    [endpoint.body, endpoint.query, endpoint.params].flatMap((schema) =>
      schema ? textsIn(schema, endpoint.name) : [],
    ),
  );
  const HALVES = [
    '\uD800',
    'name\uDC00',
    'correct horse \uD83D battery',
    'a\uDFFF@mail.example',
    '01890000-0000-7000-8000-00000000000\uD800',
    'NAME\uD800',
  ];

  test('S11 there are texts to test', () => expect(texts.length).toBeGreaterThan(150));
  test('S11 half of a surrogate pair is refused by every text that a body, a query or an address takes', () => {
    const taken = texts
      .filter(([, schema]) => HALVES.some((half) => (schema as z.ZodMiniType).safeParse(half).success))
      .map(([path]) => path);
    expect(taken).toEqual([]);
  });
  test('S11 a zero character is refused by every one as well', () => {
    const taken = texts
      .filter(([, schema]) =>
        ['\u{0}', 'name\u{0}', 'correct horse \u{0} battery', 'a\u{0}b@mail.example'].some(
          (text) => (schema as z.ZodMiniType).safeParse(text).success,
        ),
      )
      .map(([path]) => path);
    expect(taken).toEqual([]);
  });
  test('S11 whole characters outside the first plane are taken', () => {
    const name = texts.find(([path]) => path === 'account.update.first_name')?.[1] as z.ZodMiniType;
    expect(name.safeParse('Mirela 🦊').success).toBe(true);
  });
});

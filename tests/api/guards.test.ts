import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { CEILINGS } from '#shared/ceilings.ts';
import type { Endpoint } from '#shared/contract/endpoint.ts';
import { endpointUrl } from '#shared/contract/client.ts';
import { WEBHOOK_PATH } from '#shared/constants.ts';
import { ENDPOINTS } from '#shared/contract/index.ts';
import { statusOf } from '#shared/errors.ts';
import { freshSession, switchOn } from '#tests/support/factor.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';

/** Any identifier: what it names does not exist, so a caller who passes the guard meets 404 or 422, never 401 or 403. */
const ID = '01890000-0000-7000-8000-000000000000';
const PASSED = new Set([200, 302, 404, 409, 410, 422, 415, 429]);

let harness: Harness;
let player: Person;
const holders = new Map<string, Person>();

beforeAll(async () => {
  harness = await openHarness();
  player = await harness.person('player');
  for (const { access } of ENDPOINTS) {
    if (access === 'open' || access === 'signed-in' || holders.has(access)) continue;
    holders.set(access, await harness.person(`p${holders.size}-holder`, { permissions: [access] }));
  }
});
afterAll(() => harness.close());

function send(
  endpoint: Endpoint,
  secret: string | null,
  headers: Record<string, string> = { Origin: 'http://127.0.0.1' },
  to: Harness = harness,
): Promise<Response> {
  const init: RequestInit = {
    method: endpoint.method,
    headers: { ...headers, ...(secret ? { Cookie: `__Host-spawnpoint=${secret}` } : {}) },
  };
  if (endpoint.body) {
    init.body = '{}';
    (init.headers as Record<string, string>)['Content-Type'] = 'application/json';
  }
  const params = Object.fromEntries([...endpoint.path.matchAll(/:(\w+)/g)].map(([, name]) => [name ?? '', ID]));
  return to.http(endpointUrl(endpoint, { params }), init);
}
const codeOf = async (response: Response) => {
  // A stream that was let through is not read to its end.
  if ((response.headers.get('content-type') ?? '').startsWith('text/event-stream')) {
    await response.body?.cancel();
    return null;
  }
  return (response.headers.get('content-type') ?? '').includes('json')
    ? ((await response.json()) as { error_code: string | null }).error_code
    : null;
};

describe('every endpoint', () => {
  test('there are endpoints', () => expect(ENDPOINTS.length).toBeGreaterThan(50));

  test.each(ENDPOINTS.filter((each) => each.access !== 'open').map((each) => [each.name, each] as const))(
    '%s refuses a guest',
    async (_, endpoint) => {
      const response = await send(endpoint, null);
      expect(response.status).toBe(401);
      expect(await codeOf(response)).toBe('UNAUTHENTICATED');
    },
  );

  test.each(ENDPOINTS.filter((each) => each.access.startsWith('admin.')).map((each) => [each.name, each] as const))(
    '%s refuses a plain user',
    async (_, endpoint) => {
      const response = await send(endpoint, player.secret);
      expect(response.status).toBe(403);
      expect(await codeOf(response)).toBe('FORBIDDEN');
    },
  );

  test.each(
    ENDPOINTS.filter((each) => each.access !== 'open' && each.name !== 'account.endOtherSessions').map(
      (each) => [each.name, each] as const,
    ),
  )('%s lets the exact permission in', async (_, endpoint) => {
    const person = holders.get(endpoint.access) ?? player;
    const response = await send(endpoint, person.secret);
    const code = await codeOf(response);
    expect({ status: response.status, passed: PASSED.has(response.status) }).toEqual({
      status: response.status,
      passed: true,
    });
    if (code) expect([200, statusOf(code as Parameters<typeof statusOf>[0])]).toContain(response.status);
  });

  test.each(ENDPOINTS.filter((each) => each.method !== 'GET' && !each.hook).map((each) => [each.name, each] as const))(
    'T37 %s refuses a foreign origin',
    async (_, endpoint) => {
      const person = holders.get(endpoint.access) ?? player;
      for (const headers of [
        { Origin: 'https://elsewhere.example' },
        { Origin: 'null' },
        { 'Sec-Fetch-Site': 'cross-site' },
        {} as Record<string, string>,
      ]) {
        const response = await send(endpoint, person.secret, headers);
        expect(response.status).toBe(403);
        expect(await codeOf(response)).toBe('ORIGIN_REFUSED');
      }
    },
  );

  test('T37 only what proves itself is let in without an origin: notices of other services, each under the one path and with its raw body', () => {
    const hooks = ENDPOINTS.filter((each) => each.hook);
    expect(hooks).toEqual(ENDPOINTS.filter((each) => each.path.startsWith(WEBHOOK_PATH)));
    for (const { access, upload, errors } of hooks)
      expect([access, upload !== undefined, errors.includes('SIGNATURE_INVALID')]).toEqual(['open', true, true]);
  });

  test('T37 nothing changes by GET', () => {
    expect(
      ENDPOINTS.filter((each) => each.method === 'GET' && (each.body || each.idempotent)).map((each) => each.name),
    ).toEqual([]);
  });

  test.each(ENDPOINTS.filter((each) => each.body).map((each) => [each.name, each] as const))(
    '%s refuses bodies that are no JSON object',
    async (_, endpoint) => {
      const person = holders.get(endpoint.access) ?? player;
      const path = endpointUrl(endpoint, { params: { id: ID } });
      const cookie = { Cookie: `__Host-spawnpoint=${person.secret}`, Origin: 'http://127.0.0.1' };
      const cases: [string, string, number[]][] = [
        ['text/plain', '{}', [415, 404, 429]],
        ['application/x-www-form-urlencoded', 'a=1', [415, 404, 429]],
        ['application/json', '{', [400, 404, 429]],
        ['application/json', '[]', [400, 404, 429]],
        ['application/json', '"x"', [400, 404, 429]],
        ['application/json', `{"x":"${'a'.repeat(CEILINGS.command + 1)}"}`, [413, 404, 429]],
      ];
      for (const [type, body, allowed] of cases) {
        const response = await harness.http(path, {
          method: endpoint.method,
          headers: { ...cookie, 'Content-Type': type },
          body,
        });
        expect(allowed).toContain(response.status);
      }
    },
  );
});

/**
 * What an endpoint answers, without what differs from request to request. From an address of its own, so that rate
 * limits stay out of the way.
 */
let asked = 0;
async function answerOf(to: Harness, endpoint: Endpoint, secret: string | null) {
  const address = `203.0.${(asked += 1) >> 8}.${asked & 255}`;
  const response = await send(endpoint, secret, { Origin: 'http://127.0.0.1', 'X-Forwarded-For': address }, to);
  if ((response.headers.get('content-type') ?? '').startsWith('text/event-stream')) {
    await response.body?.cancel();
    return { status: response.status, body: 'a stream' };
  }
  return { status: response.status, body: (await response.text()).replace(/"request_id":"[^"]*"/, '') };
}
const refusedWith = (code: string) => ({ status: 403, body: expect.stringContaining(`"error_code":"${code}"`) });

describe('T30 a session that waits for its second factor', () => {
  let own: Harness;
  let owner: Person;
  beforeAll(async () => {
    own = await openHarness();
    // Whoever may do everything: nothing but the factor stands in the way.
    owner = await own.person('owner', { permissions: ['admin.root'] });
    await switchOn(own, owner);
  });
  afterAll(() => own.close());

  test('only these are open to it', () => {
    expect(
      ENDPOINTS.filter((each) => each.waiting)
        .map((each) => each.name)
        .sort(),
    ).toEqual(['auth.logout', 'session.get', 'twoFactor.verify', 'twoFactor.waiting']);
  });

  test.each(ENDPOINTS.filter((each) => each.access !== 'open').map((each) => [each.name, each] as const))(
    'T30 %s is shut',
    async (_, endpoint) => {
      expect(await answerOf(own, endpoint, await freshSession(own, owner))).toEqual(refusedWith('TW0_FA_BLOCKED'));
    },
  );

  test.each(
    ENDPOINTS.filter((each) => each.access === 'open' && !each.waiting).map((each) => [each.name, each] as const),
  )('T30 %s answers as to a guest', async (_, endpoint) => {
    expect(await answerOf(own, endpoint, await freshSession(own, owner))).toEqual(await answerOf(own, endpoint, null));
  });

  test.each(ENDPOINTS.filter((each) => each.waiting).map((each) => [each.name, each] as const))(
    'T30 %s lets it through',
    async (_, endpoint) => {
      const answer = await answerOf(own, endpoint, await freshSession(own, owner));
      const expected = {
        'session.get': [200, 'TW0_FA_BLOCKED'],
        'auth.logout': [200, '"success":true'],
        'twoFactor.waiting': [200, '"waiting":true'],
        'twoFactor.verify': [422, '"code"'],
      }[endpoint.name];
      expect([answer.status, answer.body]).toEqual([expected?.[0], expect.stringContaining(String(expected?.[1]))]);
    },
  );
});

describe('T30 a session of who has to set up a second factor first', () => {
  let own: Harness;
  let owner: Person;
  beforeAll(async () => {
    own = await openHarness();
    owner = await own.person('owner', { permissions: ['admin.root'] });
    await own.set({ force_2fa: 'staff' });
  });
  afterAll(() => own.close());
  const inTheWay = (endpoint: Endpoint) => endpoint.access !== 'open' && !endpoint.settingUp;

  test('only the set-up is open to it', () => {
    expect(
      ENDPOINTS.filter((each) => each.settingUp)
        .map((each) => each.name)
        .sort(),
    ).toEqual(['auth.resend', 'twoFactor.begin', 'twoFactor.confirm', 'twoFactor.get', 'twoFactor.kill']);
  });

  test.each(ENDPOINTS.filter(inTheWay).map((each) => [each.name, each] as const))(
    'T30 %s is shut',
    async (_, endpoint) => {
      expect(await answerOf(own, endpoint, owner.secret)).toEqual(refusedWith('TWO_FACTOR_REQUIRED'));
    },
  );

  test.each(ENDPOINTS.filter((each) => !inTheWay(each)).map((each) => [each.name, each] as const))(
    'T30 %s is not',
    async (_, endpoint) => {
      const answer = await answerOf(own, endpoint, await freshSession(own, owner));
      expect(answer.body).not.toContain('TWO_FACTOR_REQUIRED');
      // What takes raw bytes is sent none here, and says so first.
      expect([200, 302, 404, 409, 410, 422, ...(endpoint.upload ? [415] : [])]).toContain(answer.status);
    },
  );
});

describe('the API as a whole', () => {
  test('unknown paths, wrong methods and the document', async () => {
    expect((await harness.http('/api/nothing')).status).toBe(404);
    expect((await harness.http('/api/auth/login')).status).toBe(405);
    const document = (await (await harness.http('/api/openapi.json')).json()) as {
      openapi: string;
      paths: Record<string, object>;
    };
    expect(document.openapi).toBe('3.1.0');
    expect(Object.values(document.paths).flatMap((path) => Object.keys(path)).length).toBe(ENDPOINTS.length);
  });
  test('T52 per_page is bounded', async () => {
    const response = await harness.http('/api/account/statement?per_page=100000', {
      headers: { Cookie: `__Host-spawnpoint=${player.secret}` },
    });
    expect(response.status).toBe(422);
  });
  test('a bad idempotency key is refused', async () => {
    // Somebody new: the tests above used up what the player may redeem in a while.
    const person = await harness.person('keyless');
    const response = await harness.http('/api/earn/redeem', {
      method: 'POST',
      headers: {
        Cookie: `__Host-spawnpoint=${person.secret}`,
        Origin: 'http://127.0.0.1',
        'Content-Type': 'application/json',
        'Idempotency-Key': 'x',
      },
      body: '{"code":"A"}',
    });
    expect(response.status).toBe(400);
  });
});

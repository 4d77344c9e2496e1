import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { CEILINGS } from '#shared/ceilings.ts';
import type { Endpoint } from '#shared/contract/endpoint.ts';
import { endpointUrl } from '#shared/contract/client.ts';
import { ENDPOINTS } from '#shared/contract/index.ts';
import { statusOf } from '#shared/errors.ts';
import { PERMISSIONS, type Permission } from '#shared/permissions.ts';
import { ROWS, type Row } from '#tests/specification/access.ts';
import { freshSession, switchOn } from '#tests/support/factor.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';

/** Any identifier: what it names does not exist, so a caller who passes the guard meets 404 or 422, never 401 or 403. */
const ID = '01890000-0000-7000-8000-000000000000';
// 424: past the guard, what is asked (the node of this machine) is not there.
const PASSED = new Set([200, 302, 404, 409, 410, 415, 422, 424, 429]);

/**
 * What is asked for is taken from the list that was typed by hand, never from the contract: a permission that is
 * loosened there lets somebody in here.
 */
type Each = readonly [name: string, endpoint: Endpoint, row: Row];
const EACH: readonly Each[] = ROWS.map((row) => {
  const found = ENDPOINTS.find(({ method, path }) => method === row.method && path === row.path);
  if (!found) throw new Error(`${row.method} ${row.path} is written down, but not there`);
  return [found.name, found, row];
});
const rows = (wanted: (row: Row) => boolean): readonly Each[] => EACH.filter(([, , row]) => wanted(row));
const isShut = ({ access }: Row) => access !== 'open';
const isStaff = ({ access }: Row) => access.startsWith('admin.');
const has = (guard: string) => (row: Row) => row.guards.includes(guard);
const hasNot = (guard: string) => (row: Row) => !row.guards.includes(guard);

let harness: Harness;
let player: Person;
/** Who holds one permission and nothing else, and who holds every other one; by permission. */
const holders = new Map<string, Person>();
const others = new Map<string, Person>();

beforeAll(async () => {
  harness = await openHarness();
  player = await harness.person('player');
  const all = PERMISSIONS.map(({ value }) => value).filter((value) => value !== 'admin.root');
  for (const access of new Set(ROWS.filter(isStaff).map((row) => row.access as Permission))) {
    holders.set(access, await harness.person(`p${holders.size}-holder`, { permissions: [access] }));
    const rest = all.filter((value) => value !== access);
    others.set(access, await harness.person(`p${others.size}-other`, { permissions: rest }));
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
  test('S12 the list typed by hand names them all', () => {
    expect(EACH.length).toBe(ENDPOINTS.length);
    expect(EACH.length).toBeGreaterThan(150);
  });

  test.each(rows(isShut))('%s refuses a guest', async (_, endpoint) => {
    const response = await send(endpoint, null);
    expect(response.status).toBe(401);
    expect(await codeOf(response)).toBe('UNAUTHENTICATED');
  });

  test.each(rows(isStaff))('%s refuses a plain user', async (_, endpoint) => {
    const response = await send(endpoint, player.secret);
    expect(response.status).toBe(403);
    expect(await codeOf(response)).toBe('FORBIDDEN');
  });

  test.each(rows(isStaff))('S12 %s refuses who may do everything else', async (_, endpoint, { access }) => {
    const response = await send(endpoint, others.get(access)?.secret ?? null);
    expect(response.status).toBe(403);
    expect(await codeOf(response)).toBe('FORBIDDEN');
  });

  test.each(rows(isShut).filter(([name]) => name !== 'account.endOtherSessions'))(
    '%s lets the exact permission in',
    async (_, endpoint, { access }) => {
      const person = holders.get(access) ?? player;
      const response = await send(endpoint, person.secret);
      const code = await codeOf(response);
      expect({ status: response.status, passed: PASSED.has(response.status) }).toEqual({
        status: response.status,
        passed: true,
      });
      if (code) expect([200, statusOf(code as Parameters<typeof statusOf>[0])]).toContain(response.status);
    },
  );

  test.each(rows((row) => row.method !== 'GET' && hasNot('hook')(row)))(
    'T37 %s refuses a foreign origin',
    async (_, endpoint, { access }) => {
      const person = holders.get(access) ?? player;
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

  test('T37 what is let in without an origin may answer that its signature is wrong', () => {
    const hooks = rows(has('hook'));
    expect(hooks.length).toBeGreaterThan(1);
    for (const [, { errors }] of hooks) expect(errors).toContain('SIGNATURE_INVALID');
  });

  test('T37 nothing that is asked for by GET has a body', () => {
    expect(ENDPOINTS.filter((each) => each.method === 'GET' && each.body).map((each) => each.name)).toEqual([]);
  });

  test.each(EACH.filter(([, { body }]) => body))(
    '%s refuses bodies that are no JSON object',
    async (_, endpoint, { access }) => {
      const person = holders.get(access) ?? player;
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
  const body = (await response.text()).replace(/"(?:request_id|challenge)":"[^"]*"/g, '');
  return { status: response.status, body };
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

  test.each(rows(isShut))('T30 %s is shut to a session that waits', async (_, endpoint) => {
    expect(await answerOf(own, endpoint, await freshSession(own, owner))).toEqual(refusedWith('TW0_FA_BLOCKED'));
  });

  test.each(rows((row) => !isShut(row) && hasNot('waiting')(row)))(
    'T30 %s answers a session that waits as a guest',
    async (_, endpoint) => {
      expect(await answerOf(own, endpoint, await freshSession(own, owner))).toEqual(
        await answerOf(own, endpoint, null),
      );
    },
  );

  test.each(rows(has('waiting')))('T30 %s lets a session that waits through', async (name, endpoint) => {
    const answer = await answerOf(own, endpoint, await freshSession(own, owner));
    const expected = {
      'session.get': [200, 'TW0_FA_BLOCKED'],
      'auth.logout': [200, '"success":true'],
      'twoFactor.waiting': [200, '"waiting":true'],
      'twoFactor.verify': [422, '"code"'],
      'passkeys.startFactor': [404, 'PASSKEY_UNKNOWN'],
      'passkeys.passFactor': [422, '"signature"'],
    }[name];
    expect([answer.status, answer.body]).toEqual([expected?.[0], expect.stringContaining(String(expected?.[1]))]);
  });
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
  const inTheWay = (row: Row) => isShut(row) && hasNot('settingUp')(row);

  test.each(rows(inTheWay))('T30 %s is shut to a session that has to set it up', async (_, endpoint) => {
    expect(await answerOf(own, endpoint, await freshSession(own, owner))).toEqual(refusedWith('TWO_FACTOR_REQUIRED'));
  });

  test.each(rows((row) => !inTheWay(row)))('T30 %s is not shut to one who sets it up', async (_, endpoint) => {
    const answer = await answerOf(own, endpoint, await freshSession(own, owner));
    expect(answer.body).not.toContain('TWO_FACTOR_REQUIRED');
    // What takes raw bytes is sent none here, and says so first.
    expect([200, 302, 404, 409, 410, 422, ...(endpoint.upload ? [415] : [])]).toContain(answer.status);
  });
});

describe('the API as a whole', () => {
  test('unknown paths, wrong methods and the document have their answers', async () => {
    expect((await harness.http('/api/nothing')).status).toBe(404);
    expect((await harness.http('/api/auth/login')).status).toBe(405);
    const document = (await (await harness.http('/api/openapi.json')).json()) as {
      openapi: string;
      paths: Record<string, object>;
    };
    expect(document.openapi).toBe('3.1.0');
    expect(Object.values(document.paths).flatMap((path) => Object.keys(path)).length).toBe(ENDPOINTS.length);
  });
  test('T52 the parameter per_page is bounded', async () => {
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

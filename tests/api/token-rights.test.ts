import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { endpointUrl } from '#shared/contract/client.ts';
import { ENDPOINTS } from '#shared/contract/index.ts';
import { TOKEN_SCOPES, type TokenScope } from '#shared/token-scopes.ts';
import { ROWS, type Row } from '#tests/specification/access.ts';
import { tokenScopeOf, WRITTEN } from '#tests/specification/token-access.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';

// Shows behaviour 3.12: every endpoint is called with tokens of the scope it takes, of all others, and of all.

const ID = '01890000-0000-7000-8000-000000000000';
const PASSED = new Set([200, 404, 409, 410, 415, 422, 424]);
type Each = readonly [name: string, row: Row, scope: string | null];
const EACH: readonly Each[] = ROWS.map((row) => [`${row.method} ${row.path}`, row, tokenScopeOf(row)]);
const isStaff = ({ access }: Row) => access.startsWith('admin.');
/** Scopes without the one, and without what includes it. */
const without = (scope: string) =>
  TOKEN_SCOPES.filter(
    (each) => each !== scope && !(scope.endsWith(':read') && each === scope.replace(/read$/, 'write')),
  );

let h: Harness;
/** By scope: a token of it alone, and one of all others. Each pair has an owner of its own, for the sake of limits. */
const alone = new Map<string, string>();
const others = new Map<string, string>();
let whole: string;
let stripped: string;

beforeAll(async () => {
  h = await openHarness();
  const create = async (who: Person, scopes: readonly TokenScope[]) =>
    (
      await h.host.services.apiTokens.operator.create(who.username, {
        name: 'Bot',
        scopes: [...scopes],
        expires_in_days: null,
        addresses: '',
      })
    ).token;
  for (const [at, scope] of TOKEN_SCOPES.entries()) {
    const owner = await h.person(`owner${at}`, { permissions: ['admin.root'] });
    alone.set(scope, await create(owner, [scope]));
    others.set(scope, await create(owner, without(scope)));
  }
  whole = await create(await h.person('whole', { permissions: ['admin.root'] }), TOKEN_SCOPES);
  const fallen = await h.person('fallen', { permissions: ['admin.root'] });
  stripped = await create(fallen, TOKEN_SCOPES);
  await h.db.sql("UPDATE users SET role_id = (SELECT id FROM roles WHERE key = 'member') WHERE id = ?", [fallen.id]);
  h.db.bus.publish([`account:${fallen.id}`]);
});
afterAll(() => h.close());

async function answerOf(row: Row, token: string | null) {
  const endpoint = ENDPOINTS.find(({ method, path }) => method === row.method && path === row.path);
  if (!endpoint) throw new Error(`${row.method} ${row.path} is not there`);
  const params = Object.fromEntries([...row.path.matchAll(/:(\w+)/g)].map(([, name]) => [name ?? '', ID]));
  const response = await h.http(endpointUrl(endpoint, { params }), {
    method: row.method,
    headers: {
      // A token is no cookie: no origin is asked for. A guest says that the page is ours.
      ...(token === null ? { Origin: 'http://127.0.0.1' } : { Authorization: `Bearer ${token}` }),
      ...(endpoint.body ? { 'Content-Type': 'application/json' } : {}),
    },
    ...(endpoint.body ? { body: '{}' } : {}),
  });
  const body = (await response.text()).replace(/"request_id":"[^"]*"/, '');
  return { status: response.status, code: /"error_code":"(\w+)"/.exec(body)?.[1] ?? null };
}
const REFUSED = { status: 403, code: 'TOKEN_SCOPE_MISSING' };

describe('T35 T40 what tokens may call', () => {
  test('T61 the list typed by hand names endpoints that are there, and scopes that there are', () => {
    const known = new Set(EACH.map(([name]) => name));
    expect(WRITTEN.filter((name) => !known.has(name))).toEqual([]);
    const scopes = EACH.flatMap(([, , scope]) => scope ?? []);
    expect([...new Set(scopes)].sort()).toEqual([...TOKEN_SCOPES].sort());
    expect(EACH.filter(([, , scope]) => scope === null).length).toBeGreaterThan(60);
  });

  test.each(EACH.filter(([, , scope]) => scope !== null))('T35 %s takes its scope alone', async (_, row, scope) => {
    // The session answers every refusal with 200 and its code (specification, section 7).
    const status = row.path === '/api/user/session' ? 200 : 403;
    expect(await answerOf(row, others.get(scope ?? '') ?? '')).toEqual({ ...REFUSED, status });
    const answer = await answerOf(row, alone.get(scope ?? '') ?? '');
    expect({ ...answer, passed: PASSED.has(answer.status) }).toEqual({ ...answer, passed: true });
  });

  test.each(EACH.filter(([, row, scope]) => scope === null && row.access !== 'open'))(
    'T31 T35 %s is shut to a token of every scope',
    async (_, row) => {
      expect(await answerOf(row, whole)).toEqual(REFUSED);
    },
  );

  test.each(EACH.filter(([, row, scope]) => scope === null && row.access === 'open' && !row.guards.includes('hook')))(
    '%s answers a token as a guest',
    async (_, row) => {
      expect(await answerOf(row, whole)).toEqual(await answerOf(row, null));
    },
  );

  test.each(EACH.filter(([, row, scope]) => scope !== null && isStaff(row)))(
    'T40 %s refuses the token of somebody who is staff no longer',
    async (_, row) => {
      expect(await answerOf(row, stripped)).toEqual({ status: 403, code: 'FORBIDDEN' });
    },
  );

  test('T31 no token is let into what logs in, proves, links or grants', () => {
    const shut =
      /^\/api\/(auth|account\/(password|sessions|tokens|passkeys|email|linked|deletion|export|support-pin|mails|push)|images\/key|events|webhooks)|\/api\/admin\/(permissions|roles|sso-providers|setup)|\/(role|set-role|username|email|ways-in|two-factor|view-as|account-code)$/;
    const grants =
      /^(\w+ \/api\/admin\/plugin-uploads(\/.*)?|DELETE \/api\/admin\/plugins\/:identifier|PUT \/api\/admin\/discord-roles)$/;
    const earns = ({ path, method }: Row) => path.startsWith('/api/earn') && method !== 'GET';
    const found = EACH.filter(([name, row]) => shut.test(row.path) || grants.test(name) || earns(row));
    expect(EACH.filter(([name]) => grants.test(name)).length).toBe(6);
    expect(found.filter(([, , scope]) => scope !== null).map(([name]) => name)).toEqual([]);
    expect(found.length).toBeGreaterThan(90);
  });
});

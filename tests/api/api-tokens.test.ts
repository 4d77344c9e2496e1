import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { composeWeb } from '#server/compose/web.ts';
import { readConfig } from '#server/env.ts';
import type { HttpApp } from '#server/http/app.ts';
import { createLog } from '#server/http/log.ts';
import { LIMITS } from '#shared/limits.ts';
import { TOKEN_SCOPES } from '#shared/token-scopes.ts';
import { call } from '#tests/support/call.ts';
import { switchOn } from '#tests/support/factor.ts';
import { openHarness, PASSWORD, type Harness, type Person } from '#tests/support/harness.ts';

// Shows behaviour 3.12, over HTTP.

let h: Harness;
let ann: Person;
beforeEach(async () => {
  h = await openHarness();
  ann = await h.person('ann', { credits: 70 });
});
afterEach(() => h.close());

const BODY = { name: 'Bot', scopes: ['account:read'], expires_in_days: 90, addresses: '' };
async function create(over: object = {}, who = ann): Promise<string> {
  const { status, json } = await call(h, who, 'POST', '/api/account/tokens', { ...BODY, ...over });
  expect([status, json.error_code]).toEqual([200, null]);
  return String(json.token);
}
/** A call with a token, as a script makes it: no cookie, no origin. */
async function send(token: string, path: string, init: RequestInit = {}) {
  const headers = { ...(init.headers as Record<string, string> | undefined), Authorization: `Bearer ${token}` };
  const response = await h.http(path, { ...init, headers });
  const text = await response.text();
  const json = (text.startsWith('{') ? JSON.parse(text) : {}) as Record<string, unknown>;
  return { status: response.status, code: json.error_code, json, cookies: response.headers.getSetCookie() };
}

describe('making tokens', () => {
  test('T35 the answer that shows a token is kept nowhere and compressed by nobody, and the list never shows it again', async () => {
    const response = await h.http('/api/account/tokens', {
      method: 'POST',
      headers: {
        Cookie: `__Host-spawnpoint=${ann.secret}`,
        Origin: 'http://127.0.0.1',
        'Content-Type': 'application/json',
      },
      body: JSON.stringify(BODY),
    });
    expect(response.headers.get('cache-control')).toMatch(/no-store.*no-transform/);
    const { token } = (await response.json()) as { token: string };
    const { json } = await call(h, ann, 'GET', '/api/account/tokens');
    expect(JSON.stringify(json)).not.toContain(token.slice(8, 40));
    expect(json).toMatchObject({
      tokens: [{ name: 'Bot', tail: token.slice(-4), scopes: ['account:read'], expired: false, used_at: null }],
      grantable: TOKEN_SCOPES.filter((scope) => !scope.startsWith('admin.')),
    });
  });

  test('T4 T40 T60 what is no name, scope, time or address is refused at its field', async () => {
    const cases: [object, string][] = [
      [{ name: '' }, 'name'],
      [{ name: 'a\nb' }, 'name'],
      [{ scopes: [] }, 'scopes'],
      [{ scopes: ['admin.root:write'] }, 'scopes.0'],
      [{ scopes: ['admin.users:write'] }, 'scopes'],
      [{ scopes: 'account:read' }, 'scopes'],
      [{ expires_in_days: 0 }, 'expires_in_days'],
      [{ expires_in_days: 1.5 }, 'expires_in_days'],
      [{ expires_in_days: '30' }, 'expires_in_days'],
      [{ addresses: 'everywhere' }, 'addresses'],
      [{ permissions: ['admin.root'] }, 'permissions'],
      [JSON.parse('{"__proto__":{"a":1},"constructor":1}') as object, '__proto__'],
    ];
    for (const [over, field] of cases) {
      const { status, json } = await call(h, ann, 'POST', '/api/account/tokens', { ...BODY, ...over });
      expect([status, Object.keys(json.fields as object)]).toEqual([422, expect.arrayContaining([field])]);
    }
    expect(await h.db.sql('SELECT id FROM api_tokens')).toEqual([]);
  });
});

describe('calling with a token', () => {
  test('T37 a token comes by its header alone: as a cookie it opens nothing', async () => {
    const token = await create({ scopes: ['account:read', 'servers:write'] });
    expect(await send(token, '/api/account')).toMatchObject({ status: 200, json: { username: 'ann' } });
    const cookie = { Cookie: `__Host-spawnpoint=${token}`, Origin: 'http://127.0.0.1' };
    expect((await h.http('/api/account', { headers: cookie })).status).toBe(401);
    // By the header no origin is asked for, because no browser sends it by itself.
    const renew = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' };
    expect((await send(token, '/api/servers/renew-due', renew)).status).not.toBe(403);
  });

  test('T40 the session answer has the rights of the token alone, and no cookie comes with it', async () => {
    const staff = await h.person('staff', { permissions: ['admin.users.list', 'admin.servers.list'] });
    const token = await create({ scopes: ['account:read', 'admin.users:read'] }, staff);
    const poll = await send(token, '/api/user/session');
    expect(poll).toMatchObject({
      status: 200,
      json: { success: true, permissions: ['admin.users.list'] },
      cookies: [],
    });
    const { json } = await call(h, staff, 'GET', '/api/user/session');
    expect(json.permissions).toEqual(['admin.servers.list', 'admin.users.list']);
    await h.db.sql("DELETE FROM role_permissions WHERE permission = 'admin.users.list'");
    h.db.bus.publish(['roles']);
    expect(await send(token, '/api/user/session')).toMatchObject({ json: { permissions: [] } });
    await call(h, staff, 'DELETE', '/api/account/tokens');
    expect(await send(token, '/api/user/session')).toMatchObject({ status: 200, code: 'SESSION_EXPIRED', cookies: [] });
  });

  test('T59 an answer that shows more to some rights shows a token what its areas name', async () => {
    const owner = await h.person('owner', { permissions: ['admin.root'] });
    await call(h, owner, 'POST', `/api/admin/users/${ann.id}/adjust`, {
      direction: 'in',
      amount: 5,
      reason: 'Because',
    });
    const seen = async (...scopes: string[]) =>
      JSON.stringify((await send(await create({ scopes }, owner), '/api/admin/overview/activity')).json);
    expect(await seen('admin.dashboard:read', 'admin.users:read')).toContain('users.adjust');
    expect(await seen('admin.dashboard:read')).not.toContain('users.adjust');
  });

  test('T40 a token of an owner is no owner: what takes admin.root is refused', async () => {
    const owner = await h.person('owner', { permissions: ['admin.root'] });
    await h.set({ staff_amount_max: 1000 });
    const token = await create({ scopes: ['admin.users:write'] }, owner);
    const adjust = (amount: number) =>
      send(token, `/api/admin/users/${ann.id}/adjust`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ direction: 'in', amount, reason: 'A reason' }),
      });
    expect(await adjust(1001)).toMatchObject({ status: 403, code: 'APPROVAL_REQUIRED' });
    await h.db.sql('UPDATE roles SET rank = 50 WHERE id = (SELECT role_id FROM users WHERE id = ?)', [owner.id]);
    expect(await adjust(10)).toMatchObject({ status: 200 });
    expect(await h.balance(ann.id)).toBe(80);
  });

  test('T30 where a second factor is asked for and there is none, a token waits for it as its user does', async () => {
    const token = await create();
    await h.set({ force_2fa: 'all' });
    expect(await send(token, '/api/account')).toMatchObject({ status: 403, code: 'TWO_FACTOR_REQUIRED' });
    await switchOn(h, ann);
    expect(await send(token, '/api/account')).toMatchObject({ status: 200 });
  });

  test('T52 a token counts towards the limits of its user, and so does a second one', async () => {
    const tokens = [await create(), await create()];
    for (let at = 0; at < LIMITS.read.max; at += 1) await send(tokens[at % 2] ?? '', '/api/notifications');
    expect(await send(tokens[0] ?? '', '/api/notifications')).toMatchObject({ status: 429, code: 'RATE_LIMITED' });
    expect((await call(h, ann, 'GET', '/api/notifications')).status).toBe(429);
  });

  test('T31 T36 a new password ends every token, and a token cannot set one', async () => {
    const token = await create();
    const body = JSON.stringify({ current: PASSWORD, password: 'plough lantern seven' });
    const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body };
    expect(await send(token, '/api/account/password', init)).toMatchObject({ code: 'TOKEN_SCOPE_MISSING' });
    await call(h, ann, 'POST', '/api/account/password', { current: PASSWORD, password: 'plough lantern seven' });
    expect(await send(token, '/api/account')).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
  });

  test('T54 T60 what only looks like a token is a guest’s call, and never a fault of ours', async () => {
    for (const wrong of [
      `sp_live_${'A'.repeat(43)}`,
      'sp_live_',
      `sp_live_${'A'.repeat(42)}`,
      'sp_live_%00',
      'x'.repeat(300),
    ])
      expect((await send(wrong, '/api/account')).status).toBe(401);
    expect(h.errors).toEqual([]);
  });

  test('T1 two scripts change what both have read, and one is refused by the ETag of what it read', async () => {
    const owner = await h.person('owner', { permissions: ['admin.root'] });
    const token = await create({ scopes: ['admin.departments:write'] }, owner);
    const json = { 'Content-Type': 'application/json' };
    const row = { name: 'Billing', description: '', position: 1, enabled: true, hours: '' };
    const made = await send(token, '/api/admin/departments', {
      method: 'POST',
      headers: json,
      body: JSON.stringify(row),
    });
    expect(made).toMatchObject({ status: 200 });
    const path = `/api/admin/departments/${String(made.json.id)}`;
    const read = await h.http(path, { headers: { Authorization: `Bearer ${token}` } });
    const etag = read.headers.get('etag') ?? '';
    expect(etag).toMatch(/^(?:W\/)?"[^"]+"$/);
    const change = (name: string) =>
      send(token, path, {
        method: 'PATCH',
        headers: { ...json, 'If-Match': etag },
        body: JSON.stringify({ ...row, name }),
      });
    expect(
      (await Promise.all([change('One'), change('Other')])).map(({ status, code }) => [status, code]).toSorted(),
    ).toEqual([
      [200, null],
      [409, 'CONFLICT'],
    ]);
  });

  test('the document says which scope opens an endpoint to a token', async () => {
    const { paths } = (await (await h.http('/api/openapi.json')).json()) as {
      paths: Record<string, Record<string, { 'x-token-scope'?: string }>>;
    };
    expect(paths['/api/servers']?.post?.['x-token-scope']).toBe('servers:write');
    expect(paths['/api/account/password']?.post).not.toHaveProperty('x-token-scope');
  });
});

describe('around a token', () => {
  const open = async (over: object): Promise<{ ask: (token: string) => Promise<Response>; lines: () => string }> => {
    let written = '';
    const log = createLog('debug', h.clock.now, (text) => void (written += text));
    const handle: HttpApp = await composeWeb({
      config: readConfig({}),
      transport: h.transport,
      clock: h.clock,
      ids: h.host.services.ids,
      log,
      local: true,
      pages: false,
      ...over,
    });
    const ask = (token: string) =>
      handle(new Request('http://127.0.0.1/api/account', { headers: { Authorization: `Bearer ${token}` } }), {
        requestIP: () => ({ address: '127.0.0.1' }),
        timeout: () => undefined,
      });
    return { ask, lines: () => (log.flush(), written) };
  };

  test('T50 no line of the log has a token, whether it is good or not', async () => {
    const token = await create();
    const { ask, lines } = await open({});
    expect([(await ask(token)).status, (await ask(`sp_live_${'Q'.repeat(43)}`)).status]).toEqual([200, 401]);
    expect(lines()).toContain('/api/account');
    expect(lines()).not.toMatch(/sp_live_|Q{20}/);
    expect(lines()).not.toContain(token.slice(8));
  });

  test('a hosting API alone takes tokens as well, which its backend-for-frontend passes on', async () => {
    const { ask } = await open({ apiOnly: true });
    expect((await ask(await create())).status).toBe(200);
  });
});

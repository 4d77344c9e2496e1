import { afterEach, beforeEach, expect, test } from 'bun:test';
import { ApiError } from '#shared/contract/client.ts';
import { CLIENT } from '#tests/support/sso/oidc.ts';
import { openSigningIn, type SigningIn } from '#tests/support/sso/signing-in.ts';

// Shows behaviour 3.6: staff test a provider before anybody depends on it.

let h: SigningIn;
beforeEach(async () => {
  h = await openSigningIn();
});
afterEach(() => h.close());

const faultOf = async (id = h.provider) => (await h.staff.api.adminSsoTest.test({ params: { id } })).fault;

test('T57 a test asks the stored issuer about itself each time, and sends nothing of the application but asking', async () => {
  h.oidc.asked.length = 0;
  expect([await faultOf(), await faultOf()]).toEqual([null, null]);
  expect(h.oidc.asked.map(({ method, url }) => `${method} ${url.pathname}`)).toEqual([
    'GET /.well-known/openid-configuration',
    'GET /.well-known/openid-configuration',
  ]);
  expect(JSON.stringify(h.oidc.asked)).not.toContain(CLIENT.secret);
});

test('each fault of a service has its word, and what it is called', async () => {
  h.oidc.faults.push({ kind: 'status', status: 404 }, { kind: 'body', body: '<h1>Hello</h1>' });
  expect([await faultOf(), await faultOf()]).toMatchObject([{ fault: 'answer' }, { fault: 'answer' }]);
  h.oidc.other.discovery = { authorization_endpoint: 'javascript:alert(1)' };
  expect(await faultOf()).toEqual({ fault: 'answer', cause: 'CONSENT_PAGE_UNUSABLE' });
  h.oidc.other.discovery = { issuer: 'https://other.example' };
  expect(await faultOf()).toMatchObject({ fault: 'issuer' });
  h.oidc.other.discovery = {};
  h.oidc.faults.push({ kind: 'lost' });
  const lost = await faultOf();
  expect([lost?.fault, lost?.cause]).toEqual(['unreachable', expect.stringMatching(/^[A-Z]\w+$/)]);
  expect(await faultOf()).toBeNull();
});

test('a service that is off is tested as well, and one whose secret cannot be read has no application', async () => {
  await h.db.sql('UPDATE sso_providers SET enabled = 0 WHERE id = ?', [h.provider]);
  expect(await faultOf()).toBeNull();
  await h.db.sql("UPDATE sso_providers SET secret = 'unreadable' WHERE id = ?", [h.provider]);
  h.oidc.asked.length = 0;
  expect(await faultOf()).toEqual({ fault: 'application', cause: null });
  expect(h.oidc.asked).toEqual([]);
});

test('T61 only staff who may edit services test one, and only one that is there', async () => {
  const reader = await h.person('reader', { permissions: ['admin.sso.providers.list'] });
  const refusal = (call: Promise<unknown>) =>
    call.catch((error: unknown) => (error instanceof ApiError ? error.code : error));
  expect(await refusal(reader.api.adminSsoTest.test({ params: { id: h.provider } }))).toBe('FORBIDDEN');
  expect(await refusal(faultOf('01890000-0000-7000-8000-000000000000'))).toBe('NOT_FOUND');
});

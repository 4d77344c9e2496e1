import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { MINUTE } from '#shared/time.ts';
import { codeOf } from '#tests/support/coins.ts';
import { confirmWho } from '#tests/support/harness.ts';
import { CLIENT, type OidcPerson, type TokenFault } from '#tests/support/sso/oidc.ts';
import { bodyOf, openSigningIn, type SigningIn } from '#tests/support/sso/signing-in.ts';

// Shows behaviour 3.6.

let h: SigningIn;
let vlad: OidcPerson;
beforeEach(async () => {
  h = await openSigningIn();
  vlad = h.oidc.person('vlad', { name: 'Vlad Munteanu', preferred_username: 'vlad' });
});
afterEach(() => h.close());

const countLinks = async () => (await h.db.sql('SELECT id FROM linked_identities')).length;

describe('T33 what comes back', () => {
  const refusal = async (browser = h.visitor(), change: Record<string, string> = {}) => {
    const back = bodyOf(h.oidc.consent(await h.start(browser), vlad));
    return (await h.finish(browser, { ...back, ...change })).code;
  };

  test('T33 a way back is good once, in the browser that began it, until it ends', async () => {
    const [browser, other] = [h.visitor(), h.visitor()];
    const back = bodyOf(h.oidc.consent(await h.start(browser), vlad));
    // Login CSRF: somebody else's way back, brought to another browser.
    expect((await h.finish(other, back)).code).toBe('LINK_STATE_INVALID');
    expect((await h.finish(browser, { ...back, state: 's.undefined' })).code).toBe('LINK_STATE_INVALID');
    expect((await h.finish(browser, back)).body).toMatchObject({ next: 'register' });
    expect((await h.finish(browser, back)).code).toBe('LINK_STATE_INVALID');
    const late = bodyOf(h.oidc.consent(await h.start(browser), vlad));
    h.clock.advance(10 * MINUTE);
    expect((await h.finish(browser, late)).code).toBe('LINK_STATE_INVALID');
  });

  test('T33 a missing state or code is refused, whatever its type', async () => {
    for (const body of [
      {},
      { code: 'a' },
      { state: 'a' },
      { code: null, state: null },
      { code: ['a'], state: ['a'] },
      { code: 'a', state: '' },
      { code: 'a\n', state: 'a' },
    ])
      expect((await h.visitor().send('POST', '/api/auth/sso/finish', body)).status).toBe(422);
  });

  test('T33 a link that was begun does not end as a log-in, nor a log-in as a link', async () => {
    const ann = await h.person('ann');
    await confirmWho(ann);
    const { url } = await ann.api.linked.start({ body: { provider: h.provider } });
    const browser = h.visitor();
    await h.start(browser);
    expect((await h.finish(browser, bodyOf(h.oidc.consent(url, vlad)))).code).toBe('LINK_STATE_INVALID');
    const { code = '', state = '' } = bodyOf(h.oidc.consent(await h.start(browser), vlad));
    expect(await codeOf(ann.api.linked.finish({ body: { code, state } }))).toBe('LINK_STATE_INVALID');
  });

  test('T33 a code of somebody else does not go with the verifier', async () => {
    const stolen = bodyOf(h.oidc.consent(await h.start(h.visitor()), vlad));
    expect(await refusal(h.visitor(), { code: stolen.code ?? '' })).toBe('SSO_REFUSED');
    expect(await countLinks()).toBe(0);
  });

  test('T33 a code that the provider calls an invalid request opens nothing, and is no error line for what a stranger sends', async () => {
    const browser = h.visitor();
    const back = bodyOf(h.oidc.consent(await h.start(browser), vlad));
    h.oidc.faults.push({
      kind: 'status',
      status: 400,
      type: 'application/json',
      body: '{"error":"invalid_request"}',
    });
    expect((await h.finish(browser, { ...back, code: '%00' })).code).toBe('SSO_UNAVAILABLE');
    expect(h.errors).toEqual([]);
  });

  test('T33 an answer that names another issuer, or none where one is announced, is refused', async () => {
    expect(await refusal(h.visitor(), { iss: 'https://elsewhere.example' })).toBe('SSO_REFUSED');
    const browser = h.visitor();
    const { code = '', state = '' } = bodyOf(h.oidc.consent(await h.start(browser), vlad));
    expect((await h.finish(browser, { code, state })).code).toBe('SSO_REFUSED');
  });

  const now = () => Math.floor(Date.now() / 1000);
  const FAULTS: readonly [string, () => TokenFault, string][] = [
    ['another issuer', () => ({ claims: { iss: 'https://elsewhere.example' } }), 'SSO_REFUSED'],
    ['another audience', () => ({ claims: { aud: 'somebody-else' } }), 'SSO_REFUSED'],
    ['an authorised party that is not us', () => ({ claims: { aud: [CLIENT.id, 'x'], azp: 'x' } }), 'SSO_REFUSED'],
    ['another nonce', () => ({ claims: { nonce: 'x' } }), 'SSO_REFUSED'],
    ['no nonce', () => ({ claims: { nonce: undefined } }), 'SSO_REFUSED'],
    ['an end that is over', () => ({ claims: { exp: now() - 120, iat: now() - 300 } }), 'SSO_REFUSED'],
    ['a beginning that is to come', () => ({ claims: { nbf: now() + 300 } }), 'SSO_REFUSED'],
    ['no subject', () => ({ claims: { sub: undefined } }), 'SSO_REFUSED'],
    ['a subject that is too long', () => ({ claims: { sub: 'x'.repeat(256) } }), 'SSO_REFUSED'],
    ['no signature', () => ({ signature: 'none' }), 'SSO_REFUSED'],
    ['a signature with the public key', () => ({ signature: 'HS256' }), 'SSO_REFUSED'],
    ['the signature of a stranger', () => ({ signature: 'stranger' }), 'SSO_REFUSED'],
    ['nothing', () => ({ missing: true }), 'SSO_REFUSED'],
  ];
  test.each(FAULTS)('T33 an ID token with %s opens nothing', async (_, fault, code) => {
    h.oidc.faultToken(fault());
    const browser = h.visitor();
    expect(await refusal(browser)).toBe(code as never);
    expect((await browser.send('GET', '/api/auth/sso/registration')).body).toMatchObject({ registration: null });
  });

  test('clocks may differ by a minute', async () => {
    h.oidc.faultToken({ claims: { exp: now() - 30, iat: now() - 90 } });
    expect(await refusal()).toBeNull();
  });

  test('T33 the user-info endpoint may not speak of somebody else', async () => {
    h.oidc.tellApart('email');
    h.oidc.other.subject = 'somebody-else';
    expect(await refusal()).toBe('SSO_REFUSED');
  });

  test('keys that changed a moment ago are read again: the next log-in works', async () => {
    expect(await refusal()).toBeNull();
    h.oidc.rotateKeys();
    expect(await refusal()).toBe('SSO_UNAVAILABLE');
    expect(await refusal()).toBeNull();
  });

  test('T33 a discovery of another issuer, or without keys to check with, is no provider', async () => {
    h.oidc.other.discovery = { issuer: 'https://elsewhere.example' };
    expect((await h.visitor().send('POST', '/api/auth/sso/start', { provider: h.provider })).code).toBe(
      'SSO_UNAVAILABLE',
    );
    h.oidc.other.discovery = { authorization_endpoint: 'javascript:alert(1)' };
    expect((await h.visitor().send('POST', '/api/auth/sso/start', { provider: h.provider })).code).toBe(
      'SSO_UNAVAILABLE',
    );
    h.oidc.other.discovery = {};
    expect(await refusal()).toBeNull();
  });
});

describe('a provider that does not answer', () => {
  test.each([
    ['answers with an error page', { kind: 'status', status: 502 }],
    ['loses its answer', { kind: 'lost' }],
    ['never answers', { kind: 'hang' }],
    ['answers with no JSON', { kind: 'body', body: '<html>' }],
    ['answers without end', { kind: 'body', body: `{"a":"${'x'.repeat(600_000)}"}` }],
    ['sends us on', { kind: 'status', status: 302 }],
  ] as const)('one that %s to the code opens nothing, and the next log-in works', async (_, fault) => {
    const browser = h.visitor();
    const back = bodyOf(h.oidc.consent(await h.start(browser), vlad));
    // Only who waits for nothing waits briefly: the others answer, on a busy machine late.
    if (fault.kind === 'hang') await h.set({ sso_timeout_ms: 300 });
    h.oidc.faults.push(fault);
    const answer = await h.finish(browser, back);
    expect([answer.status, answer.code]).toEqual([424, 'SSO_UNAVAILABLE']);
    expect(answer.headers.get('retry-after')).toBe('10');
    await h.set({ sso_timeout_ms: 30_000 });
    expect((await h.finish(browser, back)).code).toBe('LINK_STATE_INVALID');
    expect((await h.signIn(browser, vlad)).body).toMatchObject({ next: 'register' });
  });

  test('one that is down begins nothing, and one that was reached before is still known', async () => {
    h.oidc.faults.push({ kind: 'status', status: 500 });
    expect((await h.visitor().send('POST', '/api/auth/sso/start', { provider: h.provider })).code).toBe(
      'SSO_UNAVAILABLE',
    );
    await h.start(h.visitor());
    h.clock.advance(2 * 60 * MINUTE);
    h.oidc.faults.push({ kind: 'status', status: 500 });
    await h.start(h.visitor());
  });

  test('T44 an address of a private network is not asked unless the host says so', async () => {
    await h.set({ outbound_private_networks: false });
    const asked = h.oidc.asked.length;
    expect((await h.visitor().send('POST', '/api/auth/sso/start', { provider: h.provider })).code).toBe(
      'SSO_UNAVAILABLE',
    );
    expect(h.oidc.asked).toHaveLength(asked);
  });
});

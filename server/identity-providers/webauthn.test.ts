import { describe, expect, test } from 'bun:test';
import { openAuthenticator, type Behaviour } from '#tests/support/authenticator.ts';
import { testLog } from '#tests/support/log.ts';
import { createWebAuthn } from './webauthn.ts';

const at = (appUrl: string, log = testLog()) => createWebAuthn({ appUrl: () => appUrl, log });
const CHALLENGE = 'nonce.1.mac';
const ask = { challenge: CHALLENGE, site: 'Hosty', handle: 'dQ', username: 'ann', known: [] };

describe('the domain of passkeys', () => {
  test.each([
    ['https://panel.example.com', 'panel.example.com'],
    ['https://panel.example.com:8443/base', 'panel.example.com'],
    ['http://localhost:3000', 'localhost'],
    ['http://127.0.0.1:3000', 'localhost'],
    ['http://[::1]:3000', 'localhost'],
    ['https://192.0.2.7', null],
    ['https://[2001:db8::7]', null],
    ['not an address', null],
  ])('the domain of %s is %p', (appUrl, domain) => {
    expect(at(appUrl).domain()).toBe(domain);
  });
});

describe('checks of what a browser sends', () => {
  const webAuthn = at('https://panel.example.com');
  async function made(behaviour?: Behaviour) {
    const authenticator = openAuthenticator();
    const credential = authenticator.create(await webAuthn.creationOptions(ask), behaviour);
    return { authenticator, credential, found: await webAuthn.checkCreation(credential, CHALLENGE) };
  }
  async function signed(behaviour?: Behaviour, { verified = true, challenge = CHALLENGE } = {}) {
    const { authenticator, found } = await made();
    if (!found) throw new Error('nothing was made');
    const proof = authenticator.prove(await webAuthn.requestOptions({ challenge: CHALLENGE, verified }), behaviour);
    return webAuthn.checkProof(proof, { ...found, transports: [] }, { challenge, verified });
  }

  test('T30 the challenge that an authenticator answered is the one that was issued', async () => {
    const { credential, found } = await made();
    expect(webAuthn.challengeIn(credential.client_data)).toBe(CHALLENGE);
    expect(found).toMatchObject({ credentialId: credential.id, counter: 1, multiDevice: false, backedUp: false });
    expect(await webAuthn.checkCreation(credential, 'another')).toBeNull();
    for (const text of ['', 'bm8', 'e30', 'bnVsbA', 'W10']) expect(webAuthn.challengeIn(text)).toBeNull();
  });

  test('T32 a proof says what the counter is, and whether the passkey is synced', async () => {
    expect(await signed()).toEqual({ counter: 2, multiDevice: false, backedUp: false });
    expect(await signed({ synced: true, counter: 9 })).toEqual({ counter: 9, multiDevice: true, backedUp: true });
    expect(await signed({ verified: false }, { verified: false })).toMatchObject({ counter: 2 });
  });

  test.each([
    ['a person who was not verified', { verified: false }],
    ['another origin', { origin: 'https://evil.test' }],
    ['another domain', { domain: 'evil.test' }],
    ['a frame in a page of others', { crossOrigin: true }],
    ['another challenge', { challenge: 'eA' }],
  ])('T33 a proof with %s proves nothing', async (_, behaviour) => {
    expect(await signed(behaviour)).toBeNull();
  });

  test('T33 a passkey that is made in a frame, for another origin or domain is none, and the log names the origin', async () => {
    const log = testLog();
    const watched = at('https://panel.example.com', log);
    const options = await watched.creationOptions(ask);
    for (const behaviour of [{ crossOrigin: true }, { origin: 'https://www.example.com' }, { domain: 'example.com' }])
      expect(await watched.checkCreation(openAuthenticator().create(options, behaviour), CHALLENGE)).toBeNull();
    const expected = 'https://panel.example.com';
    expect(log.lines).toEqual([
      { level: 'warn', event: 'passkey.wrong_origin', fields: { origin: 'https://www.example.com', expected } },
    ]);
  });
});

import type { AuthenticatorTransport } from '@simplewebauthn/server';
import type { Log } from '#server/modules/kernel.ts';
import type { CeremonyOptions, WebAuthn } from '#server/modules/passkeys/ports.ts';
import { ceremonyOptions } from '#shared/schemas/passkey.ts';

/**
 * The library, loaded when it is first used: most commands never need it. What it is built on wants the polyfill to be
 * there first, which the order of its own imports does not give in one file.
 */
async function loadLibrary(): Promise<typeof import('@simplewebauthn/server')> {
  await import('reflect-metadata');
  return import('@simplewebauthn/server');
}

/** Where passkeys are used: their domain, and the origin of the pages. */
interface Site {
  readonly domain: string;
  readonly origin: string;
}
const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * The site of a public address, which is configured and never taken from a request. Passkeys belong to a domain: for an
 * address of this machine that is `localhost`, for any other IP address there is none.
 */
function siteOf(appUrl: string): Site | null {
  const url = URL.parse(appUrl);
  if (!url) return null;
  if (LOOPBACK.test(url.hostname)) url.hostname = 'localhost';
  const isAddress = url.hostname.startsWith('[') || /^[\d.]+$/.test(url.hostname);
  return isAddress ? null : { domain: url.hostname, origin: url.origin };
}

const bytes = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(Buffer.from(text, 'base64url'));
const listed = (known: readonly { credentialId: string; transports: readonly string[] }[]) =>
  known.map(({ credentialId, transports }) => ({ id: credentialId, transports: named(transports) }));
/** Names of ways to an authenticator; browsers ignore those that they do not know. */
const named = (transports: readonly string[]) => [...transports] as AuthenticatorTransport[];
const asOptions = (options: object): CeremonyOptions => ceremonyOptions.parse(options);

/** What client data say; null where they cannot be read. */
function parseClientData(text: string): { challenge: unknown; origin: unknown; crossOrigin: unknown } | null {
  try {
    const data = JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown;
    return typeof data === 'object' && data !== null
      ? { challenge: undefined, origin: undefined, crossOrigin: undefined, ...data }
      : null;
  } catch {
    return null;
  }
}

/** The checks of what a browser sends, for a site; null: nothing is good there. */
function checksOf(getSite: () => Site | null, log: Log): Pick<WebAuthn, 'checkCreation' | 'checkProof'> {
  const toChallenge = (challenge: string): string => Buffer.from(challenge).toString('base64url');

  /** Runs a check of the library, which throws for most of what is wrong; null where it found something. */
  async function checked<T>(
    clientData: string,
    check: (expected: { expectedOrigin: string; expectedRPID: string }) => Promise<T>,
  ): Promise<T | null> {
    const site = getSite();
    const data = parseClientData(clientData);
    // A page of ours is in no frame of others, whatever the library would let through.
    if (!site || !data || data.crossOrigin === true) return null;
    if (data.origin !== site.origin)
      log.warn('passkey.wrong_origin', { origin: String(data.origin).slice(0, 200), expected: site.origin });
    try {
      return await check({ expectedOrigin: site.origin, expectedRPID: site.domain });
    } catch {
      return null;
    }
  }

  return {
    checkCreation: ({ id, client_data, attestation, transports }, challenge) =>
      checked(client_data, async (expected) => {
        const { verified, registrationInfo } = await (
          await loadLibrary()
        ).verifyRegistrationResponse({
          response: {
            id,
            rawId: id,
            type: 'public-key',
            clientExtensionResults: {},
            response: { clientDataJSON: client_data, attestationObject: attestation, transports: named(transports) },
          },
          ...expected,
          expectedChallenge: toChallenge(challenge),
          requireUserVerification: false,
        });
        if (!verified || registrationInfo.credential.id !== id) return null;
        return {
          credentialId: id,
          publicKey: Buffer.from(registrationInfo.credential.publicKey).toString('base64url'),
          counter: registrationInfo.credential.counter,
          multiDevice: registrationInfo.credentialDeviceType === 'multiDevice',
          backedUp: registrationInfo.credentialBackedUp,
        };
      }),
    checkProof: ({ id, client_data, authenticator_data, signature, user_handle }, passkey, { challenge, verified }) =>
      checked(client_data, async (expected) => {
        const { verified: isGood, authenticationInfo } = await (
          await loadLibrary()
        ).verifyAuthenticationResponse({
          response: {
            id,
            rawId: id,
            type: 'public-key',
            clientExtensionResults: {},
            response: {
              clientDataJSON: client_data,
              authenticatorData: authenticator_data,
              signature,
              ...(user_handle === undefined ? {} : { userHandle: user_handle }),
            },
          },
          ...expected,
          expectedChallenge: toChallenge(challenge),
          // The stored counter is compared under the lock of its row, and a copy is told apart there (see ports.ts).
          credential: { id: passkey.credentialId, publicKey: bytes(passkey.publicKey), counter: 0 },
          requireUserVerification: verified,
        });
        if (!isGood) return null;
        return {
          counter: authenticationInfo.newCounter,
          multiDevice: authenticationInfo.credentialDeviceType === 'multiDevice',
          backedUp: authenticationInfo.credentialBackedUp,
        };
      }),
  };
}

/** The Web Authentication API by a kept library, for the installation's public address. */
export function createWebAuthn({ appUrl, log }: { appUrl: () => string; log: Log }): WebAuthn {
  const site = () => siteOf(appUrl());

  return {
    domain: () => site()?.domain ?? null,
    challengeIn(clientData) {
      const challenge = parseClientData(clientData)?.challenge;
      return typeof challenge === 'string' ? Buffer.from(challenge, 'base64url').toString() : null;
    },
    creationOptions: async ({ challenge, site: name, handle, username, known }) =>
      asOptions(
        await (
          await loadLibrary()
        ).generateRegistrationOptions({
          rpName: name,
          rpID: site()?.domain ?? '',
          challenge,
          userID: bytes(handle),
          userName: username,
          attestationType: 'none',
          excludeCredentials: listed(known),
          // Preferred, not required: an old security key has no storage, and is a second factor all the same.
          authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
        }),
      ),
    requestOptions: async ({ challenge, verified, allowed }) =>
      asOptions(
        await (
          await loadLibrary()
        ).generateAuthenticationOptions({
          rpID: site()?.domain ?? '',
          challenge,
          userVerification: verified ? 'required' : 'discouraged',
          ...(allowed ? { allowCredentials: listed(allowed) } : {}),
        }),
      ),
    ...checksOf(site, log),
  };
}

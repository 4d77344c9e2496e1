import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import type { CeremonyOptions, MadeCredential, PasskeyProof } from '#server/modules/passkeys/ports.ts';

/** Bits of an authenticator's data (Web Authentication, level 3, section 6.1). */
const FLAG = { present: 1, verified: 4, syncable: 8, synced: 16, attested: 64 } as const;

/** What an authenticator does, or pretends. */
export interface Behaviour {
  /** Where the page says that it is. */
  readonly origin?: string;
  readonly domain?: string;
  readonly crossOrigin?: boolean;
  /** Fingerprint, face or PIN. */
  readonly verified?: boolean;
  readonly synced?: boolean;
  /** What it says the counter is; otherwise it counts, from 1 on. */
  readonly counter?: number;
  /** What it keeps the account under; null: it says nothing. */
  readonly handle?: string | null;
  readonly challenge?: string;
}
export interface Authenticator {
  /** Of its only credential. */
  readonly id: string;
  create(options: CeremonyOptions, behaviour?: Behaviour): MadeCredential;
  prove(options: CeremonyOptions, behaviour?: Behaviour): PasskeyProof;
}

const base64url = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString('base64url');
const sha256 = (bytes: Uint8Array | string): Buffer => createHash('sha256').update(bytes).digest();

/** The head of a CBOR item (RFC 8949): major type and number. */
function head(major: number, number: number): Buffer {
  if (number < 24) return Buffer.from([(major << 5) | number]);
  if (number < 256) return Buffer.from([(major << 5) | 24, number]);
  return Buffer.from([(major << 5) | 25, number >> 8, number & 255]);
}
const int = (number: number): Buffer => (number < 0 ? head(1, -1 - number) : head(0, number));
const byteString = (bytes: Uint8Array): Buffer => Buffer.concat([head(2, bytes.length), bytes]);
const textString = (text: string): Buffer => Buffer.concat([head(3, text.length), Buffer.from(text)]);
const map = (entries: readonly (readonly [Buffer, Buffer])[]): Buffer =>
  Buffer.concat([head(5, entries.length), ...entries.flat()]);

/** A public key of P-256 as COSE has it. */
function coseKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  return map([
    [int(1), int(2)],
    [int(3), int(-7)],
    [int(-1), int(1)],
    [int(-2), byteString(Buffer.from(x, 'base64url'))],
    [int(-3), byteString(Buffer.from(y, 'base64url'))],
  ]);
}

/** An authenticator in memory with one credential, for pages at `https://panel.example.com` unless it is told otherwise. */
export function openAuthenticator(usual: Behaviour = {}): Authenticator {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const credential = randomBytes(16);
  let count = 0;
  let kept: string | undefined;

  const clientData = (type: string, options: CeremonyOptions, how: Behaviour): string =>
    base64url(
      JSON.stringify({
        type,
        challenge: how.challenge ?? options.challenge,
        origin: how.origin ?? 'https://panel.example.com',
        crossOrigin: how.crossOrigin ?? false,
      }),
    );
  function authenticatorData(how: Behaviour, attested: Buffer | null): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(how.counter ?? (count += 1));
    const flags =
      FLAG.present |
      (how.verified === false ? 0 : FLAG.verified) |
      (how.synced ? FLAG.syncable | FLAG.synced : 0) |
      (attested ? FLAG.attested : 0);
    const parts = [sha256(how.domain ?? 'panel.example.com'), Buffer.from([flags]), counter];
    return Buffer.concat(attested ? [...parts, attested] : parts);
  }

  return {
    id: base64url(credential),
    create(options, behaviour = {}) {
      const how = { ...usual, ...behaviour };
      kept = (options.user as { id: string }).id;
      const length = Buffer.from([credential.length >> 8, credential.length & 255]);
      const attested = Buffer.concat([Buffer.alloc(16), length, credential, coseKey(keys.publicKey)]);
      const attestation = map([
        [textString('fmt'), textString('none')],
        [textString('attStmt'), map([])],
        [textString('authData'), byteString(authenticatorData(how, attested))],
      ]);
      return {
        id: base64url(credential),
        client_data: clientData('webauthn.create', options, how),
        attestation: base64url(attestation),
        transports: ['internal'],
      };
    },
    prove(options, behaviour = {}) {
      const how = { ...usual, ...behaviour };
      const client_data = clientData('webauthn.get', options, how);
      const data = authenticatorData(how, null);
      const handle = how.handle === undefined ? kept : how.handle;
      return {
        id: base64url(credential),
        client_data,
        authenticator_data: base64url(data),
        signature: base64url(
          sign('sha256', Buffer.concat([data, sha256(Buffer.from(client_data, 'base64url'))]), keys.privateKey),
        ),
        ...(handle == null ? {} : { user_handle: handle }),
      };
    },
  };
}

import { generateKeyPairSync, sign } from 'node:crypto';

/** DER: a tag, the length of what follows, and that. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  const length =
    body.length < 128
      ? [body.length]
      : body.length < 256
        ? [0x81, body.length]
        : [0x82, body.length >> 8, body.length & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}
const sequence = (...parts: readonly Uint8Array[]) => der(0x30, ...parts);
const text = (tag: number, value: string) => der(tag, Buffer.from(value, 'ascii'));
const oid = (...bytes: readonly number[]) => der(0x06, Buffer.from(bytes));

/** Ecdsa-with-SHA256, commonName, subjectAltName. */
const [SIGNATURE, COMMON_NAME, ALT_NAME] = [
  oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02),
  oid(0x55, 0x04, 0x03),
  oid(0x55, 0x1d, 0x11),
];

/**
 * A certificate for a host name that vouches for itself, with its key, both as PEM: made anew each time, so that no key
 * lies in the repository.
 */
export function selfSigned(host: string): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(der(0x31, sequence(COMMON_NAME, text(0x0c, host))));
  const facts = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    sequence(SIGNATURE),
    name,
    sequence(text(0x17, '200101000000Z'), text(0x17, '491231235959Z')),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(sequence(ALT_NAME, der(0x04, sequence(text(0x82, host)))))),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', facts, privateKey));
  const lines = sequence(facts, sequence(SIGNATURE), signature).toString('base64').replace(/.{64}/g, '$&\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}

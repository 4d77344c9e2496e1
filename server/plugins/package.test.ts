import { describe, expect, test } from 'bun:test';
import { generateKeyPairSync } from 'node:crypto';
import { zipSync } from 'fflate';
import { addedRequests, type PluginManifest } from '#shared/plugin-manifest.ts';
import { packageOf, PACKAGE_MAX, PackageFault, readPackage, signatureFile } from './package.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);
const MANIFEST = {
  identifier: 'vote-rewards',
  version: '1.0.0',
  needs: '1.0.0',
  name: 'Vote rewards',
  text: 'Pays for votes.',
  permissions: { events: ['user.verified'], hosts: ['votes.example'], credits: 500 },
  server: 'server.js',
};
const filesOf = (manifest: unknown = MANIFEST, more: Record<string, Uint8Array> = {}) => ({
  'plugin.json': utf8(JSON.stringify(manifest)),
  'server.js': utf8('export default {}'),
  ...more,
});
const zip = (files: Record<string, Uint8Array>) => zipSync(files);
function faultOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    return error instanceof PackageFault ? error.code : `another: ${String(error)}`;
  }
  return 'read';
}
const keys = () => {
  const { privateKey } = generateKeyPairSync('ed25519');
  return Buffer.from(privateKey.export({ format: 'der', type: 'pkcs8' })).toString('base64');
};

describe('a package of a plugin', () => {
  test('it is read with its manifest and files, and nothing of it runs', () => {
    const read = readPackage(zip(filesOf()));
    expect(read.manifest).toMatchObject({ identifier: 'vote-rewards', permissions: { credits: 500 } });
    expect([...read.files.keys()].toSorted()).toEqual(['plugin.json', 'server.js']);
    expect(read.signer).toBeNull();
  });

  test.each([
    '../x.js',
    'a/../../x',
    '/etc/passwd',
    'C:/x',
    'a\\..\\x',
    '.env',
    'a//b',
    'a/./b',
    'x\u0000.js',
    'a/b/c/d/e/f/g',
  ])('T46 a file called %p is refused with the whole package', (path) => {
    expect(faultOf(() => readPackage(zip(filesOf(MANIFEST, { [path]: utf8('x') }))))).toBe('BAD_PATH');
  });

  test('T48 a bomb is refused before it is inflated, and one that lies about its size is cut off', () => {
    const bomb = zip(filesOf(MANIFEST, { 'zeros.bin': new Uint8Array(PACKAGE_MAX.unpacked + 1) }));
    expect(bomb.length).toBeLessThan(100_000);
    expect(faultOf(() => readPackage(bomb))).toBe('TOO_LARGE');
    // The size of the largest file in the directory becomes 10.
    const lying = zip(filesOf(MANIFEST, { 'zeros.bin': new Uint8Array(8_000_000) }));
    const view = new DataView(lying.buffer, lying.byteOffset, lying.length);
    for (let at = 0; at < lying.length - 4; at += 1)
      if (view.getUint32(at, true) === 0x02014b50 && view.getUint32(at + 24, true) === 8_000_000)
        view.setUint32(at + 24, 10, true);
    const outcome = faultOf(() =>
      expect(readPackage(lying).files.get('zeros.bin')?.length ?? 0).toBeLessThanOrEqual(10),
    );
    expect(['read', 'NOT_A_PACKAGE']).toContain(outcome);
  });

  test('too many files, too many bytes and what is no archive are refused', () => {
    const many = Object.fromEntries(Array.from({ length: 250 }, (_, n) => [`f${n}`, utf8('')]));
    expect(faultOf(() => readPackage(zip(filesOf(MANIFEST, many))))).toBe('TOO_MANY_FILES');
    expect(faultOf(() => readPackage(new Uint8Array(PACKAGE_MAX.packed + 1)))).toBe('TOO_LARGE');
    expect(faultOf(() => readPackage(utf8('no archive at all')))).toBe('NOT_A_PACKAGE');
    expect(faultOf(() => readPackage(new Uint8Array()))).toBe('NOT_A_PACKAGE');
    const cut = zip(filesOf()).subarray(0, 200);
    expect(faultOf(() => readPackage(cut))).toBe('NOT_A_PACKAGE');
  });

  test('a manifest that says too little, too much or something else is refused', () => {
    const bad = (change: object) => faultOf(() => readPackage(zip(filesOf({ ...MANIFEST, ...change }))));
    expect(bad({ identifier: '../x' })).toBe('BAD_MANIFEST');
    expect(bad({ version: 'new' })).toBe('BAD_MANIFEST');
    expect(bad({ more: 1 })).toBe('BAD_MANIFEST');
    expect(bad({ permissions: { hosts: ['*'] } })).toBe('BAD_MANIFEST');
    expect(bad({ permissions: { hosts: ['localhost:80'] } })).toBe('BAD_MANIFEST');
    expect(bad({ permissions: { files: true } })).toBe('BAD_MANIFEST');
    expect(bad({ server: 'other.js' })).toBe('MISSING_FILE');
    expect(faultOf(() => readPackage(zip({ 'a.js': utf8('') })))).toBe('NO_MANIFEST');
    expect(faultOf(() => readPackage(zip({ 'plugin.json': utf8('{') })))).toBe('BAD_MANIFEST');
  });

  test('T48 a signature names its key, and a file that was changed after it is refused', () => {
    const files = filesOf();
    const { digest } = packageOf(new Map(Object.entries(files)));
    const signed = { ...files, 'signature.json': utf8(signatureFile(digest, keys())) };
    const read = readPackage(zip(signed));
    expect(read.digest).toBe(digest);
    expect(read.signer).toMatch(/^MCowBQYDK2Vw/);
    for (const change of [
      { 'server.js': utf8('export default 1') },
      { 'added.js': utf8('') },
      { 'signature.json': utf8('{}') },
    ])
      expect(faultOf(() => readPackage(zip({ ...signed, ...change })))).toBe('BAD_SIGNATURE');
  });

  test('texts with controls are refused, which no database keeps', () => {
    const bad = (change: object) => faultOf(() => readPackage(zip(filesOf({ ...MANIFEST, ...change }))));
    expect(bad({ name: 'a\u0000b' })).toBe('BAD_MANIFEST');
    expect(bad({ texts: { en: { name: 'a\u0000b' } } })).toBe('BAD_MANIFEST');
    expect(bad({ texts: { xx: { name: 'a' } } })).toBe('BAD_MANIFEST');
    expect(bad({ texts: { de: { text: 'Zwei\nZeilen' } } })).toBe('read');
  });

  test('an update asks for what it did not ask for before', () => {
    const before: PluginManifest = MANIFEST;
    const after = (permissions: PluginManifest['permissions'], client?: string): PluginManifest => ({
      ...before,
      permissions,
      ...(client === undefined ? {} : { client }),
    });
    expect(addedRequests(before, before)).toEqual([]);
    expect(addedRequests(before, after({ credits: 100 }))).toEqual([]);
    const more = { ...before.permissions, credits: 501, storage: true, hosts: ['votes.example', 'b.example'] } as const;
    expect(addedRequests(before, after({ ...more, hosts: [...more.hosts] }, 'client.js'))).toEqual([
      { kind: 'credits', credits: 501 },
      { kind: 'client' },
      { kind: 'hosts', value: 'b.example' },
      { kind: 'storage' },
    ]);
  });
});

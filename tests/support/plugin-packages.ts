import { generateKeyPairSync } from 'node:crypto';
import { zipSync } from 'fflate';
import { packageOf, signatureFile } from '#server/plugins/package.ts';
import type { PluginManifest } from '#shared/plugin-manifest.ts';

/** Threads of plugins, as the product starts them. */
export const spawnSandbox = (): Worker =>
  new Worker(new URL('../../server/plugins/sandbox.worker.ts', import.meta.url));
export const spawnPackageReading = (): Worker =>
  new Worker(new URL('../../server/plugins/package.worker.ts', import.meta.url));

const utf8 = (text: string) => new TextEncoder().encode(text);

/** A key that signs packages (Ed25519, PKCS 8 in base64). */
export function signingKey(): string {
  const { privateKey } = generateKeyPairSync('ed25519');
  return Buffer.from(privateKey.export({ format: 'der', type: 'pkcs8' })).toString('base64');
}

/**
 * A package as staff upload it. In: what its manifest says besides a name, its server module, who signs it, and its
 * module for browsers.
 */
export function packedPlugin(
  change: Partial<PluginManifest> = {},
  server = 'export default {};',
  key?: string,
  client = 'export default {};',
): Uint8Array<ArrayBuffer> {
  const manifest: PluginManifest = {
    identifier: 'votes',
    version: '1.0.0',
    needs: '0.1.0',
    name: 'Vote rewards',
    text: 'Pays for votes.',
    author: 'blockwell',
    permissions: {},
    server: 'server.js',
    ...change,
  };
  const files: Record<string, Uint8Array> = {
    'plugin.json': utf8(JSON.stringify(manifest)),
    'server.js': utf8(server),
    ...(manifest.client === undefined ? {} : { [manifest.client]: utf8(client) }),
  };
  if (key !== undefined)
    files['signature.json'] = utf8(signatureFile(packageOf(new Map(Object.entries(files))).digest, key));
  return new Uint8Array(zipSync(files));
}

import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { zipSync } from 'fflate';
import type { PluginManifest } from '#shared/plugin-manifest.ts';
import { packageOf, readPackage, signatureFile, SIGNATURE } from './package.ts';

/** Goes into a package where it is there, beside the manifest and the modules. */
const BESIDE = ['README.md', 'LICENSE', 'LICENSE.md', 'LICENSE.txt'];
/** The earliest moment that a ZIP can say; it has no zone, so it is written as local time. */
const NO_TIME = new Date(1980, 0, 1);

/**
 * The package of a folder: `plugin.json`, the modules that it names, and README and licence. Nothing else is packed, so
 * that no key gets in. The same files give the same bytes, wherever and whenever. Throws PackageFault.
 */
export function packFolder(dir: string, manifest: PluginManifest): { bytes: Uint8Array; digest: string } {
  const names = ['plugin.json', manifest.server, manifest.client].filter((name) => name !== undefined);
  const more = BESIDE.filter((name) => statSync(join(dir, name), { throwIfNoEntry: false })?.isFile());
  const files = new Map(
    [...new Set([...names, ...more])].map((name) => [name, new Uint8Array(readFileSync(join(dir, name)))]),
  );
  const bytes = zipped(files);
  // As the product reads it: bounds and paths are asked there.
  return { bytes, digest: readPackage(bytes).digest };
}

function zipped(files: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const sorted = [...files].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return zipSync(Object.fromEntries(sorted), { mtime: NO_TIME, level: 9 });
}

/**
 * A package, signed; a signature that it has is replaced. In: a ZIP, and the private key (Ed25519, PKCS 8 in base64).
 * Throws PackageFault for what is no package, and another Error for what is no key.
 */
export function signPackage(bytes: Uint8Array, privateKey: string): Uint8Array {
  const { files } = readPackage(bytes);
  const unsigned = new Map([...files].filter(([name]) => name !== SIGNATURE));
  const signature = new TextEncoder().encode(signatureFile(packageOf(unsigned).digest, privateKey));
  return zipped(new Map([...unsigned, [SIGNATURE, signature]]));
}

/** A new key to sign with (Ed25519): the private one (PKCS 8) and the public one (SPKI), each in base64. */
export function newSigningKey(): { readonly privateKey: string; readonly publicKey: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    privateKey: Buffer.from(privateKey.export({ format: 'der', type: 'pkcs8' })).toString('base64'),
    publicKey: Buffer.from(publicKey.export({ format: 'der', type: 'spki' })).toString('base64'),
  };
}

import { createHash, createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { unzipSync } from 'fflate';
import * as z from 'zod/mini';
import type { PackageFaultCode } from '#server/modules/plugins/engine-ports.ts';
import type { PackageContent } from '#server/modules/plugins/package-ports.ts';
import { pluginManifestSchema, PLUGIN_FILE_MAX, PLUGIN_PATH, type PluginManifest } from '#shared/plugin-manifest.ts';

/** A file that is refused, with the code of why. */
export class PackageFault extends Error {
  override readonly name = 'PackageFault';
  readonly code: PackageFaultCode;
  /** What it is about: a path, or a place in the manifest. */
  readonly at: string;
  constructor(code: PackageFaultCode, at = '') {
    super(`${code} ${at}`);
    this.code = code;
    this.at = at;
  }
}

/** Bytes of a package as it comes, of everything in it, of a module, and how many files it may have. */
export const PACKAGE_MAX = { packed: PLUGIN_FILE_MAX, unpacked: 16_000_000, module: 1_000_000, files: 200 } as const;
const MANIFEST = 'plugin.json';
/** The file of a package that says who signed it. */
export const SIGNATURE = 'signature.json';

interface PluginPackage {
  readonly manifest: PluginManifest;
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** SHA-256 over every file with its path, hex: another with every change. */
  readonly digest: string;
  /** Public key (Ed25519, base64) of who signed it; null: nobody did. */
  readonly signer: string | null;
}

/**
 * Reads a package without running anything of it. In: a ZIP. Throws PackageFault for what is none, is too large, names
 * files elsewhere, or was changed after it was signed. Takes as long as inflating it: not for the answering thread.
 */
export function readPackage(bytes: Uint8Array): PluginPackage {
  if (bytes.length > PACKAGE_MAX.packed) throw new PackageFault('TOO_LARGE');
  let [count, sum] = [0, 0];
  let found: Record<string, Uint8Array>;
  try {
    found = unzipSync(bytes, {
      filter({ name, originalSize }) {
        count += 1;
        if (count > PACKAGE_MAX.files) throw new PackageFault('TOO_MANY_FILES');
        if (name.endsWith('/')) {
          if (!PLUGIN_PATH.test(name.slice(0, -1))) throw new PackageFault('BAD_PATH', name.slice(0, 100));
          return false;
        }
        if (!PLUGIN_PATH.test(name)) throw new PackageFault('BAD_PATH', name.slice(0, 100));
        // What inflating gives is cut off at this size, whatever is packed.
        sum += originalSize;
        if (sum > PACKAGE_MAX.unpacked) throw new PackageFault('TOO_LARGE');
        return true;
      },
    });
  } catch (error) {
    throw error instanceof PackageFault ? error : new PackageFault('NOT_A_PACKAGE');
  }
  return packageOf(new Map(Object.entries(found)));
}

/** What reading a package comes to: its content, or why it is refused. */
export type ReadOutcome = PackageContent | { readonly fault: PackageFaultCode };

/** The manifest and modules of a package. In: a ZIP. Never throws. Not for the answering thread. */
export function contentOf(bytes: Uint8Array): ReadOutcome {
  try {
    const { manifest, files, digest, signer } = readPackage(bytes);
    const code = (path: string | undefined): string => (path === undefined ? '' : codeOf(files.get(path)));
    const modules = { serverCode: code(manifest.server), clientCode: code(manifest.client) };
    return { manifest, ...modules, digest, signer, size: bytes.length };
  } catch (error) {
    return { fault: error instanceof PackageFault ? error.code : 'NOT_A_PACKAGE' };
  }
}

function codeOf(bytes: Uint8Array | undefined): string {
  if (!bytes || bytes.length > PACKAGE_MAX.module) throw new PackageFault('TOO_LARGE');
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new PackageFault('MISSING_FILE');
  }
  // No database keeps it in a text.
  if (text.includes('\0')) throw new PackageFault('MISSING_FILE');
  return text;
}

/** The package of files that lie in a folder, by their paths. Throws as `readPackage`. */
export function packageOf(files: ReadonlyMap<string, Uint8Array>): PluginPackage {
  const raw = files.get(MANIFEST);
  if (!raw) throw new PackageFault('NO_MANIFEST');
  let parsed: unknown;
  try {
    parsed = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(raw));
  } catch {
    throw new PackageFault('BAD_MANIFEST');
  }
  const checked = pluginManifestSchema.safeParse(parsed);
  if (!checked.success) throw new PackageFault('BAD_MANIFEST', checked.error.issues[0]?.path.join('.') ?? '');
  const manifest = checked.data;
  for (const path of [manifest.server, manifest.client])
    if (path !== undefined && !files.has(path)) throw new PackageFault('MISSING_FILE', path);
  const digest = digestOf(files);
  return { manifest, files, digest, signer: signerOf(files, digest) };
}

function digestOf(files: ReadonlyMap<string, Uint8Array>): string {
  const lines = [...files]
    .filter(([path]) => path !== SIGNATURE)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, bytes]) => `${createHash('sha256').update(bytes).digest('hex')}  ${path}\n`);
  return createHash('sha256').update(lines.join('')).digest('hex');
}

const signatureSchema = z.strictObject({
  key: z.string().check(z.maxLength(100)),
  signature: z.string().check(z.maxLength(200)),
});
/** What is signed: a signature of a package is none of anything else. */
const signedText = (digest: string): Buffer => Buffer.from(`spawnpoint plugin ${digest}`);

function signerOf(files: ReadonlyMap<string, Uint8Array>, digest: string): string | null {
  const raw = files.get(SIGNATURE);
  if (!raw) return null;
  try {
    const { key, signature } = signatureSchema.parse(JSON.parse(new TextDecoder().decode(raw)));
    const publicKey = createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' });
    if (
      publicKey.asymmetricKeyType === 'ed25519' &&
      verify(null, signedText(digest), publicKey, Buffer.from(signature, 'base64'))
    )
      return key;
  } catch {
    // As what does not fit.
  }
  throw new PackageFault('BAD_SIGNATURE');
}

/** The file that signs a package. In: its digest, and the private key (Ed25519, PKCS 8 in base64). */
export function signatureFile(digest: string, privateKey: string): string {
  const key = createPrivateKey({ key: Buffer.from(privateKey, 'base64'), format: 'der', type: 'pkcs8' });
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' });
  return JSON.stringify({
    key: Buffer.from(spki).toString('base64'),
    signature: sign(null, signedText(digest), key).toString('base64'),
  });
}

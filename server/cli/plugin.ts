import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { checkFolder, type Checked } from '#server/plugins/check.ts';
import { newSigningKey, packFolder, signPackage } from '#server/plugins/pack.ts';
import { PACKAGE_MAX, PackageFault } from '#server/plugins/package.ts';
import type { SpawnSandbox } from '#server/plugins/sandbox.ts';
import { templateFiles } from '#server/plugins/template.ts';
import { VERSION } from '#server/version.ts';
import { PLUGIN_IDENTIFIER, type PluginManifest } from '#shared/plugin-manifest.ts';
import { consoleOutput, type Output } from './mail.ts';

const USAGE = `Usage: spawnpoint plugin new DIR                    a plugin to begin with; the folder's name is its identifier
       spawnpoint plugin check DIR                  everything that is wrong with it
       spawnpoint plugin pack DIR [--out FILE]      a package, IDENTIFIER-VERSION.spawnpoint
       spawnpoint plugin keygen FILE                a key to sign with; keep it to yourself
       spawnpoint plugin sign PACKAGE --key FILE    signs a package in its place`;

interface Call {
  readonly path: string;
  readonly option: string;
  readonly spawn: SpawnSandbox;
  readonly output: Output;
}
/** Throws an Error whose message is for whoever typed the command. Out: the exit code. */
type Verb = (call: Call) => number | Promise<number>;

/** What each verb takes beside its path, and whether it has to be there. */
const VERBS: Readonly<Record<string, { readonly option?: 'out' | 'key'; readonly needed?: true; readonly run: Verb }>> =
  {
    new: { run: begin },
    check: { run: check },
    pack: { option: 'out', run: pack },
    keygen: { run: keygen },
    sign: { option: 'key', needed: true, run: signFile },
  };

/**
 * `spawnpoint plugin …`: begins, checks, packs and signs plugins. Needs no installation. Out: the exit code (0 done, 1
 * something is wrong and was said, 2 used wrongly).
 */
export async function pluginCommand(
  argv: readonly string[],
  spawn: SpawnSandbox,
  output: Output = consoleOutput,
): Promise<number> {
  const [name = '', ...rest] = argv;
  const verb = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined;
  const given = verb && parsed(rest);
  const options = Object.keys(given?.values ?? {});
  const [path, ...more] = given?.positionals ?? [];
  if (
    !verb ||
    !given ||
    !path ||
    more.length > 0 ||
    options.some((each) => each !== verb.option) ||
    (verb.needed && options.length === 0)
  ) {
    output.err(USAGE);
    return 2;
  }
  try {
    return await verb.run({ path, option: given.values.out ?? given.values.key ?? '', spawn, output });
  } catch (error) {
    output.err(
      error instanceof PackageFault ? faultText(error) : error instanceof Error ? error.message : String(error),
    );
    return 1;
  }
}

function parsed(args: string[]) {
  try {
    return parseArgs({ args, options: { out: { type: 'string' }, key: { type: 'string' } }, allowPositionals: true });
  } catch {
    return undefined;
  }
}

const FAULT_TEXTS: Readonly<Record<PackageFault['code'], string>> = {
  NOT_A_PACKAGE: 'This is no package: "spawnpoint plugin pack DIR" makes one.',
  NO_MANIFEST: 'There is no plugin.json in it.',
  TOO_LARGE: `It is too large: ${PACKAGE_MAX.packed} bytes packed, ${PACKAGE_MAX.module} a module.`,
  TOO_MANY_FILES: `It has more than ${PACKAGE_MAX.files} files.`,
  BAD_PATH: 'It has a file whose path cannot be used',
  BAD_MANIFEST: 'Its plugin.json is wrong: "spawnpoint plugin check DIR" says where.',
  MISSING_FILE: 'A module that plugin.json names is missing',
  BAD_SIGNATURE: 'It was changed after it was signed: pack it again.',
};
const faultText = ({ code, at }: PackageFault): string =>
  at === '' ? FAULT_TEXTS[code] : `${FAULT_TEXTS[code]} (${at})`;

function begin({ path, output }: Call): number {
  const identifier = basename(resolve(path));
  if (!PLUGIN_IDENTIFIER.test(identifier))
    throw new Error(
      `"${identifier}" cannot be an identifier: name the folder with 3 to 40 lower-case letters, digits and dashes, beginning with a letter.`,
    );
  if (existsSync(path) && (!statSync(path).isDirectory() || readdirSync(path).length > 0))
    throw new Error(`${path} is there and not empty. Nothing was changed.`);
  mkdirSync(path, { recursive: true });
  for (const [name, text] of Object.entries(templateFiles(identifier, VERSION))) writeFileSync(join(path, name), text);
  output.out(`Wrote ${path}. Edit plugin.json and server.js, then: spawnpoint plugin check ${path}`);
  return 0;
}

async function check({ path, spawn, output }: Call): Promise<number> {
  const manifest = sound(await checkFolder(path, VERSION, spawn), output);
  if (!manifest) return 1;
  output.out(`${manifest.identifier} ${manifest.version}: nothing is wrong with it.`);
  return 0;
}

/** The manifest of a plugin without faults; null, and each is said, where it has some. */
function sound({ manifest, faults }: Checked, output: Output): PluginManifest | null {
  for (const { at, text } of faults) output.err(`${at}: ${text}`);
  return faults.length === 0 ? manifest : null;
}

async function pack({ path, option, spawn, output }: Call): Promise<number> {
  const manifest = sound(await checkFolder(path, VERSION, spawn), output);
  if (!manifest) return 1;
  const file = option || `${manifest.identifier}-${manifest.version}.spawnpoint`;
  const { bytes, digest } = packFolder(path, manifest);
  replaceFile(file, bytes);
  output.out(`Packed ${file}: ${bytes.length} bytes, digest ${digest}.`);
  return 0;
}

/** Puts a file in the place of another, whole or not at all. */
function replaceFile(file: string, bytes: Uint8Array): void {
  writeFileSync(`${file}.part`, bytes);
  renameSync(`${file}.part`, file);
}

function keygen({ path, output }: Call): number {
  if (existsSync(path)) throw new Error(`${path} is there already. Nothing was changed.`);
  const { privateKey, publicKey } = newSigningKey();
  // Of whoever made it alone, from its first byte on; never in the place of another key.
  writeFileSync(path, `${privateKey}\n`, { mode: 0o600, flag: 'wx' });
  chmodSync(path, 0o600);
  output.out(`Wrote ${path}. Keep it to yourself; whoever has it signs as you. Public key: ${publicKey}`);
  return 0;
}

function signFile({ path, option, output }: Call): number {
  // As ssh: a key that others may read is none any more.
  if (process.platform !== 'win32' && (statSync(option).mode & 0o077) !== 0)
    throw new Error(`Others may read ${option}: chmod 600 ${option}, or make a new key.`);
  const key = readFileSync(option, 'utf8').trim();
  const bytes = new Uint8Array(readFileSync(path));
  replaceFile(path, signedBy(bytes, key, option));
  output.out(`Signed ${path}.`);
  return 0;
}

function signedBy(bytes: Uint8Array, key: string, file: string): Uint8Array {
  try {
    return signPackage(bytes, key);
  } catch (error) {
    // What the decoder says of a key could show some of it.
    throw error instanceof PackageFault
      ? error
      : new Error(`${file} is no key: "spawnpoint plugin keygen FILE" makes one.`);
  }
}

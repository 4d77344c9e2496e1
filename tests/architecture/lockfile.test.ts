import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';

// Shows attacks T55, as far as it can be seen without a network: nothing is installed that the lock file does not name
// with its hash, and nothing that is installed runs by that.

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly trustedDependencies?: readonly string[];
}
const root = new URL('../../', import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, root), 'utf8');
const manifest = JSON.parse(read('package.json')) as Manifest;
/** The lock file is JSON with commas behind the last of each. */
const lock = JSON.parse(read('bun.lock').replaceAll(/,(?=\s*[}\]])/g, '')) as {
  readonly packages: Readonly<Record<string, readonly unknown[]>>;
};
const packages = Object.entries(lock.packages);

describe('T55 the lock file', () => {
  test('it names many packages, each from the registry, at one version, with its hash', () => {
    expect(packages.length).toBeGreaterThan(50);
    const wrong = packages.filter(
      ([, [source, registry, , hash]]) =>
        !/^(?:@[\w.-]+\/)?[\w.-]+@\d+\.\d+\.\d+[\w.+-]*$/.test(String(source)) ||
        registry !== '' ||
        !/^sha512-[\w+/]{86}==$/.test(String(hash)),
    );
    expect(wrong.map(([name]) => name)).toEqual([]);
  });

  test('the manifest asks for one version of each, never for a range, an address or a folder', () => {
    const asked = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
    // A second version of one has another name here.
    const exact = /^(?:npm:(?:@[\w.-]+\/)?[\w.-]+@)?\d+\.\d+\.\d+[\w.+-]*$/;
    expect(asked.filter(([, version]) => !exact.test(version))).toEqual([]);
    for (const [name, version] of asked)
      expect(lock.packages[name]?.[0]).toBe(version.startsWith('npm:') ? version.slice(4) : `${name}@${version}`);
  });

  test('no package but the runtime runs anything when it is installed', () => {
    expect(manifest.trustedDependencies ?? []).toEqual(['bun']);
  });
});

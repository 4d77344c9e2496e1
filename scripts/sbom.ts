import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dir, '..');

/** A package of the lock file: what it is, where it comes from, what it needs, its checksum. */
type Locked = readonly [
  resolved: string,
  registry: string,
  needs: { readonly dependencies?: Record<string, string>; readonly optionalDependencies?: Record<string, string> },
  integrity: string,
];

/**
 * The packages that go into the binary, as CycloneDX 1.6: those that package.json names and all that they need, by the
 * lock file. The same lock file gives the same list.
 */
export function softwareBill(): object {
  const { name, version, dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly name: string;
    readonly version: string;
    readonly dependencies: Readonly<Record<string, string>>;
  };
  // Written with commas behind the last of a list.
  const lock = readFileSync(join(ROOT, 'bun.lock'), 'utf8').replaceAll(/,(\s*[}\]])/g, '$1');
  const { packages } = JSON.parse(lock) as { readonly packages: Readonly<Record<string, Locked>> };
  const found = new Map<string, Locked>();
  /** In: the place of who needs it in the tree, since one package may have a version of its own of another. */
  const add = (needed: string, by: string) => {
    let place = needed;
    for (
      let above = by;
      above !== '' && place === needed;
      above = above.slice(0, Math.max(0, above.lastIndexOf('/')))
    ) {
      if (Object.hasOwn(packages, `${above}/${needed}`)) place = `${above}/${needed}`;
    }
    const locked = packages[place];
    if (!locked || found.has(place)) return;
    found.set(place, locked);
    for (const next of Object.keys(locked[2]?.dependencies ?? {})) add(next, place);
  };
  for (const direct of Object.keys(dependencies)) add(direct, '');
  const components = new Map(
    [...found.values()].map(([resolved, , , integrity]) => {
      const at = resolved.lastIndexOf('@');
      const [own, its] = [resolved.slice(0, at), resolved.slice(at + 1)];
      const purl = `pkg:npm/${own.replace('@', '%40')}@${its}`;
      const hash = Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex');
      return [
        purl,
        {
          type: 'library',
          'bom-ref': purl,
          name: own,
          version: its,
          purl,
          hashes: [{ alg: 'SHA-512', content: hash }],
        },
      ];
    }),
  );
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'application', 'bom-ref': name, name, version } },
    components: [...components].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, component]) => component),
  };
}

/** `bun scripts/sbom.ts > spawnpoint.cdx.json`. */
if (import.meta.main) console.log(JSON.stringify(softwareBill(), null, 2));

import { expect, test } from 'bun:test';
import packageJson from '../package.json' with { type: 'json' };
import { softwareBill } from './sbom.ts';

interface Component {
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly hashes: readonly { readonly alg: string; readonly content: string }[];
}

test('the list has every package that goes into the binary, by version and checksum, and none of the tests', () => {
  const { components } = softwareBill() as { readonly components: readonly Component[] };
  for (const [name, version] of Object.entries(packageJson.dependencies))
    // A package may lie there in a second version, which another one wants.
    expect(components.filter((each) => each.name === name).map((each) => each.version)).toContain(version);
  expect(components.length).toBeGreaterThan(Object.keys(packageJson.dependencies).length);
  expect(components.filter(({ hashes }) => !/^[\da-f]{128}$/.test(hashes[0]?.content ?? ''))).toEqual([]);
  expect(new Set(components.map(({ purl }) => purl)).size).toBe(components.length);
  const names = components.map(({ name }) => name);
  expect(names).toContain('scheduler');
  expect(names.filter((name) => ['@playwright/test', 'typescript', '@redocly/openapi-core'].includes(name))).toEqual(
    [],
  );
});

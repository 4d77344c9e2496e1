import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { Glob } from 'bun';
import { SENTENCES } from './sentences.ts';

const ROOT = join(import.meta.dir, '../..');
/** Names of tests: the first argument of `test`, `it` or `describe`, of unit, API and browser tests alike. */
const NAMED = /\b(?:test|it|describe)(?:\.each\([^;]*?\))?\(\s*(['"`])(.*?)\1/gs;

async function shown(): Promise<Set<string>> {
  const found = new Set<string>();
  for (const pattern of ['{client,server,shared,tests}/**/*.test.{ts,tsx}', 'tests/e2e/**/*.e2e.ts']) {
    for await (const path of new Glob(pattern).scan(ROOT)) {
      const source = await Bun.file(join(ROOT, path)).text();
      for (const [, , name = ''] of source.matchAll(NAMED))
        for (const [id] of name.matchAll(/\bS\d+\.\d+\b/g)) found.add(id);
    }
  }
  return found;
}

describe('the specification', () => {
  test('every sentence on the shell has a test that is named after it', async () => {
    const named = await shown();
    expect(SENTENCES.filter((id) => !named.has(id))).toEqual([]);
  });

  test('no test names a sentence that is not there', async () => {
    const known = new Set<string>(SENTENCES);
    expect([...(await shown())].filter((id) => !known.has(id))).toEqual([]);
  });
});

import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appKey } from './app-key.ts';

test('the key is made once, kept for its owner alone, and stays the same', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'spawnpoint-key-'));
  const first = appKey({ appKey: null, dataDir });
  expect(first.length).toBe(32);
  expect(appKey({ appKey: null, dataDir })).toEqual(first);
  expect(statSync(join(dataDir, 'app.key')).mode & 0o777).toBe(0o600);
  writeFileSync(join(dataDir, 'app.key'), 'short\n');
  expect(() => appKey({ appKey: null, dataDir })).toThrow('no key');
  expect(appKey({ appKey: Buffer.alloc(32, 7).toString('base64'), dataDir })).toEqual(new Uint8Array(32).fill(7));
  rmSync(dataDir, { recursive: true });
});

import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepAppKey, keySource, openAppKey } from './app-key.ts';

let dataDir: string;
beforeEach(() => (dataDir = mkdtempSync(join(tmpdir(), 'spawnpoint-key-'))));
afterEach(() => rmSync(dataDir, { recursive: true }));
const place = () => ({ appKey: null, dataDir });

test('the key is made once, kept for its owner alone, and stays the same', () => {
  const first = openAppKey(place());
  expect([first.length, keySource(place())]).toEqual([32, 'unfinished']);
  // A first start that was killed begins again with the same key.
  expect(openAppKey(place())).toEqual(first);
  keepAppKey(place());
  expect(keySource(place())).toBe('file');
  expect(openAppKey(place())).toEqual(first);
  expect(statSync(join(dataDir, 'app.key')).mode & 0o777).toBe(0o600);
});

test('a damaged key file is refused, and APP_KEY comes before any file', () => {
  writeFileSync(join(dataDir, 'app.key'), 'short\n');
  expect(() => openAppKey(place())).toThrow('no key');
  const given = { appKey: Buffer.alloc(32, 7).toString('base64'), dataDir };
  expect([keySource(given), openAppKey(given)]).toEqual(['environment', new Uint8Array(32).fill(7)]);
  expect(() => openAppKey({ appKey: 'c2hvcnQ=', dataDir })).toThrow('APP_KEY');
});

import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { createAssets } from './assets.ts';

const folder = mkdtempSync(join(tmpdir(), 'assets-'));
afterAll(() => rmSync(folder, { recursive: true }));
const SCRIPT = 'console.log("a quiet evening");'.repeat(50);
writeFileSync(join(folder, 'c-1234abcd.js'), SCRIPT);
writeFileSync(join(folder, 'c-1234abcd.js.br'), brotliCompressSync(SCRIPT));
const serve = createAssets(folder, 'build');
const get = (cookie: string) =>
  serve(
    '/assets/c-1234abcd.js',
    new Request('http://127.0.0.1/assets/c-1234abcd.js', {
      headers: { 'Accept-Encoding': 'br', ...(cookie ? { Cookie: cookie } : {}) },
    }),
  );

test('assets are sent compressed', () => {
  const response = get('');
  expect(response?.headers.get('content-encoding')).toBe('br');
  expect(response?.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
});

test('with "compress assets" off they come as they are, and no cache on the way keeps them for others', async () => {
  const response = get('theme=dark; ui=performance.assetCompression:false');
  expect(response?.headers.get('content-encoding')).toBeNull();
  expect(response?.headers.get('cache-control')).toStartWith('private');
  expect(await response?.text()).toBe(SCRIPT);
});

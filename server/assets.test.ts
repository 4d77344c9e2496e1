import { afterAll, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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

test('a file is read when somebody first asks for it, and kept', async () => {
  const path = join(folder, 'late.txt');
  writeFileSync(path, 'before');
  const late = createAssets(folder, 'build');
  const ask = async (headers: Record<string, string> = {}) => {
    const response = late('/assets/late.txt', new Request('http://127.0.0.1/assets/late.txt', { headers }));
    return { status: response?.status, etag: response?.headers.get('etag') ?? '', text: await response?.text() };
  };
  writeFileSync(path, 'first asked for');
  const first = await ask();
  expect(first.text).toBe('first asked for');
  writeFileSync(path, 'later');
  expect(await ask()).toEqual(first);
  expect(await ask({ 'If-None-Match': first.etag })).toEqual({ status: 304, etag: first.etag, text: '' });
});

test('a compressed copy alone, a folder and what the build did not leave are no files', () => {
  mkdirSync(join(folder, 'inner'));
  const all = createAssets(folder, 'build');
  for (const name of ['c-1234abcd.js.br', 'inner', 'gone.js', '../package.json'])
    expect(all(`/assets/${name}`, new Request('http://127.0.0.1/'))?.status).toBe(404);
  expect(all('/elsewhere', new Request('http://127.0.0.1/'))).toBeNull();
});

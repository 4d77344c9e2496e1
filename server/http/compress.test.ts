import { describe, expect, test } from 'bun:test';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { chooseCoding, compressResponse } from './compress.ts';

const TEXT = 'a quiet evening on the server, '.repeat(200);
const asking = (accepted: string, method = 'GET') =>
  new Request('http://127.0.0.1/', { method, headers: accepted ? { 'Accept-Encoding': accepted } : {} });
const html = (body: BodyInit | null, headers: Record<string, string> = {}, status = 200) =>
  new Response(body, { status, headers: { 'Content-Type': 'text/html; charset=utf-8', ...headers } });
const unpacked = async (response: Response) => {
  const bytes = await response.bytes();
  const coding = response.headers.get('content-encoding');
  return new TextDecoder().decode(
    coding === 'zstd' ? zstdDecompressSync(bytes) : coding === 'gzip' ? gunzipSync(bytes) : bytes,
  );
};

/**
 * A body that is made while it is read: `step` makes its next part. Says how often it was asked, and whether it was
 * given up.
 */
function made(parts: number, part: (number: number) => Uint8Array) {
  const seen = { asked: 0, cancelled: false };
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        await Bun.sleep(0);
        if (seen.asked === parts) return controller.close();
        controller.enqueue(part(seen.asked));
        seen.asked += 1;
      },
      cancel: () => void (seen.cancelled = true),
    },
    { highWaterMark: 0 },
  );
  return { seen, body };
}

test.each([
  ['', null],
  ['gzip', 'gzip'],
  ['gzip, deflate, br, zstd', 'zstd'],
  ['br', null],
  ['zstd;q=0, gzip', 'gzip'],
  ['gzip;q=0', null],
  ['gzip;q=1.0, zstd;q=0.5', 'gzip'],
  ['ZSTD', 'zstd'],
  ['zstd;q=x', null],
] as const)('a caller who accepts %j gets %p', (accepted, coding) => expect(chooseCoding(accepted)).toBe(coding));

test('a caller who names no coding gets none', () => expect(chooseCoding(null)).toBeNull());

test('a header without end is read only so far', () => expect(chooseCoding(`${'x,'.repeat(1000)}gzip`)).toBeNull());

describe('an answer', () => {
  test.each(['zstd', 'gzip'] as const)('an answer comes as %s and reads the same', async (coding) => {
    const response = await compressResponse(asking(coding), html(TEXT, { 'Set-Cookie': 'a=b' }, 404));
    expect([response.status, response.headers.get('content-encoding'), response.headers.get('vary')]).toEqual([
      404,
      coding,
      'Accept-Encoding',
    ]);
    expect(response.headers.getSetCookie()).toEqual(['a=b']);
    const bytes = (await response.clone().bytes()).length;
    expect(bytes).toBeLessThan(TEXT.length / 10);
    expect(await unpacked(response)).toBe(TEXT);
  });

  test('an answer loses the length that it had before', async () => {
    for (const text of [TEXT, 'short'])
      for (const coding of ['zstd', 'identity'])
        expect(
          (await compressResponse(asking(coding), html(text, { 'Content-Length': '7' }))).headers.has('content-length'),
        ).toBe(coding === 'identity');
  });

  test('an answer of many slices is whole at the end', async () => {
    const long = Array.from({ length: 40_000 }, (_, line) => `${line},${Math.sin(line)}`).join('\n');
    for (const coding of ['zstd', 'gzip']) {
      const response = await compressResponse(
        asking(coding),
        new Response(long, { headers: { 'Content-Type': 'text/csv; charset=utf-8' } }),
      );
      expect(response.headers.get('content-encoding')).toBe(coding);
      expect(await unpacked(response)).toBe(long);
    }
  });

  test('an answer of less than a kilobyte stays as it is, and says that it might have been otherwise', async () => {
    const [short, long] = ['x'.repeat(1023), 'x'.repeat(1024)];
    const response = await compressResponse(asking('zstd'), html(short));
    expect([response.headers.get('content-encoding'), response.headers.get('vary'), await response.text()]).toEqual([
      null,
      'Accept-Encoding',
      short,
    ]);
    const compressed = await compressResponse(asking('zstd'), html(long));
    expect([compressed.headers.get('content-encoding'), await unpacked(compressed)]).toEqual(['zstd', long]);
  });

  test.each([
    ['an event stream', asking('zstd'), { 'Content-Type': 'text/event-stream' }],
    ['a picture', asking('zstd'), { 'Content-Type': 'image/png' }],
    ['what holds a secret', asking('zstd'), { 'Cache-Control': 'no-store, no-transform' }],
    ['what is coded already', asking('zstd'), { 'Content-Encoding': 'br' }],
    ['a caller who takes no coding', asking('identity'), {}],
    ['the headers alone', asking('zstd', 'HEAD'), {}],
  ] as const)('an answer is left alone: %s', async (_, request, headers) => {
    const before = html(TEXT, headers);
    expect(await compressResponse(request, before)).toBe(before);
    expect(before.headers.get('content-encoding')).toBe(
      (headers as Record<string, string>)['Content-Encoding'] ?? null,
    );
  });

  test('an answer without a body is left alone', async () => {
    const nothing = html(null, { ETag: '"a"' }, 304);
    expect(await compressResponse(asking('zstd'), nothing)).toBe(nothing);
  });

  test('an answer keeps no tag that stood for its bytes before: the same state comes in several codings', async () => {
    const response = await compressResponse(asking('gzip'), html(TEXT, { ETag: '"state"' }));
    expect(response.headers.get('etag')).toBe('W/"state"');
  });
});

describe('a body that is still being made', () => {
  test.each(['zstd', 'gzip'])(
    'a body reaches the visitor part by part as %s: the first before the last is made',
    async (coding) => {
      const first = new TextEncoder().encode(TEXT);
      let release: () => void = () => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      let ended = false;
      const body = new ReadableStream<Uint8Array>({
        async start(controller) {
          controller.enqueue(first);
          await held;
          ended = true;
          controller.enqueue(new TextEncoder().encode('the end'));
          controller.close();
        },
      });
      const server = Bun.serve({
        port: 0,
        hostname: '127.0.0.1',
        fetch: (request) => compressResponse(request, html(body)),
      });
      try {
        // The client unpacks as it reads: it can give the first part only if all of it has come.
        const reader = (await fetch(server.url, { headers: { 'Accept-Encoding': coding } })).body
          ?.pipeThrough(new TextDecoderStream())
          .getReader();
        let text = '';
        while (text.length < TEXT.length) text += (await reader?.read())?.value ?? '';
        expect([text, ended]).toEqual([TEXT, false]);
        release();
        for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) text += next.value;
        expect(text).toBe(`${TEXT}the end`);
      } finally {
        await server.stop(true);
      }
    },
  );

  test('a body of small parts, some of them empty, is whole at the end', async () => {
    for (const coding of ['zstd', 'gzip']) {
      const { body } = made(2000, (number) => new TextEncoder().encode(number % 3 === 0 ? '' : String(number % 10)));
      const expected = Array.from({ length: 2000 }, (_, number) => (number % 3 === 0 ? '' : String(number % 10))).join(
        '',
      );
      expect(await unpacked(await compressResponse(asking(coding), html(body)))).toBe(expected);
    }
  });

  test('a body is not made faster than it is read', async () => {
    // Nothing in it repeats, so that it stays as long as it is.
    const { seen, body } = made(200, () => crypto.getRandomValues(new Uint8Array(64 * 1024)));
    const reader = (await compressResponse(asking('zstd'), html(body))).body?.getReader();
    await reader?.read();
    await Bun.sleep(20);
    expect(seen.asked).toBeLessThan(20);
    await reader?.cancel();
  });

  test('a body is given up when the visitor leaves', async () => {
    const { seen, body } = made(200, () => crypto.getRandomValues(new Uint8Array(64 * 1024)));
    const reader = (await compressResponse(asking('gzip'), html(body))).body?.getReader();
    await reader?.read();
    await reader?.cancel();
    expect(seen.cancelled).toBe(true);
  });

  test('a body breaks off where it fails, so that nobody takes a part for the whole', async () => {
    const { body } = made(200, (number) => {
      if (number === 5) throw new Error('the disk is gone');
      return crypto.getRandomValues(new Uint8Array(64 * 1024));
    });
    const response = await compressResponse(asking('zstd'), html(body));
    expect(await response.bytes().catch((error: unknown) => String(error))).toContain('the disk is gone');
  });

  test('T66 a long body delays nobody: other work is done between its slices', async () => {
    const long = Array.from({ length: 200_000 }, (_, line) => `${line},${Math.sin(line)}`).join('\n');
    const response = await compressResponse(
      asking('gzip'),
      new Response(long, { headers: { 'Content-Type': 'text/csv' } }),
    );
    let others = 0;
    const timer = setInterval(() => (others += 1), 0);
    const parts: number[] = [];
    for await (const part of response.body ?? []) parts.push(part.length);
    clearInterval(timer);
    expect(parts.length).toBeGreaterThan(50);
    expect(others).toBeGreaterThan(10);
  });
});

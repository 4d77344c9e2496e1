import { describe, expect, test } from 'bun:test';
import { DomainError } from '#shared/errors.ts';
import { bufferForm, readJson, readUpload } from './body.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };
const utf8 = new TextEncoder();

/** A request as a server gets it: with its length, or in pieces whose length nobody announced. */
function sent(body: string | readonly string[], headers: Record<string, string>): Request {
  if (typeof body === 'string')
    return new Request('http://test/', {
      method: 'POST',
      body,
      headers: { ...headers, 'Content-Length': String(utf8.encode(body).byteLength) },
    });
  const pieces = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of body) controller.enqueue(utf8.encode(piece));
      controller.close();
    },
  });
  return new Request('http://test/', { method: 'POST', body: pieces, headers });
}
/** What a reading gives, or the code that it throws. */
const outcome = <T>(reading: Promise<T>): Promise<T | string> =>
  reading.catch((error: unknown) => (error instanceof DomainError ? error.code : String(error)));

describe('bodies of requests', () => {
  test('a JSON object is read whole, announced or in pieces, whatever else its content type says', async () => {
    expect(await readJson(sent('{"a":"é"}', JSON_TYPE), 100)).toEqual({ a: 'é' });
    expect(await readJson(sent(['{"a"', ':[1,', '2]}'], JSON_TYPE), 100)).toEqual({ a: [1, 2] });
    const spelled = { 'Content-Type': ' Application/JSON ; charset=utf-8' };
    expect(await readJson(sent('{}', spelled), 100)).toEqual({});
  });

  test('T52 a body may carry exactly as many bytes as its limit, and not one more, announced or not', async () => {
    const text = '{"a":"éé"}';
    const size = utf8.encode(text).byteLength;
    expect(size).toBe(12);
    for (const body of [text, [text], [...text]]) {
      expect(await outcome(readJson(sent(body, JSON_TYPE), size))).toEqual({ a: 'éé' });
      expect(await outcome(readJson(sent(body, JSON_TYPE), size - 1))).toBe('PAYLOAD_TOO_LARGE');
    }
  });

  test('T52 a body in endless pieces is refused as soon as it is too large, and nobody waits for its end', async () => {
    let pieces = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        pieces += 1;
        controller.enqueue(new Uint8Array(1000));
      },
    });
    const request = new Request('http://test/', { method: 'POST', body: endless, headers: JSON_TYPE });
    expect(await outcome(readJson(request, 4500))).toBe('PAYLOAD_TOO_LARGE');
    expect(pieces).toBeLessThan(10);
  });

  test.each(['', '[', '[]', '[{}]', 'null', '1', '"text"', 'true', '{} {}'])(
    'T60 a body that is no JSON object is malformed: %p',
    async (text) => {
      expect(await outcome(readJson(sent(text, JSON_TYPE), 100))).toBe('BAD_REQUEST');
    },
  );

  test('T60 a request without a body, or one that is cut off on its way, is malformed', async () => {
    const request = new Request('http://test/', { method: 'POST', headers: JSON_TYPE });
    expect(await outcome(readJson(request, 100))).toBe('BAD_REQUEST');
    const cut = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.error(new Error('the connection is gone'));
      },
    });
    const half = new Request('http://test/', { method: 'POST', body: cut, headers: JSON_TYPE });
    expect(await outcome(readJson(half, 100))).toBe('BAD_REQUEST');
  });

  test.each(['text/plain', 'application/json-patch', 'application/x-www-form-urlencoded', 'multipart/form-data'])(
    'T37 a body of another type than JSON is not read as JSON: %p',
    async (type) => {
      expect(await outcome(readJson(sent('{}', { 'Content-Type': type }), 100))).toBe('UNSUPPORTED_MEDIA_TYPE');
    },
  );

  test('T42 an upload is read whole where its type and size are right, and not where it is packed', async () => {
    const png = { type: 'image/png', max: 4 };
    const upload = (body: string | readonly string[], headers: Record<string, string>) =>
      outcome(readUpload(sent(body, headers), png));
    const type = { 'Content-Type': 'image/png' };
    expect(await upload('four', type)).toEqual(utf8.encode('four'));
    expect(await upload(['fo', 'ur'], type)).toEqual(utf8.encode('four'));
    expect(await upload('fives', type)).toBe('PAYLOAD_TOO_LARGE');
    expect(await upload(['five', 's'], type)).toBe('PAYLOAD_TOO_LARGE');
    expect(await upload('four', { 'Content-Type': 'image/svg+xml' })).toBe('UNSUPPORTED_MEDIA_TYPE');
    expect(await upload('four', {})).toBe('UNSUPPORTED_MEDIA_TYPE');
    expect(await upload('four', { ...type, 'Content-Encoding': 'gzip' })).toBe('UNSUPPORTED_MEDIA_TYPE');
  });

  test('a form that a browser sent without scripts is handed on whole, in either of its types', async () => {
    const plain = sent('name=a&other=b', { 'Content-Type': 'application/x-www-form-urlencoded' });
    const fields = await (await bufferForm(plain, 14)).formData();
    expect([...fields]).toEqual([
      ['name', 'a'],
      ['other', 'b'],
    ]);
    const body = '--x\r\nContent-Disposition: form-data; name="name"\r\n\r\na\r\n--x--\r\n';
    const parts = sent(body, { 'Content-Type': 'multipart/form-data; boundary=x' });
    expect((await (await bufferForm(parts, 1000)).formData()).get('name')).toBe('a');
  });

  test('T60 a form without a boundary, of another type, too large or that cannot be read is refused', async () => {
    const check = (body: string, type: string, max = 1000) =>
      outcome(bufferForm(sent(body, { 'Content-Type': type }), max));
    expect(await check('name=a', 'application/json')).toBe('UNSUPPORTED_MEDIA_TYPE');
    expect(await check('--x--', 'multipart/form-data')).toBe('UNSUPPORTED_MEDIA_TYPE');
    expect(await check('name=a', 'application/x-www-form-urlencoded', 5)).toBe('PAYLOAD_TOO_LARGE');
    expect(await check('--x\r\nnothing', 'multipart/form-data; boundary=x')).toBe('BAD_REQUEST');
  });
});

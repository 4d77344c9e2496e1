import { describe, expect, test } from 'bun:test';
import { crc32, deflateSync } from 'node:zlib';
import type { DrawnImage } from '#server/modules/images/index.ts';
import { pngOf } from '#tests/support/pictures.ts';
import { drawImage } from './draw.ts';

// Shows attacks T42 for images of users, without a process around it.

type Bytes = Uint8Array<ArrayBuffer>;
const bytes = (...parts: readonly (string | Uint8Array)[]): Bytes =>
  new Uint8Array(Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part))));
const number = (value: number, length: 2 | 4, littleEndian = false): Uint8Array => {
  const made = Buffer.alloc(length);
  if (littleEndian) made.writeUIntLE(value, 0, length);
  else made.writeUIntBE(value, 0, length);
  return made;
};

/** What must not be left of a file. */
const TRACE = 'Lantern Street 12';
const SCRIPT = '<script>alert(1)</script>';
/** What a phone notes: that its picture has to be turned by a quarter, and a place. */
const exif = bytes('MM\0*', number(8, 4), number(1, 2), number(0x0112, 2), number(3, 2), number(1, 4), '\0\x06\0\0');
const note = bytes(exif, number(0, 4), TRACE);

const plain = pngOf(40, 20);
const jpeg = new Uint8Array(await new Bun.Image(plain).jpeg({ quality: 90 }).bytes());
const webp = new Uint8Array(await new Bun.Image(plain).webp({ quality: 90 }).bytes());

/** A part of a PNG. */
const chunk = (kind: string, data: Uint8Array): Bytes => {
  const named = bytes(kind, data);
  return bytes(number(data.length, 4), named, number(crc32(named), 4));
};
/** A PNG with more parts behind its head, and something behind its end. */
const withChunks = (...parts: readonly Uint8Array[]): Bytes =>
  bytes(plain.subarray(0, 33), ...parts, plain.subarray(33));
/** A part of a JPEG. */
const segment = (marker: number, data: Uint8Array): Bytes =>
  bytes(Uint8Array.of(0xff, marker), number(data.length + 2, 2), data);
const withSegments = (...parts: readonly Uint8Array[]): Bytes => bytes(jpeg.subarray(0, 2), ...parts, jpeg.subarray(2));
/** A part of a WebP, whose length is even. */
const riff = (kind: string, data: Uint8Array): Bytes =>
  bytes(kind, number(data.length, 4, true), data, data.length % 2 === 1 ? '\0' : '');
/** A WebP that says of itself that it holds a place and a description. */
const webpWith = (...parts: readonly Uint8Array[]): Bytes => {
  const head = riff('VP8X', bytes(Uint8Array.of(0b1100, 0, 0, 0, 39, 0, 0, 19, 0, 0)));
  const body = bytes('WEBP', head, webp.subarray(12), ...parts);
  return bytes('RIFF', number(body.length, 4, true), body);
};
/** A GIF of one pixel. Its size may be any two bytes; `note`: what its comment says. */
const gifOf = (width: string, height: string, comment: string): Bytes =>
  bytes(
    `GIF89a${width}${height}\x80\0\0\0\0\0\xff\xff\xff`,
    comment === '' ? '' : bytes('!\xfe', Uint8Array.of(comment.length), comment, '\0'),
    ',\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;',
  );

function drawn(result: Awaited<ReturnType<typeof drawImage>>): DrawnImage {
  if (typeof result === 'string') throw new Error(result);
  return result;
}
const traces = ({ forms }: DrawnImage): string[] =>
  Object.entries(forms).flatMap(([form, file]) =>
    ['Lantern', 'script', 'alert', 'Exif', 'http', 'PK\x03\x04']
      .filter((trace) => Buffer.from(file).includes(trace))
      .map((trace) => `${form}: ${trace}`),
  );

describe('T42 nothing of a file is kept but its pixels', () => {
  test.each([
    [
      'a PNG with texts, a place and an archive behind it',
      bytes(
        withChunks(
          chunk('tEXt', bytes('Comment\0', TRACE)),
          chunk('iTXt', bytes('XML:com.adobe.xmp\0\0\0\0\0', SCRIPT)),
          chunk('eXIf', note),
        ),
        'PK\x03\x04',
        SCRIPT,
      ),
    ],
    [
      'a JPEG with a place, a description, a comment and a page behind it',
      bytes(
        withSegments(
          segment(0xe1, bytes('Exif\0\0', note)),
          segment(0xe1, bytes('http://ns.adobe.com/xap/1.0/\0', SCRIPT)),
          segment(0xed, bytes('Photoshop 3.0\0', TRACE)),
          segment(0xfe, bytes(SCRIPT)),
        ),
        SCRIPT,
      ),
    ],
    [
      'a WebP with a place, a description and a page behind it',
      bytes(webpWith(riff('EXIF', note), riff('XMP ', bytes(SCRIPT))), SCRIPT),
    ],
    ['a GIF that is a script as well', gifOf('/*', '\x01\0', `*/=1;alert(1)//${TRACE}`)],
    ['a GIF with a page behind it', bytes(gifOf('\x01\0', '\x01\0', SCRIPT), SCRIPT)],
  ])('the picture made of %s keeps nothing of what came with it', async (_, file) => {
    expect(traces(drawn(await drawImage(file)))).toEqual([]);
  });

  test('a picture that its camera noted as turned stands upright without the note', async () => {
    for (const file of [withSegments(segment(0xe1, bytes('Exif\0\0', note))), jpeg]) {
      const { width, height } = drawn(await drawImage(file));
      expect([width, height]).toEqual(file === jpeg ? [40, 20] : [20, 40]);
    }
  });
});

describe('T42 what no picture can be made of is refused', () => {
  test('a picture that breaks off anywhere is drawn as far as it goes or refused, and nothing is thrown', async () => {
    for (const whole of [plain, jpeg, webp, webpWith(riff('EXIF', note)), gifOf('\x01\0', '\x01\0', 'note')])
      for (let length = 0; length < whole.length; length += Math.max(1, Math.floor(whole.length / 25))) {
        const result = await drawImage(whole.slice(0, length));
        if (typeof result === 'string') expect(result).toBe('IMAGE_FORMAT');
        else expect([result.width, result.height].every((side) => side >= 1 && side <= 40)).toBe(true);
      }
  });

  test('pixels that unpack to more than the picture has room for become no larger picture', async () => {
    const head = Buffer.from(plain.subarray(8, 33));
    const bomb = bytes(
      plain.subarray(0, 8),
      head,
      chunk('IDAT', deflateSync(Buffer.alloc(64 << 20))),
      chunk('IEND', bytes()),
    );
    expect(bomb.length).toBeLessThan(200_000);
    const result = await drawImage(bomb);
    if (typeof result === 'string') expect(result).toBe('IMAGE_FORMAT');
    else expect([result.width, result.height]).toEqual([40, 20]);
  });

  test.each([
    ['a drawing', 'IMAGE_FORMAT', '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'],
    // Its letters are read as a size.
    ['a page that begins as a picture does', 'IMAGE_PIXELS', `GIF89a${SCRIPT}`],
    ['a document', 'IMAGE_FORMAT', '%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj <</JS (alert(1))>>'],
    ['an archive', 'IMAGE_FORMAT', 'PK\x03\x04\x14\0\0\0\x08\0'],
    [
      'a picture of another kind',
      'IMAGE_FORMAT',
      'BM\x3a\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\x01\0\0\0\x01\0\0\0\x01\0\x18\0\0\0\0\0\x04\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xff\xff\xff\0',
    ],
    ['the head of a picture behind a page', 'IMAGE_FORMAT', `${SCRIPT}\x89PNG\r\n\x1a\n`],
  ] as const)('%s is refused with its reason', async (_, code, file) => {
    expect(await drawImage(bytes(file))).toBe(code);
  });
});

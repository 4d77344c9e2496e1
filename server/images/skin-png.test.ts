import { describe, expect, test } from 'bun:test';
import { deflateSync } from 'node:zlib';
import { decode, encode } from 'fast-png';
import { chunk, png } from '#tests/support/png.ts';
import { skinPng } from './skin-png.ts';

/** Lines of a picture of one-byte pixels, all of the same value. */
const flat = (height: number, bytes: number, value: number) =>
  Buffer.concat(Array.from({ length: height }, () => Buffer.from([0, ...Array.from({ length: bytes }, () => value)])));

function clean(file: Uint8Array): Uint8Array {
  const result = skinPng.clean(file);
  if (typeof result === 'string') throw new Error(result);
  return result;
}
const pixel = (file: Uint8Array, at = 0) => [...decode(clean(file)).data.subarray(at * 4, at * 4 + 4)];

describe('a skin is read and drawn again', () => {
  test.each([64, 32])('a skin of 64×%d pixels is read', (height) => {
    const { width, height: drawn, channels, depth } = decode(clean(png({ height })));
    expect({ width, drawn, channels, depth }).toEqual({ width: 64, drawn: height, channels: 4, depth: 8 });
  });

  test('a skin is read in every notation of colour that pictures of 8 bits have', () => {
    expect(pixel(png())).toEqual([46, 160, 67, 255]);
    expect(
      pixel(
        png({
          colour: 2,
          lines: Buffer.concat(
            Array.from({ length: 64 }, () => Buffer.from([0, ...Array.from({ length: 64 }, () => [9, 8, 7]).flat()])),
          ),
        }),
      ),
    ).toEqual([9, 8, 7, 255]);
    expect(pixel(png({ colour: 0, lines: flat(64, 64, 77) }))).toEqual([77, 77, 77, 255]);
    expect(pixel(png({ colour: 4, lines: flat(64, 128, 77) }))).toEqual([77, 77, 77, 77]);
    const palette = chunk('PLTE', Buffer.from([1, 2, 3, 4, 5, 6]));
    expect(pixel(png({ colour: 3, before: [palette], lines: flat(64, 64, 1) }))).toEqual([4, 5, 6, 255]);
    expect(
      pixel(
        png({
          colour: 3,
          depth: 1,
          before: [palette, chunk('tRNS', Buffer.from([255, 40]))],
          lines: flat(64, 8, 0xff),
        }),
      ),
    ).toEqual([4, 5, 6, 40]);
    expect(pixel(png({ colour: 0, before: [chunk('tRNS', Buffer.from([0, 77]))], lines: flat(64, 64, 77) }))).toEqual([
      77, 77, 77, 0,
    ]);
  });

  test('a proposed palette does not change the colours', () => {
    expect(pixel(png({ before: [chunk('PLTE', Buffer.from([1, 2, 3]))] }))).toEqual([46, 160, 67, 255]);
  });

  test('a skin is read line by line or interlaced', () => {
    const data = Uint8Array.from({ length: 64 * 64 * 4 }, (_, index) => (index * 7) % 256);
    const interlaced = encode({ width: 64, height: 64, channels: 4, depth: 8, data }, { interlace: 'Adam7' });
    expect(decode(clean(interlaced)).data).toEqual(data);
  });

  test('what is drawn is the same each time, also of its own result', () => {
    const first = clean(png());
    expect(clean(png())).toEqual(first);
    expect(clean(first)).toEqual(first);
  });
});

describe('T42 nothing but pixels is left', () => {
  const secret = 'GPS 44.4268 N <script>alert(1)</script>';
  const text = Buffer.from(secret);

  test.each([
    ['texts', png({ before: [chunk('tEXt', Buffer.concat([Buffer.from('Comment\0'), text]))] })],
    ['Exif', png({ before: [chunk('eXIf', text)] })],
    ['private chunks', png({ after: [chunk('prVt', text)] })],
    ['a second file behind the picture', new Uint8Array(Buffer.concat([png(), Buffer.from('PK\u0003\u0004'), text]))],
    ['bytes behind the packed picture', png({ packed: Buffer.concat([deflateSync(flat(64, 256, 9)), text]) })],
    [
      'a colour profile that unpacks to 30 MB',
      png({ before: [chunk('iCCP', Buffer.concat([Buffer.from('x\0\0'), deflateSync(Buffer.alloc(30_000_000))]))] }),
    ],
    [
      'further frames',
      png({ before: [chunk('acTL', Buffer.alloc(8))], after: [chunk('fcTL', Buffer.alloc(26)), chunk('fdAT', text)] }),
    ],
  ])('a picture with %s keeps its pixels alone', (_, file) => {
    const result = Buffer.from(clean(file));
    expect(result.includes('script')).toBe(false);
    expect(result.includes('GPS')).toBe(false);
    expect(result.byteLength).toBeLessThan(1000);
    const types = [
      ...result.toString('latin1').matchAll(/IHDR|PLTE|tRNS|IDAT|IEND|tEXt|eXIf|prVt|iCCP|acTL|fcTL|fdAT/g),
    ].map(([type]) => type);
    expect(types).toEqual(['IHDR', 'IDAT', 'IEND']);
  });
});

describe('T42 what is no skin is refused', () => {
  const damaged = png();
  damaged[60] = (damaged[60] ?? 0) ^ 0xff;
  test.each([
    ['empty', new Uint8Array()],
    ['a text', new TextEncoder().encode('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>')],
    ['another kind of picture', Uint8Array.from([0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46])],
    ['the signature alone', png().subarray(0, 8)],
    ['cut off in the middle', png().subarray(0, 90)],
    ['without its end', png().subarray(0, -12)],
    ['with a wrong checksum', damaged],
    ['with too few lines', png({ lines: flat(10, 256, 1) })],
    ['with too many lines', png({ lines: flat(65, 256, 1) })],
    ['with a filter that does not exist', png({ lines: Buffer.alloc(64 * 257, 9) })],
    ['packed bytes that are none', png({ packed: Buffer.from('not packed at all') })],
    ['of 16 bits', png({ depth: 16 })],
    ['of a colour type that does not exist', png({ colour: 5 })],
    ['indexed without a palette', png({ colour: 3, lines: flat(64, 64, 0) })],
    [
      'indexed beyond its palette',
      png({ colour: 3, before: [chunk('PLTE', Buffer.from([1, 2, 3]))], lines: flat(64, 64, 200) }),
    ],
    ['interlaced in a way that does not exist', png({ interlace: 7 })],
    ['with two headers', png({ before: [chunk('IHDR', Buffer.alloc(13))] })],
    ['with a chunk nobody knows but everybody must', png({ before: [chunk('EVIL', Buffer.alloc(4))] })],
    [
      'with a chunk longer than the file',
      Uint8Array.from([...png().subarray(0, 33), 0x7f, 0xff, 0xff, 0xff, 0x49, 0x44, 0x41, 0x54]),
    ],
  ])('a picture is refused: %s', (_, file) => expect(skinPng.clean(file)).toBe('format'));

  test('a bomb of 60 KB that unpack to 60 MB ends where the picture would', () => {
    const bomb = png({ packed: deflateSync(Buffer.alloc(60_000_000), { level: 9 }) });
    expect(bomb.byteLength).toBeLessThan(64 * 1024);
    expect(skinPng.clean(bomb)).toBe('format');
  });

  test.each([
    [128, 128],
    [64, 65],
    [32, 64],
    [0, 0],
    [65_535, 65_535],
    [4_294_967_295, 64],
  ])('a picture of %d×%d pixels is refused before anything is unpacked', (width, height) => {
    expect(skinPng.clean(png({ width, height, packed: Buffer.from('x') }))).toBe('size');
  });
});

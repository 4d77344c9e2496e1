import { describe, expect, test } from 'bun:test';
import { PICTURE_FORMS, PICTURE_KINDS, PICTURE_MAX_PIXELS } from '#shared/pictures.ts';
import { pngOf } from '#tests/support/pictures.ts';
import { png } from '#tests/support/png.ts';
import { drawPicture } from './picture-draw.ts';
import { createPictureCodec } from './picture-thread.ts';

const text = (content: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(content);
const drawn = async (...given: Parameters<typeof drawPicture>) => {
  const forms = await drawPicture(...given);
  if (typeof forms === 'string') throw new Error(forms);
  return forms;
};
/** A JPEG with an Exif block that names a place. */
async function jpegWithPlace(): Promise<Uint8Array<ArrayBuffer>> {
  const plain = new Uint8Array(await new Bun.Image(pngOf(300, 200)).jpeg({ quality: 80 }).bytes());
  const block = text('Exif\0\0GPS 44.4268N 26.1025E Lantern Street');
  const head = Uint8Array.of(0xff, 0xe1, (block.length + 2) >> 8, (block.length + 2) & 255);
  return new Uint8Array(Buffer.concat([plain.subarray(0, 2), head, block, plain.subarray(2)]));
}

describe('pictures of the installation', () => {
  test.each(PICTURE_KINDS)('a %s is drawn in every form, no larger than asked for and never enlarged', async (kind) => {
    const forms = await drawn(kind, pngOf(400));
    expect(forms.map(({ name, type }) => [name, type])).toEqual(
      PICTURE_FORMS[kind].map(({ name, type }) => [name, type]),
    );
    for (const [at, { width, height, bytes }] of forms.entries()) {
      const most = PICTURE_FORMS[kind][at];
      expect(width).toBe(Math.min(400, most?.width ?? 0, most?.height ?? 0));
      expect(height).toBe(width);
      expect(bytes.byteLength).toBeGreaterThan(50);
    }
  });

  test('a picture keeps its shape', async () => {
    const [form] = await drawn('logo', pngOf(960, 120));
    expect([form?.width, form?.height]).toEqual([480, 60]);
  });

  test.each([
    ['an SVG', text('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"></svg>')],
    ['a page', text('<!doctype html><script>alert(1)</script>')],
    ['a moving GIF', new Uint8Array(Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64'))],
    ['half a PNG', pngOf(300).subarray(0, 400)],
    ['a PNG in name only', new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3])],
  ])('T42 a file that is %s is refused', async (_, file) => {
    expect(await drawPicture('hero', new Uint8Array(file))).toBe('PICTURE_FORMAT');
  });

  test('T42 a small file that claims to be huge is refused before it is unpacked', async () => {
    // Of its pixels it has a line: who begins with them finds half a picture, and says that of it.
    const claimed = (height: number) =>
      drawPicture('background', png({ width: 1000, height, lines: new Uint8Array(1 + 4 * 1000) }));
    expect(await claimed(PICTURE_MAX_PIXELS / 1000 + 1)).toBe('PICTURE_PIXELS');
    expect(await claimed(PICTURE_MAX_PIXELS / 1000)).toBe('PICTURE_FORMAT');
  });

  test('T42 the place and a second file behind the picture are gone', async () => {
    const file = new Uint8Array(Buffer.concat([await jpegWithPlace(), text('<script>alert(1)</script>')]));
    expect(Buffer.from(file).includes('Lantern Street')).toBe(true);
    for (const kind of ['logo', 'preview'] as const)
      for (const { bytes } of await drawn(kind, file))
        for (const trace of ['Lantern Street', 'Exif', 'script'])
          expect(Buffer.from(bytes).includes(trace)).toBe(false);
  });

  test('an icon is square and large enough', async () => {
    expect(await drawPicture('icon', pngOf(300, 200))).toBe('PICTURE_SQUARE');
    expect(await drawPicture('icon', pngOf(191))).toBe('PICTURE_SMALL');
    expect((await drawn('icon', pngOf(192))).map(({ width }) => width)).toEqual([192, 192, 64]);
  });
});

describe('the thread that draws', () => {
  const spawn = () => new Worker(new URL('picture.worker.ts', import.meta.url));

  test('it draws the same as this one, several one after the other', async () => {
    const codec = createPictureCodec(spawn);
    const [file, other] = [pngOf(200), pngOf(220)];
    const all = await Promise.all([
      codec.draw('icon', file),
      codec.draw('icon', other),
      codec.draw('icon', text('no')),
    ]);
    expect(all).toEqual([await drawPicture('icon', file), await drawPicture('icon', other), 'PICTURE_FORMAT']);
  });

  test('T42 a thread that does not answer in time is given up', async () => {
    const silent = new Worker(new URL('data:text/javascript,self.onmessage=()=>{for(;;){}}'));
    const ended = new Promise((resolve) => silent.addEventListener('close', resolve));
    expect(await createPictureCodec(() => silent, 200).draw('icon', pngOf(192))).toBe('PICTURE_FORMAT');
    await ended;
  });
});

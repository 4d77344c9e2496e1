import { inflateSync } from 'node:zlib';
import { convertIndexedToRgb, decode, encode } from 'fast-png';
import type { DecodedPng } from 'fast-png';
import type { SkinCodec } from '#server/modules/skins/index.ts';
import { isSkinSize } from '#shared/skin.ts';

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** Chunks a picture is made of; whatever else a file holds is not looked at. */
const PIXELS: ReadonlySet<string> = new Set(['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND']);
/** Channels of each colour type: grey, colours, palette, grey with alpha, colours with alpha. */
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const INDEXED = 3;
/** Steps of an interlaced picture: first column and row, distance of columns and rows. */
const ADAM7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

interface Header {
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  readonly colour: number;
  readonly interlaced: boolean;
}
interface Chunk {
  readonly type: string;
  /** Length, type, data and checksum as they stand in the file. */
  readonly whole: Uint8Array;
  readonly data: Uint8Array;
}

/**
 * Skins as PNG. The file is taken apart first: only the chunks of the picture go on, its size is known before anything
 * is unpacked, and unpacking stops at what such a picture needs, so a small file cannot become a large one (attacks
 * T42). What is decoded is encoded anew.
 */
export const skinPng: SkinCodec = {
  clean(file) {
    try {
      const chunks = chunksOf(file);
      const header = headerOf(chunks);
      if (!isSkinSize(header.width, header.height)) return 'size';
      unpack(chunks, header);
      // Outside indexed pictures a palette is a mere proposal, which the decoder would take for the real thing.
      const used = chunks.filter(({ type }) => type !== 'PLTE' || header.colour === INDEXED);
      const bare = Buffer.concat([Buffer.from(SIGNATURE), ...used.map(({ whole }) => whole)]);
      const { width, height } = header;
      return new Uint8Array(
        encode(
          { width, height, channels: 4, depth: 8, data: pixelsOf(decode(bare, { checkCrc: true })) },
          { zlib: { level: 9 } },
        ),
      );
    } catch {
      // Whatever the file made the steps above throw: it is no picture for us.
      return 'format';
    }
  },
};

/** The chunks of the picture, up to its end. What follows (a second file, perhaps) is left behind. */
function chunksOf(file: Uint8Array): Chunk[] {
  if (!SIGNATURE.every((byte, index) => file[index] === byte)) throw new Error('signature');
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const chunks: Chunk[] = [];
  let at = SIGNATURE.length;
  for (;;) {
    if (at + 12 > file.byteLength) throw new Error('cut off');
    const length = view.getUint32(at);
    const end = at + 12 + length;
    if (end > file.byteLength) throw new Error('cut off');
    const type = String.fromCharCode(...file.subarray(at + 4, at + 8));
    if (PIXELS.has(type)) chunks.push({ type, whole: file.subarray(at, end), data: file.subarray(at + 8, end - 4) });
    // A capital first letter: the picture cannot be understood without it.
    else if (!/^[a-z][A-Za-z]{3}$/.test(type)) throw new Error('unknown chunk');
    if (type === 'IEND') return chunks;
    at = end;
  }
}

function headerOf(chunks: readonly Chunk[]): Header {
  const [first] = chunks;
  const count = (type: string) => chunks.filter((chunk) => chunk.type === type).length;
  if (
    first?.type !== 'IHDR' ||
    first.data.byteLength !== 13 ||
    count('IHDR') > 1 ||
    count('PLTE') > 1 ||
    count('tRNS') > 1
  )
    throw new Error('header');
  const view = new DataView(first.data.buffer, first.data.byteOffset, 13);
  const [depth, colour, compression, filter, interlace] = [8, 9, 10, 11, 12].map((offset) => view.getUint8(offset));
  const known =
    depth === 8 ? CHANNELS[colour ?? -1] !== undefined : colour === INDEXED && [1, 2, 4].includes(depth ?? 0);
  if (
    !known ||
    depth === undefined ||
    colour === undefined ||
    compression !== 0 ||
    filter !== 0 ||
    (interlace !== 0 && interlace !== 1)
  )
    throw new Error('header');
  if (colour === INDEXED && count('PLTE') === 0) throw new Error('palette');
  return { width: view.getUint32(0), height: view.getUint32(4), depth, colour, interlaced: interlace === 1 };
}

/** Unpacks the picture to see that it is all there and no more: bytes beyond its size end the unpacking. */
function unpack(chunks: readonly Chunk[], header: Header): void {
  const expected = bytesOf(header);
  const packed = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data));
  if (inflateSync(packed, { maxOutputLength: expected }).byteLength !== expected) throw new Error('cut off');
}

/** Bytes of the unpacked picture: a filter byte and the pixels of each line. */
function bytesOf({ width, height, depth, colour, interlaced }: Header): number {
  const line = (pixels: number) => 1 + Math.ceil((pixels * depth * (CHANNELS[colour] ?? 0)) / 8);
  if (!interlaced) return height * line(width);
  return ADAM7.reduce(
    (sum, [x, y, dx, dy]) => sum + Math.ceil((height - y) / dy) * line(Math.ceil((width - x) / dx)),
    0,
  );
}

/** Red, green, blue and alpha of every pixel. */
function pixelsOf(png: DecodedPng): Uint8Array {
  const { palette, transparency } = png;
  const channels = palette?.[0]?.length ?? png.channels;
  const data = palette ? convertIndexedToRgb(png) : png.data;
  const out = new Uint8Array(png.width * png.height * 4);
  for (let pixel = 0; pixel * 4 < out.length; pixel += 1) {
    const from = data.subarray(pixel * channels, (pixel + 1) * channels);
    const grey = channels < 3;
    const colour = grey ? [from[0] ?? 0, from[0] ?? 0, from[0] ?? 0] : [from[0] ?? 0, from[1] ?? 0, from[2] ?? 0];
    // One colour, or one grey, may be declared to be transparent.
    const clear = !palette && transparency !== undefined && transparency.every((value, index) => value === from[index]);
    const alpha = channels === 2 ? from[1] : channels === 4 ? from[3] : 255;
    out.set([...colour, clear ? 0 : (alpha ?? 255)], pixel * 4);
  }
  return out;
}

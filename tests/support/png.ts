import { crc32, deflateSync } from 'node:zlib';

/** A PNG by hand, good or bad: to be taken apart by what it is tested with. */
export interface PngParts {
  width?: number;
  height?: number;
  depth?: number;
  colour?: number;
  interlace?: number;
  /**
   * The picture's bytes before packing: a filter byte and the pixels of each line. By default every pixel is the same
   * opaque colour.
   */
  lines?: Uint8Array;
  /** Already packed, in the place of `lines`. */
  packed?: Uint8Array;
  /** Chunks between header and picture. */
  before?: readonly Uint8Array[];
  /** Chunks between picture and end. */
  after?: readonly Uint8Array[];
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** One chunk with its right checksum. */
export function chunk(type: string, data: Uint8Array): Uint8Array<ArrayBuffer> {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.byteLength, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return new Uint8Array(Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]));
}

/** A whole file. A green 64×64 picture with alpha unless told otherwise. */
export function png(parts: PngParts = {}): Uint8Array<ArrayBuffer> {
  const { width = 64, height = 64, depth = 8, colour = 6, interlace = 0, before = [], after = [] } = parts;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, colour, 0, 0, interlace], 8);
  const packed = parts.packed ?? deflateSync(parts.lines ?? plainLines(width, height));
  return new Uint8Array(
    Buffer.concat([
      SIGNATURE,
      chunk('IHDR', header),
      ...before,
      chunk('IDAT', packed),
      ...after,
      chunk('IEND', Buffer.alloc(0)),
    ]),
  );
}

/**
 * Every pixel of the same opaque colour. Only made where it is wanted: a header may tell of a picture that no memory
 * holds.
 */
function plainLines(width: number, height: number): Buffer {
  const line = Buffer.concat([
    Buffer.from([0]),
    ...Array.from({ length: width }, () => Buffer.from([46, 160, 67, 255])),
  ]);
  return Buffer.concat(Array.from({ length: height }, () => line));
}

const GIF = /^GIF8[79]a/;
/** The parts of a GIF: an extension, a picture, the end. */
const GIF_EXTENSION = 0x21;
const GIF_PICTURE = 0x2c;
/** Flags of a GIF's tables of colours, and of a WebP that moves (VP8X). */
const TABLE = 0x80;
const WEBP_MOVES = 0x02;

/** Whether a file holds a moving picture: a GIF of more than one, an APNG, a WebP that says so. Never throws. */
export function isMoving(file: Uint8Array): boolean {
  const head = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  if (GIF.test(head.toString('latin1', 0, 6))) return countGif(head) > 1;
  if (head.toString('latin1', 1, 4) === 'PNG') return isMovingPng(head);
  return head.toString('latin1', 8, 16) === 'WEBPVP8X' && ((head[20] ?? 0) & WEBP_MOVES) !== 0;
}

const tableBytes = (flags: number): number => ((flags & TABLE) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));

/** Pictures of a GIF, counted up to two; its pixels are not unpacked. */
function countGif(file: Buffer): number {
  let at = 13 + tableBytes(file[10] ?? 0);
  let found = 0;
  while (at < file.length && found < 2) {
    const kind = file[at];
    if (kind === GIF_PICTURE) {
      found += 1;
      at = skipBlocks(file, at + 11 + tableBytes(file[at + 9] ?? 0));
    } else if (kind === GIF_EXTENSION) at = skipBlocks(file, at + 2);
    else break;
  }
  return found;
}

/** Where the blocks that begin here are over: each says how long it is, and the last is empty. */
function skipBlocks(file: Buffer, start: number): number {
  let at = start;
  for (let size = file[at] ?? 0; size > 0; size = file[at] ?? 0) at += size + 1;
  return at + 1;
}

/** Whether a PNG has the chunk that makes it move, which stands before its pixels. */
function isMovingPng(file: Buffer): boolean {
  for (let at = 8; at + 8 <= file.length;) {
    const kind = file.toString('latin1', at + 4, at + 8);
    if (kind === 'acTL') return true;
    if (kind === 'IDAT') return false;
    at += 12 + file.readUInt32BE(at);
  }
  return false;
}

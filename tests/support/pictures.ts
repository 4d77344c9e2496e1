import { encode } from 'fast-png';

/** A PNG of one colour per corner, for pictures of the installation. In: its size in pixels, and what makes it differ. */
export function pngOf(width: number, height = width, tint = 0): Uint8Array<ArrayBuffer> {
  const data = new Uint8Array(width * height * 4);
  for (let at = 0; at < width * height; at += 1)
    data.set([(at % width) & 255, Math.floor(at / width) & 255, tint & 255, 255], at * 4);
  return new Uint8Array(encode({ width, height, channels: 4, depth: 8, data }));
}

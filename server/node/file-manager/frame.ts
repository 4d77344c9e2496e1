/** A message between the parts of the file manager: a head as JSON, and the bytes of a file. */
interface Frame {
  readonly head: unknown;
  readonly bytes: Uint8Array;
}
/** Longest head and longest body, bytes: a page of a folder with the longest names, and a part of a file. */
const MOST_HEAD = 2_097_152;
const MOST_BYTES = 4_194_304;
const LENGTHS = 8;
/** Longest frame. */
export const MOST_FRAME = LENGTHS + MOST_HEAD + MOST_BYTES;

/** A frame as it is sent: length of head and bytes (32 bits each, little endian), head, bytes. */
export function encodeFrame({ head, bytes }: Frame): Uint8Array<ArrayBuffer> {
  const text = new TextEncoder().encode(JSON.stringify(head));
  // Not filled with zeros first, which took a fifth of the time of a part of 4 MB: all of it is written here.
  const frame = Buffer.allocUnsafe(LENGTHS + text.length + bytes.length);
  const lengths = new DataView(frame.buffer, frame.byteOffset);
  lengths.setUint32(0, text.length, true);
  lengths.setUint32(4, bytes.length, true);
  frame.set(text, LENGTHS);
  frame.set(bytes, LENGTHS + text.length);
  return frame;
}
/** The length of the frame that begins here; null: not enough of it is there. Throws where it would be too long. */
function lengthOf(data: Uint8Array): number | null {
  if (data.length < LENGTHS) return null;
  const lengths = new DataView(data.buffer, data.byteOffset);
  const [head, bytes] = [lengths.getUint32(0, true), lengths.getUint32(4, true)];
  if (head > MOST_HEAD || bytes > MOST_BYTES) throw new Error('a frame is too long');
  return LENGTHS + head + bytes;
}
/** Reads one whole frame. Throws where it is none. */
export function decodeFrame(data: Uint8Array): Frame {
  if (lengthOf(data) !== data.length) throw new Error('a frame is cut off');
  const head = new DataView(data.buffer, data.byteOffset).getUint32(0, true);
  return {
    head: JSON.parse(new TextDecoder().decode(data.subarray(LENGTHS, LENGTHS + head))),
    bytes: data.subarray(LENGTHS + head),
  };
}
/** Cuts a stream into frames. Throws where one is too long or is none. */
export async function* framesOf(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Frame> {
  let parts: Uint8Array[] = [];
  let size = 0;
  let wanted = LENGTHS;
  for await (const chunk of stream) {
    parts.push(chunk);
    size += chunk.length;
    // Joined only when a whole one is there: a frame of 4 MB comes in a hundred chunks.
    while (size >= wanted) {
      const all = Buffer.concat(parts);
      const length = lengthOf(all);
      wanted = length ?? LENGTHS;
      if (length === null || all.length < length) {
        parts = [all];
        break;
      }
      yield decodeFrame(all.subarray(0, length));
      parts = [all.subarray(length)];
      size -= length;
      wanted = LENGTHS;
    }
  }
}

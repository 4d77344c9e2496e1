/** Bytes of the length that stands before each message between a server and the process that draws for it. */
const LENGTH_BYTES = 4;

/** A message with its length before it. */
export function toFrame(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const frame = new Uint8Array(LENGTH_BYTES + bytes.byteLength);
  new DataView(frame.buffer).setUint32(0, bytes.byteLength);
  frame.set(bytes, LENGTH_BYTES);
  return frame;
}

/** The messages of a stream. Throws RangeError for one of more than `max` bytes. */
export async function* readFrames(
  stream: AsyncIterable<Uint8Array>,
  max: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let chunks: Uint8Array[] = [];
  let held = 0;
  let wanted = -1;
  for await (const chunk of stream) {
    chunks.push(chunk);
    held += chunk.byteLength;
    for (;;) {
      const needed = wanted < 0 ? LENGTH_BYTES : wanted;
      if (held < needed) break;
      const whole = Buffer.concat(chunks);
      const part = new Uint8Array(whole.subarray(0, needed));
      chunks = [whole.subarray(needed)];
      held -= needed;
      if (wanted < 0) {
        wanted = new DataView(part.buffer).getUint32(0);
        if (wanted > max) throw new RangeError('a message is too long');
      } else {
        yield part;
        wanted = -1;
      }
    }
  }
}

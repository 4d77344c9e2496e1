/** The text of an answer, at most `max` bytes. Throws where it is longer. */
export async function readBounded(response: Response, max: number): Promise<string> {
  const reader = response.body?.getReader();
  if (!reader) return '';
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    bytes += part.value.byteLength;
    if (bytes > max) {
      await reader.cancel();
      throw new RangeError('the answer is too long');
    }
    parts.push(part.value);
  }
  return Buffer.concat(parts).toString('utf8');
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

/**
 * The lines of a stream of text as JSON; null for one that is none. Ends where one has more than `most` characters and
 * no end.
 */
export async function* jsonLines(
  stream: ReadableStream<Uint8Array>,
  most = Number.POSITIVE_INFINITY,
): AsyncGenerator<unknown> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of stream) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield parse(line);
    if (rest.length > most) return;
  }
  if (rest) yield parse(rest);
}

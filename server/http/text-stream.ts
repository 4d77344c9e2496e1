/**
 * Texts as the body of an answer, each made when the caller has taken the ones before. `first` goes in front. Where the
 * caller leaves, or a text cannot be made, the rest is given up: the answer breaks off, so that nobody takes a part for
 * the whole.
 */
export function textStream(texts: AsyncIterable<string>, first = ''): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator = texts[Symbol.asyncIterator]();
  let lead = first;
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) {
        if (lead !== '') controller.enqueue(encoder.encode(lead));
        return controller.close();
      }
      controller.enqueue(encoder.encode(lead + value));
      lead = '';
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}

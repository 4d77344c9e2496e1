/**
 * Streams texts as the body of a response, each made only when the caller has read the ones before. In: `first` is sent
 * before them. Where the caller disconnects the iterator is returned; where a text cannot be made the stream errors, so
 * that nobody takes a part for the whole.
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

/**
 * The body of a download that is read in parts: each when the browser has taken the one before. In: its bytes, the
 * first part, the most bytes of one, and what reads the others. Breaks off where that throws or answers nothing.
 */
export function downloadInParts(
  { size, first, most }: { readonly size: number; readonly first: Uint8Array; readonly most: number },
  read: (from: number, length: number) => Promise<Uint8Array>,
): ReadableStream<Uint8Array> {
  let next = first;
  let sent = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (next.length > 0) controller.enqueue(next);
      sent += next.length;
      if (sent >= size) return controller.close();
      const part = await read(sent, Math.min(most, size - sent)).catch(() => null);
      if (part === null || part.length === 0) return controller.error(new Error('the file is another one now'));
      next = part;
    },
  });
}

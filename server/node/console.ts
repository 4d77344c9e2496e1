/** Bytes a second that are taken in from one server, and how many at once; beyond it the pipe fills and it waits. */
const PACE = 4_194_304;
const BURST = 8_388_608;
const MAX_LINE = 8192;

/** Bytes to lines. A line without an end is cut, so that it cannot grow; what is no UTF-8 becomes U+FFFD. */
function createLines(onLine: (line: string) => void): (chunk: Uint8Array) => void {
  const decoder = new TextDecoder();
  let rest = '';
  return (chunk) => {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split(/\r\n|\n|\r(?=[^\n])/);
    rest = parts.pop() ?? '';
    for (const part of parts) onLine(part.slice(0, MAX_LINE));
    if (rest.length > MAX_LINE) {
      onLine(rest.slice(0, MAX_LINE));
      rest = '';
    }
  };
}

/**
 * Reads what a server writes, at a bounded pace, until the pipe is closed: who writes too much waits, and costs nobody
 * else anything. In: the pipe, and what is done with each line.
 */
export async function readConsole(pipe: number, onLine: (line: string) => void): Promise<void> {
  const take = createLines(onLine);
  let left = BURST;
  let lastMs = performance.now();
  try {
    for await (const chunk of Bun.file(pipe).stream()) {
      const nowMs = performance.now();
      left = Math.min(BURST, left + ((nowMs - lastMs) / 1000) * PACE) - chunk.length;
      lastMs = nowMs;
      take(chunk);
      await Bun.sleep(left < 0 ? Math.min(1000, (-left / PACE) * 1000) : 0);
    }
  } catch {
    // The pipe was closed: the server is gone.
  }
}

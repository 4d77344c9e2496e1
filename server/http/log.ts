import type { Log } from '#server/modules/kernel.ts';

const LEVELS = { debug: 0, info: 1, warn: 2, error: 3, silent: 4 } as const;
type Level = keyof typeof LEVELS;

export interface RequestLog extends Log {
  debug(event: string, fields?: Record<string, unknown>): void;
  /** Writes what is still buffered. */
  flush(): void;
}

/**
 * JSON lines on standard output, buffered and written at least every 50 ms (errors at once), so that a busy server does
 * not wait for its log. In: the least level that is written, a clock, and the sink (standard output by default).
 */
export function createLog(
  level: Level,
  now: () => number,
  write: (text: string) => void = (text) => void process.stdout.write(text),
): RequestLog {
  const least = LEVELS[level];
  let buffer = '';
  let timer: ReturnType<typeof setTimeout> | null = null;
  const flush = () => {
    if (timer) clearTimeout(timer);
    timer = null;
    if (!buffer) return;
    const text = buffer;
    buffer = '';
    write(text);
  };
  const line = (name: 'debug' | 'info' | 'warn' | 'error') => (event: string, fields?: Record<string, unknown>) => {
    if (LEVELS[name] < least) return;
    const more = fields ? JSON.stringify(fields).slice(1, -1) : '';
    buffer += `{"at":${now()},"level":"${name}","event":${JSON.stringify(event)}${more && `,${more}`}}\n`;
    if (name === 'error' || buffer.length > 32_768) flush();
    else timer ??= setTimeout(flush, 50);
  };
  return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error'), flush };
}

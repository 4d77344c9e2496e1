import type { Log } from '#server/modules/kernel.ts';
import type { LineLevel, LogLevel } from '#shared/logs.ts';
import { maskValue } from '#shared/mask.ts';
import type { FoundLines, LineQuery, LogFiles } from '#server/logs/files.ts';

const LEVELS = { debug: 0, info: 1, warn: 2, error: 3, silent: 4 } as const satisfies Record<LogLevel, number>;

export interface RequestLog extends Log {
  debug(event: string, fields?: Record<string, unknown>): void;
  /** Writes what is still buffered. */
  flush(): void;
  /** From which level on lines are written. */
  level(): LogLevel;
  /** Changes that, from the next line on. */
  setLevel(level: LogLevel): void;
  /** Lines that were written; none where they are not kept. */
  list(query: LineQuery): Promise<FoundLines>;
}

/**
 * A line that may hold a secret: one whose fields have such a name, an address with a password or a query, or what an
 * error says, which is anybody's text. All others are written as they are, which is what every request is.
 */
const SUSPECT =
  /passw|secret|token|authoriz|bearer|cookie|credential|apikey|privatekey|signature|totp|recovery|"error":|"stack":|:\/\/[^/\s"]*@|\?[^"\s]*=/i;

/**
 * JSON lines on standard output, buffered and written at least every 50 ms (errors at once), so that a busy server does
 * not wait for its log. Secrets are masked before a line is written or kept (attacks T50). In: the least level that is
 * written, a clock, the sink (standard output by default), and the files that keep the lines (none by default).
 */
export function createLog(
  level: LogLevel,
  now: () => number,
  write: (text: string) => void = (text) => void process.stdout.write(text),
  files: Pick<LogFiles, 'write' | 'list'> | null = null,
): RequestLog {
  let current = level;
  let buffer = '';
  let warnings = '';
  let timer: ReturnType<typeof setTimeout> | null = null;
  const flush = () => {
    if (timer) clearTimeout(timer);
    timer = null;
    if (!buffer) return;
    const text = buffer;
    files?.write(text, warnings);
    buffer = warnings = '';
    write(text);
  };
  const line = (name: LineLevel) => (event: string, fields?: Record<string, unknown>) => {
    if (LEVELS[name] < LEVELS[current]) return;
    const text = `{"at":${now()},"level":"${name}","event":${JSON.stringify(event)}${renderFields(fields)}}\n`;
    buffer += text;
    if (name === 'warn' || name === 'error') warnings += text;
    if (name === 'error' || buffer.length > 32_768) flush();
    else timer ??= setTimeout(flush, 50);
  };
  return {
    debug: line('debug'),
    info: line('info'),
    warn: line('warn'),
    error: line('error'),
    flush,
    level: () => current,
    setLevel: (next) => {
      current = next;
    },
    async list(query) {
      flush();
      return files?.list(query) ?? { lines: [], end: null };
    },
  };
}

/** Fields as they stand in a line behind its event, secrets masked. */
function renderFields(fields: Record<string, unknown> | undefined): string {
  if (!fields) return '';
  const plain = JSON.stringify(fields).slice(1, -1);
  if (plain === '') return '';
  return `,${SUSPECT.test(plain) ? JSON.stringify(maskValue(fields)).slice(1, -1) : plain}`;
}

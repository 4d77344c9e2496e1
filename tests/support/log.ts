import type { Log } from '#server/modules/kernel.ts';

export interface LogLine {
  readonly level: 'info' | 'warn' | 'error';
  readonly event: string;
  readonly fields: Record<string, unknown>;
}

/** A log that keeps its lines for the test to look at. */
export function testLog(): Log & { readonly lines: LogLine[]; events(): string[] } {
  const lines: LogLine[] = [];
  const at =
    (level: LogLine['level']) =>
    (event: string, fields: Record<string, unknown> = {}) =>
      void lines.push({ level, event, fields });
  return {
    lines,
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    events: () => lines.map(({ event }) => event),
  };
}

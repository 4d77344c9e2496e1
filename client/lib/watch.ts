import type { Journal } from './journal.ts';
import { truncate, maskLine, maskText } from '#shared/mask.ts';

type Level = 'log' | 'info' | 'warn' | 'error';
const LEVELS: readonly Level[] = ['log', 'info', 'warn', 'error'];

interface RecordedPage {
  addEventListener(type: 'error' | 'unhandledrejection', listener: (event: Event) => void): void;
  readonly console: Pick<Console, Level>;
}

/**
 * Records uncaught errors (specification, section 8) and console lines in the journal. Both still reach the browser's
 * own console.
 */
export function recordPageEvents(page: RecordedPage, journal: Journal): void {
  const note = (prefix: string, error: unknown, message: string) =>
    journal.error({
      text: `${prefix}: ${truncate(maskText(error instanceof Error ? `${error.name}: ${error.message}` : message))}`,
      stack: error instanceof Error ? truncate(maskText(error.stack ?? '')) : '',
    });
  page.addEventListener('error', (event) => {
    // The error event of an image or a script that failed to load does not bubble, so it does not get here.
    const { error, message } = event as ErrorEvent;
    note('Global Error', error, message);
  });
  page.addEventListener('unhandledrejection', (event) => {
    const { reason } = event as PromiseRejectionEvent;
    note('Unhandled Promise Rejection', reason, maskLine([reason]));
  });
  for (const level of LEVELS) {
    const native = page.console[level];
    page.console[level] = (...values: unknown[]) => {
      try {
        journal.line(level, maskLine(values));
      } catch {
        // A value that cannot be read must not keep the line from being printed.
      }
      native.apply(page.console, values);
    };
  }
}

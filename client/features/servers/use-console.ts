import { useEffect, useState } from 'react';
import { endpointUrl } from '#shared/contract/client.ts';
import type { ConsoleEventLine } from '#shared/contract/consoles.ts';
import { WIRE } from '#shared/contract/wire.ts';

export interface ConsoleRow extends ConsoleEventLine {
  /** Lines are missing before it. */
  readonly gap: boolean;
}
interface ConsoleState {
  readonly rows: readonly ConsoleRow[];
  /** Nothing comes at the moment: the connection or the panel is down. */
  readonly away: boolean;
}

/** Lines kept in the page; the oldest go first. */
const MOST = 2000;
/** Pauses before the stream is opened again, ms. */
const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 15_000;

/** The console of a server: opens its stream, and again behind the last line after each break. */
export function useConsole(id: string): ConsoleState {
  const [state, setState] = useState<ConsoleState>({ rows: [], away: false });
  // An effect, because the stream is outside React.
  useEffect(() => {
    let source: EventSource | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let pause = FIRST_PAUSE;
    let after = 0;
    const open = (): void => {
      source = new EventSource(
        endpointUrl(WIRE.consoles.stream, { params: { id }, query: after > 0 ? { after: String(after) } : {} }),
      );
      source.addEventListener('open', () => {
        pause = FIRST_PAUSE;
        setState((before) => (before.away ? { ...before, away: false } : before));
      });
      source.addEventListener('lines', (event: MessageEvent<string>) => {
        const { lines, gap } = JSON.parse(event.data) as { lines: readonly ConsoleEventLine[]; gap: boolean };
        after = lines.at(-1)?.seq ?? after;
        const rows = lines.map((line, index) => ({ ...line, gap: gap && index === 0 }));
        setState((before) => ({ rows: [...before.rows, ...rows].slice(-MOST), away: false }));
      });
      source.addEventListener('away', () => setState((before) => ({ ...before, away: true })));
      // The browser's own way back would begin at the oldest line again.
      source.addEventListener('error', () => {
        source?.close();
        setState((before) => ({ ...before, away: true }));
        timer = setTimeout(open, pause);
        pause = Math.min(LONGEST_PAUSE, pause * 2);
      });
    };
    open();
    return () => {
      clearTimeout(timer);
      source?.close();
    };
  }, [id]);
  return state;
}

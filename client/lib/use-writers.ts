import { useContext, useEffect, useRef, useState } from 'react';
import { SECOND } from '#shared/time.ts';
import { LiveContext } from './live.ts';
import { useApi } from './use-api.ts';

/** Somebody else who writes in the ticket that is shown. */
export interface WriterView {
  readonly name: string;
  readonly staff: boolean;
  /** They typed a moment ago; false: they have begun an answer. */
  readonly typing: boolean;
  readonly for_ms: number;
}

/** How often a page says that its user types, ms. */
const SAY_MS = 3 * SECOND;
/** Added to what the server said: its answer took a while to arrive. */
const MARGIN_MS = 200;

/**
 * Who else writes in a ticket: asked when the stream says that somebody began or stopped, and when what was answered
 * runs out. In: the ticket's id, and whether staff ask.
 */
export function useWriters(ticketId: string, isStaff: boolean): readonly WriterView[] {
  const page = useContext(LiveContext);
  const api = useApi();
  const [writers, setWriters] = useState<readonly WriterView[]>([]);
  // The stream of events lives outside React.
  useEffect(() => {
    if (api === null) return undefined;
    let isCurrent = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = (found: readonly WriterView[]): void => {
      if (!isCurrent) return;
      setWriters(found);
      if (found.length > 0) timer = setTimeout(ask, Math.min(...found.map(({ for_ms: ms }) => ms)) + MARGIN_MS);
    };
    const ask = (): void => {
      clearTimeout(timer);
      (isStaff ? api.adminTickets : api.tickets).writers({ params: { id: ticketId } }).then(
        (answer) => show(answer.writers),
        // That somebody types is no loss.
        () => show([]),
      );
    };
    ask();
    const stop = page?.subscribe((topic) => {
      if (topic === 'typing') ask();
    });
    return () => {
      isCurrent = false;
      clearTimeout(timer);
      stop?.();
    };
  }, [page, api, ticketId, isStaff]);
  return writers;
}

/**
 * Says that the user of this page types, every few seconds, and that they stopped. In: what says it; true for typing.
 * Out: takes every text as it is typed, '' when there is none any more.
 */
export function useTypingSignal(say: (isTyping: boolean) => Promise<unknown>): (text: string) => void {
  /** When it was said last; null: it was said that nobody types, or nothing was. */
  const said = useRef<number | null>(null);
  return (text) => {
    const isTyping = text !== '';
    if (isTyping ? said.current !== null && Date.now() < said.current + SAY_MS : said.current === null) return;
    said.current = isTyping ? Date.now() : null;
    say(isTyping).catch(() => undefined);
  };
}

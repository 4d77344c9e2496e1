import { useEffect, useEffectEvent, useState } from 'react';
import { useApi } from '#client/lib/use-api.ts';
import type { LogLineView } from '#shared/contract/logs.ts';
import type { LineLevel } from '#shared/logs.ts';

const EVERY_MS = 1000;
/** Lines that stay on the page while it follows. */
const SHOWN = 300;

/** What is followed: the lines that the page came with, where the log ended then, and what they are narrowed to. */
interface Followed {
  readonly lines: readonly LogLineView[];
  readonly end: string | null;
  readonly query: { readonly level: LineLevel; readonly q?: string };
}

/**
 * The lines of a page, and while `on` those that are written meanwhile, the newest first. Asked for once a second while
 * the page is visible, only what is new; where asking fails the next second tries again. Another `followed` begins
 * anew.
 */
export function useTail(followed: Followed, on: boolean): readonly LogLineView[] {
  const api = useApi();
  const [shown, setShown] = useState({ of: followed, lines: followed.lines, end: followed.end });
  const current = shown.of === followed ? shown : { of: followed, lines: followed.lines, end: followed.end };
  const ask = useEffectEvent(async (): Promise<void> => {
    const { end } = current;
    const answer = await api?.adminLogs.list({ query: { ...followed.query, ...(end === null ? {} : { after: end }) } });
    if (!answer) return;
    // More was written than one answer has: what is shown begins anew, so that nothing is missing in between.
    const before = answer.older === null ? current.lines : [];
    setShown((now) =>
      now.of === current.of && now.end !== current.end
        ? now
        : { of: followed, lines: [...answer.lines, ...before].slice(0, SHOWN), end: answer.end },
    );
  });
  // An effect, because the log is written outside React.
  useEffect(() => {
    if (!on) return;
    let asking = false;
    const timer = setInterval(() => {
      if (document.hidden || asking) return;
      asking = true;
      void ask()
        .catch(() => undefined)
        .finally(() => (asking = false));
    }, EVERY_MS);
    return () => clearInterval(timer);
  }, [on]);
  return current.lines;
}

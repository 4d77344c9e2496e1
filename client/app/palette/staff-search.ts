import { useEffect, useEffectEvent, useState } from 'react';
import { useShell } from '#client/lib/shell-context.ts';
import { useApi } from '#client/lib/use-api.ts';
import type { PaletteEntry } from '#client/lib/palette.ts';
import { can } from '#shared/can.ts';
import type { Api } from '#shared/contract/index.ts';
import { useFoundEntries } from './staff-entries.ts';

/** What staff searched for, and what was found. */
export interface StaffFound {
  readonly typed: string;
  readonly found: Awaited<ReturnType<Api['adminSearch']['find']>>;
}

/** After the last letter the search waits this long, in ms: while somebody types, nothing is asked. */
const PAUSE_MS = 150;
/** Letters from which on it searches. */
const MIN_LETTERS = 2;

/**
 * Users, servers, orders, codes and queue entries that fit what staff typed, with what can be done about them; nothing
 * for players. A refusal or a fault of the network is `failed`.
 */
export function useStaffSearch(query: string): {
  readonly entries: readonly PaletteEntry[];
  readonly state: 'loading' | 'ready' | 'failed';
  /** The visitor is staff who may search. */
  readonly isStaff: boolean;
} {
  const api = useApi();
  const allowed = can(useShell().session.permissions, 'admin.dashboard.view');
  const [answer, setAnswer] = useState<StaffFound | null>(null);
  const [failed, setFailed] = useState('');
  const typed = query.replace(/^\s*>/, '').trim().slice(0, 100);
  const wanted = allowed && typed.length >= MIN_LETTERS ? typed : '';
  const ask = useEffectEvent((q: string) => api?.adminSearch.find({ query: { q } }));
  // An effect, because it asks the server once the typing pauses.
  useEffect(() => {
    if (wanted === '') return;
    let current = true;
    const timer = setTimeout(() => {
      void ask(wanted)?.then(
        (found) => current && setAnswer({ typed: wanted, found }),
        () => current && setFailed(wanted),
      );
    }, PAUSE_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [wanted]);
  const shown = wanted === '' ? null : answer;
  const isReady = wanted === '' || shown?.typed === wanted;
  return {
    isStaff: allowed,
    entries: useFoundEntries(shown),
    state: isReady ? 'ready' : failed === wanted ? 'failed' : 'loading',
  };
}

import { useMemo, useState } from 'react';
import { storage } from './storage.ts';
import { useHydrated } from './use-hydrated.ts';

/** What is being typed, and the key under which it is sent, however often (behaviour 1). */
interface Kept {
  readonly text: string;
  readonly key: string;
}
export interface Draft extends Kept {
  /** '' forgets it. */
  readonly setText: (text: string) => void;
  /** Gives it another key: what was sent under this one was another text. */
  readonly renewKey: () => void;
}

const placeOf = (name: string): string => `draft:${name}`;

/** Forgets a draft. */
export const removeDraft = (name: string): void => storage.removeItem(placeOf(name));

function readDraft(name: string): Kept | null {
  try {
    const { text, key } = JSON.parse(storage.getItem(placeOf(name)) ?? 'null') as Partial<Kept>;
    return typeof text === 'string' && typeof key === 'string' ? { text, key } : null;
  } catch {
    return null;
  }
}

/**
 * What is being typed, kept in this browser until it was sent: it survives a reload and a lost connection, and so does
 * its key. In: which text, and what it begins with where nothing is kept.
 */
export function useDraft(name: string, first = ''): Draft {
  const hydrated = useHydrated();
  const [typed, setTyped] = useState<Kept | null>(null);
  // The server has no storage: what is kept there appears once the page is hydrated.
  const kept = useMemo(() => (hydrated && first === '' ? readDraft(name) : null), [hydrated, name, first]);
  const draft = typed ?? kept ?? { text: first, key: '' };
  const change = (next: Kept): void => {
    setTyped(next);
    if (next.text === '') removeDraft(name);
    else storage.setItem(placeOf(name), JSON.stringify(next));
  };
  return {
    ...draft,
    setText: (text) => change({ text, key: text === '' ? '' : draft.key === '' ? crypto.randomUUID() : draft.key }),
    renewKey: () => change({ text: draft.text, key: crypto.randomUUID() }),
  };
}

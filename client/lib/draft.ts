import { useEffect, useMemo, useState } from 'react';
import type { AttachmentView } from '#shared/contract/ticket-shapes.ts';
import { storage } from './storage.ts';
import { useHydrated } from './use-hydrated.ts';

/** What is being typed and attached, and under which key it is sent, however often (behaviour 1). */
interface Kept {
  readonly text: string;
  /** Files that the server keeps for it. */
  readonly files: readonly AttachmentView[];
  /** Other fields of its form, by name. */
  readonly fields: Readonly<Record<string, string>>;
  readonly key: string;
}
export interface Draft extends Kept {
  readonly setText: (text: string) => void;
  readonly setField: (name: string, value: string) => void;
  readonly addFile: (file: AttachmentView) => void;
  readonly removeFile: (id: string) => void;
  /** Forgets it: it was sent. */
  readonly clear: () => void;
  /** Gives it another key: what was sent under this one was another text. */
  readonly renewKey: () => void;
}

const NO_FIELDS = {};
const NOTHING: Kept = { text: '', files: [], fields: NO_FIELDS, key: '' };

const placeOf = (name: string): string => `draft:${name}`;

const isEmpty = ({ text, files, fields }: Kept): boolean =>
  text === '' && files.length === 0 && Object.values(fields).every((value) => value === '');

/** Ids of a draft's files. */
export const idsOf = ({ files }: Pick<Draft, 'files'>): string[] => files.map(({ id }) => id);

/** Forgets a draft. */
export const removeDraft = (name: string): void => storage.removeItem(placeOf(name));

function readDraft(name: string): Kept | null {
  try {
    const { text, files, fields, key } = JSON.parse(storage.getItem(placeOf(name)) ?? 'null') as Partial<Kept>;
    if (typeof text !== 'string' || typeof key !== 'string') return null;
    return { text, files: Array.isArray(files) ? files : [], fields: fields ?? NO_FIELDS, key };
  } catch {
    return null;
  }
}

/**
 * What is being written, kept in this browser until it was sent: it survives a reload and a lost connection, and so do
 * its files, the other fields of its form and its key. In: which text, and what it and the fields begin with where
 * nothing is kept.
 */
export function useDraft(name: string, first = '', fields: Kept['fields'] = NO_FIELDS): Draft {
  const hydrated = useHydrated();
  const [typed, setTyped] = useState<Kept | null>(null);
  // The server has no storage: what is kept there appears once the page is hydrated.
  const kept = useMemo(() => (hydrated && first === '' ? readDraft(name) : null), [hydrated, name, first]);
  const begun = kept ?? { ...NOTHING, text: first, fields };
  // An effect, because what changes a draft may be an upload that ends while its user types.
  useEffect(() => {
    if (typed === null) return;
    if (isEmpty(typed)) removeDraft(name);
    else storage.setItem(placeOf(name), JSON.stringify(typed));
  }, [name, typed]);
  const change = (part: (before: Kept) => Partial<Kept>): void => {
    const key = crypto.randomUUID();
    setTyped((before) => {
      const now = before ?? begun;
      const next = { ...now, ...part(now) };
      return { ...next, key: isEmpty(next) ? '' : next.key === '' ? key : next.key };
    });
  };
  return {
    ...(typed ?? begun),
    setText: (text) => change(() => ({ text })),
    setField: (field, value) => change((now) => ({ fields: { ...now.fields, [field]: value } })),
    addFile: (file) => change(({ files }) => ({ files: [...files, file] })),
    removeFile: (id) => change(({ files }) => ({ files: files.filter((each) => each.id !== id) })),
    clear: () => change(() => NOTHING),
    renewKey: () => change(() => ({ key: '' })),
  };
}

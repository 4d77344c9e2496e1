import { useEffect, useState } from 'react';
import { useApi } from '#client/lib/use-api.ts';
import { refusalOf } from './use-folder.ts';

/** A text as it is stored: its version, and whether its lines end as on Windows, which a field for text forgets. */
interface Stored {
  readonly text: string;
  readonly version: string | null;
  readonly hasReturns: boolean;
}
const NEW: Stored = { text: '', version: null, hasReturns: false };

interface FileOf {
  readonly id: string;
  /** The file, below the server's folder. */
  readonly path: string;
  /** There is no such file yet. */
  readonly isNew: boolean;
}

/** The text of a server's file while it is edited. What was changed meanwhile is never written over unasked. */
export function useFileText({ id, path, isNew }: FileOf) {
  const api = useApi();
  const [stored, setStored] = useState<Stored | null>(isNew ? NEW : null);
  const [text, setText] = useState('');
  const [refused, setRefused] = useState<string | null>(null);
  const [state, setState] = useState<'open' | 'busy' | 'saved'>('open');
  const isChanged = stored !== null && (text !== stored.text || stored.version === null);

  const read = async (): Promise<Stored | null> => {
    if (!api) return null;
    const found = await api.serverFiles.open({ params: { id }, query: { path } });
    const hasReturns = found.text.includes('\r\n');
    return { text: found.text.replaceAll('\r\n', '\n'), version: found.version, hasReturns };
  };
  const load = async (): Promise<void> => {
    setRefused(null);
    try {
      const found = await read();
      setStored(found);
      setText(found?.text ?? '');
    } catch (error) {
      setRefused(refusalOf(error));
    }
  };
  // An effect, because the file is outside React.
  useEffect(() => {
    if (!isNew) void load();
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- another file is another editor
  }, []);

  const save = async (over: Stored | null): Promise<void> => {
    if (!api || !over || state === 'busy') return;
    setState('busy');
    setRefused(null);
    try {
      const body = new TextEncoder().encode(over.hasReturns ? text.replaceAll('\n', '\r\n') : text);
      const query = { path, ...(over.version === null ? {} : { version: over.version }) };
      const { version } = await api.serverFiles.save({ params: { id }, query, body });
      setStored({ ...over, text, version });
      setState('saved');
    } catch (error) {
      setRefused(refusalOf(error));
      setState('open');
    }
  };
  return {
    text,
    isReady: stored !== null,
    isChanged,
    refused,
    state,
    edit(changed: string): void {
      setText(changed);
      if (state === 'saved') setState('open');
    },
    save: () => save(stored),
    /** Reads it again, and gives up what was changed here. */
    reload: load,
    /** Saves over what is stored now. */
    async overwrite(): Promise<void> {
      try {
        await save(await read());
      } catch (error) {
        setRefused(refusalOf(error));
      }
    },
  };
}

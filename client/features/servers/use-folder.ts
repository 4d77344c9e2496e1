import { useEffect, useEffectEvent, useState } from 'react';
import { useApi } from '#client/lib/use-api.ts';
import { ApiError } from '#shared/contract/client.ts';
import type { Api } from '#shared/contract/index.ts';
import type { ServerFile } from '#shared/contract/server-files.ts';

type FileWork = NonNullable<Awaited<ReturnType<Api['serverFiles']['list']>>['work']>;

interface Place {
  readonly id: string;
  readonly path: string;
  /** What names have to contain; '' for all. */
  readonly find: string;
}
interface Listing {
  readonly path: string;
  readonly entries: readonly ServerFile[];
  readonly total: number;
  readonly used: number | null;
  readonly limit: number;
  /** What is being packed or unpacked, or was last. */
  readonly work: FileWork | null;
}
/** How often a folder is read while something is packed or unpacked, ms. */
const POLL_MS = 1500;
/** Pause after a key before a search is asked for, ms. */
const TYPING_MS = 250;

/** The code of a refusal, for `useErrorText`. */
export const refusalOf = (error: unknown): string => (error instanceof ApiError ? error.code : 'SERVER_ERROR');

async function read(api: Api, { id, path, find }: Place, from = 0): Promise<Listing> {
  const query = { path, ...(find === '' ? {} : { q: find }), ...(from === 0 ? {} : { from: String(from) }) };
  return { ...(await api.serverFiles.list({ params: { id }, query })), path };
}

/** A folder of a server as it was read last, and why it could not be read. */
export function useFolder(id: string, path: string, find: string) {
  const api = useApi();
  const [listing, setListing] = useState<Listing | null>(null);
  const [refused, setRefused] = useState<string | null>(null);
  // An effect, because the folder is outside React.
  useEffect(() => {
    if (!api) return;
    let isOver = false;
    const show = async (): Promise<void> => {
      try {
        const found = await read(api, { id, path, find });
        if (isOver) return;
        setListing(found);
        setRefused(null);
      } catch (error) {
        if (!isOver) setRefused(refusalOf(error));
      }
    };
    const timer = setTimeout(() => void show(), find === '' ? 0 : TYPING_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [api, id, path, find]);

  /** Reads a part of it and puts it in. */
  const put = async (from: number, merge: (found: Listing, before: Listing | null) => Listing): Promise<void> => {
    if (!api) return;
    try {
      const found = await read(api, { id, path, find }, from);
      setListing((before) => merge(found, before));
      setRefused(null);
    } catch (error) {
      setRefused(refusalOf(error));
    }
  };
  const isWorking = listing?.work?.state === 'running';
  const poll = useEffectEvent(() => void put(0, (found) => found));
  // An effect for the same reason: it goes on there by itself.
  useEffect(() => {
    if (!isWorking) return;
    const timer = setInterval(poll, POLL_MS);
    return () => clearInterval(timer);
  }, [isWorking]);

  return {
    listing,
    refused,
    /** Reads it again. */
    reload: () => put(0, (found) => found),
    /** Reads the entries behind those that are shown. */
    more: () =>
      put(listing?.entries.length ?? 0, (found, before) =>
        before?.path === found.path ? { ...found, entries: [...before.entries, ...found.entries] } : found,
      ),
  };
}

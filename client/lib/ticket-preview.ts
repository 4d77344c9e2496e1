import { useMemo } from 'react';
import { useApi } from './use-api.ts';

/** What shows how a message will look; null on the server. */
export function usePreviewOf(): ((text: string) => Promise<string>) | null {
  const api = useApi();
  return useMemo(
    () => (api === null ? null : async (text: string) => (await api.tickets.preview({ body: { text } })).html),
    [api],
  );
}
